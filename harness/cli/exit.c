/* SPDX-License-Identifier: MIT */
#include "cli/exit.h"

#include "cli/say.h"

const struct cli_status cli_statuses[] = {
	{CLI_OK, "nothing got slower"},
	{CLI_SLOWER, "something got slower, or an alarm is open (doctor: the machine is not fit)"},
	{CLI_USAGE, "a wrong option, name or value"},
	{CLI_NOTHING, "nothing to compare with, or nothing was measured"},
	{CLI_WRONG, "a case failed, gave a wrong result, or is missing"},
	{CLI_ENVIRONMENT, "storage or environment failed, or the machine was not free (--wait)"},
	{CLI_UNCLEAR, "suspected, or too much unclear (gate, bisect); anything unclear with --strict"},
	{CLI_BEGUN, "the history begins: nothing to compare with yet (gate, or all is new)"},
	{CLI_INTERRUPTED, "interrupted; what was measured is kept"},
	{CLI_BROKEN_PIPE, "stdout was closed, for example by `head`; what was measured is kept"},
	{0},
};

static const int of_errors[] = {
	[BENCH_OK] = CLI_OK,
	[BENCH_USAGE] = CLI_USAGE,
	[BENCH_NOTHING] = CLI_NOTHING,
	[BENCH_UNSUPPORTED] = CLI_NOTHING,
	[BENCH_FAILED] = CLI_WRONG,
	[BENCH_NO_MEMORY] = CLI_ENVIRONMENT,
	[BENCH_ENVIRONMENT] = CLI_ENVIRONMENT,
};

static const int of_outcomes[] = {
	[BENCH_OUTCOME_GOOD] = CLI_OK,
	[BENCH_OUTCOME_SLOWER] = CLI_SLOWER,
	[BENCH_OUTCOME_NOTHING] = CLI_NOTHING,
	[BENCH_OUTCOME_WRONG] = CLI_WRONG,
	[BENCH_OUTCOME_USAGE] = CLI_USAGE,
	[BENCH_OUTCOME_NOT_KEPT] = CLI_ENVIRONMENT,
	[BENCH_OUTCOME_UNCLEAR] = CLI_UNCLEAR,
	[BENCH_OUTCOME_BEGUN] = CLI_BEGUN,
	[BENCH_OUTCOME_INTERRUPTED] = CLI_INTERRUPTED,
};

int cli_exit(enum bench_outcome outcome)
{
	return of_outcomes[outcome];
}

int cli_fail(const struct bench_error *error)
{
	cli_say("%s", error->text);
	return of_errors[error->code];
}

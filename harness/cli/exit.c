#include "cli/exit.h"

#include "cli/say.h"

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

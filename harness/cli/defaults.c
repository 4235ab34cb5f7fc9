/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "app/duel.h"
#include "cli/options.h"

_Static_assert(BENCH_APP_DUEL_INVOCATIONS == 32 && (int)BENCH_APP_DUEL_CASE_SECONDS == 16 &&
		       (int)BENCH_APP_DUEL_LEAST_SECONDS == 60 && (int)BENCH_APP_DUEL_MOST_SECONDS == 900,
	       "CLI_DEFAULTS_DUEL prints other numbers");

/* Where a verb has no defaults of an option in its own table. */
static const struct cli_default shared[] = {
	{CLI_PROJECT, NULL, NULL, ".bench.json, here or in a parent folder"},
	{"alpha", NULL, "0.01", NULL},
	{"branch", NULL, NULL, "the first-parent line of the commit"},
	{"budget", NULL, NULL, "the preset's"},
	{"cache", NULL, "hot", NULL},
	{"cleanup", NULL, NULL, "none"},
	{"data", NULL, NULL, "uniform"},
	{"db", NULL, "results.db", NULL},
	{"exec-output", NULL, NULL, "pipe"},
	{"exec-shell", NULL, NULL, "none"},
	{"floor", NULL, "1ns", "1ns; imported runs: 0"},
	{"format", NULL, "table", NULL},
	{"invocations", NULL, NULL, "the preset's"},
	{"pin", NULL, "yes", NULL},
	{"precision", NULL, NULL, "the preset's"},
	{"prepare", NULL, NULL, "none"},
	{"preset", NULL, "nightly", NULL},
	{"runs", NULL, NULL, "as many as there is time for"},
	{"runs-dir", NULL, "runs", NULL},
	{"seed", NULL, "1", NULL},
	{"shuffle", NULL, "yes", NULL},
	{"source", NULL, NULL, "the code that is measured"},
	{"spec", NULL, NULL, "the comment /* bench {...} */ in the kernel"},
	{"suite", NULL, NULL, "all"},
	{"threads", NULL, NULL, "all"},
	{"threshold", NULL, "5%", NULL},
	{"threshold", CLI_ANCHORED, "2%", NULL},
	{"time-limit", NULL, "120s", NULL},
	{"warmup", NULL, NULL, "none"},
	{"watch", NULL, "yes", NULL},
	{0},
};

/* The first of the rows that is about the option; NULL: none is. */
static const struct cli_default *next_row(const struct cli_default *row, const char *name)
{
	while (row && row->option && strcmp(row->option, name) != 0)
		row++;
	return row && row->option ? row : NULL;
}

const struct cli_default *cli_default_rows(const struct cli_verb *verb, const char *name)
{
	const struct cli_default *own = next_row(verb->defaults, name);
	return own ? own : next_row(shared, name);
}

const struct cli_default *cli_default_next(const struct cli_default *row)
{
	return next_row(row + 1, row->option);
}

static bool holds(const struct cli_args *args, const char *where, const char *known)
{
	if (!where || (known && strcmp(where, known) == 0))
		return true;
	if (strncmp(where, "--", 2) == 0)
		return cli_given(args, where + 2);
	return args->operand_count > 0 && strcmp(where, args->operands[0]) == 0;
}

const char *cli_default(const struct cli_args *args, const char *name, const char *where)
{
	const char *value = NULL;
	const struct cli_default *row = cli_default_rows(args->verb, name);
	for (; row; row = cli_default_next(row))
		if (holds(args, row->where, where))
			value = row->value;
	return value;
}

void cli_default_text(const struct cli_verb *verb, const char *name, struct bench_text *out)
{
	const struct cli_default *row = cli_default_rows(verb, name);
	const char *between = " (default: ";
	if (!row)
		return;
	for (; row; row = cli_default_next(row), between = "; ") {
		const bool given = row->where && strncmp(row->where, "--", 2) == 0;
		bench_text_add(out, "%s%s%s%s%s", between, given ? "with " : "", row->where ? row->where : "",
			       row->where ? ": " : "", row->words ? row->words : row->value);
	}
	bench_text_add(out, ")");
}

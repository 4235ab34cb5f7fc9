/* The options that make a plan, which `run` and `list cases` share. */
#ifndef BENCH_CLI_PLANNING_H
#define BENCH_CLI_PLANNING_H

#include "cli/cli.h"
#include "plan/plan.h"

#define CLI_OPTIONS_PLAN                                                                                     \
	{"suite", 's', "S,..", "suites to run, or all (default: all)"},                                      \
		{"backend", 'b', "B[:DEV],..", "backends, and devices by index, kind or part of the name"},  \
		{"filter", 0, "EXPR", "only cases for which all terms hold: n>=256,trans=NN,openblas"},      \
		{"set", 0, "K=V,..", "values of a parameter, in place of the preset's; may be repeated"},    \
	{                                                                                                    \
		"preset", 'p', "P", "quick, nightly or full (default: nightly; of power: quick)"             \
	}

struct cli_preset {
	const char *name;
	enum bench_preset sweeps;
	unsigned invocations;
	double budget_seconds; /* a suite; 0: none */
	double most_seconds;   /* all suites together */
	double precision;
};

/* The preset that --preset names. BENCH_USAGE with the nearest. */
int cli_preset(const struct cli_args *args, const struct cli_preset **preset, struct bench_error *error);
int cli_preset_named(const char *name, const struct cli_preset **preset, struct bench_error *error);

/* The plan of these suites; of all cases, or of those in `only` (keys, NULL-terminated). */
int cli_plan(const struct cli_args *args, const struct bench_suite *const *suites, const char *const *only,
	     struct bench_plan **plan, struct bench_error *error);

#endif

/* bench run --resume: a run that was cut short is measured to its end. */
#ifndef BENCH_CLI_RESUME_H
#define BENCH_CLI_RESUME_H

#include "cli/measuring.h"

#define CLI_OPTION_RESUME                                                                                    \
	{                                                                                                    \
		"resume", 0, "RUN", "go on with a run that was cut short: its id, or its folder"             \
	}

/*
 * In place of cli_measuring_plan: the plan that the record of the run asks for, on the machine that
 * measured it and by the program that did. BENCH_NOTHING where there is no such run, or nothing of it left to
 * measure; BENCH_USAGE for options that the record answers; BENCH_ENVIRONMENT naming what is not as it was.
 */
int cli_resume_plan(const struct cli_args *args, struct cli_measuring *measuring, struct bench_error *error);

/* In place of cli_measuring_open: the history, which must not have the run, and the run's folder. */
int cli_resume_open(struct cli_measuring *measuring, struct bench_error *error);

#endif

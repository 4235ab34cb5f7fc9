/* SPDX-License-Identifier: MIT */
/* --exec: commands of the user's, as extensions of kind "exec" (suites/exec/exec.h). */
#ifndef BENCH_CLI_EXEC_H
#define BENCH_CLI_EXEC_H

#include "app/measure.h"
#include "cli/options.h"

/* As struct cli_option has them. */
#define CLI_OPTIONS_EXEC                                                                                     \
	{"exec", 0, "CMD|F.json", "measure this command, or those in a file; repeatable"},                   \
		CLI_OPTION("exec-shell", 0, "SH", "run the --exec commands in this shell"),                  \
		CLI_OPTION("exec-output", 0, "pipe|null|FILE",                                               \
			   "where their output goes; pipe: read and dropped"),                               \
		{"prepare", 0, "CMD", "run this before each timed run of the --exec commands"},              \
		{"cleanup", 0, "CMD", "run this after all runs of each command"},                            \
		{"warmup", 0, "N",                                                                           \
		 "untimed runs of each command, besides the first, before the timed ones"},                  \
		CLI_OPTION("runs", 0, "N", "timed runs of each command in each process")

/* Adds what --exec gives: its suites are measured. BENCH_USAGE with file, line and column. */
int cli_exec_extend(const struct cli_args *args, struct bench_error *error);

/*
 * How long 'bench run' measures commands unless it is told: about as long as one waits at a prompt, which is
 * ten runs of each, or three seconds. Only where all cases of the plan are commands.
 */
void cli_exec_pace(const struct cli_args *args, struct bench_app_measure *measure);

#endif

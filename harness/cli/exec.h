/* SPDX-License-Identifier: MIT */
/* --exec: commands of the user's, as extensions of kind "exec" (suites/exec/exec.h). */
#ifndef BENCH_CLI_EXEC_H
#define BENCH_CLI_EXEC_H

#include "cli/options.h"

/* As struct cli_option has them. */
#define CLI_OPTIONS_EXEC                                                                                     \
	{"exec", 0, "CMD|F.json", "measure this command, or those in a file; repeatable"},                   \
		CLI_OPTION("exec-shell", 0, "SH", "run the --exec commands in this shell"),                  \
		CLI_OPTION("exec-output", 0, "pipe|null|FILE",                                               \
			   "where their output goes; pipe: read and dropped")

/* Adds what --exec gives: its suites are measured. BENCH_USAGE with file, line and column. */
int cli_exec_extend(const struct cli_args *args, struct bench_error *error);

#endif

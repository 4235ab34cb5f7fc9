/* SPDX-License-Identifier: MIT */
/* What the project file says (app/project.h) as options that come before those of the command line. */
#ifndef BENCH_CLI_PROJECT_H
#define BENCH_CLI_PROJECT_H

#include "cli/options.h"

/*
 * Puts the options of the project file that the verb has before those that were given. The options of a
 * preset follow the rest of the file, and the command line follows both. --project names the file.
 * args->project: the project, in the arguments' care. BENCH_USAGE with file, line and column.
 */
int cli_project(struct cli_args *args, struct bench_error *error);

#endif

/* What the project file says (app/project.h) as options that come before those of the command line. */
#ifndef BENCH_CLI_PROJECT_H
#define BENCH_CLI_PROJECT_H

#include "cli/options.h"

/*
 * Puts what the project file says, as far as the verb has such options, before those that were given; what a
 * preset says comes behind the rest of the file, and the command line behind both. --project names the file.
 * args->project: the project, in the arguments' care. BENCH_USAGE with file, line and column.
 */
int cli_project(struct cli_args *args, struct bench_error *error);

#endif

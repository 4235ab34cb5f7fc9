/* SPDX-License-Identifier: MIT */
/* --set help: the parameters of the suites that are chosen. */
#ifndef BENCH_CLI_SET_HELP_H
#define BENCH_CLI_SET_HELP_H

#include "cli/options.h"

bool cli_wants_set_help(const struct cli_args *args);
/* Prints each parameter with what it takes, its default and what it is; returns the exit status. */
int cli_set_help(const struct cli_args *args);

#endif

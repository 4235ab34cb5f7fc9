/* SPDX-License-Identifier: MIT */
/* Exit statuses, and how errors and outcomes become them: here alone. */
#ifndef BENCH_CLI_EXIT_H
#define BENCH_CLI_EXIT_H

#include "bench/error.h"
#include "core/outcome.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_SLOWER = 1, /* of doctor: not fit */
	CLI_USAGE = 2,
	CLI_NOTHING = 3,
	CLI_WRONG = 4,
	CLI_ENVIRONMENT = 5,
	CLI_UNCLEAR = 6,
	CLI_BEGUN = 7,
	CLI_INTERRUPTED = 130,
};

/* What each means, in a line, as --help and the man page list them. Ends with NULL. */
struct cli_status {
	int status;
	const char *means;
};
extern const struct cli_status cli_statuses[];

int cli_exit(enum bench_outcome outcome);

/* "bench: <text>" on stderr; returns the exit status for the error's code. */
int cli_fail(const struct bench_error *error);

#endif

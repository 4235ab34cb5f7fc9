/* SPDX-License-Identifier: MIT */
/* A program that is run to its end, within a time limit. */
#ifndef BENCH_MACHINE_CHILD_H
#define BENCH_MACHINE_CHILD_H

#include <signal.h>

enum bench_child_end {
	BENCH_CHILD_ENDED,
	BENCH_CHILD_TIMED_OUT,
	BENCH_CHILD_STOPPED,
	BENCH_CHILD_NOT_STARTED,
};

struct bench_child {
	const char *const *arguments; /* the program, found by PATH, and its arguments; ended by NULL */
	char *const *environment;     /* NULL: that of this process */
	int out, err;                 /* descriptors; its input is empty */
	double limit_seconds;
	const volatile sig_atomic_t *stop; /* ends it once it is set; may be NULL */
};

/*
 * Runs it in a new process group. At the limit, and when it is stopped, the whole group gets SIGTERM, and
 * SIGKILL a few seconds later. *status: as from waitpid, or errno if it was not started.
 */
enum bench_child_end bench_machine_child_run(const struct bench_child *child, int *status);

#endif

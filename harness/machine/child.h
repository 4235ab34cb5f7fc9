/* SPDX-License-Identifier: MIT */
/* A program that is run to its end, within a time limit. */
#ifndef BENCH_MACHINE_CHILD_H
#define BENCH_MACHINE_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include "core/text.h"

enum bench_child_end {
	BENCH_CHILD_ENDED,
	BENCH_CHILD_TIMED_OUT,
	BENCH_CHILD_STOPPED,
	BENCH_CHILD_NOT_STARTED,
};

struct bench_child {
	const char *const *arguments; /* the program, found by PATH, and its arguments; ended by NULL */
	char *const *environment;     /* NULL: that of this process */
	const char *folder;           /* where it runs; NULL: here */
	int in, out, err;             /* descriptors; in 0: its input is empty */
	double limit_seconds;
	double grace_seconds;              /* between SIGTERM and SIGKILL; 0: a few */
	bool whole_group;                  /* what it leaves in its group ends with it */
	const volatile sig_atomic_t *stop; /* ends it once it is set; may be NULL */
};

/*
 * Runs it in a new process group. At the limit, and when it is stopped, the whole group gets SIGTERM, and
 * SIGKILL after the grace. *status: as from waitpid, or errno if it was not started.
 */
enum bench_child_end bench_machine_child_run(const struct bench_child *child, int *status);

/* Adds the first `most` bytes that the program prints, on either stream, to `answer`, or all if there are
 * fewer. Else as above; *status may be the errno of the answer's file. */
enum bench_child_end bench_machine_child_ask(const char *const *arguments, double limit_seconds, size_t most,
					     struct bench_text *answer, int *status);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Who measures on this machine, and who waits to: a waiting line of processes, first come, first served.
 *
 * All processes share one file. It has a slot for each, of which a byte is locked (fcntl(2), F_OFD_SETLK)
 * while its process lives: the kernel frees it after any death, so that no lock is ever stale. A slot's text
 * says what the process does; other users may write it, so that it decides nothing but the order.
 */
#ifndef BENCH_MACHINE_TURN_H
#define BENCH_MACHINE_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench/error.h"

#define BENCH_TURN_VARIABLE "BENCH_TURN" /* of the environment: the file, if not BENCH_TURN_FILE */
#define BENCH_TURN_FILE     "/tmp/bench.turn"

/* A process in the line. */
struct bench_turn {
	int fd; /* of the file; -1: it is in no line */
	int slot;
	uint64_t ticket; /* the order in which they came */
	char command[96];
};

/* What stands before a process. */
struct bench_turn_ahead {
	size_t count; /* processes that measure, and those that came earlier and wait */
	/* The one that measures, else the one that is next; pid 0: it does not say. */
	pid_t pid;
	bool measures;
	int64_t since; /* Unix seconds, of its measuring or waiting */
	char command[96];
};

/*
 * Enters the line at its end. The file is made, for all users, if there is none. BENCH_ENVIRONMENT: it cannot
 * be used, or is full.
 */
int bench_machine_turn_join(const char *path, const char *command, struct bench_turn *turn,
			    struct bench_error *error);
/*
 * Begins to measure if nothing is ahead, or `now` says so in any case. *ahead: what was ahead. 1: it
 * measures; 0: it waits; -1: BENCH_ENVIRONMENT.
 */
int bench_machine_turn_try(struct bench_turn *turn, bool now, struct bench_turn_ahead *ahead,
			   struct bench_error *error);
/* The end of a process does the same. */
void bench_machine_turn_leave(struct bench_turn *turn);

#endif

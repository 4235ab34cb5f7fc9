/* SPDX-License-Identifier: MIT */
/* What a command is started with: its words and environment with the case's values in them, and its program.
 */
#ifndef SUITES_EXEC_START_H
#define SUITES_EXEC_START_H

#include "suites/exec/exec.h"
#include "suites/exec/process.h"

/* The suite of a case, as its description was read. */
const struct bench_exec *bench_exec_of(const struct bench_case *bench_case);

/* The text, in the arena, with each placeholder replaced by the case's value. */
char *bench_exec_fill(const struct bench_case *bench_case, const char *text, struct bench_arena *arena);

/*
 * Sets the words, the environment and the program of `start`, in the arena; the other members stay. The
 * environment is the one that bench was started with, without the variables that bench has set for its own
 * libraries, and with the command's assignments. BENCH_FAILED where the program is not there, or has changed
 * since the run began.
 */
int bench_exec_make_start(const struct bench_case *bench_case, const struct bench_exec_command *command,
			  struct bench_arena *arena, struct bench_exec_start *start,
			  struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The trials that scripts/evaluate_gate has measured: a file with a line a trial, in the order measured, with
 * tabs between
 *
 *   run       quiet|loaded  SLOWDOWN  SECONDS  run folder
 *   gate|duel quiet|loaded  SLOWDOWN  SECONDS  file of the verdicts (JSON)
 *   night     quiet|loaded  SLOWDOWN  SECONDS  run folder  [run folder of the second look]
 *   separate  quiet|loaded  SLOWDOWN  SECONDS  run folder  run folder
 */
#ifndef BENCH_TESTS_TRIALS_H
#define BENCH_TESTS_TRIALS_H

#include <stddef.h>

#include "record/record.h"

enum { TRIALS_MAX = 2000 };

struct trial {
	const char *kind, *load, *path, *other_path;
	double slowdown, seconds;
};

struct trials {
	struct trial items[TRIALS_MAX];
	size_t count;
	size_t history; /* how many unchanged runs a run is compared with */
	char *text;     /* what the items point into */
};

/* "evaluate: what: why" on stderr, and exit status 2. */
void trials_die(const char *what, const char *why);

/* The trials of the file. Dies where there is one that cannot be read. */
void trials_read(struct trials *trials, const char *path);
void trials_free(struct trials *trials);

/* A run by its folder; the caller's. Dies where it cannot be loaded. */
struct bench_run *trials_load(const char *folder);

/* How much the levels of unchanged runs differ, and how far the canary's follow; Markdown on stdout. */
void trials_print_levels(const struct trials *trials);

#endif

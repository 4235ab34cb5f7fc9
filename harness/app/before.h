/* SPDX-License-Identifier: MIT */
/* The stored runs before another one, which may be its baseline. */
#ifndef BENCH_APP_BEFORE_H
#define BENCH_APP_BEFORE_H

#include "app/line.h"
#include "compare/compare.h"

/*
 * The ids of the last `wanted` finished runs before the candidate, newest first, in `arena`. They have its
 * host, preset and selection, are on its line of history (app/line.h), and are not aside. BENCH_NOTHING if no
 * run qualifies.
 */
int bench_app_runs_before(struct bench_store *store, size_t wanted, const struct bench_run *candidate,
			  const struct bench_app_line *line, struct bench_arena *arena, char ***ids,
			  size_t *count, struct bench_error *error);

/*
 * How many runs each metric has in a rolling baseline so far: those that an alarm keeps from teaching do not
 * count. So a metric under an alarm has its N runs from before it.
 */
struct app_window {
	size_t wanted;
	const struct bench_excluded *excluded; /* sorted by key */
	size_t excluded_count;
	size_t plain;  /* runs that metrics have of which no alarm knows */
	size_t *taken; /* runs of the metric of excluded[i], where that is the first of its key */
};

/* The same for a window, whose `taken` is filled in here. *tally: of the runs that were looked at. */
int app_before_fill(struct bench_store *store, struct app_window *window, const struct bench_run *candidate,
		    const struct bench_app_line *line, struct bench_arena *arena, char ***ids, size_t *count,
		    struct bench_app_line_tally *tally, struct bench_error *error);

#endif

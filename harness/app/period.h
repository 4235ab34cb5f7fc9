/* SPDX-License-Identifier: MIT */
/*
 * A period of time: --since and --until, wherever runs are listed or drawn.
 *
 *     2026-11-20                     the whole day, local time
 *     2026-11-20T17:30, with a zone  that moment; local time without one (the forms of core/date.h)
 *     90m, 12h, 7d, 2w               so long ago
 *     last, last~N, a run's id       when that run began
 *
 * Both ends belong to the period.
 */
#ifndef BENCH_APP_PERIOD_H
#define BENCH_APP_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct bench_app_period {
	int64_t since, until; /* Unix seconds; INT64_MIN and INT64_MAX: open */
};

#define BENCH_APP_PERIOD_OPEN ((struct bench_app_period){INT64_MIN, INT64_MAX})

/*
 * Reads the texts of both options; NULL: that end is open. `now`: Unix seconds. Without a store, the id of a
 * run counts as the local time that it states. BENCH_USAGE for anything else, and if the period ends before
 * it begins.
 */
int bench_app_period_read(const char *since, const char *until, int64_t now, struct bench_store *store,
			  struct bench_app_period *period, struct bench_error *error);

bool bench_app_period_holds(const struct bench_app_period *period, int64_t time);

/* Keep what began in the period, in the same order. Return how many. */
size_t bench_app_period_runs(const struct bench_app_period *period, struct bench_run_row *rows, size_t count);
size_t bench_app_period_points(const struct bench_app_period *period, struct bench_point *points,
			       size_t count);

#endif

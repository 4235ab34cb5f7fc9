/* SPDX-License-Identifier: MIT */
/* Change points: when a metric of the history shifted for good, by how much, and why. */
#ifndef BENCH_APP_CHANGEPOINTS_H
#define BENCH_APP_CHANGEPOINTS_H

#include "app/line.h"
#include "compare/changes.h"
#include "store/store.h"

#define BENCH_APP_RECENT_RUNS 20 /* the default of bench_app_changepoints_recent */

struct bench_app_changepoint_options {
	double least; /* shifts of less are left out; 0.05: a factor of 1.05 */
	double alpha; /* the chance of any false change over all metrics together */
	size_t runs;  /* of bench_app_changepoints_recent: new levels that began within this number of newest
			 runs */
};

/*
 * Searches the points of bench_app_line_points (by key, then in their order), metric by metric and host by
 * host, on their logarithms: see stats/changepoints.h for the method. Points of which all invocations were
 * disturbed, and values that are not above 0, are passed over. A point's level_shift is added to the
 * logarithm of a relative_time, and subtracted for a base_time. *changes: by key, then oldest first, in
 * `arena`, as are the points' strings. Returns how many. Causes are not known yet, except where commits were
 * interleaved with one ('bench backfill').
 */
size_t bench_app_changepoints(const struct bench_point *points, size_t count,
			      const struct bench_app_changepoint_options *options, struct bench_arena *arena,
			      struct bench_change **changes);

/*
 * Says of each change whether the code or the machine changed: by the runs interleaved with an anchor, if
 * there are three or more on each side; else by the facts of the runs around the change (compare/changes.h).
 * Runs off the line say nothing of it.
 */
int bench_app_changepoints_explain(struct bench_store *store, const struct bench_app_line *line,
				   struct bench_change *changes, size_t count, struct bench_arena *arena,
				   struct bench_error *error);

/*
 * The changes of the metrics of `run`, over the stored runs of its host, track and line up to it; explained,
 * by key. The run need not be stored. A new level must begin within the newest runs of the options. Metrics
 * that are derived, or of which neither direction is better, are not searched.
 */
int bench_app_changepoints_recent(struct bench_store *store, const struct bench_run *run,
				  const struct bench_app_line *line,
				  const struct bench_app_changepoint_options *options,
				  struct bench_arena *arena, struct bench_changes *changes,
				  struct bench_error *error);

#endif

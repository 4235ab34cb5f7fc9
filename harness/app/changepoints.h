/* Change points: when a metric of the history shifted for good, and by how much. */
#ifndef BENCH_APP_CHANGEPOINTS_H
#define BENCH_APP_CHANGEPOINTS_H

#include "stats/stats.h"
#include "store/store.h"

/* Of one metric on one host. The points are those that were given. */
struct bench_app_changepoint {
	const struct bench_point *last, *first; /* of the old level, and of the new one */
	double before, after;                   /* the levels */
	struct bench_interval ratio;            /* of the new level over the old one, with its 95% interval */
	double p;                               /* of the rank test between the two levels, uncorrected */
	size_t together;                        /* other metrics of the host that shifted at the same run */
};

/*
 * Searches the points of bench_store_history (by key, then oldest first), metric by metric and host by host,
 * on their logarithms: see stats/changepoints.h for the method. Points of which all invocations were
 * disturbed, and values that are not above 0, are passed over. alpha: the chance of any false change over all
 * metrics together; shifts of less than `least` (0.05: a factor of 1.05) are left out. *changes: by key, then
 * oldest first, in `arena`; returns how many.
 */
size_t bench_app_changepoints(const struct bench_point *points, size_t count, double least, double alpha,
			      struct bench_arena *arena, struct bench_app_changepoint **changes);

#endif

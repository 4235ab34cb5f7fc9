/*
 * Change points: where the level of a series of values shifts for good, or for at least some values. Pure, as
 * all of this room.
 *
 * The method is optimal partitioning with a bounded loss: the levels, and where they change, that minimise
 *
 *     sum_i min((x_i - level_i)^2 / s_i^2, K^2)  +  B * (number of changes)
 *
 * after Fearnhead & Rigaill, "Changepoint detection in the presence of outliers", JASA 114 (2019). A value
 * far from its level costs K^2 and no more, so that a spike, or two, is not worth a change. The noise s is
 * the median absolute difference of neighbours, which a step changes at one place only; where what is left
 * after the partition has neighbours that resemble each other, B grows by the factor that their mean's
 * variance does. B follows from the probability of a false change that is allowed over the whole series.
 */
#ifndef BENCH_STATS_CHANGEPOINTS_H
#define BENCH_STATS_CHANGEPOINTS_H

#include <stddef.h>

#include "stats/stats.h"

/* The fewest values that make a level. */
#define BENCH_STATS_LEVEL_VALUES 3

struct bench_stats_changepoint_options {
	double alpha;             /* probability of any change found in a series that has none, in (0, 1) */
	const double *deviations; /* of each value by itself (half its 68% interval), or NULL: not known */
	double floor;             /* noise is not taken for less than this, in the unit of the values; >= 0 */
	double least;             /* shifts that are smaller are not reported; >= 0 */
};

struct bench_stats_changepoint {
	size_t index;                /* of the first value of the new level */
	size_t end;                  /* of the first value behind the new level */
	double before, after;        /* medians of the old level and of the new one */
	struct bench_interval shift; /* of the new level against the old one (bench_stats_shift, 95%) */
	double p;                    /* of the rank test between the two, uncorrected */
};

/*
 * Finds the changes of `count` values, in the order in which they were taken; *changes is malloc'd,
 * ascending, NULL where there are none. Returns how many. Fewer than 2 * BENCH_STATS_LEVEL_VALUES values have
 * none. Takes time and memory in proportion to count^2.
 */
size_t bench_stats_changepoints(const double *values, size_t count,
				const struct bench_stats_changepoint_options *options,
				struct bench_stats_changepoint **changes);

#endif

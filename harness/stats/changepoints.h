/* SPDX-License-Identifier: MIT */
/*
 * Change points: where the level of a series of values shifts for good, or for at least some values. Pure,
 * like this whole room.
 *
 * The method is optimal partitioning with a bounded loss: the levels, and where they change, that minimize
 *
 *     sum_i min(surprise_i^2, K^2)  +  B * (number of changes)
 *
 * after Fearnhead & Rigaill, "Changepoint detection in the presence of outliers", JASA 114 (2019). A value
 * far from its expectation costs K^2 and no more, so a spike or two is not worth a change. B follows from the
 * allowed probability of a false change over the whole series.
 *
 * Noise is of first order: a value is expected between its level and the value before, by the correlation of
 * neighbors. A surprise is measured in deviations of the residual. Correlation and changes explain the same
 * values, so neither is estimated from the other's residuals. The partition is computed for each of several
 * correlations, and the one with the largest likelihood, less penalties, is kept. Similar: Chakar et al., "A
 * robust approach for estimating change-points in the mean of an AR(1) process", Bernoulli 23 (2017); Romano
 * et al., "Detecting abrupt changes in the presence of local fluctuations and autocorrelated noise", JASA 117
 * (2022). By the same measure a steady drift under the levels, and a walk without levels, compete with
 * changes.
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
	double least;             /* shifts that are smaller are not reported by themselves; >= 0 */
};

struct bench_stats_changepoint {
	size_t from;                 /* index of the first value of the old level */
	size_t index;                /* of the first value of the new level */
	size_t end;                  /* of the first value behind the new level */
	double before, after;        /* medians of the old level and of the new one */
	struct bench_interval shift; /* of the new level against the old one (bench_stats_shift, 95%) */
	double p;                    /* of the rank test between the two, uncorrected */
	bool recurs; /* more than one in 15 of the 30 values before were at the new level, fewer than five in
			a row */
};

/*
 * Finds the changes of `count` values, in the order in which they were taken; *changes is malloc'd,
 * ascending, or NULL. Levels are found first, whatever the size of a shift; a reported change is the shift
 * between two neighboring levels. Shifts below `least` are reported once they add up to it since the last
 * reported change: from the level after that change to the level that reaches it. Returns how many. Fewer
 * than 2 * BENCH_STATS_LEVEL_VALUES values have none. Takes time and memory in proportion to count^2.
 */
size_t bench_stats_changepoints(const double *values, size_t count,
				const struct bench_stats_changepoint_options *options,
				struct bench_stats_changepoint **changes);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One sample about zero: the Wilcoxon signed-rank test, with estimate and interval (Wilcoxon 1945; Tukey
 * 1949; Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed., 3.1 to 3.3). It asks that
 * under the null each value could as well have had the other sign, and nothing of the shape.
 */
#ifndef BENCH_STATS_SIGNED_H
#define BENCH_STATS_SIGNED_H

#include <stddef.h>

#include "stats/stats.h"

/*
 * Two-sided p-value: over all signs that the values could have had, exact up to 100 values that are not zero,
 * also with ties (mid-ranks), else by the normal approximation. Zeros are left out. 1 where there is
 * nothing else.
 */
double bench_stats_signed_test(const double *values, size_t count);
/* The smallest p-value that `count` values can give. */
double bench_stats_signed_test_floor(size_t count);

/*
 * The Hodges-Lehmann estimate, the median of the means of all pairs (Walsh averages, each value with itself
 * too), with the interval that inverts the test. Where the values are too few for `level`, it is the widest
 * that there is, with the level that it has.
 */
struct bench_interval bench_stats_signed_shift(const double *values, size_t count, double level);

/*
 * The same for values in the order taken, each of which has this correlation with the one before it
 * (bench_stats_correlation): as wide as their effective number asks for. As above for 0 or less.
 */
struct bench_interval bench_stats_signed_series(const double *values, size_t count, double level,
						double correlation);
/* The degrees of freedom that its width is known with; SIZE_MAX for a correlation of 0 or less. */
size_t bench_stats_series_freedom(size_t count, double correlation);

/*
 * What a clock's step may hide: half of one on either side of the ratio, whose logarithms the values are.
 * Values that were rounded repeat, and lie a step apart. Infinity where all are alike, since nothing tells
 * the step; 0 of values that do not repeat.
 */
double bench_stats_signed_hidden(const double *values, size_t count);

/*
 * The smallest true shift that would be found in a fraction `power` of such samples: by the test at
 * `alpha` (two-sided), for a correlation above 0 also by Student's t of that interval, and with an estimate
 * of `least` >= 0 or more. The method stands at the definition. Infinity where the count cannot reach alpha.
 */
double bench_stats_signed_detectable(const double *values, size_t count, double alpha, double power,
				     double least, double correlation);

#endif

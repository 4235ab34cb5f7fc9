/* SPDX-License-Identifier: MIT */
/* Distribution-free intervals: of a median, and of the shift between two samples. */
#include <math.h>
#include <stdlib.h>

#include "stats/internal.h"
#include "stats/stats.h"

/*
 * The first rank r, from the middle outward, whose r-th smallest and r-th largest of `count` >= 2 values
 * enclose the median with probability `level`; 1 if none does. That probability is the binomial mass from r
 * to count - r.
 */
static size_t enclosing_rank(size_t count, double level, double *coverage)
{
	size_t rank = count / 2;
	double n = (double)count, r = (double)rank;
	int sign; /* for lgamma_r, which lgamma would keep in a global */
	double mass =
		exp(lgamma_r(n + 1, &sign) - lgamma_r(r + 1, &sign) - lgamma_r(n - r + 1, &sign) - n * M_LN2);

	*coverage = count % 2 == 0 ? mass : 2 * mass; /* an odd count has two middle terms */
	while (rank > 1 && *coverage < level) {
		rank--;
		mass *= (double)(rank + 1) / (double)(count - rank);
		*coverage += 2 * mass;
	}
	return rank;
}

/*
 * With ranks that lie `wider` times as far from the middle as for independent values. If there are no such
 * ranks: the extremes, with the level that a normal variable has at that distance from the middle.
 */
static struct bench_interval median_between(const double *values, size_t count, double wider, double level)
{
	struct bench_interval interval = {NAN, NAN, NAN, 0};
	double *sorted, middle = 0.5 * ((double)count + 1), distance, share;
	size_t rank;

	if (count == 0)
		return interval;
	if (count == 1)
		return (struct bench_interval){values[0], values[0], values[0], 0};
	sorted = stats_sorted_copy(values, count);
	rank = enclosing_rank(count, level, &interval.level);
	distance = wider * (middle - (double)rank);
	share = fmin(1, (middle - 1) / distance);
	if (wider > 1 && share < 1)
		interval.level = 2 * stats_normal_cdf(share * bench_stats_normal_quantile(
								      0.5 + 0.5 * interval.level)) -
				 1;
	rank = (size_t)round(middle - share * distance);
	interval.lo = sorted[rank - 1];
	interval.hi = sorted[count - rank];
	interval.estimate = 0.5 * sorted[(count - 1) / 2] + 0.5 * sorted[count / 2];
	free(sorted);
	return interval;
}

struct bench_interval bench_stats_median_interval(const double *values, size_t count, double level)
{
	return median_between(values, count, 1, level);
}

struct bench_interval bench_stats_series_interval(const double *values, size_t count, double level)
{
	return median_between(values, count, sqrt(bench_stats_dependence(values, count)), level);
}

/*
 * U counts the differences above the true shift. With probability 1 - 2 P(U <= r - 1), it lies in [r, mn -
 * r]. The shift then lies between the r-th smallest and the r-th largest difference. Ties only widen the
 * cover of that closed interval (Randles & Wolfe, Introduction to the Theory of Nonparametric
 * Statistics, 6.2).
 */
struct bench_interval bench_stats_shift_kept(struct bench_null *null, const double *a, size_t a_count,
					     const double *b, size_t b_count, double level)
{
	struct bench_interval interval = {NAN, NAN, NAN, 0};
	double *sorted_a, *sorted_b;
	double pairs = (double)a_count * (double)b_count, critical, tail, k[4], values[4];

	if (a_count == 0 || b_count == 0)
		return interval;
	sorted_a = stats_sorted_copy(a, a_count);
	sorted_b = stats_sorted_copy(b, b_count);
	critical = stats_rank_critical(null, a_count, b_count, 0.5 * (1 - level), &tail);
	if (critical < 0) {
		critical = 0;
		tail = stats_rank_cdf(null, a_count, b_count, 0);
	}
	interval.level = fmax(0, 1 - 2 * tail);
	k[0] = floor(0.5 * pairs) + 1; /* the middle two, which may be one */
	k[1] = ceil(0.5 * pairs);
	k[2] = critical + 1;
	k[3] = pairs - critical;
	stats_difference_orders(sorted_a, a_count, sorted_b, b_count, k, values, 4);
	interval.estimate = 0.5 * values[0] + 0.5 * values[1];
	interval.lo = values[2];
	interval.hi = values[3];
	free(sorted_a);
	free(sorted_b);
	return interval;
}

struct bench_interval bench_stats_shift(const double *a, size_t a_count, const double *b, size_t b_count,
					double level)
{
	struct bench_null null = {0};
	struct bench_interval interval = bench_stats_shift_kept(&null, a, a_count, b, b_count, level);

	bench_stats_null_free(&null);
	return interval;
}

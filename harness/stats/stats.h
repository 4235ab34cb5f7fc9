/*
 * Statistics: pure functions over arrays. No I/O, no state, no other room; inputs are
 * never changed; all are safe to call from any thread. Values are finite doubles. Memory
 * for scratch comes from malloc; where it fails, the result is NaN.
 */
#ifndef BENCH_STATS_STATS_H
#define BENCH_STATS_STATS_H

#include <stddef.h>

/* NaN where count is 0 (stddev: where count < 2, with the n-1 divisor). */
double bench_stats_mean(const double *values, size_t count);
double bench_stats_stddev(const double *values, size_t count);
/* Quantile at p in [0, 1], linear between order statistics (type 7 of Hyndman & Fan 1996). */
double bench_stats_quantile(const double *values, size_t count, double p);
double bench_stats_median(const double *values, size_t count);

struct bench_interval {
	double estimate, lo, hi;
	double level; /* the confidence that it has, which is less than asked where the data are too few */
};

/*
 * The median with its distribution-free interval: the narrowest symmetric pair of order
 * statistics whose binomial coverage is at least `level` (David & Nagaraja, Order
 * Statistics, 3rd ed., 7.1); else the extremes, with the coverage that they have. One
 * value: lo = hi = it, level 0.
 */
struct bench_interval bench_stats_median_interval(const double *values, size_t count, double level);

/*
 * Two-sided p-value of the Wilcoxon-Mann-Whitney rank-sum test: exact permutation
 * distribution while the smaller count is <= 25 and the sum of counts <= 400, or, with
 * ties (by mid-ranks), <= 100; the tie-corrected normal approximation with continuity
 * correction above. 1 where either count is 0 or all values are equal.
 */
double bench_stats_rank_test(const double *a, size_t a_count, const double *b, size_t b_count);
/* The smallest p-value that the rank test can give with these counts and no ties. */
double bench_stats_rank_test_floor(size_t a_count, size_t b_count);

/*
 * Shift of b against a: the Hodges-Lehmann estimate (median of all b[j] - a[i]) with the
 * interval that inverts the rank-sum test (Moses; Hollander, Wolfe & Chicken,
 * Nonparametric Statistical Methods, 3rd ed., 4.3). On logarithms it is a ratio.
 */
struct bench_interval bench_stats_shift(const double *a, size_t a_count, const double *b, size_t b_count,
					double level);

/*
 * Holm's step-down adjustment: p-values adjusted so that rejecting those <= alpha keeps
 * the family-wise error rate at alpha (Holm 1979). adjusted may be p itself. p is NaN for
 * a test that was not made; it does not count, and stays NaN.
 */
void bench_stats_holm(const double *p, size_t count, double *adjusted);

/*
 * The smallest true shift (same unit as the values) that in a fraction `power` of such
 * comparisons would have been found: by a rank-sum test at significance `alpha`
 * (two-sided), and with an estimate (bench_stats_shift) of `least` >= 0 or more. The method
 * and its sources stand at the definition. Infinity where the counts cannot reach alpha at
 * all, or are too small to know the spread from.
 */
double bench_stats_detectable_shift(const double *a, size_t a_count, const double *b, size_t b_count,
				    double alpha, double power, double least);

#endif

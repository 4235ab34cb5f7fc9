/* SPDX-License-Identifier: MIT */
/* What the files of this room share; not for others. */
#ifndef BENCH_STATS_INTERNAL_H
#define BENCH_STATS_INTERNAL_H

#include <stddef.h>

#include "stats/stats.h"

/* The standard normal distribution: P(Z <= z). */
double stats_normal_cdf(double z);

/* A sorted malloc'd copy. */
double *stats_sorted_copy(const double *values, size_t count);

/* The value that would be at this index if all were sorted; reorders the values. */
double stats_select(double *values, size_t count, size_t at);

/*
 * The k[i]-th smallest (from 1 to a_count * b_count) of all differences b[j] - a[i], of `count` k,
 * BENCH_MOST_ORDERS at most; both arrays ascending. Neither stores nor sorts the differences.
 */
#define BENCH_MOST_ORDERS 4
void stats_difference_orders(const double *a, size_t a_count, const double *b, size_t b_count,
			     const double *k, double *values, size_t count);
/* Their median (the mean of the middle two where there is no middle one). */
double stats_difference_median(const double *a, size_t a_count, const double *b, size_t b_count);
/* The k-th smallest of the distances between any two of the values, which ascend. */
double stats_distance_order(const double *values, size_t count, double k);

/*
 * The null distribution of the Mann-Whitney statistic U of m and n values without ties.
 * Exact for small counts, otherwise by stats_drawn_sum_tail. `null` may hold the distribution of the
 * same counts from the call before; otherwise it is filled anew.
 */
/* P(U <= u). */
double stats_rank_cdf(struct bench_null *null, size_t m, size_t n, double u);
/* The largest u with P(U <= u) <= tail, and that probability; else -1 (and 0). */
double stats_rank_critical(struct bench_null *null, size_t m, size_t n, double tail, double *reached);
/* The number of ways to choose k of n; infinite where that is more than a double holds. */
double stats_choose(size_t n, size_t k);

/* dependence.c */

/* The fewest values for which the correlation of neighbors is meaningful. */
#define STATS_FEWEST_NEIGHBOURS 8
/* Of each value with the one before it, about their mean; 0 of fewer, or where all are alike. */
double stats_neighbours(const double *values, size_t count);
/*
 * By how much the variance of a mean is larger than that of as many independent values which vary as these do
 * about their mean: a short series has not been everywhere that it goes.
 */
double stats_inflation(size_t count, double correlation);
/* What the correlation of `count` values, above 0, may be in the next as many. */
double stats_worst_correlation(double correlation, size_t count);

/* drawn_sum.c */

/*
 * P(sum of `chosen` scores, drawn from `count` without replacement, >= `sum`), for a sum well above the mean
 * of such sums (STATS_NEAR_THE_MEAN) and scores that ascend and differ. All such sums lie multiples of `span`
 * apart. Needs 0 < chosen < count. How exact it is stands at the definition.
 */
double stats_drawn_sum_tail(const double *scores, size_t count, size_t chosen, double sum, double span);
/* Within this many deviations of the mean, the normal approximation is as good. */
#define STATS_NEAR_THE_MEAN 0.5

#endif

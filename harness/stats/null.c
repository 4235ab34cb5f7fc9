/* SPDX-License-Identifier: MIT */
/* The null distribution of the Mann-Whitney statistic. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"

/* Beyond these the exact distribution costs more than its digits are worth. */
enum { EXACT_SMALLER = 25, EXACT_SUM = 2000 };

static bool is_exact(size_t m, size_t n)
{
	return (m < n ? m : n) <= EXACT_SMALLER && m <= EXACT_SUM && n <= EXACT_SUM && m + n <= EXACT_SUM;
}

double stats_choose(size_t n, size_t k)
{
	double ways = 1;

	if (k > n - k)
		k = n - k;
	for (size_t i = 1; i <= k; i++)
		ways = ways * (double)(n - k + i) / (double)i;
	return ways;
}

/*
 * P(U <= u) for u = 0..floor(mn/2), malloc'd: the rest follows by symmetry. The counts of arrangements are
 * the coefficients of the Gaussian binomial: the product over i = 1..m of (1 - q^(n+i)) / (1 - q^i) (Mann &
 * Whitney 1947; Andrews, The Theory of Partitions, 3.1). In the lower half, the subtracted terms are small
 * against the rest.
 */
static double *lower_half(size_t m, size_t n)
{
	size_t half = m * n / 2;
	double *ways = bench_memory_alloc(half + 1, sizeof(*ways)), total;

	ways[0] = 1;
	for (size_t i = 1; i <= m; i++) {
		for (size_t u = half; u >= n + i; u--)
			ways[u] -= ways[u - n - i];
		for (size_t u = i; u <= half; u++)
			ways[u] += ways[u - i];
	}
	total = stats_choose(m + n, m);
	for (size_t u = 1; u <= half; u++)
		ways[u] += ways[u - 1];
	for (size_t u = 0; u <= half; u++)
		ways[u] /= total;
	return ways;
}

void bench_stats_null_free(struct bench_null *null)
{
	free(null->lower);
	*null = (struct bench_null){0};
}

/* That of these counts in `null`, whose length is set. */
static const double *fill(struct bench_null *null, size_t m, size_t n, size_t *length)
{
	if (!null->lower || null->m != m || null->n != n) {
		bench_stats_null_free(null);
		null->lower = m < n ? lower_half(m, n) : lower_half(n, m);
		null->m = m;
		null->n = n;
	}
	*length = m * n / 2 + 1;
	return null->lower;
}

static double null_mean(size_t m, size_t n)
{
	return 0.5 * (double)m * (double)n;
}

static double null_stddev(size_t m, size_t n)
{
	return sqrt((double)m * (double)n * (double)(m + n + 1) / 12);
}

/* P(U <= u) of large samples, for u well below the mean: the probability of a rank sum as far above its mean.
 */
static double large_lower_tail(size_t m, size_t n, double u)
{
	size_t count = m + n, small = m < n ? m : n;
	double *ranks, most = 0, tail;

	ranks = bench_memory_alloc(count, sizeof(*ranks));
	for (size_t i = 0; i < count; i++) {
		ranks[i] = (double)(i + 1);
		most += i >= count - small ? ranks[i] : 0;
	}
	tail = stats_drawn_sum_tail(ranks, count, small, most - u, 1);
	free(ranks);
	return tail;
}

static double large_cdf(size_t m, size_t n, double u)
{
	double mean = null_mean(m, n), z = (u + 0.5 - mean) / null_stddev(m, n);

	if (fabs(z) < STATS_NEAR_THE_MEAN)
		return stats_normal_cdf(z);
	return z < 0 ? large_lower_tail(m, n, u) : 1 - large_lower_tail(m, n, 2 * mean - u - 1);
}

double stats_rank_cdf(struct bench_null *null, size_t m, size_t n, double u)
{
	double mean = null_mean(m, n);
	const double *lower;
	size_t length;

	if (u < 0)
		return 0;
	if (u >= 2 * mean)
		return 1;
	if (!is_exact(m, n))
		return large_cdf(m, n, u);
	lower = fill(null, m, n, &length);
	return u < (double)length ? lower[(size_t)u] : 1 - lower[(size_t)(2 * mean - u) - 1];
}

/*
 * That of large samples, between whole numbers that are too small and too large. The normal scores of the
 * tails are nearly a straight line, which says where to look next.
 */
static double search_critical(size_t m, size_t n, double tail, double *reached)
{
	double enough = 0, too_much = floor(null_mean(m, n)), wanted = bench_stats_normal_quantile(tail);
	double u = fmax(0, fmin(too_much, floor(null_mean(m, n) - 0.5 + wanted * null_stddev(m, n))));

	*reached = large_cdf(m, n, 0);
	if (!(*reached <= tail))
		return -1;
	for (unsigned turn = 0; too_much - enough > 1; turn++) {
		double p;

		u = fmin(too_much - 1, fmax(enough + 1, turn > 6 ? floor(0.5 * (enough + too_much)) : u));
		p = large_cdf(m, n, u);
		if (p <= tail) {
			enough = u;
			*reached = p;
		} else {
			too_much = u;
		}
		u = floor(u + (wanted - bench_stats_normal_quantile(p)) * null_stddev(m, n));
	}
	return enough;
}

/* The last one is kept: most metrics of a comparison ask for the same. */
static double large_critical(struct bench_null *null, size_t m, size_t n, double tail, double *reached)
{
	if (null->m != m || null->n != n || null->lower || null->tail != tail) {
		bench_stats_null_free(null);
		*null = (struct bench_null){.m = m, .n = n, .tail = tail};
		null->critical = search_critical(m, n, tail, &null->reached);
	}
	*reached = null->critical < 0 ? 0 : null->reached;
	return null->critical;
}

double stats_rank_critical(struct bench_null *null, size_t m, size_t n, double tail, double *reached)
{
	const double rounding = 1 + 1e-12; /* a tail of 1/252 is to admit 1/252 */
	double critical = -1;
	const double *lower;
	size_t length;

	*reached = 0;
	if (!is_exact(m, n))
		return large_critical(null, m, n, tail * rounding, reached);
	lower = fill(null, m, n, &length);
	for (size_t u = 0; u < length && lower[u] <= tail * rounding; u++) {
		critical = (double)u;
		*reached = lower[u];
	}
	return critical;
}

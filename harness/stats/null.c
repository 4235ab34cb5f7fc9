/* The null distribution of the Mann-Whitney statistic. */
#include <math.h>
#include <stdlib.h>

#include "stats/internal.h"

/* Beyond these the exact distribution costs more than its digits are worth. */
enum { EXACT_SMALLER = 25, EXACT_SUM = 400 };

int stats_rank_is_exact(size_t m, size_t n)
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
 * P(U <= u) for u = 0..floor(mn/2), malloc'd: the rest follows by symmetry. The counts of
 * arrangements are the coefficients of the Gaussian binomial, the product over i = 1..m of
 * (1 - q^(n+i)) / (1 - q^i) (Mann & Whitney 1947; Andrews, The Theory of Partitions, 3.1).
 * In the lower half, what is subtracted is small against what stays.
 */
static double *lower_half(size_t m, size_t n)
{
	size_t half = m * n / 2;
	double *ways = calloc(half + 1, sizeof(*ways)), total;

	if (!ways)
		return NULL;
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

/* That of these counts in `null`, whose length is set; NULL where malloc fails. */
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

double stats_rank_cdf(struct bench_null *null, size_t m, size_t n, double u)
{
	double mean = null_mean(m, n);
	const double *lower;
	size_t length;

	if (!stats_rank_is_exact(m, n))
		return stats_normal_cdf((u + 0.5 - mean) / null_stddev(m, n));
	if (u < 0)
		return 0;
	if (u >= 2 * mean)
		return 1;
	lower = fill(null, m, n, &length);
	if (!lower)
		return NAN;
	return u < (double)length ? lower[(size_t)u] : 1 - lower[(size_t)(2 * mean - u) - 1];
}

double stats_rank_critical(struct bench_null *null, size_t m, size_t n, double tail, double *reached)
{
	const double rounding = 1 + 1e-12; /* a tail of 1/252 is to admit 1/252 */
	double mean = null_mean(m, n), critical = -1;
	const double *lower;
	size_t length;

	*reached = 0;
	if (!stats_rank_is_exact(m, n)) {
		double stddev = null_stddev(m, n);

		critical = fmin(floor(mean - 0.5 + bench_stats_normal_quantile(tail) * stddev), floor(mean));
		if (critical < 0)
			return -1;
		*reached = stats_normal_cdf((critical + 0.5 - mean) / stddev);
		return critical;
	}
	lower = fill(null, m, n, &length);
	if (!lower)
		return -1;
	for (size_t u = 0; u < length && lower[u] <= tail * rounding; u++) {
		critical = (double)u;
		*reached = lower[u];
	}
	return critical;
}

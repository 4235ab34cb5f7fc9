/* SPDX-License-Identifier: MIT */
#include "stats/strata.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"

/* Steps that the exact distribution may take, and the largest stratum whose arrangements a double counts. */
#define MOST_STEPS  2e7
#define MOST_VALUES ((size_t)1000)

static size_t differences_of(const struct bench_stratum *strata, size_t count)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += strata[i].a_count * strata[i].b_count;
	return all;
}

static bool is_exact(const struct bench_stratum *strata, size_t count, size_t all)
{
	double steps = 0;

	for (size_t i = 0; i < count; i++) {
		size_t small = strata[i].a_count < strata[i].b_count ? strata[i].a_count : strata[i].b_count;

		if (strata[i].a_count + strata[i].b_count > MOST_VALUES)
			return false;
		steps += (double)small * (double)all;
	}
	return steps <= MOST_STEPS;
}

/*
 * P(U <= u) for u = 0..floor(all/2) of the sum of the strata's Mann-Whitney statistics, malloc'd: the product
 * of their Gaussian binomials, each as in null.c; divided by its sum, so that the product stays in range.
 */
static double *lower_half(const struct bench_stratum *strata, size_t count, size_t all)
{
	size_t half = all / 2;
	double *ways = bench_memory_alloc(half + 1, sizeof(*ways));

	for (size_t u = 0; u <= half; u++)
		ways[u] = u == 0;
	for (size_t s = 0; s < count; s++) {
		size_t m = strata[s].a_count, n = strata[s].b_count, small = m < n ? m : n,
		       large = m + n - small;
		double total = stats_choose(m + n, small);

		for (size_t i = 1; i <= small; i++) {
			for (size_t u = half; u >= large + i && u <= half; u--)
				ways[u] -= ways[u - large - i];
			for (size_t u = i; u <= half; u++)
				ways[u] += ways[u - i];
		}
		for (size_t u = 0; u <= half; u++)
			ways[u] /= total;
	}
	for (size_t u = 1; u <= half; u++)
		ways[u] += ways[u - 1];
	return ways;
}

/* The largest u with P(U <= u) <= tail, else 0; *reached: P(U <= u). */
static size_t exact_critical(const struct bench_stratum *strata, size_t count, size_t all, double tail,
			     double *reached)
{
	BENCH_SCOPED_MEMORY double *lower = lower_half(strata, count, all);
	size_t u = 0;

	while (u + 1 <= all / 2 && lower[u + 1] <= tail * (1 + 1e-12))
		u++;
	*reached = lower[u];
	return u;
}

/* The same by the normal approximation, whose tails are the heavier ones. */
static size_t normal_critical(const struct bench_stratum *strata, size_t count, size_t all, double tail,
			      double *reached)
{
	double variance = 0, mean = 0.5 * (double)all, deviation, u;

	for (size_t i = 0; i < count; i++) {
		double m = (double)strata[i].a_count, n = (double)strata[i].b_count;

		variance += m * n * (m + n + 1) / 12;
	}
	deviation = sqrt(variance);
	u = fmax(0, floor(mean - 0.5 + deviation * bench_stats_normal_quantile(tail)));
	*reached = stats_normal_cdf((u + 0.5 - mean) / deviation);
	return (size_t)u;
}

static double *list_differences(const struct bench_stratum *strata, size_t count, size_t all)
{
	double *list = bench_memory_alloc(all, sizeof(*list)), *at = list;

	for (size_t s = 0; s < count; s++)
		for (size_t i = 0; i < strata[s].a_count; i++)
			for (size_t j = 0; j < strata[s].b_count; j++)
				*at++ = strata[s].b[j] - strata[s].a[i];
	return list;
}

struct bench_interval bench_stats_strata_shift(const struct bench_stratum *strata, size_t count, double level)
{
	size_t all = differences_of(strata, count), u;
	struct bench_interval shift = {.estimate = NAN, .lo = NAN, .hi = NAN};
	double *list, reached, upper;

	if (all == 0)
		return shift;
	u = (is_exact(strata, count, all) ? exact_critical : normal_critical)(strata, count, all,
									      0.5 * (1 - level), &reached);
	list = list_differences(strata, count, all);
	upper = stats_select(list, all, all / 2);
	shift.estimate = all % 2 ? upper : 0.5 * (upper + stats_select(list, all, all / 2 - 1));
	shift.lo = stats_select(list, all, u);
	shift.hi = stats_select(list, all, all - 1 - u);
	shift.level = fmax(0, 1 - 2 * reached);
	free(list);
	return shift;
}

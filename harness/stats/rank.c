/* SPDX-License-Identifier: MIT */
/* The Wilcoxon-Mann-Whitney rank-sum test. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"
#include "stats/stats.h"

/* One value of the two samples together. */
struct pooled {
	double value;
	bool small;     /* from the smaller sample */
	size_t doubled; /* twice its mid-rank, which is a whole number */
};

/* What the test needs to know of the pooled ranks. */
struct ranking {
	struct pooled *items;
	size_t count, small_count;
	size_t doubled_sum; /* over the smaller sample */
	double tie_term;    /* sum of t^3 - t over the groups of t equal values */
};

/* Merges the sorted samples into `items`. */
static void merge(const double *small, size_t small_count, const double *large, size_t large_count,
		  struct pooled *items)
{
	size_t i = 0, j = 0;

	while (i + j < small_count + large_count) {
		bool from_small = j == large_count || (i < small_count && small[i] <= large[j]);

		items[i + j] =
			(struct pooled){.small = from_small, .value = from_small ? small[i] : large[j]};
		i += from_small;
		j += !from_small;
	}
}

/* Ranks the values of `small` and `large` together. */
static void rank_together(const double *small, size_t small_count, const double *large, size_t large_count,
			  struct ranking *ranking)
{
	size_t count = small_count + large_count;
	BENCH_SCOPED_MEMORY double *sorted_small = stats_sorted_copy(small, small_count);
	BENCH_SCOPED_MEMORY double *sorted_large = stats_sorted_copy(large, large_count);
	struct pooled *items = bench_memory_alloc(count, sizeof(*items));

	merge(sorted_small, small_count, sorted_large, large_count, items);
	*ranking = (struct ranking){.items = items, .count = count, .small_count = small_count};
	for (size_t first = 0, next; first < count; first = next) {
		double group;

		for (next = first + 1; next < count && items[next].value == items[first].value; next++)
			;
		group = (double)(next - first);
		ranking->tie_term += group * group * group - group;
		for (size_t i = first; i < next; i++) {
			items[i].doubled = first + 1 + next;
			if (items[i].small)
				ranking->doubled_sum += items[i].doubled;
		}
	}
}

/* No ties: twice the smaller tail of U, from the null distribution. */
static double untied_p(struct bench_null *null, const struct ranking *ranking)
{
	size_t m = ranking->small_count, n = ranking->count - m;
	double u = 0.5 * (double)ranking->doubled_sum - 0.5 * (double)m * (double)(m + 1);

	return fmin(1, 2 * stats_rank_cdf(null, m, n, fmin(u, (double)m * (double)n - u)));
}

/* What all sums of doubled ranks lie multiples of apart. */
static size_t span_of(const struct ranking *ranking)
{
	size_t span = 0;

	for (size_t i = 1; i < ranking->count; i++) {
		size_t a = span, b = ranking->items[i].doubled - ranking->items[i - 1].doubled;

		while (b > 0) {
			size_t rest = a % b;

			a = b;
			b = rest;
		}
		span = a;
	}
	return span;
}

/* Ties: both tails of the sum of doubled ranks, of which the lower one is the upper one of negative ranks. */
static double tied_p(const struct ranking *ranking, double mean, double distance)
{
	size_t count = ranking->count, m = ranking->small_count;
	double span = (double)span_of(ranking), *up = bench_memory_alloc(2 * count, sizeof(*up));
	double *down = up + count, p;

	for (size_t i = 0; i < count; i++) {
		up[i] = (double)ranking->items[i].doubled;
		down[count - 1 - i] = -up[i];
	}
	p = stats_drawn_sum_tail(up, count, m, mean + distance, span) +
	    stats_drawn_sum_tail(down, count, m, distance - mean, span);
	free(up);
	return p;
}

/* Near the mean of large samples: the normal approximation, corrected for ties (Lehmann, Nonparametrics, 1.4)
 * and steps. Returns the p, and in *z the distance in deviations. */
static double normal_p(const struct ranking *ranking, double distance, double *z)
{
	double m = (double)ranking->small_count, n = (double)ranking->count - m, sum = m + n;
	double variance = m * n / 3 * (sum + 1 - ranking->tie_term / (sum * (sum - 1)));

	*z = fmax(0, distance - 1) / sqrt(variance);
	return erfc(*z * M_SQRT1_2);
}

static double p_of(struct bench_null *null, const struct ranking *ranking)
{
	const size_t tied_smaller = 25, tied_sum = 100; /* counted throughout up to here */
	size_t m = ranking->small_count;
	double mean = (double)m * ((double)ranking->count + 1), z, p;
	double distance = fabs((double)ranking->doubled_sum - mean);

	if (ranking->tie_term == 0)
		return untied_p(null, ranking);
	p = normal_p(ranking, distance, &z);
	if (z < STATS_NEAR_THE_MEAN && (m > tied_smaller || ranking->count > tied_sum))
		return p;
	return tied_p(ranking, mean, distance);
}

double bench_stats_rank_test_kept(struct bench_null *null, const double *a, size_t a_count, const double *b,
				  size_t b_count)
{
	struct ranking ranking;
	double p;

	if (a_count == 0 || b_count == 0)
		return 1;
	if (a_count <= b_count)
		rank_together(a, a_count, b, b_count, &ranking);
	else
		rank_together(b, b_count, a, a_count, &ranking);
	p = ranking.items[0].value == ranking.items[ranking.count - 1].value ? 1 : p_of(null, &ranking);
	free(ranking.items);
	/* Never 0, which it is below what a double holds. */
	return isnan(p) ? p : fmin(1, fmax(DBL_MIN, p));
}

double bench_stats_rank_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct bench_null null = {0};
	double p = bench_stats_rank_test_kept(&null, a, a_count, b, b_count);

	bench_stats_null_free(&null);
	return p;
}

double bench_stats_rank_test_floor(size_t a_count, size_t b_count)
{
	if (a_count == 0 || b_count == 0)
		return 1;
	return fmin(1, 2 / stats_choose(a_count + b_count, a_count));
}

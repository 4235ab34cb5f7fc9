/* The Wilcoxon-Mann-Whitney rank-sum test. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/internal.h"
#include "stats/stats.h"

/* With ties the exact distribution is counted anew for each data set, so the limit is lower. */
enum { TIED_SMALLER = 25, TIED_SUM = 100 };

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

/* Ranks the values of `small` and `large` together; false where malloc fails. */
static bool rank_together(const double *small, size_t small_count, const double *large, size_t large_count,
			  struct ranking *ranking)
{
	size_t count = small_count + large_count;
	double *sorted_small = stats_sorted_copy(small, small_count);
	double *sorted_large = stats_sorted_copy(large, large_count);
	struct pooled *items = sorted_small && sorted_large ? calloc(count, sizeof(*items)) : NULL;

	if (items)
		merge(sorted_small, small_count, sorted_large, large_count, items);
	free(sorted_small);
	free(sorted_large);
	if (!items)
		return false;
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
	return true;
}

/* No ties: twice the smaller tail of U, from the null distribution. */
static double untied_p(struct bench_null *null, const struct ranking *ranking)
{
	size_t m = ranking->small_count, n = ranking->count - m;
	double u = 0.5 * (double)ranking->doubled_sum - 0.5 * (double)m * (double)(m + 1);

	return fmin(1, 2 * stats_rank_cdf(null, m, n, fmin(u, (double)m * (double)n - u)));
}

/*
 * Ties: counts, for every sum, the ways in which the smaller sample could have drawn its
 * doubled ranks from those at hand (Streitberg & Roehmel 1986), and adds up those whose
 * distance from the mean is at least that observed.
 */
static double tied_p(const struct ranking *ranking)
{
	size_t m = ranking->small_count, limit = 0, mean = m * (ranking->count + 1);
	size_t distance =
		ranking->doubled_sum > mean ? ranking->doubled_sum - mean : mean - ranking->doubled_sum;
	double *ways, hits = 0;

	for (size_t i = ranking->count - m; i < ranking->count; i++)
		limit += ranking->items[i].doubled;
	ways = calloc((m + 1) * (limit + 1), sizeof(*ways)); /* ways[k * (limit + 1) + sum] */
	if (!ways)
		return NAN;
	ways[0] = 1;
	for (size_t i = 0; i < ranking->count; i++) {
		size_t step = ranking->items[i].doubled;

		for (size_t k = i + 1 < m ? i + 1 : m; k >= 1; k--) {
			double *to = ways + k * (limit + 1), *from = to - (limit + 1);

			for (size_t sum = step; sum <= limit; sum++)
				to[sum] += from[sum - step];
		}
	}
	for (size_t sum = 0; sum <= limit; sum++)
		if ((sum > mean ? sum - mean : mean - sum) >= distance)
			hits += ways[m * (limit + 1) + sum];
	free(ways);
	return fmin(1, hits / stats_choose(ranking->count, m));
}

/* Large samples: the normal approximation, corrected for ties (Lehmann, Nonparametrics, 1.4) and steps. */
static double normal_p(const struct ranking *ranking)
{
	double m = (double)ranking->small_count, n = (double)ranking->count - m, sum = m + n;
	double u = 0.5 * (double)ranking->doubled_sum - 0.5 * m * (m + 1);
	double variance = m * n / 12 * (sum + 1 - ranking->tie_term / (sum * (sum - 1)));
	double distance = fabs(u - 0.5 * m * n) - 0.5;

	if (variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance));
}

double bench_stats_rank_test_kept(struct bench_null *null, const double *a, size_t a_count, const double *b,
				  size_t b_count)
{
	struct ranking ranking;
	bool ranked;
	double p;

	if (a_count == 0 || b_count == 0)
		return 1;
	if (a_count > SIZE_MAX / 2 || b_count > SIZE_MAX / 2)
		return NAN;
	ranked = a_count <= b_count ? rank_together(a, a_count, b, b_count, &ranking)
				    : rank_together(b, b_count, a, a_count, &ranking);
	if (!ranked)
		return NAN;
	if (ranking.items[0].value == ranking.items[ranking.count - 1].value)
		p = 1;
	else if (ranking.tie_term == 0 && stats_rank_is_exact(a_count, b_count))
		p = untied_p(null, &ranking);
	else if (ranking.tie_term > 0 && ranking.small_count <= TIED_SMALLER && ranking.count <= TIED_SUM)
		p = tied_p(&ranking);
	else
		p = normal_p(&ranking);
	free(ranking.items);
	return p;
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
	if (stats_rank_is_exact(a_count, b_count))
		return fmin(1, 2 / stats_choose(a_count + b_count, a_count));
	return fmin(1, 2 * stats_rank_cdf(&(struct bench_null){0}, a_count, b_count,
					  0)); /* normal: fills nothing */
}

/* Distribution-free intervals: of a median, and of the shift between two samples. */
#include <math.h>
#include <stdlib.h>

#include "stats/parts.h"
#include "stats/stats.h"

/*
 * The rank r, from the middle outward, at which the r-th smallest and the r-th largest of
 * `count` >= 2 values first enclose the median with probability `level`, or 1 where none
 * does. That probability is the binomial mass from r to count - r.
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

struct bench_interval bench_stats_median_interval(const double *values, size_t count, double level)
{
	struct bench_interval interval = {NAN, NAN, NAN, 0};
	double *sorted;
	size_t rank;

	if (count == 0)
		return interval;
	if (count == 1)
		return (struct bench_interval){values[0], values[0], values[0], 0};
	sorted = bench_sorted_copy(values, count);
	if (!sorted)
		return interval;
	rank = enclosing_rank(count, level, &interval.level);
	interval.lo = sorted[rank - 1];
	interval.hi = sorted[count - rank];
	interval.estimate = 0.5 * sorted[(count - 1) / 2] + 0.5 * sorted[count / 2];
	free(sorted);
	return interval;
}

/*
 * U counts the differences above the true shift. It lies in [r, mn - r] with probability
 * 1 - 2 P(U <= r - 1), and then the shift lies between the r-th smallest and the r-th
 * largest difference. Ties only widen the cover of that closed interval (Randles & Wolfe,
 * Introduction to the Theory of Nonparametric Statistics, 6.2).
 */
struct bench_interval bench_stats_shift(const double *a, size_t a_count, const double *b, size_t b_count,
					double level)
{
	struct bench_interval interval = {NAN, NAN, NAN, 0};
	double *sorted_a = bench_sorted_copy(a, a_count), *sorted_b = bench_sorted_copy(b, b_count);
	double pairs = (double)a_count * (double)b_count, critical, tail;

	if (!sorted_a || !sorted_b)
		goto out;
	critical = bench_rank_critical(a_count, b_count, 0.5 * (1 - level), &tail);
	if (critical < 0) {
		critical = 0;
		tail = bench_rank_cdf(a_count, b_count, 0);
	}
	interval.level = fmax(0, 1 - 2 * tail);
	interval.estimate = bench_difference_median(sorted_a, a_count, sorted_b, b_count);
	interval.lo = bench_difference_order(sorted_a, a_count, sorted_b, b_count, critical + 1);
	interval.hi = bench_difference_order(sorted_a, a_count, sorted_b, b_count, pairs - critical);
out:
	free(sorted_a);
	free(sorted_b);
	return interval;
}

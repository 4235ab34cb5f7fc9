/* SPDX-License-Identifier: MIT */
/*
 * Two peaks: a kernel that is laid out well in some processes and badly in others has two times, and no
 * middle.
 *
 * The statistic belongs to the best cut in two: the largest sum of squares between the two groups over the
 * sum within them (Engelman & Hartigan, "Percentage points of a test for clusters", JASA 64, 1969). Each
 * group has at least a fifth of the values, and at least three: one or two stragglers are not a peak. At most
 * one in a hundred samples from a uniform distribution, the flattest with one peak, exceeds the critical
 * value. It was found by simulation and fitted for 8 to 100 values. Even fewer normal or skewed samples
 * exceed it (tests/statistics/coverage.c).
 */
#include <stdlib.h>

#include "stats/internal.h"
#include "stats/stats.h"

enum { FEWEST = 8 };

static double critical_ratio(double count)
{
	return 3.2 + 100 / (count - 3);
}

static double middle_of(const double *sorted, size_t count)
{
	return 0.5 * sorted[(count - 1) / 2] + 0.5 * sorted[count / 2];
}

/* The size of the lower group at the best cut; 0: no cut is good enough. */
static size_t best_cut(const double *sorted, size_t count)
{
	size_t least = (count + 4) / 5 > 3 ? (count + 4) / 5 : 3, best = 0;
	double n = (double)count, mean = bench_stats_mean(sorted, count), squares = 0, sum = 0;
	double limit, largest = 0;

	for (size_t i = 0; i < count; i++)
		squares += (sorted[i] - mean) * (sorted[i] - mean);
	for (size_t low = 1; low + least <= count; low++) {
		double between, k = (double)low;

		sum += sorted[low - 1] - mean;
		between = sum * sum * n / (k * (n - k));
		if (low >= least && between > largest) {
			largest = between;
			best = low;
		}
	}
	limit = critical_ratio(n);
	return largest > limit / (1 + limit) * squares ? best : 0;
}

bool bench_stats_two_peaks(const double *values, size_t count, struct bench_peaks *peaks)
{
	double *sorted;
	size_t low;

	if (count < FEWEST)
		return false;
	sorted = stats_sorted_copy(values, count);
	low = best_cut(sorted, count);
	if (low > 0)
		*peaks = (struct bench_peaks){.low = middle_of(sorted, low),
					      .high = middle_of(sorted + low, count - low),
					      .low_count = low,
					      .high_count = count - low};
	free(sorted);
	return low > 0;
}

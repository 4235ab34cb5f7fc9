/* SPDX-License-Identifier: MIT */
#include "statistics/changepoint_peers.h"

#include <math.h>
#include <stdlib.h>

#include "statistics/textbook.h"
#include "stats/stats.h"

enum { MOST = 128 };

/* Welch's p of values[first..at) against values[at..end). */
static double welch_p(const double *values, size_t first, size_t at, size_t end)
{
	return textbook_welch_p((struct textbook_sample){values + first, at - first},
				(struct textbook_sample){values + at, end - at});
}

/* ---- E-divisive */

/* The energy statistic of a split of values[first..end) at `at`. */
static double energy(const double *values, size_t first, size_t at, size_t end)
{
	double across = 0, left = 0, right = 0;
	double n = (double)(at - first), m = (double)(end - at);
	for (size_t i = first; i < end; i++)
		for (size_t j = i + 1; j < end; j++) {
			double distance = fabs(values[i] - values[j]);
			if (j < at)
				left += distance;
			else if (i >= at)
				right += distance;
			else
				across += distance;
		}
	return n * m / (n + m) *
	       (2 * across / (n * m) - 2 * left / (n * (n - 1)) - 2 * right / (m * (m - 1)));
}

static void split(const double *values, size_t first, size_t end, size_t *found, size_t *count)
{
	double best = -INFINITY;
	size_t at = 0;
	for (size_t t = first + 2; t + 2 <= end; t++) {
		double q = energy(values, first, t, end);
		if (q > best) {
			best = q;
			at = t;
		}
	}
	if (at == 0 || !(welch_p(values, first, at, end) <= 0.01))
		return;
	split(values, first, at, found, count);
	found[(*count)++] = at;
	split(values, at, end, found, count);
}

size_t changepoints_e_divisive(const double *values, size_t count, size_t *found)
{
	size_t changes = 0;
	split(values, 0, count, found, &changes);
	return changes;
}

/* ---- partitions of least cost, from the cost of each segment */

/* cost[first][end]; the starts of all segments but the first, ascending; *total: the costs without penalties.
 */
static size_t least_partition(double (*cost)[MOST + 1], size_t count, double penalty, size_t *found,
			      double *total)
{
	double best[MOST + 1];
	size_t start[MOST + 1], changes = 0;
	best[0] = -penalty;
	for (size_t end = 1; end <= count; end++) {
		best[end] = INFINITY;
		for (size_t first = 0; first < end; first++) {
			double sum = best[first] + penalty + cost[first][end];
			if (sum < best[end]) {
				best[end] = sum;
				start[end] = first;
			}
		}
	}
	for (size_t end = count; start[end] > 0; end = start[end])
		changes++;
	size_t left = changes;
	*total = cost[start[count]][count];
	for (size_t end = start[count]; end > 0; end = start[end]) {
		found[--left] = end;
		*total += cost[start[end]][end];
	}
	return changes;
}

size_t changepoints_pelt(const double *values, size_t count, size_t *found)
{
	static double cost[MOST + 1][MOST + 1];
	double differences[MOST] = {0}, total;
	for (size_t i = 0; i + 1 < count; i++)
		differences[i] = fabs(values[i + 1] - values[i]);
	double deviation = 1.0483 * bench_stats_median(differences, count - 1);
	for (size_t first = 0; first < count; first++) {
		double mean = 0, squares = 0;
		for (size_t end = first + 1; end <= count; end++) {
			double step = values[end - 1] - mean;
			mean += step / (double)(end - first);
			squares += step * (values[end - 1] - mean);
			cost[first][end] = squares;
		}
	}
	return least_partition(cost, count, 2 * log((double)count) * deviation * deviation, found, &total);
}

size_t changepoints_potts(const double *values, size_t count, size_t *found)
{
	static double cost[MOST + 1][MOST + 1];
	double total, least = INFINITY;
	size_t changes = 0;
	for (size_t first = 0; first < count; first++)
		for (size_t end = first + 1; end <= count; end++) {
			double median = bench_stats_median(values + first, end - first), sum = 0;
			for (size_t i = first; i < end; i++)
				sum += fabs(values[i] - median);
			cost[first][end] = sum;
		}
	for (double gamma = cost[0][count]; gamma > 1e-3 * cost[0][count]; gamma *= 0.8) {
		size_t tried[MOST];
		size_t steps = least_partition(cost, count, gamma, tried, &total);
		double value = log(total) + (double)steps * 4 * log((double)count) / (double)count;
		if (value < least) {
			least = value;
			changes = steps;
			for (size_t i = 0; i < steps; i++)
				found[i] = tried[i];
		}
	}
	return changes;
}

/* ---- windowed t */

size_t changepoints_windowed_t(const double *values, size_t count, size_t *found)
{
	enum { WINDOW = 10 };
	double p[MOST];
	size_t changes = 0;
	for (size_t t = 0; t < count; t++) {
		size_t before = t < WINDOW ? t : WINDOW, behind = count - t < WINDOW ? count - t : WINDOW;
		p[t] = before < 2 || behind < 2 ? 1 : welch_p(values, t - before, t, t + behind);
	}
	for (size_t t = 0; t < count; t++) {
		size_t from = t < WINDOW ? 0 : t - WINDOW, best = t;
		for (size_t k = from; k < count && k <= t + WINDOW; k++)
			if (p[k] < p[best])
				best = k;
		if (best == t && p[t] <= 0.01 / (double)count)
			found[changes++] = t;
	}
	return changes;
}

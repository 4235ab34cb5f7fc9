/* SPDX-License-Identifier: MIT */
/*
 * Successive values that resemble each other: a clock that sinks while a process runs, a neighbor who comes
 * and stays. Ten of them carry less information than ten independent ones.
 *
 * The test for dependence uses ranks, so that a straggler is not a pattern (as Bartels, JASA 77, 1982). The
 * loss is the one of a first-order series with that correlation r. The variance of its mean is (1 + r) / (1 -
 * r) times that of independent values (Bayley & Hammersley 1946), for n values less 2 r (1 - r^n) / (n (1 -
 * r)^2).
 *
 * Few values underestimate a correlation by (1 + 4 r) / n (Kendall, "Note on bias in the estimation of
 * autocorrelation", Biometrika 41 (1954)), with a random error of 1 / sqrt(n). Series that were taken
 * together, such as the metrics of a duel, mostly have similar correlations, and their mean is far better
 * known than each. So each moves towards it, by the share of their variance that chance explains (James &
 * Stein 1961). None moves far down: one dependent series among many independent ones may be real (Efron &
 * Morris, "Limiting the risk of Bayes and empirical Bayes estimators", JASA 67 (1972)).
 */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"
#include "stats/stats.h"

#define FALSE_CALLS 0.05 /* share of independent series that are called dependent */

enum { FEWEST = 10 };

#define MOST_MOVED      1.5  /* deviations that chance explains */
#define MOST_CORRELATED 0.95 /* beyond it a series has no mean to speak of */
/* Deviations by which the next sample's correlation may be larger; by simulation (tests/statistics/noises.c).
 */
#define WORST 1.2

struct place {
	double value;
	size_t at;
};

/* Mid-ranks in the order taken, less their mean. */
static void centered_ranks(const double *values, size_t count, double *ranks)
{
	BENCH_SCOPED_MEMORY struct place *places = bench_memory_alloc(count, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){values[i], i};
	qsort(places, count, sizeof(*places), bench_stats_order);
	for (size_t first = 0, next; first < count; first = next) {
		double rank;

		for (next = first + 1; next < count && places[next].value == places[first].value; next++)
			;
		rank = 0.5 * ((double)first + (double)next - (double)count);
		for (size_t i = first; i < next; i++)
			ranks[places[i].at] = rank;
	}
}

double stats_neighbours(const double *values, size_t count)
{
	double mean = bench_stats_mean(values, count), together = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
		if (i > 0)
			together += (values[i] - mean) * (values[i - 1] - mean);
	}
	return count >= STATS_FEWEST_NEIGHBOURS && squares > 0 ? together / squares : 0;
}

double bench_stats_correlation(const double *values, size_t count)
{
	double r = stats_neighbours(values, count);

	return r == 0 ? 0 : fmin(MOST_CORRELATED, r + (1 + 4 * r) / ((double)count - 4));
}

/* The variance of the correlation of `count` independent values, after its correction. */
static double chance_of(size_t count)
{
	double n = (double)count;

	return count >= STATS_FEWEST_NEIGHBOURS ? n / ((n - 4) * (n - 4)) : 1;
}

void bench_stats_share_correlations(double *correlations, const size_t *counts, size_t count)
{
	double mean = bench_stats_mean(correlations, count), differ = 0;

	for (size_t i = 0; i < count; i++)
		differ += ((correlations[i] - mean) * (correlations[i] - mean) - chance_of(counts[i])) /
			  (double)count;
	differ = fmax(0, differ);
	for (size_t i = 0; i < count; i++) {
		double chance = chance_of(counts[i]),
		       moved = mean + (correlations[i] - mean) * differ / (differ + chance);

		correlations[i] = fmax(moved, correlations[i] - MOST_MOVED * sqrt(chance));
	}
}

double stats_worst_correlation(double correlation, size_t count)
{
	double chance = sqrt(chance_of(count));

	return fmin(MOST_CORRELATED, correlation + WORST * correlation * (1 - correlation) * chance);
}

double stats_inflation(size_t count, double correlation)
{
	double n = (double)count, r = correlation;
	double factor = (1 + r) / (1 - r) - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r));

	return factor * (n - 1) / (n - factor);
}

double bench_stats_dependence(const double *values, size_t count)
{
	double *ranks, r = 0;

	if (count < FEWEST)
		return 1;
	ranks = bench_memory_alloc(count, sizeof(*ranks));
	centered_ranks(values, count, ranks);
	r = bench_stats_correlation(ranks, count);
	free(ranks);
	return r > bench_stats_normal_quantile(1 - FALSE_CALLS) * sqrt(chance_of(count))
		       ? stats_inflation(count, r)
		       : 1;
}

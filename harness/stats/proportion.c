/* SPDX-License-Identifier: MIT */
/*
 * Exact bounds of a proportion: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
 * illustrated in the case of the binomial", Biometrika 26 (1934).
 */
#include <math.h>

#include "stats/stats.h"

#define HALVINGS 60 /* of [0, 1]: to the last bit of a double */

/* P(at most `hits` of `trials`) where each has probability p, 0 < p < 1. */
static double binomial_cdf(size_t hits, size_t trials, double p)
{
	double sum = 0, n = (double)trials;
	for (size_t k = 0; k <= hits; k++) {
		double x = (double)k;
		sum += exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(p) +
			   (n - x) * log1p(-p));
	}
	return sum;
}

double bench_stats_proportion_upper(size_t hits, size_t trials, double error)
{
	double lo = 0, hi = 1;
	if (hits >= trials)
		return 1;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = 0.5 * (lo + hi);
		if (binomial_cdf(hits, trials, middle) > error)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

double bench_stats_proportion_lower(size_t hits, size_t trials, double error)
{
	return hits > trials ? 0 : 1 - bench_stats_proportion_upper(trials - hits, trials, error);
}

struct bench_interval bench_stats_proportion(size_t hits, size_t trials, double level)
{
	double error = (1 - level) / 2;
	return (struct bench_interval){.estimate = trials ? (double)hits / (double)trials : NAN,
				       .lo = bench_stats_proportion_lower(hits, trials, error),
				       .hi = bench_stats_proportion_upper(hits, trials, error),
				       .level = level};
}

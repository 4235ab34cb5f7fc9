/* SPDX-License-Identifier: MIT */
/* The normal distribution. */
#include <math.h>

#include "stats/internal.h"

double stats_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Newton's method. The lower tail is convex, so that from its top every step stops short of the root. */
double bench_stats_normal_quantile(double p)
{
	double z = 0, step = 1;

	if (p > 0.5)
		return -bench_stats_normal_quantile(1 - p);
	for (int i = 0; i < 200 && step > 1e-14; i++) {
		step = (stats_normal_cdf(z) - p) * sqrt(2 * M_PI) * exp(0.5 * z * z);
		z -= step;
	}
	return z;
}

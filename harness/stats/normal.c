/* The normal distribution. */
#include <math.h>

#include "stats/parts.h"

double bench_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

double bench_normal_quantile(double p)
{
	double lo = -39, hi = 39; /* beyond them the tail is no double any more */

	/* The lower tail is where erfc keeps its digits. */
	if (p > 0.5)
		return -bench_normal_quantile(1 - p);
	for (int i = 0; i < 60; i++) {
		double middle = 0.5 * (lo + hi);

		if (bench_normal_cdf(middle) < p)
			lo = middle;
		else
			hi = middle;
	}
	return 0.5 * (lo + hi);
}

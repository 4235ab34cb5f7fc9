/* SPDX-License-Identifier: MIT */
/* Student's t distribution with a whole number of degrees of freedom. */
#include <float.h>
#include <math.h>

#include "stats/stats.h"

/*
 * P(T > t) for t >= 0: the finite series of Abramowitz & Stegun, Handbook of Mathematical
 * Functions, 26.7.3 and 26.7.4.
 */
static double upper_tail(double t, size_t freedom)
{
	double theta = atan2(t, sqrt((double)freedom)), cosine = cos(theta), squared = cosine * cosine;
	size_t odd = freedom % 2;
	double term = odd ? cosine : 1, sum = freedom > 1 ? term : 0;

	for (size_t i = odd ? 3 : 2; i < freedom; i += 2) {
		term *= squared * (double)(i - 1) / (double)i;
		sum += term;
	}
	if (odd)
		return 0.5 - (theta + sin(theta) * sum) / M_PI;
	return 0.5 - 0.5 * sin(theta) * sum;
}

/* From this many degrees of freedom it is close enough to normal for all uses here. */
enum { MANY = 1000 };

double bench_stats_student_quantile(double p, size_t freedom)
{
	double lo = 0, hi = 1;

	if (freedom == 0 || !(p > 0 && p < 1))
		return NAN;
	if (freedom > MANY)
		return bench_stats_normal_quantile(p);
	if (p < 0.5)
		return -bench_stats_student_quantile(1 - p, freedom);
	while (upper_tail(hi, freedom) > 1 - p && hi < 1e12)
		hi *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = 0.5 * (lo + hi);

		if (upper_tail(middle, freedom) > 1 - p)
			lo = middle;
		else
			hi = middle;
	}
	return 0.5 * (lo + hi);
}

double bench_stats_student_test(double t, size_t freedom)
{
	if (freedom == 0 || isnan(t))
		return NAN;
	return fmax(DBL_EPSILON,
		    freedom > MANY ? erfc(fabs(t) * M_SQRT1_2) : 2 * upper_tail(fabs(t), freedom));
}

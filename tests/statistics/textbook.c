/* SPDX-License-Identifier: MIT */
#include "statistics/textbook.h"

#include <math.h>

#include "stats/stats.h"

/*
 * The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), evaluated by Lentz's
 * method as modified by Thompson and Barnett (J. Comput. Phys. 64, 1986).
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	value = d;
	for (int m = 1; m < 10000; m++) {
		double steps[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
				   -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
		double before = value;

		for (int i = 0; i < 2; i++) {
			d = 1 + steps[i] * d;
			c = 1 + steps[i] / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			value *= c * d;
		}
		if (fabs(value - before) <= 1e-15 * fabs(value))
			break;
	}
	return value;
}

/* I_x(a, b), from the side on which the fraction converges fast. */
static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
					 : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double textbook_student_p(double t, double degrees)
{
	return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

bool textbook_fixed_threshold(struct textbook_sample base, struct textbook_sample candidate)
{
	return bench_stats_mean(candidate.values, candidate.count) >
	       1.05 * bench_stats_mean(base.values, base.count);
}

bool textbook_rank_test(struct textbook_sample base, struct textbook_sample candidate)
{
	return bench_stats_rank_test(base.values, base.count, candidate.values, candidate.count) < 0.05 &&
	       bench_stats_median(candidate.values, candidate.count) >
		       bench_stats_median(base.values, base.count);
}

double textbook_welch_p(struct textbook_sample base, struct textbook_sample candidate)
{
	double m = (double)base.count, n = (double)candidate.count;
	double of_base = pow(bench_stats_stddev(base.values, base.count), 2) / m;
	double of_candidate = pow(bench_stats_stddev(candidate.values, candidate.count), 2) / n;
	double difference = bench_stats_mean(candidate.values, candidate.count) -
			    bench_stats_mean(base.values, base.count);
	double variance = of_base + of_candidate;
	double degrees =
		variance * variance / (of_base * of_base / (m - 1) + of_candidate * of_candidate / (n - 1));

	return textbook_student_p(difference / sqrt(variance), degrees);
}

bool textbook_welch(struct textbook_sample base, struct textbook_sample candidate)
{
	return bench_stats_mean(candidate.values, candidate.count) >
		       bench_stats_mean(base.values, base.count) &&
	       textbook_welch_p(base, candidate) < 0.05;
}

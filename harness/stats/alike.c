/* SPDX-License-Identifier: MIT */
/*
 * Values that are all alike: their resolution, and the meaning of a step away from them. Ranks and spreads
 * carry no information about them. So this file uses a model: normal noise about one center, rounded to whole
 * steps. Noise that often moved a value by a step would not leave all of them alike, so the deviation is
 * bounded. Noise much larger than a step would have to hit the same step again and again.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "stats/internal.h"
#include "stats/stats.h"

/* More digits than this are of a value that nobody rounded. */
enum { MOST_DIGITS = 12 };

/* The place of the last decimal digit of a value other than 0; 0: it was not rounded. */
static double last_place(double value)
{
	char text[40];
	double rounded;

	for (int digits = 0; digits <= MOST_DIGITS; digits++) {
		/* First with all of them: most values are not rounded. */
		snprintf(text, sizeof(text), "%.*e", digits > 0 ? digits - 1 : MOST_DIGITS - 1, fabs(value));
		rounded = strtod(text, NULL);
		/* A conversion of units is off in the last bits. */
		if (fabs(rounded / fabs(value) - 1) >= 1e-14 && digits == 0)
			return 0;
		if (fabs(rounded / fabs(value) - 1) < 1e-14 && digits > 0)
			return pow(10, atof(strchr(text, 'e') + 1) - digits + 1);
	}
	return 0;
}

double bench_stats_step(const double *values, size_t count)
{
	double step = 0;

	for (size_t i = 0; i < count; i++) {
		double place = values[i] == 0 ? 0 : last_place(values[i]);

		if (values[i] != 0 && place == 0)
			return 0;
		if (place > 0)
			step = step > 0 ? fmin(step, place) : place;
	}
	return step;
}

/* The steps on either side of the center that count. */
static long reach_of(double deviation, long apart)
{
	return (long)ceil(6 * deviation) + apart + 1;
}

/* The chances of one step each, of noise about `center`: from -reach to reach. Differences of the smaller
 * tail are exact far out. */
static void chances_of(double deviation, double center, long reach, double *chances)
{
	for (long i = -reach; i <= reach; i++) {
		double low = ((double)i - 0.5 - center) / deviation,
		       high = ((double)i + 0.5 - center) / deviation;

		chances[i + reach] = low > 0 ? stats_normal_cdf(-low) - stats_normal_cdf(-high)
					     : stats_normal_cdf(high) - stats_normal_cdf(low);
	}
}

/* The chance that all `a` values fall on one step, and all `b` values on another `steps` away. */
static double chance_of(size_t a, size_t b, long steps, const double *chances, long count)
{
	double below = 0, above = 0, sum = 0;

	for (long i = steps; i < count; i++) {
		below += pow(chances[i - steps], (double)a);
		sum += below * pow(chances[i], (double)b);
	}
	for (long i = count - 1 - steps; i >= 0; i--) {
		above += pow(chances[i + steps], (double)a);
		sum += above * pow(chances[i], (double)b);
	}
	return sum;
}

/* The deviations that are tried, in steps. */
static double deviation_of(int i)
{
	return 0.15 * pow(1.15, i);
}

double bench_stats_alike_test(size_t a_count, size_t b_count, double steps)
{
	const double most_steps = 64; /* further away is no less likely than that */
	const long apart = (long)(fmin(steps, most_steps) * (1 + 1e-9));
	const double largest = 2 * (double)apart; /* noise of that deviation is not alike twice */
	double most = 0, *chances;

	if (apart < 1 || a_count == 0 || b_count == 0 || a_count + b_count < 3)
		return 1;
	chances = bench_memory_alloc((size_t)(2 * reach_of(largest, apart) + 1), sizeof(*chances));
	for (int i = 0; deviation_of(i) < largest; i++) {
		double deviation = deviation_of(i);
		long reach = reach_of(deviation, apart);
		int centers = deviation < 4 ? 5 : 1; /* within a step it matters only to small deviations */

		for (int j = 0; j < centers; j++) {
			chances_of(deviation, 0.125 * j, reach, chances);
			most = fmax(most, chance_of(a_count, b_count, apart, chances, 2 * reach + 1));
		}
	}
	free(chances);
	return fmin(1, most);
}

/* SPDX-License-Identifier: MIT */
#include "stats/signed.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"

/* Beyond it the exact distribution costs more than its digits are worth. */
enum { EXACT_COUNT = 100 };

#define LAST_BITS 1e-13 /* of the largest value */

#define BULK_LEVEL 0.90 /* of the interval that the spread of the estimate is taken from */
/* The next sample's interval may reach as far as this sample's at a tenth of alpha. */
#define STRICTER 10
#define FAR      6 /* deviations of a value; beyond them it is a straggler */

struct magnitude {
	double size;
	int positive;
	size_t doubled; /* twice its mid-rank */
};

/* Logarithms of a ratio and of its inverse differ in their last bits. They are ties all the same: else those
 * of one sign would have the higher ranks. */
static void rank(struct magnitude *items, size_t count)
{
	double alike = 0;

	qsort(items, count, sizeof(*items), bench_stats_order);
	if (count > 0)
		alike = LAST_BITS * items[count - 1].size;
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count && items[next].size - items[first].size <= alike; next++)
			;
		for (size_t i = first; i < next; i++)
			items[i].doubled = first + 1 + next;
	}
}

/*
 * P(sum of the doubled ranks with a positive sign = s), s = 0..*most, malloc'd: each rank is in the sum or
 * not, with equal chance (Streitberg & Roehmel 1986, for ties as well).
 */
static double *null_distribution(const struct magnitude *items, size_t count, size_t *most)
{
	double *chance;
	size_t reached = 0;

	*most = 0;
	for (size_t i = 0; i < count; i++)
		*most += items[i].doubled;
	chance = bench_memory_alloc(*most + 1, sizeof(*chance));
	chance[0] = 1;
	for (size_t i = 0; i < count; i++) {
		size_t step = items[i].doubled;

		reached += step;
		for (size_t s = reached + 1; s-- > 0;)
			chance[s] = 0.5 * chance[s] + (s >= step ? 0.5 * chance[s - step] : 0);
	}
	return chance;
}

static double exact_p(const struct magnitude *items, size_t count, size_t doubled_sum)
{
	const double rounding = 1e-9;
	size_t most;
	double *chance = null_distribution(items, count, &most), p = 0;
	double distance = fabs((double)doubled_sum - 0.5 * (double)most);

	for (size_t s = 0; s <= most; s++)
		if (fabs((double)s - 0.5 * (double)most) >= distance - rounding)
			p += chance[s];
	free(chance);
	return fmin(1, p);
}

static double normal_p(const struct magnitude *items, size_t count, size_t doubled_sum)
{
	double mean = 0, variance = 0, distance;

	for (size_t i = 0; i < count; i++) {
		double r = 0.5 * (double)items[i].doubled;

		mean += 0.5 * r;
		variance += 0.25 * r * r;
	}
	distance = fabs(0.5 * (double)doubled_sum - mean) - 0.5;
	return distance <= 0 ? 1 : erfc(distance / sqrt(2 * variance));
}

double bench_stats_signed_test(const double *values, size_t count)
{
	BENCH_SCOPED_MEMORY struct magnitude *items = bench_memory_alloc(count, sizeof(*items));
	size_t kept = 0, doubled_sum = 0;
	double p = 1;

	for (size_t i = 0; i < count; i++)
		if (values[i] != 0)
			items[kept++] =
				(struct magnitude){.size = fabs(values[i]), .positive = values[i] > 0};
	rank(items, kept);
	for (size_t i = 0; i < kept; i++)
		doubled_sum += items[i].positive ? items[i].doubled : 0;
	if (kept > 0)
		p = kept <= EXACT_COUNT ? exact_p(items, kept, doubled_sum)
					: normal_p(items, kept, doubled_sum);
	return p;
}

double bench_stats_signed_test_floor(size_t count)
{
	return count == 0 ? 1 : fmin(1, ldexp(1, 1 - (int)fmin((double)count, 1000)));
}

/* All Walsh averages, sorted, malloc'd. */
static double *walsh_averages(const double *values, size_t count)
{
	double *averages = bench_memory_alloc(count * (count + 1) / 2, sizeof(*averages));
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = i; j < count; j++)
			averages[at++] = 0.5 * values[i] + 0.5 * values[j];
	bench_stats_sort(averages, at);
	return averages;
}

/*
 * For the sum T of the ranks of `count` values without ties: the largest t with P(T <= t) <= tail, and that
 * probability; else -1 (and P(T = 0)).
 */
static double critical_sum(size_t count, double tail, double *reached)
{
	const double rounding = 1 + 1e-12;
	double sum = 0.5 * (double)count * (double)(count + 1), t = -1, below = 0, *chance;
	struct magnitude items[EXACT_COUNT];
	size_t most;

	if (count > EXACT_COUNT) {
		double stddev = sqrt(sum * (double)(2 * count + 1) / 12);

		t = floor(0.5 * sum - 0.5 + bench_stats_normal_quantile(tail) * stddev);
		*reached = stats_normal_cdf((t + 0.5 - 0.5 * sum) / stddev);
		return t;
	}
	for (size_t i = 0; i < count; i++)
		items[i] = (struct magnitude){.doubled = 2 * (i + 1)};
	chance = null_distribution(items, count, &most);
	*reached = ldexp(1, -(int)count);
	for (size_t s = 0; s <= most && below + chance[s] <= tail * rounding; s += 2) {
		below += chance[s];
		t = 0.5 * (double)s;
		*reached = below;
	}
	free(chance);
	return t;
}

struct bench_interval bench_stats_signed_shift(const double *values, size_t count, double level)
{
	struct bench_interval interval = {NAN, NAN, NAN, 0};
	size_t pairs = count * (count + 1) / 2, out;
	double *averages, tail;

	if (count == 0)
		return interval;
	averages = walsh_averages(values, count);
	out = (size_t)fmax(0, critical_sum(count, 0.5 * (1 - level), &tail));
	interval.level = fmax(0, 1 - 2 * tail);
	interval.estimate = 0.5 * averages[(pairs - 1) / 2] + 0.5 * averages[pairs / 2];
	interval.lo = averages[out];
	interval.hi = averages[pairs - 1 - out];
	free(averages);
	return interval;
}

/*
 * Variances of values that resemble each other are known as well as from n (1 - r^2) / (1 + r^2) independent
 * ones (Bayley & Hammersley 1946).
 */
size_t bench_stats_series_freedom(size_t count, double correlation)
{
	double squared = correlation * correlation, known;

	if (!(correlation > 0))
		return SIZE_MAX;
	known = (double)count * (1 - squared) / (1 + squared) - 1;
	return known > 1 ? (size_t)known : 1;
}

/*
 * Wider by what the mean varies more, and by how much less well that is known than from independent values.
 * An interval of these reaches about as far as Student's t has it.
 */
struct bench_interval bench_stats_signed_series(const double *values, size_t count, double level,
						double correlation)
{
	struct bench_interval interval = bench_stats_signed_shift(values, count, level);
	double p = 0.5 + 0.5 * level, wider;

	if (!(correlation > 0) || count < 2)
		return interval;
	wider = sqrt(stats_inflation(count, correlation)) *
		bench_stats_student_quantile(p, bench_stats_series_freedom(count, correlation)) /
		bench_stats_student_quantile(p, count - 1);
	interval.lo = interval.estimate - wider * (interval.estimate - interval.lo);
	interval.hi = interval.estimate + wider * (interval.hi - interval.estimate);
	return interval;
}

/* The step is the largest distance of neighbors, without an eighth at either end, where stragglers are. Noise
 * that is as large as it, so that no value is half of them, lets the mean see half a step. */
double bench_stats_signed_hidden(const double *values, size_t count)
{
	const double alike = 1e-9;
	double *sorted = stats_sorted_copy(values, count), inner = 0, widest = 0, step;
	size_t distinct = 1, most = 1, first = 0;

	for (size_t i = 1; i < count; i++) {
		double gap = sorted[i] - sorted[i - 1];

		if (gap > alike) {
			distinct++;
			first = i;
		}
		most = i - first + 1 > most ? i - first + 1 : most;
		widest = fmax(widest, gap);
		if (i > count / 8 && i < count - count / 8)
			inner = fmax(inner, gap);
	}
	free(sorted);
	if (distinct == 1)
		return INFINITY;
	if (4 * distinct > 3 * count)
		return 0;
	step = inner > alike ? inner : widest;
	return 2 * most > count ? step : step / 2;
}

/*
 * How far the test's interval may reach because of stragglers, values that no normal noise puts so far out.
 * The next sample may have more of them, all on the side that hides a shift: as many as in a fraction
 * `power` of samples (Poisson, at a rate that is known from `far` of them). If so many of the highest ranks
 * exceed the critical sum, the shift has to lie nearer to a straggler than to none.
 */
static double straggler_reach(const double *values, size_t count, double center, double normal, double alpha,
			      double power)
{
	double largest = 0, hiding, most, unused;
	size_t far = 0;

	for (size_t i = 0; i < count; i++) {
		largest = fmax(largest, fabs(values[i] - center));
		far += fabs(values[i] - center) > normal;
	}
	hiding = 0.5 * ((double)far + 0.5);
	most = ceil(hiding + bench_stats_normal_quantile(power) * sqrt(1.5 * hiding));
	most *= (double)count - 0.5 * (most - 1);
	return far > 0 && most > critical_sum(count, 0.5 * alpha, &unused) ? 0.5 * largest : 0;
}

/*
 * The test finds a shift if its interval at 1 - alpha lies beyond zero. In another sample, the estimate falls
 * short of the truth by its own spread, taken from the 90% interval, times the quantile of the power. How far
 * the interval reaches there is not known either: as far as a stricter one in this sample, on its longer
 * side, or as more stragglers would have it. Both are enlarged, since few values show little of what their
 * distribution holds; most so where a correlation, which may be larger there, leaves few degrees of freedom.
 * The factors were found by simulation (tests/statistics/noises.c).
 */
double bench_stats_signed_detectable(const double *values, size_t count, double alpha, double power,
				     double least, double correlation)
{
	double worst = correlation > 0 ? stats_worst_correlation(correlation, count) : correlation;
	double deviation, reach, spread, enlarge, hidden, normal;
	size_t freedom = bench_stats_series_freedom(count, worst);
	struct bench_interval test, bulk;

	if (count < 4 || freedom < 2 || bench_stats_signed_test_floor(count) > alpha * (1 + 1e-12))
		return INFINITY;
	test = bench_stats_signed_shift(values, count, 1 - alpha / STRICTER);
	bulk = bench_stats_signed_series(values, count, BULK_LEVEL, worst);
	deviation = 0.5 * (bulk.hi - bulk.lo) / bench_stats_student_quantile(0.5 + 0.5 * BULK_LEVEL, freedom);
	enlarge = (double)(count + 3) / (double)(count - 3);
	hidden = bench_stats_signed_hidden(values, count);
	normal = hidden + FAR * sqrt((double)count) * deviation;
	reach = fmax(fmax(test.hi - test.estimate, test.estimate - test.lo),
		     straggler_reach(values, count, test.estimate, normal, alpha, power));
	spread = bench_stats_student_quantile(power, freedom) * deviation;
	if (correlation > 0) { /* the next sample's variance may be larger */
		enlarge *= ((double)freedom + 1) / ((double)freedom - 1) * (double)(count - 1) /
			   (double)(count + 1);
		reach = fmax(reach, bench_stats_student_quantile(1 - 0.5 * alpha, freedom) * deviation *
					    (1 + bench_stats_normal_quantile(power) *
							 sqrt(1 / (double)freedom - 1 / (double)count)));
	}
	return enlarge * fmax(reach + spread, least / enlarge + spread) + hidden;
}

/* SPDX-License-Identifier: MIT */
/* Statistics against published figures, R's documented examples and plain enumeration. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "stats/stats.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* R, ?wilcox.test: permeability constants of the human chorioamnion, Hollander & Wolfe (1973), 69f. */
static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double at_weeks[] = {1.15, 0.88, 0.90, 0.74, 1.21};

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static void mean_and_stddev_match_worked_examples(void **state)
{
	const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	const double shifted[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};

	(void)state;
	assert_near(bench_stats_mean(values, COUNT(values)), 5, 1e-15);
	assert_near(bench_stats_stddev(values, COUNT(values)), sqrt(32.0 / 7), 1e-15);
	assert_near(bench_stats_mean(shifted, COUNT(shifted)), 1e9 + 10, 0);
	assert_near(bench_stats_stddev(shifted, COUNT(shifted)), sqrt(30), 1e-9);
}

static void empty_and_single_samples_have_no_spread(void **state)
{
	const double one = 3.5;

	(void)state;
	assert_true(isnan(bench_stats_mean(&one, 0)));
	assert_true(isnan(bench_stats_median(&one, 0)));
	assert_true(isnan(bench_stats_stddev(&one, 0)));
	assert_true(isnan(bench_stats_stddev(&one, 1)));
	assert_near(bench_stats_mean(&one, 1), 3.5, 0);
	assert_near(bench_stats_quantile(&one, 1, 0.99), 3.5, 0);
}

static void the_smaller_half_passes_over_what_is_large(void **state)
{
	const double odd[] = {900, 3, 1, 50, 2}, even[] = {4, 80, 2, 70};

	(void)state;
	assert_true(isnan(bench_stats_smaller_half(odd, 0)));
	assert_near(bench_stats_smaller_half(odd, 1), 900, 0);
	assert_near(bench_stats_smaller_half(odd, 5), 2, 1e-15); /* of 1, 2 and 3 */
	assert_near(bench_stats_smaller_half(even, 4), 3, 1e-15);
	assert_near(odd[0], 900, 0);
}

/* R: quantile(x, p) with its default, type = 7. */
static void quantile_is_type_7(void **state)
{
	const double ten[] = {10, 3, 1, 7, 5, 9, 2, 8, 4, 6}, four[] = {8, 1, 4, 2};

	(void)state;
	assert_near(bench_stats_quantile(ten, 10, 0.25), 3.25, 1e-15);
	assert_near(bench_stats_quantile(ten, 10, 0.05), 1.45, 1e-15);
	assert_near(bench_stats_quantile(four, 4, 0.9), 6.8, 1e-14);
	assert_near(bench_stats_quantile(four, 4, 0), 1, 0);
	assert_near(bench_stats_quantile(four, 4, 1), 8, 0);
	assert_near(bench_stats_median(four, 4), 3, 0);
	assert_near(bench_stats_median(ten, 9), 5, 0);
	assert_near(ten[0], 10, 0); /* inputs stay as they are */
}

/* Ranks and coverages from the binomial table: Conover, Practical Nonparametric Statistics, 3rd ed., 3.2. */
static void median_interval_has_its_binomial_coverage(void **state)
{
	static const struct {
		size_t count, lo, hi;
		double level, coverage;
	} cases[] = {
		{2, 1, 2, 0.95, 0.5},      {3, 1, 3, 0.95, 0.75},       {5, 1, 5, 0.95, 0.9375},
		{6, 1, 6, 0.95, 0.96875},  {9, 2, 8, 0.95, 0.9609375},  {10, 2, 9, 0.95, 0.978515625},
		{20, 6, 15, 0.95, 0.9586}, {100, 40, 61, 0.95, 0.9648}, {10, 5, 6, 0.2, 0.24609375},
		{9, 4, 6, 0.4, 0.4921875},
	};
	double values[100];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double)(i + 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench_interval interval =
			bench_stats_median_interval(values, cases[i].count, cases[i].level);

		assert_near(interval.lo, (double)cases[i].lo, 0);
		assert_near(interval.hi, (double)cases[i].hi, 0);
		assert_near(interval.level, cases[i].coverage, 5e-5);
		assert_near(interval.estimate, 0.5 * (double)(cases[i].count + 1), 0);
	}
}

static void median_interval_of_one_value_claims_nothing(void **state)
{
	const double one = 7;
	struct bench_interval interval = bench_stats_median_interval(&one, 1, 0.95);

	(void)state;
	assert_true(interval.lo == 7 && interval.hi == 7 && interval.estimate == 7 && interval.level == 0);
	assert_true(isnan(bench_stats_median_interval(&one, 0, 0.95).estimate));
}

/* The normal approximation (n - z sqrt(n)) / 2 gives the ranks for large counts. */
static void median_interval_of_many_values_agrees_with_the_normal_approximation(void **state)
{
	enum { MANY = 100001 };
	double *values = calloc(MANY, sizeof(*values));
	struct bench_interval interval;

	(void)state;
	assert_non_null(values);
	for (size_t i = 0; i < MANY; i++)
		values[i] = (double)(i + 1);
	interval = bench_stats_median_interval(values, MANY, 0.99);
	assert_near(interval.lo, 0.5 * (MANY - 2.575829 * sqrt(MANY)), 1.5);
	assert_near(interval.lo + interval.hi, MANY + 1, 0);
	assert_true(interval.level >= 0.99 && interval.level < 0.9902);
	free(values);
}

static void rank_test_gives_the_p_of_rs_example(void **state)
{
	(void)state;
	/* R: wilcox.test(x, y, alternative = "g") prints W = 35, p-value = 0.1272. */
	assert_near(bench_stats_rank_test(at_term, 10, at_weeks, 5), 2 * 0.1272, 1e-4);
	assert_near(bench_stats_rank_test(at_weeks, 5, at_term, 10), 2 * 0.1272, 1e-4);
}

/* Two samples without ties whose Mann-Whitney statistic is u: u pairs have b above a. */
static void make_samples(double *a, size_t m, double *b, size_t n, size_t u)
{
	for (size_t i = 0; i < m; i++)
		a[i] = (double)(i + 1);
	for (size_t j = 0; j < n; j++) {
		size_t below = u < m ? u : m;

		b[j] = (double)below + 0.5 + 0.001 * (double)j;
		u -= below;
	}
}

/* Two-tailed critical values of U, as in any textbook (Siegel & Castellan 1988; Conover 1999). */
static void rank_test_has_the_critical_values_of_the_tables(void **state)
{
	static const struct {
		size_t m, n, u;
		double alpha;
	} cases[] = {{4, 4, 0, 0.05},   {5, 5, 2, 0.05},    {5, 5, 0, 0.01},     {6, 6, 5, 0.05},
		     {7, 8, 10, 0.05},  {8, 8, 13, 0.05},   {10, 10, 23, 0.05},  {10, 10, 16, 0.01},
		     {12, 9, 26, 0.05}, {15, 15, 64, 0.05}, {20, 20, 127, 0.05}, {20, 20, 105, 0.01}};
	double a[20], b[20];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t m = cases[i].m, n = cases[i].n;

		make_samples(a, m, b, n, cases[i].u);
		assert_true(bench_stats_rank_test(a, m, b, n) <= cases[i].alpha);
		make_samples(a, m, b, n, m * n - cases[i].u);
		assert_true(bench_stats_rank_test(a, m, b, n) <= cases[i].alpha);
		make_samples(a, m, b, n, cases[i].u + 1);
		assert_true(bench_stats_rank_test(a, m, b, n) > cases[i].alpha);
	}
}

/* Twice the number of pairs with b above a; equal pairs count one. */
static int doubled_u(const double *pooled, unsigned chosen, size_t count)
{
	int u = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			if (!(chosen >> i & 1) && (chosen >> j & 1))
				u += pooled[j] > pooled[i] ? 2 : pooled[j] == pooled[i];
	return u;
}

/* The share of all ways to choose the second sample whose U is as far from its mean as that observed. */
static double enumerated_p(const double *pooled, size_t m, size_t n)
{
	unsigned observed = ((1u << n) - 1) << m, all = 1u << (m + n);
	int mean = (int)(m * n), distance = abs(doubled_u(pooled, observed, m + n) - mean);
	double hits = 0, ways = 0;

	for (unsigned chosen = 0; chosen < all; chosen++) {
		if (__builtin_popcount(chosen) != (int)n)
			continue;
		ways++;
		hits += abs(doubled_u(pooled, chosen, m + n) - mean) >= distance;
	}
	return hits / ways;
}

static void rank_test_equals_enumeration_of_all_permutations(void **state)
{
	static const size_t sizes[][2] = {{1, 1}, {1, 6}, {2, 2}, {3, 3}, {4, 5}, {6, 4}, {5, 6}};
	struct bench_rng rng;
	double pooled[11];

	(void)state;
	bench_rng_start(&rng, 11, 0);
	for (size_t round = 0; round < 60; round++) {
		size_t m = sizes[round % COUNT(sizes)][0], n = sizes[round % COUNT(sizes)][1];
		uint64_t levels = round % 3 == 0   ? 3
				  : round % 3 == 1 ? 8
						   : 1000000; /* many ties, few, none */

		for (size_t i = 0; i < m + n; i++)
			pooled[i] = (double)bench_rng_below(&rng, levels) - 2;
		assert_near(bench_stats_rank_test(pooled, m, pooled + m, n), enumerated_p(pooled, m, n),
			    1e-12);
	}
}

/* P(U <= u), counting the sets of m among the ranks 1..m+n by their sum. */
static double counted_cdf(size_t m, size_t n, size_t u)
{
	size_t top = m * (m + 2 * n + 1) / 2, width = top + 1;
	long double *ways = calloc((m + 1) * width, sizeof(*ways)), below = 0, all = 0;

	assert_non_null(ways);
	ways[0] = 1;
	for (size_t rank = 1; rank <= m + n; rank++)
		for (size_t k = m; k >= 1; k--)
			for (size_t sum = top; sum >= rank; sum--)
				ways[k * width + sum] += ways[(k - 1) * width + sum - rank];
	for (size_t sum = 0; sum <= top; sum++) {
		all += ways[m * width + sum];
		if (sum <= u + m * (m + 1) / 2)
			below += ways[m * width + sum];
	}
	free(ways);
	return (double)(below / all);
}

static void rank_test_keeps_its_digits_in_the_far_tail(void **state)
{
	static const size_t cases[][3] = {{25, 40, 0},  {25, 40, 3}, {25, 40, 120}, {25, 40, 490},
					  {12, 88, 40}, {3, 200, 2}, {10, 100, 77}, {24, 25, 250}};
	double a[200], b[200];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t m = cases[i][0], n = cases[i][1], u = cases[i][2];
		double expected = 2 * counted_cdf(m, n, u), p;

		make_samples(a, m, b, n, u);
		p = bench_stats_rank_test(a, m, b, n);
		assert_near(p / expected, 1, 1e-9);
		assert_near(bench_stats_rank_test(b, n, a, m) / expected, 1, 1e-9);
	}
}

/* Down to 1e-17: far beyond what a normal approximation tells. */
static void rank_test_of_large_samples_is_near_the_exact_one(void **state)
{
	static const size_t cases[][3] = {{40, 40, 60},   {40, 40, 250}, {40, 40, 330},  {40, 40, 450},
					  {40, 40, 600},  {40, 40, 700}, {40, 40, 760},  {60, 60, 150},
					  {60, 60, 680},  {60, 60, 720}, {60, 60, 1000}, {60, 60, 1300},
					  {60, 60, 1500}, {30, 90, 150}, {30, 90, 480},  {30, 90, 900}};
	double a[60], b[90], below;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t m = cases[i][0], n = cases[i][1], u = cases[i][2];
		double expected = fmin(1, 2 * counted_cdf(m, n, u));

		make_samples(a, m, b, n, u);
		assert_near(bench_stats_rank_test(a, m, b, n) / expected, 1, 3e-3);
		assert_near(bench_stats_rank_test(b, n, a, m) / expected, 1, 3e-3);
	}
	/* More than a double can count: all that parts them is 0, and never quite. */
	below = bench_stats_rank_test_floor(2000, 2000);
	assert_near(below, 0, 0);
}

/* ln of the ways to choose k of n. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/*
 * Of two distinct values, the sum of ranks says how many of the upper ones `a` has: a hypergeometric number.
 * Half of 400 values are 2, and `a` has 150 of them.
 */
static void rank_test_of_large_samples_with_ties_is_near_the_exact_one(void **state)
{
	double a[150], b[250];

	(void)state;
	for (size_t hits = 78; hits <= 135; hits += 3) {
		double expected = 0;

		for (size_t i = 0; i < 150; i++)
			a[i] = i < hits ? 2 : 1;
		for (size_t i = 0; i < 250; i++)
			b[i] = i < 200 - hits ? 2 : 1;
		for (size_t k = 0; k <= 150; k++)
			if (fabs((double)k - 75) >= (double)hits - 75)
				expected += exp(log_choose(200, (double)k) +
						log_choose(200, 150 - (double)k) - log_choose(400, 150));
		assert_near(bench_stats_rank_test(a, 150, b, 250) / expected, 1, 0.03);
	}
}

/* Near the mean: the textbook formula, worked out here: groups of 70, 90 and 80 equal values. */
static void rank_test_of_large_samples_corrects_for_ties(void **state)
{
	double a[120], b[120], variance, u = 0;

	(void)state;
	for (size_t i = 0; i < 120; i++) {
		a[i] = 1 + floor((double)i / 40);
		b[i] = 1 + floor((double)(i + 2) / 41);
	}
	for (size_t i = 0; i < 120; i++)
		for (size_t j = 0; j < 120; j++)
			u += b[j] > a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
	variance = 120.0 * 120 / 12 * (241 - 3 * (80.0 * 80 * 80 - 80) / (240.0 * 239));
	assert_near(bench_stats_rank_test(a, 120, b, 120), erfc((fabs(u - 7200) - 0.5) / sqrt(2 * variance)),
		    1e-3);
}

static void rank_test_of_nothing_or_of_equal_values_is_1(void **state)
{
	const double same[] = {4, 4, 4, 4, 4, 4};

	(void)state;
	assert_near(bench_stats_rank_test(same, 0, same, 6), 1, 0);
	assert_near(bench_stats_rank_test(same, 6, same, 0), 1, 0);
	assert_near(bench_stats_rank_test(same, 3, same + 3, 3), 1, 0);
	assert_near(bench_stats_rank_test(at_term, 1, at_weeks, 1), 1, 0);
}

static void rank_test_floor_is_the_p_of_complete_separation(void **state)
{
	static const size_t cases[][2] = {{1, 1}, {3, 3}, {5, 5}, {10, 10}, {2, 100}, {25, 30}, {60, 70}};
	double a[100], b[100];

	(void)state;
	assert_near(bench_stats_rank_test_floor(5, 5), 2.0 / 252, 1e-15);
	assert_near(bench_stats_rank_test_floor(3, 3), 0.1, 1e-15);
	assert_near(bench_stats_rank_test_floor(0, 9), 1, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		double p;

		make_samples(a, cases[i][0], b, cases[i][1], 0);
		p = bench_stats_rank_test(a, cases[i][0], b, cases[i][1]);
		assert_near(bench_stats_rank_test_floor(cases[i][0], cases[i][1]) / p, 1, 1e-9);
	}
}

static void shift_gives_the_interval_of_rs_example(void **state)
{
	/* R: wilcox.test(x, y, conf.int = TRUE): difference in location 0.305, interval -0.15 .. 0.76. */
	struct bench_interval shift = bench_stats_shift(at_weeks, 5, at_term, 10, 0.95);

	(void)state;
	assert_near(shift.estimate, 0.305, 1e-12);
	assert_near(shift.lo, -0.15, 1e-12);
	assert_near(shift.hi, 0.76, 1e-12);
	assert_true(shift.level >= 0.95 && shift.level < 0.975);
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static void shift_equals_the_sorted_list_of_all_differences(void **state)
{
	struct bench_rng rng;
	double a[12], b[15], all[12 * 15];

	(void)state;
	bench_rng_start(&rng, 5, 0);
	for (size_t round = 0; round < 200; round++) {
		size_t m = 3 + bench_rng_below(&rng, 10), n = 3 + bench_rng_below(&rng, 13), pairs = m * n;
		struct bench_interval shift;
		size_t drop = 0;

		for (size_t i = 0; i < m; i++)
			a[i] = round % 2 ? bench_rng_normal(&rng) : (double)bench_rng_below(&rng, 5);
		for (size_t j = 0; j < n; j++)
			b[j] = round % 2 ? bench_rng_normal(&rng) : (double)bench_rng_below(&rng, 5);
		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < n; j++)
				all[i * n + j] = b[j] - a[i];
		qsort(all, pairs, sizeof(all[0]), compare_doubles);
		while (drop + 1 < pairs / 2 && counted_cdf(m, n, drop) <= 0.05)
			drop++;
		shift = bench_stats_shift(a, m, b, n, 0.9);
		assert_near(shift.estimate, 0.5 * (all[(pairs - 1) / 2] + all[pairs / 2]), 1e-15);
		if (drop == 0)
			drop = 1; /* the widest that there is */
		assert_near(shift.lo, all[drop - 1], 0);
		assert_near(shift.hi, all[pairs - drop], 0);
		assert_near(shift.level, 1 - 2 * counted_cdf(m, n, drop - 1), 1e-12);
	}
}

static void shift_says_the_level_that_few_values_allow(void **state)
{
	const double a[] = {1, 2, 3}, b[] = {11, 12, 13}, none = 0;
	struct bench_interval shift = bench_stats_shift(a, 3, b, 3, 0.99);

	(void)state;
	assert_near(shift.level, 0.9, 1e-12);
	assert_near(shift.lo, 8, 0);
	assert_near(shift.hi, 12, 0);
	shift = bench_stats_shift(a, 1, b, 1, 0.9);
	assert_true(shift.estimate == 10 && shift.lo == 10 && shift.hi == 10 && shift.level == 0);
	assert_true(isnan(bench_stats_shift(&none, 0, b, 3, 0.9).estimate));
}

static void shift_survives_the_largest_doubles(void **state)
{
	const double a[] = {-DBL_MAX, 0, DBL_MAX}, b[] = {-DBL_MAX, -0.0, DBL_MAX};
	struct bench_interval shift = bench_stats_shift(a, 3, b, 3, 0.9);

	(void)state;
	assert_near(shift.estimate, 0, 0);
	assert_near(shift.lo, -DBL_MAX, 0);
	assert_near(shift.hi, DBL_MAX, 0);
}

/* R: p.adjust(p, "holm"). */
static void holm_matches_worked_examples(void **state)
{
	double p[] = {0.01, 0.04, 0.03, 0.02}, adjusted[4];
	double mixed[] = {0.6, NAN, 0.001, 0.9, 0.02, NAN};

	(void)state;
	bench_stats_holm(p, 4, adjusted);
	assert_near(adjusted[0], 0.04, 1e-15);
	assert_near(adjusted[1], 0.06, 1e-15);
	assert_near(adjusted[2], 0.06, 1e-15);
	assert_near(adjusted[3], 0.06, 1e-15);
	bench_stats_holm(mixed, 6, mixed); /* in place; four tests were made */
	assert_near(mixed[2], 0.004, 1e-15);
	assert_near(mixed[4], 0.06, 1e-15);
	assert_near(mixed[0], 1, 0);
	assert_near(mixed[3], 1, 0);
	assert_true(isnan(mixed[1]) && isnan(mixed[5]));
	bench_stats_holm(p, 0, adjusted);
}

/* n normal quantiles: a sample that is as normal as n values can be. */
static void normal_scores(double *values, size_t n, double stddev)
{
	for (size_t i = 0; i < n; i++) {
		double p = ((double)i + 0.5) / (double)n, lo = -9, hi = 9;

		while (hi - lo > 1e-12) {
			double middle = 0.5 * (lo + hi);

			if (0.5 * erfc(-middle / sqrt(2)) < p)
				lo = middle;
			else
				hi = middle;
		}
		values[i] = stddev * lo;
	}
}

static double detectable(const double *a, size_t a_count, const double *b, size_t b_count, double alpha,
			 double power, double least)
{
	struct bench_detection detection = bench_stats_detection(a_count, b_count, alpha, power);
	double shift = bench_stats_shift(a, a_count, b, b_count, 0.9).estimate;

	return bench_stats_detectable_shift(&detection, a, b, shift, least);
}

/* (z_{1-alpha/2} + z_power) sigma sqrt(1/m + 1/n) / sqrt(3/pi): the large-sample formula, for normal noise.
 */
static void detectable_shift_agrees_with_the_large_sample_formula(void **state)
{
	double a[150], b[150], formula = (2.575829 + 1.644854) * 2 * sqrt(2.0 / 150) / sqrt(3 / M_PI);

	(void)state;
	normal_scores(a, 150, 2);
	normal_scores(b, 150, 2);
	assert_near(detectable(a, 150, b, 150, 0.01, 0.95, 0) / formula, 1, 0.06);
}

static void detectable_shift_is_infinite_where_no_p_is_small_enough(void **state)
{
	const double a[] = {1, 2, 3, 4, 5}, b[] = {1.5, 2.5, 3.5, 4.5, 5.5};

	(void)state;
	assert_true(isinf(detectable(a, 5, b, 5, 0.0079, 0.95, 0)));
	assert_true(isfinite(detectable(a, 5, b, 5, 0.0080, 0.95, 0)));
	assert_true(isinf(detectable(a, 0, b, 5, 0.05, 0.95, 0)));
	assert_true(isinf(detectable(a, 1, b, 1, 1, 0.95, 0)));
}

static void detectable_shift_knows_noise_and_not_place(void **state)
{
	double a[10], b[10], here, there, louder, few;

	(void)state;
	normal_scores(a, 10, 1);
	normal_scores(b, 10, 1);
	here = detectable(a, 10, b, 10, 0.001, 0.95, 0);
	few = detectable(a + 2, 6, b + 2, 6, 0.01, 0.95, 0);
	for (size_t i = 0; i < 10; i++)
		b[i] += 40;
	there = detectable(a, 10, b, 10, 0.001, 0.95, 0);
	for (size_t i = 0; i < 10; i++) {
		a[i] *= 3;
		b[i] *= 3;
	}
	louder = detectable(a, 10, b, 10, 0.001, 0.95, 0);
	assert_near(there / here, 1, 1e-4);
	assert_near(louder / here, 3, 1e-3);
	assert_true(here > 2 && here < 4);
	assert_true(few > 2);
}

static void detectable_shift_sees_what_a_straggler_costs(void **state)
{
	double a[10], b[10];

	(void)state;
	normal_scores(a, 10, 0.01);
	normal_scores(b, 10, 0.01);
	a[9] = 0.63;
	/* At this alpha U must be within 8 of its end, and the straggler alone costs 10. */
	assert_true(detectable(a, 10, b, 10, 0.0005, 0.95, 0) > 0.6);
	/* With alpha 0.05 it may be 23 off. */
	assert_true(detectable(a, 10, b, 10, 0.05, 0.5, 0) < 0.05);
}

static void detectable_shift_of_constant_values_is_the_least(void **state)
{
	const double same[] = {2, 2, 2, 2, 2, 2, 2, 2};

	(void)state;
	assert_near(detectable(same, 8, same, 8, 0.001, 0.95, 0), 0, 0);
	assert_near(detectable(same, 8, same, 8, 0.001, 0.95, 0.05), 0.05, 0);
}

/* References: the sum over all pairs of steps, searched in steps of 4% of the deviation and 0.05 of the
 * center. */
static void alike_test_is_the_largest_chance_of_rounded_noise(void **state)
{
	static const struct {
		size_t a, b;
		double steps, p;
	} rows[] = {{10, 1, 1, 0.03505}, {10, 1, 2, 7.091e-5}, {10, 1, 5, 7.89e-9}, {8, 1, 2, 2.02e-4},
		    {2, 2, 3, 4.141e-3}, {2, 2, 20, 6.932e-5}, {3, 3, 2, 4.651e-4}, {3, 3, 2.9, 4.651e-4}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double p = bench_stats_alike_test(rows[i].a, rows[i].b, rows[i].steps);

		assert_true(p > 0.95 * rows[i].p && p < 1.01 * rows[i].p);
		assert_true(p == bench_stats_alike_test(rows[i].b, rows[i].a, rows[i].steps) ||
			    fabs(p - bench_stats_alike_test(rows[i].b, rows[i].a, rows[i].steps)) < 0.02 * p);
	}
	assert_true(bench_stats_alike_test(10, 1, 0) == 1 && bench_stats_alike_test(1, 1, 50) == 1);
	assert_true(bench_stats_alike_test(0, 9, 50) == 1);
	assert_true(bench_stats_alike_test(2, 2, INFINITY) == bench_stats_alike_test(2, 2, 64));
}

static void the_step_of_values_is_their_last_decimal_place(void **state)
{
	static const struct {
		double values[3], step;
	} rows[] = {{{12.3 * 1e-9, 12.4 * 1e-9, 12 * 1e-9}, 1e-10},
		    {{3e-9, 4e-9, 3e-9}, 1e-9},
		    {{5, 0, -7}, 1},
		    {{0, 0, 0}, 0},
		    {{1000, 2000, 1000}, 1000},
		    {{9.99, 10, 10.01}, 0.01},
		    {{1, 2, 1.0 / 3}, 0},
		    {{-0.25, 1e300, 0.5}, 0.01}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(fabs(bench_stats_step(rows[i].values, 3) - rows[i].step) <= 1e-9 * rows[i].step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_and_stddev_match_worked_examples),
		cmocka_unit_test(empty_and_single_samples_have_no_spread),
		cmocka_unit_test(the_smaller_half_passes_over_what_is_large),
		cmocka_unit_test(quantile_is_type_7),
		cmocka_unit_test(median_interval_has_its_binomial_coverage),
		cmocka_unit_test(median_interval_of_one_value_claims_nothing),
		cmocka_unit_test(median_interval_of_many_values_agrees_with_the_normal_approximation),
		cmocka_unit_test(rank_test_gives_the_p_of_rs_example),
		cmocka_unit_test(rank_test_has_the_critical_values_of_the_tables),
		cmocka_unit_test(rank_test_equals_enumeration_of_all_permutations),
		cmocka_unit_test(rank_test_keeps_its_digits_in_the_far_tail),
		cmocka_unit_test(rank_test_of_large_samples_is_near_the_exact_one),
		cmocka_unit_test(rank_test_of_large_samples_with_ties_is_near_the_exact_one),
		cmocka_unit_test(rank_test_of_large_samples_corrects_for_ties),
		cmocka_unit_test(rank_test_of_nothing_or_of_equal_values_is_1),
		cmocka_unit_test(rank_test_floor_is_the_p_of_complete_separation),
		cmocka_unit_test(shift_gives_the_interval_of_rs_example),
		cmocka_unit_test(shift_equals_the_sorted_list_of_all_differences),
		cmocka_unit_test(shift_says_the_level_that_few_values_allow),
		cmocka_unit_test(shift_survives_the_largest_doubles),
		cmocka_unit_test(holm_matches_worked_examples),
		cmocka_unit_test(detectable_shift_agrees_with_the_large_sample_formula),
		cmocka_unit_test(detectable_shift_is_infinite_where_no_p_is_small_enough),
		cmocka_unit_test(detectable_shift_knows_noise_and_not_place),
		cmocka_unit_test(detectable_shift_sees_what_a_straggler_costs),
		cmocka_unit_test(detectable_shift_of_constant_values_is_the_least),
		cmocka_unit_test(alike_test_is_the_largest_chance_of_rounded_noise),
		cmocka_unit_test(the_step_of_values_is_their_last_decimal_place),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}

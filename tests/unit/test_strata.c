/* SPDX-License-Identifier: MIT */
/* The shift of two samples that were taken in strata, against the one of a single stratum and plain
 * enumeration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "stats/strata.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static void one_stratum_is_the_shift_of_two_samples(void **state)
{
	double a[9], b[7];
	struct bench_rng rng;

	(void)state;
	bench_rng_start(&rng, 3, 0);
	for (size_t round = 0; round < 50; round++) {
		struct bench_stratum stratum = {a, b, 4 + round % 6, 3 + round % 5};
		struct bench_interval expected, shift;

		for (size_t i = 0; i < COUNT(a); i++)
			a[i] = bench_rng_normal(&rng);
		for (size_t i = 0; i < COUNT(b); i++)
			b[i] = bench_rng_normal(&rng);
		expected = bench_stats_shift(a, stratum.a_count, b, stratum.b_count, 0.9);
		shift = bench_stats_strata_shift(&stratum, 1, 0.9);
		assert_near(shift.estimate, expected.estimate, 1e-15);
		assert_near(shift.lo, expected.lo, 0);
		assert_near(shift.hi, expected.hi, 0);
		assert_near(shift.level, expected.level, 1e-12);
	}
}

/* P(U <= u) for strata of 2 and 2, and of 1 and 3: six and four arrangements. */
static double enumerated(int u)
{
	static const int first[] = {0, 1, 2, 2, 3, 4}, second[] = {0, 1, 2, 3};
	int hits = 0;

	for (size_t i = 0; i < COUNT(first); i++)
		for (size_t j = 0; j < COUNT(second); j++)
			hits += first[i] + second[j] <= u;
	return hits / 24.0;
}

static void the_level_is_that_of_all_arrangements(void **state)
{
	const double a1[] = {1, 2}, b1[] = {5, 9}, a2[] = {100}, b2[] = {100.5, 107, 111};
	const struct bench_stratum strata[] = {{a1, b1, 2, 2}, {a2, b2, 1, 3}};
	/* All differences: 0.5, 3, 4, 7, 7, 8, 11. */
	struct bench_interval shift = bench_stats_strata_shift(strata, 2, 0.5);

	(void)state;
	assert_near(shift.estimate, 7, 0);
	/* P(U <= 1) = 3 / 24 is within the tail of a quarter, P(U <= 2) = 7 / 24 is not. */
	assert_near(enumerated(1), 3 / 24.0, 0);
	assert_near(shift.level, 1 - 2 * enumerated(1), 1e-15);
	assert_near(shift.lo, 3, 0);
	assert_near(shift.hi, 8, 0);
	/* Too few for more: the widest, with the level that it has. */
	shift = bench_stats_strata_shift(strata, 2, 0.999);
	assert_near(shift.level, 1 - 2 / 24.0, 1e-15);
	assert_near(shift.lo, 0.5, 0);
	assert_near(shift.hi, 11, 0);
}

static void what_a_stratum_has_in_common_cancels(void **state)
{
	double a[2][5], b[2][5], moved_a[5], moved_b[5];
	struct bench_stratum strata[] = {{a[0], b[0], 5, 5}, {a[1], b[1], 5, 5}};
	struct bench_interval before, after;
	struct bench_rng rng;

	(void)state;
	bench_rng_start(&rng, 4, 0);
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < 5; i++) {
			a[s][i] = bench_rng_normal(&rng);
			b[s][i] = 3 + bench_rng_normal(&rng);
		}
	before = bench_stats_strata_shift(strata, 2, 0.95);
	for (size_t i = 0; i < 5; i++) {
		moved_a[i] = a[1][i] + 1000;
		moved_b[i] = b[1][i] + 1000;
	}
	strata[1] = (struct bench_stratum){moved_a, moved_b, 5, 5};
	after = bench_stats_strata_shift(strata, 2, 0.95);
	assert_near(after.estimate, before.estimate, 1e-9);
	assert_near(after.lo, before.lo, 1e-9);
	assert_near(after.hi, before.hi, 1e-9);
	assert_true(before.lo > 0 && before.level >= 0.95);
}

/* Beyond what is counted throughout, the normal approximation: it meets the exact one where both can be had.
 */
static void large_strata_have_an_interval_too(void **state)
{
	static double values[1200];
	struct bench_stratum strata[40];
	struct bench_interval shift;
	struct bench_rng rng;

	(void)state;
	bench_rng_start(&rng, 5, 0);
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = bench_rng_normal(&rng);
	for (size_t s = 0; s < COUNT(strata); s++)
		strata[s] = (struct bench_stratum){values, values + 1199 - s, 1199 - s, 1};
	shift = bench_stats_strata_shift(strata, COUNT(strata), 0.999);
	assert_true(shift.lo < shift.estimate && shift.estimate < shift.hi);
	assert_true(shift.level >= 0.999 && shift.level < 0.9995);
	/* 40 values against many: 3.3 deviations of a mean of 40, a little more for ranks. */
	assert_true(shift.hi - shift.lo > 0.8 && shift.hi - shift.lo < 1.5);
}

static void nothing_to_compare_has_no_shift(void **state)
{
	const double one = 1;
	const struct bench_stratum strata[] = {{&one, NULL, 1, 0}, {NULL, &one, 0, 1}};

	(void)state;
	assert_true(isnan(bench_stats_strata_shift(strata, 2, 0.9).estimate));
	assert_true(isnan(bench_stats_strata_shift(NULL, 0, 0.9).lo));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_stratum_is_the_shift_of_two_samples),
		cmocka_unit_test(the_level_is_that_of_all_arrangements),
		cmocka_unit_test(what_a_stratum_has_in_common_cancels),
		cmocka_unit_test(large_strata_have_an_interval_too),
		cmocka_unit_test(nothing_to_compare_has_no_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

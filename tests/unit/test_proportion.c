/* SPDX-License-Identifier: MIT */
/* Exact bounds of a proportion, against published figures and their own definition. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stats.h"

static void assert_interval(size_t hits, size_t trials, double lo, double hi, double tolerance)
{
	struct bench_interval interval = bench_stats_proportion(hits, trials, 0.95);
	if (fabs(interval.lo - lo) > tolerance || fabs(interval.hi - hi) > tolerance)
		fail_msg("%zu of %zu: %.6f..%.6f, not %.6f..%.6f", hits, trials, interval.lo, interval.hi, lo,
			 hi);
}

/* Newcombe, "Two-sided confidence intervals for the single proportion", Statist. Med. 17 (1998), table I. */
static void intervals_are_those_of_newcombe(void **state)
{
	(void)state;
	assert_interval(81, 263, 0.2527, 0.3676, 5e-5);
	assert_interval(15, 148, 0.0578, 0.1617, 5e-5);
	assert_interval(0, 20, 0, 0.1684, 5e-5);
	assert_interval(1, 29, 0.0009, 0.1776, 5e-5);
}

/* Of none and of all, the bound has a closed form. */
static void ends_have_their_closed_form(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 200; n += 13) {
		double bound = 1 - pow(0.025, 1 / (double)n);
		assert_interval(0, n, 0, bound, 1e-12);
		assert_interval(n, n, 1 - bound, 1, 1e-12);
	}
}

static void one_side_alone_is_the_interval_of_twice_the_error(void **state)
{
	struct bench_interval interval = bench_stats_proportion(7, 30, 0.9);

	(void)state;
	assert_true(fabs(interval.estimate - 7.0 / 30) < 1e-15);
	assert_true(interval.level == 0.9);
	assert_true(fabs(interval.hi - bench_stats_proportion_upper(7, 30, 0.05)) < 1e-12);
	assert_true(fabs(interval.lo - bench_stats_proportion_lower(7, 30, 0.05)) < 1e-12);
}

static void without_trials_nothing_is_known(void **state)
{
	struct bench_interval interval = bench_stats_proportion(0, 0, 0.95);

	(void)state;
	assert_true(isnan(interval.estimate));
	assert_true(interval.lo == 0 && interval.hi == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_those_of_newcombe),
		cmocka_unit_test(ends_have_their_closed_form),
		cmocka_unit_test(one_side_alone_is_the_interval_of_twice_the_error),
		cmocka_unit_test(without_trials_nothing_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

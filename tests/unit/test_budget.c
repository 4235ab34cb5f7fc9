/* SPDX-License-Identifier: MIT */
/* The budget by need, on numbers made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/session/budget.h"

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g", value, expected);
}

static double sum(const double *values, size_t count)
{
	double total = 0;
	for (size_t i = 0; i < count; i++)
		total += values[i];
	return total;
}

static void need_is_the_spread_between_invocations_over_the_precision(void **state)
{
	(void)state;
	/* The quartiles of 0.9 and 1.1 are 0.95 and 1.05, the median is 1. */
	static const double wide[] = {0.9, 1.1}, narrow[] = {0.9999, 1.0001}, one[] = {1};
	assert_near(bench_session_budget_need(wide, 2, 0.01), 0.1 / 1.349 / 0.01, 1e-9);
	assert_near(bench_session_budget_need(wide, 2, 0.02), 0.1 / 1.349 / 0.02, 1e-9);
	/* Within the precision nothing is gained by more. */
	assert_near(bench_session_budget_need(narrow, 2, 0.01), 1, 1e-12);
	assert_true(isnan(bench_session_budget_need(one, 1, 0.01)));
	assert_true(isnan(bench_session_budget_need(one, 0, 0.01)));
	/* What is odd about one of them is not mended by time. */
	static const double even[] = {0.98, 0.99, 1, 1.01, 1.02}, odd[] = {0.98, 0.99, 1, 1.01, 5};
	assert_near(bench_session_budget_need(odd, 5, 0.001), bench_session_budget_need(even, 5, 0.001),
		    1e-9);
	/* Of seconds or of hours, it is the same need. */
	static const double small[] = {0.9e-6, 1.1e-6};
	assert_near(bench_session_budget_need(small, 2, 0.01), bench_session_budget_need(wide, 2, 0.01),
		    1e-9);
}

static void shares_are_in_proportion_to_need(void **state)
{
	(void)state;
	static const double needs[] = {1, 2, 3};
	double shares[3];
	bench_session_budget_shares(needs, 3, shares);
	assert_near(shares[0], 0.5, 1e-9);
	assert_near(shares[1], 1.0, 1e-9);
	assert_near(shares[2], 1.5, 1e-9);
}

static void equal_needs_and_unknown_ones_share_equally(void **state)
{
	(void)state;
	static const double equal[] = {7, 7, 7, 7}, unknown[] = {NAN, NAN, NAN}, mixed[] = {1, NAN, 3};
	double shares[4];
	bench_session_budget_shares(equal, 4, shares);
	for (size_t i = 0; i < 4; i++)
		assert_near(shares[i], 1, 1e-9);
	bench_session_budget_shares(unknown, 3, shares);
	for (size_t i = 0; i < 3; i++)
		assert_near(shares[i], 1, 1e-9);
	/* As the others in the mean. */
	bench_session_budget_shares(mixed, 3, shares);
	assert_near(shares[0], 0.5, 1e-9);
	assert_near(shares[1], 1, 1e-9);
	assert_near(shares[2], 1.5, 1e-9);
}

static void no_share_leaves_its_bounds_and_nothing_is_lost(void **state)
{
	(void)state;
	static const double rows[][6] = {
		{1, 1, 1, 1, 1, 1000},
		{1, 1000, 1000, 1000, 1000, 1000},
		{1, 10, 100, 1000, 10000, 1e9},
		{1, 1, 1, 1, 1, INFINITY},
		{3, 1, 4, 1, 5, 9},
	};
	double shares[6];
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		bench_session_budget_shares(rows[r], 6, shares);
		assert_near(sum(shares, 6), 6, 1e-9);
		for (size_t i = 0; i < 6; i++) {
			assert_true(shares[i] >= BENCH_BUDGET_LEAST && shares[i] <= BENCH_BUDGET_MOST);
			/* Who needs more does not get less. */
			for (size_t j = 0; j < 6; j++)
				assert_true(rows[r][i] < rows[r][j] || shares[i] >= shares[j]);
		}
	}
	/* One of six that is far noisier gets the most that one may; the others what is left, equally. */
	bench_session_budget_shares(rows[0], 6, shares);
	assert_near(shares[5], BENCH_BUDGET_MOST, 1e-9);
	assert_near(shares[0], 0.4, 1e-9);
}

/* Ten groups, of which four took 8 s in all, a quarter of the way into a budget of 40 s. */
static const struct bench_budget_outlook early = {.budget_seconds = 40,
						  .used_seconds = 11,
						  .groups = 10,
						  .known = 4,
						  .known_seconds = 8,
						  .again = 1,
						  .made = 0,
						  .least = 1};

static void groups_that_are_not_known_take_what_the_others_do(void **state)
{
	(void)state;
	struct bench_budget_outlook outlook = early;
	assert_near(bench_session_budget_needed(&outlook), 11 + 6 * 2, 1e-12);
	/* The one that is being made is the first of those that are needed. */
	outlook.least = 4;
	assert_near(bench_session_budget_needed(&outlook), 11 + 6 * 2 + 3 * 20, 1e-12);
	outlook.again = 0.5;
	assert_near(bench_session_budget_needed(&outlook), 11 + 6 * 2 + 3 * 10, 1e-12);
	outlook.again = 1;
	outlook.known = 10;
	outlook.known_seconds = 20;
	assert_near(bench_session_budget_needed(&outlook), 11 + 3 * 20, 1e-12);
	outlook.made = 3;
	assert_near(bench_session_budget_needed(&outlook), 11 + 20, 1e-12);
	outlook.made = 4;
	assert_near(bench_session_budget_needed(&outlook), 11, 1e-12);
}

static void a_budget_is_short_where_the_least_does_not_fit(void **state)
{
	(void)state;
	struct bench_budget_outlook outlook = early;
	outlook.again = BENCH_BUDGET_AGAIN;
	assert_false(bench_session_budget_is_short(&outlook)); /* 23 s of 40 */
	outlook.least = 3; /* 23 s, and two invocations of at least 10 s */
	assert_false(bench_session_budget_is_short(&outlook));
	outlook.least = 4; /* 53 s */
	assert_true(bench_session_budget_is_short(&outlook));
	outlook.budget_seconds = 53 / BENCH_BUDGET_REACH + 0.1;
	outlook.used_seconds = 15;
	assert_true(bench_session_budget_is_short(&outlook));
}

static void a_few_groups_do_not_speak_for_all(void **state)
{
	(void)state;
	struct bench_budget_outlook outlook = early;
	outlook.again = BENCH_BUDGET_AGAIN;
	outlook.least = 12;
	outlook.used_seconds = 9; /* less than a quarter */
	assert_false(bench_session_budget_is_short(&outlook));
	outlook.known = outlook.groups;
	outlook.known_seconds = 20;
	assert_true(bench_session_budget_is_short(&outlook));
	outlook.known = 0;
	outlook.known_seconds = 0;
	outlook.used_seconds = 39;
	assert_false(bench_session_budget_is_short(&outlook));
}

static void later_invocations_are_known_once_two_are_made(void **state)
{
	(void)state;
	struct bench_budget_outlook outlook = {.budget_seconds = 40,
					       .used_seconds = 20,
					       .groups = 5,
					       .known = 5,
					       .known_seconds = 10,
					       .again = 1,
					       .made = 2,
					       .least = 5};
	assert_true(bench_session_budget_is_short(&outlook)); /* 20 s and three times 10 s */
	outlook.known_seconds = 7;
	assert_false(bench_session_budget_is_short(&outlook));
	/* After the first alone they may take half as long. */
	outlook.made = 1;
	outlook.again = BENCH_BUDGET_AGAIN;
	outlook.known_seconds = 10;
	assert_false(bench_session_budget_is_short(&outlook));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(need_is_the_spread_between_invocations_over_the_precision),
		cmocka_unit_test(shares_are_in_proportion_to_need),
		cmocka_unit_test(equal_needs_and_unknown_ones_share_equally),
		cmocka_unit_test(no_share_leaves_its_bounds_and_nothing_is_lost),
		cmocka_unit_test(groups_that_are_not_known_take_what_the_others_do),
		cmocka_unit_test(a_budget_is_short_where_the_least_does_not_fit),
		cmocka_unit_test(a_few_groups_do_not_speak_for_all),
		cmocka_unit_test(later_invocations_are_known_once_two_are_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

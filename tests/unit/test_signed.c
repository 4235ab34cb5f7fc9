/* SPDX-License-Identifier: MIT */
/* The signed-rank test against published figures and plain enumeration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/signed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* R, ?wilcox.test: depression scores before less after, Hollander & Wolfe (1973), 29f. */
static const double scores[] = {1.83 - 0.878, 0.50 - 0.647, 1.62 - 0.598, 2.48 - 2.05, 1.68 - 1.06,
				1.88 - 1.29,  1.55 - 1.06,  3.06 - 3.14,  1.30 - 1.29};

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static void p_is_that_of_the_worked_example(void **state)
{
	(void)state;
	/* V = 40 of 45: 10 of the 512 sets of signs are as far out on one side. */
	assert_near(bench_stats_signed_test(scores, COUNT(scores)), 20.0 / 512, 1e-15);
}

static void estimate_and_interval_are_those_of_the_worked_example(void **state)
{
	struct bench_interval interval = bench_stats_signed_shift(scores, COUNT(scores), 0.95);

	(void)state;
	/* Hollander, Wolfe & Chicken, examples 3.3 and 3.4: 0.46, and 0.010 to 0.786 at 96.1%. */
	assert_near(interval.estimate, 0.46, 1e-9);
	assert_near(interval.lo, 0.010, 1e-9);
	assert_near(interval.hi, 0.786, 1e-9);
	assert_near(interval.level, 1 - 20.0 / 512, 1e-12);
}

/* The p-value by trying all signs of the mid-ranks. */
static double enumerated_p(const double *values, size_t count)
{
	double ranks[8], sum = 0, mean = 0;
	size_t hits = 0;

	for (size_t i = 0; i < count; i++) {
		ranks[i] = 0.5;
		for (size_t j = 0; j < count; j++)
			ranks[i] += fabs(values[j]) < fabs(values[i])    ? 1
				    : fabs(values[j]) == fabs(values[i]) ? 0.5
									 : 0;
		sum += values[i] > 0 ? ranks[i] : 0;
		mean += 0.5 * ranks[i];
	}
	for (unsigned signs = 0; signs < 1U << count; signs++) {
		double other = 0;

		for (size_t i = 0; i < count; i++)
			other += signs & 1U << i ? ranks[i] : 0;
		hits += fabs(other - mean) >= fabs(sum - mean) - 1e-9;
	}
	return (double)hits / (double)(1U << count);
}

static void p_is_exact_with_ties(void **state)
{
	static const double tied[][8] = {{1, 1, -1, 2, 2, 3, 3, -3},
					 {5, 5, 5, 5, 5, 5, 5, 5},
					 {-1, 1, -1, 1, -1, 1, -1, 1},
					 {1, 2, 2, 2, 4, 5, -2, 7},
					 {0.1, -0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}};

	(void)state;
	for (size_t i = 0; i < COUNT(tied); i++)
		for (size_t count = 1; count <= 8; count++)
			assert_near(bench_stats_signed_test(tied[i], count), enumerated_p(tied[i], count),
				    1e-12);
}

static void zeros_say_nothing(void **state)
{
	static const double some[] = {0, 1, 0, 2, 3, 4, 0}, none[] = {0, 0, 0};

	(void)state;
	assert_near(bench_stats_signed_test(some, COUNT(some)), 2.0 / 16, 1e-15);
	assert_near(bench_stats_signed_test(none, COUNT(none)), 1, 0);
	assert_near(bench_stats_signed_test(none, 0), 1, 0);
}

static void the_floor_is_what_equal_signs_give(void **state)
{
	static const double all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

	(void)state;
	for (size_t count = 1; count <= COUNT(all); count++)
		assert_near(bench_stats_signed_test(all, count), bench_stats_signed_test_floor(count), 1e-15);
}

/* Above 100 values the normal approximation takes over, without a jump. */
static void many_values_are_no_different(void **state)
{
	double values[101];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (i % 5 < 2 ? -1 : 1) * (1 + (double)i);
	values[100] = 0.5; /* the lowest rank: next to no weight */
	double exact = bench_stats_signed_test(values, 100), normal = bench_stats_signed_test(values, 101);
	assert_true(exact > 0.001 && exact < 0.2);
	assert_near(normal / exact, 1, 0.1);
	struct bench_interval interval = bench_stats_signed_shift(values, 101, 0.9);
	assert_true(interval.lo < interval.estimate && interval.estimate < interval.hi);
	assert_near(interval.level, 0.9, 0.005);
}

static void an_interval_inverts_the_test(void **state)
{
	struct bench_interval interval = bench_stats_signed_shift(scores, COUNT(scores), 0.95);
	double moved[COUNT(scores)];

	(void)state;
	for (int above = 0; above < 2; above++) {
		double edge = above ? interval.hi : interval.lo;

		for (int outside = 0; outside < 2; outside++) {
			double at = edge + (above == outside ? 1e-6 : -1e-6);

			for (size_t i = 0; i < COUNT(scores); i++)
				moved[i] = scores[i] - at;
			assert_true((bench_stats_signed_test(moved, COUNT(moved)) <= 0.05) == outside);
		}
	}
}

static void too_few_values_give_the_widest_interval_and_its_level(void **state)
{
	static const double three[] = {1, 2, 4};
	struct bench_interval interval = bench_stats_signed_shift(three, 3, 0.99);

	(void)state;
	assert_near(interval.lo, 1, 0);
	assert_near(interval.hi, 4, 0);
	assert_near(interval.level, 0.75, 1e-12);
	assert_true(isinf(bench_stats_signed_detectable(three, 3, 0.01, 0.95, 0.01, 0)));
	assert_true(isnan(bench_stats_signed_shift(three, 0, 0.9).estimate));
}

static void what_can_be_detected_is_never_below_what_matters(void **state)
{
	static const double quiet[] = {1e-6, -1e-6, 2e-6, -2e-6, 1e-6, -3e-6,
				       1e-6, 0,     1e-6, -1e-6, 1e-6, 2e-6};

	(void)state;
	assert_true(bench_stats_signed_detectable(quiet, COUNT(quiet), 0.01, 0.95, 0.01, 0) >= 0.01);
	assert_true(bench_stats_signed_detectable(quiet, COUNT(quiet), 0.01, 0.95, 0.01, 0) < 0.0101);
}

/* log(b / a) is not -log(a / b) to the last bit. */
static void a_ratio_and_its_inverse_are_ties(void **state)
{
	double logs[12], signs[12];

	(void)state;
	for (size_t i = 0; i < COUNT(logs); i++) {
		signs[i] = i % 3 ? 1 : -1;
		logs[i] = i % 3 ? log(1.1 / 0.9) : log(0.9 / 1.1);
	}
	assert_near(bench_stats_signed_test(logs, COUNT(logs)), bench_stats_signed_test(signs, COUNT(signs)),
		    0);
}

static void an_interval_is_wider_where_neighbours_resemble_each_other(void **state)
{
	struct bench_interval alone = bench_stats_signed_series(scores, COUNT(scores), 0.9, -0.2),
			      along = bench_stats_signed_series(scores, COUNT(scores), 0.9, 0.5),
			      plain = bench_stats_signed_shift(scores, COUNT(scores), 0.9);
	double factor = 3 - (1 - pow(0.5, 9)) / (9 * 0.25), wider;

	(void)state;
	assert_near(alone.lo, plain.lo, 0);
	assert_near(alone.hi, plain.hi, 0);
	assert_near(along.estimate, plain.estimate, 0);
	assert_near(along.level, plain.level, 0);
	/* 9 (1 - 1/4) / (1 + 1/4) - 1 = 4.4 degrees of freedom instead of 8. */
	wider = sqrt(factor * 8 / (9 - factor)) * 2.131847 / 1.859548;
	assert_near(along.hi - along.estimate, wider * (plain.hi - plain.estimate), 1e-5);
	assert_near(along.estimate - along.lo, wider * (plain.estimate - plain.lo), 1e-5);
	assert_true(bench_stats_series_freedom(9, 0.5) == 4);
	assert_true(bench_stats_series_freedom(9, 0.95) == 1);
	assert_true(bench_stats_series_freedom(9, 0) == SIZE_MAX);
}

static void what_a_step_can_hide_is_not_detectable(void **state)
{
	double values[16] = {0, 0, 0, 0, 0.02, 0, 0, -0.02, 0, 0, 0, 0.02, 0, 0, 0, 0};
	double hidden = bench_stats_signed_detectable(values, COUNT(values), 0.01, 0.95, 0.01, 0);

	(void)state;
	assert_true(hidden >= 0.03 && hidden < 0.06);
	assert_near(bench_stats_signed_hidden(values, COUNT(values)), 0.02, 1e-12);
	/* Noise as large as the step shows half of it. */
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = 0.02 * (double)(i % 3);
	assert_near(bench_stats_signed_hidden(values, COUNT(values)), 0.01, 1e-12);
	/* Nothing says how large the step is. */
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = 0;
	assert_true(isinf(bench_stats_signed_detectable(values, COUNT(values), 0.01, 0.95, 0.01, 0)));
}

/* Normal quantiles in a scattered order, the first of them far out. */
static void make_straggler(double *values, size_t count, double straggler)
{
	for (size_t i = 0; i < count; i++)
		values[i] =
			0.01 * bench_stats_normal_quantile(((double)(7 * i % count) + 0.5) / (double)count);
	values[0] = straggler;
}

/* The next sample may have three where this one has one; of many values, that many hide nothing. */
static void more_stragglers_than_seen_may_come(void **state)
{
	double values[99];

	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		make_straggler(values, 32, sign * 0.6);
		assert_true(bench_stats_signed_detectable(values, 32, 5e-4, 0.95, 0.01, 0) > 0.3);
		make_straggler(values, COUNT(values), sign * 0.6);
		assert_true(bench_stats_signed_detectable(values, COUNT(values), 5e-4, 0.95, 0.01, 0) < 0.03);
	}
	make_straggler(values, 32, -0.02);
	assert_true(bench_stats_signed_detectable(values, 32, 5e-4, 0.95, 0.01, 0) < 0.03);
}

/* Sixteen values with a correlation of 0.78 leave 2 degrees of freedom; with 0.85, which may be next, 1. */
static void the_next_correlation_may_be_larger(void **state)
{
	double values[32], none, some, much;

	(void)state;
	make_straggler(values, COUNT(values), -0.02);
	none = bench_stats_signed_detectable(values, COUNT(values), 0.01, 0.95, 0.01, 0);
	some = bench_stats_signed_detectable(values, COUNT(values), 0.01, 0.95, 0.01, 0.1);
	much = bench_stats_signed_detectable(values, COUNT(values), 0.01, 0.95, 0.01, 0.6);
	assert_true(none < some && some < 1.1 * none && 2 * none < much);
	assert_true(bench_stats_series_freedom(16, 0.78) == 2);
	assert_true(isinf(bench_stats_signed_detectable(values, 16, 0.01, 0.95, 0.01, 0.78)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_is_that_of_the_worked_example),
		cmocka_unit_test(estimate_and_interval_are_those_of_the_worked_example),
		cmocka_unit_test(p_is_exact_with_ties),
		cmocka_unit_test(zeros_say_nothing),
		cmocka_unit_test(the_floor_is_what_equal_signs_give),
		cmocka_unit_test(many_values_are_no_different),
		cmocka_unit_test(an_interval_inverts_the_test),
		cmocka_unit_test(too_few_values_give_the_widest_interval_and_its_level),
		cmocka_unit_test(what_can_be_detected_is_never_below_what_matters),
		cmocka_unit_test(a_ratio_and_its_inverse_are_ties),
		cmocka_unit_test(an_interval_is_wider_where_neighbours_resemble_each_other),
		cmocka_unit_test(what_a_step_can_hide_is_not_detectable),
		cmocka_unit_test(more_stragglers_than_seen_may_come),
		cmocka_unit_test(the_next_correlation_may_be_larger),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Components of variance, dependence, peaks and Student's quantiles against known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "stats/stats.h"

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

/* R: qt(p, df). */
static void student_quantiles_are_those_of_r(void **state)
{
	(void)state;
	assert_near(bench_stats_student_quantile(0.975, 1), 12.706204736, 1e-7);
	assert_near(bench_stats_student_quantile(0.975, 2), 4.302652730, 1e-8);
	assert_near(bench_stats_student_quantile(0.99, 3), 4.540702859, 1e-8);
	assert_near(bench_stats_student_quantile(0.995, 4), 4.604094871, 1e-8);
	assert_near(bench_stats_student_quantile(0.975, 9), 2.262157163, 1e-8);
	assert_near(bench_stats_student_quantile(0.95, 30), 1.697260887, 1e-8);
	assert_near(bench_stats_student_quantile(0.025, 4), -2.776445105, 1e-8);
	assert_near(bench_stats_student_quantile(0.5, 7), 0, 1e-12);
	assert_near(bench_stats_student_quantile(0.975, 1000000), 1.959963985, 1e-4);
	assert_true(isnan(bench_stats_student_quantile(0.9, 0)));
	assert_true(isnan(bench_stats_student_quantile(1, 4)));
}

/* Of a new run of `size` values over runs of one code. */
static struct bench_components components_of(const double *values, const size_t *sizes, size_t runs,
					     size_t size)
{
	return bench_stats_components(&(struct bench_runs){values, sizes, NULL, runs},
				      &(struct bench_meeting){.center = NAN, .size = size});
}

/* Five runs of three invocations at 0, 1, 2, 3, 4, each with a spread of 0.1: all can be had by hand. */
static void fill_worked_example(double values[15])
{
	for (size_t i = 0; i < 15; i++)
		values[i] = (double)(i / 3) + 0.1 * ((double)(i % 3) - 1);
}

static void components_are_those_of_a_worked_example(void **state)
{
	double values[15];
	const size_t sizes[] = {3, 3, 3, 3, 3};
	struct bench_components components;

	(void)state;
	fill_worked_example(values);
	components = components_of(values, sizes, 5, 3);
	/* Centers 0..4 have the deviation sqrt(2.5); the median distance from them is 0.1. */
	assert_near(components.within, 1.4826 * 0.1 * sqrt(15.0 / 10), 1e-12);
	assert_near(components.between, sqrt(2.5 - components.within * components.within / 3), 1e-12);
	assert_near(components.ahead, sqrt(2.5 * 1.2), 1e-12);
	assert_int_equal(components.freedom, 4);
	assert_int_equal(components.left_out, 0);
	/* A new run of one invocation is known less well, and one of many no better than these. */
	components = components_of(values, sizes, 5, 1);
	assert_near(components.ahead, sqrt(2.5 * 1.2 + components.within * components.within * (1 - 1.0 / 3)),
		    1e-12);
	components = components_of(values, sizes, 5, 100);
	assert_near(components.ahead, sqrt(2.5 * 1.2), 1e-12);
}

/* The same runs, by hand: what differs between codes is not what runs differ by. */
static void runs_teach_by_how_they_differ_from_others_of_their_code(void **state)
{
	const double values[] = {1, 3, 10, 14, 12, 100};
	const size_t sizes[] = {1, 1, 1, 1, 1, 1}, codes[] = {0, 0, 2, 2, 2, 5}, alone[] = {0, 1, 2, 3, 4, 4};
	const struct bench_runs runs = {values, sizes, codes, 6};
	struct bench_components components = bench_stats_components(
		&runs, &(struct bench_meeting){.center = NAN, .size = 1, .base_runs = 1, .base_size = 1});

	(void)state;
	assert_int_equal(components.runs, 5);
	/* -1, 1 about 2; -2, 2, 0 about 12: ten in squares, with 5 - 2 degrees of freedom. 100 has no other.
	 */
	assert_int_equal(components.freedom, 3);
	assert_int_equal(components.left_out, 0);
	assert_near(components.ahead, sqrt(10.0 / 3 * 2), 1e-12);
	components = bench_stats_components(
		&runs, &(struct bench_meeting){.center = NAN, .size = 1, .base_runs = 4, .base_size = 4});
	assert_near(components.ahead, sqrt(10.0 / 3 * 1.25), 1e-12);
	/* One pair of the same code has one degree of freedom; without any pair there is nothing to learn. */
	components = bench_stats_components(&(struct bench_runs){values, sizes, alone, 6},
					    &(struct bench_meeting){.center = NAN, .size = 1});
	assert_int_equal(components.freedom, 1);
	components = bench_stats_components(&(struct bench_runs){values, sizes, alone, 5},
					    &(struct bench_meeting){.center = NAN, .size = 1});
	assert_true(isnan(components.ahead));
}

/* A baseline that has fewer invocations than the runs that teach is known less well than these. */
static void what_a_baseline_lacks_in_invocations_is_added(void **state)
{
	double values[15];
	const size_t sizes[] = {3, 3, 3, 3, 3};
	struct bench_components components;

	(void)state;
	fill_worked_example(values);
	components = bench_stats_components(
		&(struct bench_runs){values, sizes, NULL, 5},
		&(struct bench_meeting){.center = NAN, .size = 3, .base_runs = 1, .base_size = 1});
	assert_near(components.ahead, sqrt(2.5 * 2 + components.within * components.within * (1 - 1.0 / 3)),
		    1e-12);
	components = bench_stats_components(
		&(struct bench_runs){values, sizes, NULL, 5},
		&(struct bench_meeting){.center = NAN, .size = 9, .base_runs = 2, .base_size = 20});
	assert_near(components.ahead, sqrt(2.5 * 1.5), 1e-12);
}

static void one_odd_run_is_left_out_and_a_wide_history_is_not(void **state)
{
	const double odd[] = {0, 0.01, -0.01, 0.005, 0.5}, wide[] = {0, 0.1, -0.1, 0.2, 0.4};
	const size_t sizes[] = {1, 1, 1, 1, 1};
	struct bench_components components = components_of(odd, sizes, 5, 1);

	(void)state;
	assert_int_equal(components.left_out, 1);
	assert_int_equal(components.freedom, 3);
	assert_near(components.ahead, bench_stats_stddev(odd, 4) * sqrt(1.25), 1e-12);
	components = components_of(wide, sizes, 5, 1);
	assert_int_equal(components.left_out, 0);
	assert_near(components.ahead, bench_stats_stddev(wide, 5) * sqrt(1.2), 1e-12);
}

/* Two nights that stand out are what nights are like. So is one that the new run is like. */
static void what_recurs_is_not_odd(void **state)
{
	const double two[] = {0, 0.01, -0.01, 0.5, 0.005, -0.005, 0.55, 0.002};
	const double one[] = {0, 0.01, -0.01, 0.5, 0.005, -0.005, 0.004, 0.002};
	const size_t sizes[] = {1, 1, 1, 1, 1, 1, 1, 1};
	const struct bench_runs runs = {one, sizes, NULL, 8};

	(void)state;
	assert_int_equal(components_of(two, sizes, 8, 1).left_out, 0);
	assert_int_equal(components_of(one, sizes, 8, 1).left_out, 1);
	assert_int_equal(
		bench_stats_components(&runs, &(struct bench_meeting){.center = 0.1, .size = 1}).left_out, 1);
	assert_int_equal(
		bench_stats_components(&runs, &(struct bench_meeting){.center = 0.45, .size = 1}).left_out,
		0);
}

/* Two peaks half a unit apart: where a run's center lies is chance. */
static void a_run_is_not_odd_by_what_its_invocations_explain(void **state)
{
	double values[80];
	size_t sizes[8];

	(void)state;
	for (size_t r = 0; r < 8; r++) {
		sizes[r] = 10;
		for (size_t i = 0; i < 10; i++)
			values[10 * r + i] = (i < 5 ? 0 : 0.5) + 0.001 * (double)r + (r == 3 ? 0.2 : 0);
	}
	assert_int_equal(components_of(values, sizes, 8, 10).left_out, 0);
}

/* R: 2 * pt(-t, df). */
static void student_test_is_that_of_r(void **state)
{
	(void)state;
	assert_near(bench_stats_student_test(2.776445105, 4), 0.05, 1e-9);
	assert_near(bench_stats_student_test(-2.776445105, 4), 0.05, 1e-9);
	assert_near(bench_stats_student_test(12.706204736, 1), 0.05, 1e-9);
	assert_near(bench_stats_student_test(1.959963985, 100000), 0.05, 1e-9);
	assert_near(bench_stats_student_test(0, 7), 1, 1e-12);
	assert_true(bench_stats_student_test(1e9, 9) > 0);
	assert_true(isnan(bench_stats_student_test(1, 0)));
}

static void runs_that_only_their_invocations_part_have_no_variance_between(void **state)
{
	double values[40];
	const size_t sizes[] = {8, 8, 8, 8, 8};
	struct bench_components components;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		values[i] = 0.1 * (double)(i % 8);
	components = components_of(values, sizes, 5, 8);
	assert_near(components.between, 0, 0);
	assert_near(components.ahead, 0, 1e-12);
	assert_true(isnan(components_of(values, sizes, 2, 8).ahead));
	assert_true(isnan(components_of(values, sizes, 5, 0).ahead));
}

/* A series of first order with correlation r. */
static void draw_series(struct bench_rng *rng, double r, double *values, size_t count)
{
	values[0] = bench_rng_normal(rng);
	for (size_t i = 1; i < count; i++)
		values[i] = r * values[i - 1] + sqrt(1 - r * r) * bench_rng_normal(rng);
}

static void dependence_is_called_where_it_is_and_seldom_where_it_is_not(void **state)
{
	static const size_t counts[] = {10, 20, 100, 1000};
	struct bench_rng rng;
	double values[1000];

	(void)state;
	bench_rng_start(&rng, 5, 1);
	for (size_t c = 0; c < 4; c++) {
		size_t called = 0;

		for (size_t i = 0; i < 2000; i++) {
			draw_series(&rng, 0, values, counts[c]);
			called += bench_stats_dependence(values, counts[c]) > 1;
		}
		if (called > 150)
			fail_msg("%zu of 2000 independent series of %zu are called dependent", called,
				 counts[c]);
	}
	/* (1 + 0.8) / (1 - 0.8) = 9, less what the ranks see less of it. */
	draw_series(&rng, 0.8, values, 1000);
	assert_true(bench_stats_dependence(values, 1000) > 6 && bench_stats_dependence(values, 1000) < 12);
	for (size_t i = 0; i < 12; i++)
		values[i] = (double)i;
	assert_true(bench_stats_dependence(values, 12) > 3);
	assert_near(bench_stats_dependence(values, 9), 1, 0); /* too few to say */
	for (size_t i = 0; i < 12; i++)
		values[i] = 7;
	assert_near(bench_stats_dependence(values, 12), 1, 0);
	for (size_t i = 0; i < 12; i++)
		values[i] = i % 2 ? 1 : 2;
	assert_near(bench_stats_dependence(values, 12), 1, 0); /* neighbors that differ more are no loss */
}

static void a_correlation_of_few_values_has_no_bias_to_speak_of(void **state)
{
	const double truths[] = {0, 0.5};
	struct bench_rng rng;
	double values[16];

	(void)state;
	bench_rng_start(&rng, 5, 3);
	for (size_t t = 0; t < 2; t++) {
		double sum = 0;

		for (size_t i = 0; i < 2000; i++) {
			draw_series(&rng, truths[t], values, 16);
			sum += bench_stats_correlation(values, 16);
		}
		assert_near(sum / 2000, truths[t], 0.03);
	}
	assert_near(bench_stats_correlation(values, 7), 0, 0); /* too few to say */
}

static void correlations_that_were_seen_together_are_shared(void **state)
{
	double alike[] = {0.7, 0.9, 0.8, 0.6, 1.0}, one[20] = {0.8}, alone = 0.4;
	size_t counts[20];

	(void)state;
	for (size_t i = 0; i < 20; i++)
		counts[i] = 32;
	bench_stats_share_correlations(alike, counts, 5);
	for (size_t i = 0; i < 5; i++)
		assert_near(alike[i], 0.8, 1e-12);
	/* One that depends among many that do not: 1.5 deviations of sqrt(32) / 28 below what it shows. */
	bench_stats_share_correlations(one, counts, 20);
	assert_near(one[0], 0.8 - 1.5 * sqrt(32) / 28, 1e-12);
	assert_near(one[1], 0.04, 1e-12);
	bench_stats_share_correlations(&alone, counts, 1);
	assert_near(alone, 0.4, 1e-12);
}

/* The interval of a dependent series covers its median about as often as it says. */
static void the_interval_of_a_dependent_series_is_wide_enough(void **state)
{
	struct bench_rng rng;
	double values[200];
	size_t covered = 0, covered_before = 0;

	(void)state;
	bench_rng_start(&rng, 5, 2);
	for (size_t i = 0; i < 1000; i++) {
		struct bench_interval interval;

		draw_series(&rng, 0.7, values, 200);
		interval = bench_stats_series_interval(values, 200, 0.95);
		covered += interval.lo <= 0 && 0 <= interval.hi;
		interval = bench_stats_median_interval(values, 200, 0.95);
		covered_before += interval.lo <= 0 && 0 <= interval.hi;
	}
	print_message("covered: %zu of 1000, as independent values %zu\n", covered, covered_before);
	assert_true(covered_before < 750);
	assert_true(covered > 900);
	for (size_t i = 0; i < 200; i++)
		values[i] = (double)((i * 37) % 200);
	assert_near(bench_stats_series_interval(values, 200, 0.95).lo,
		    bench_stats_median_interval(values, 200, 0.95).lo, 0);
}

static void two_peaks_are_found_with_their_places_and_sizes(void **state)
{
	const double values[] = {0.93, 1.39, 0.94, 0.92, 1.40, 0.93, 1.38, 0.95, 1.39, 0.91};
	struct bench_peaks peaks;

	(void)state;
	assert_true(bench_stats_two_peaks(values, 10, &peaks));
	assert_int_equal(peaks.low_count, 6);
	assert_int_equal(peaks.high_count, 4);
	assert_near(peaks.low, 0.93, 1e-12);
	assert_near(peaks.high, 1.39, 1e-12);
}

static void spikes_and_equal_values_are_no_second_peak(void **state)
{
	const double spikes[] = {1, 1.01, 0.99, 1.02, 9, 1, 0.98, 8, 1.01, 1},
		     equal[] = {3, 3, 3, 3, 3, 3, 3, 3};
	struct bench_peaks peaks;

	(void)state;
	assert_false(bench_stats_two_peaks(spikes, 10, &peaks));
	assert_false(bench_stats_two_peaks(equal, 8, &peaks));
	assert_false(bench_stats_two_peaks(spikes, 7, &peaks));
	assert_false(bench_stats_two_peaks(spikes, 0, &peaks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_quantiles_are_those_of_r),
		cmocka_unit_test(components_are_those_of_a_worked_example),
		cmocka_unit_test(runs_teach_by_how_they_differ_from_others_of_their_code),
		cmocka_unit_test(what_a_baseline_lacks_in_invocations_is_added),
		cmocka_unit_test(one_odd_run_is_left_out_and_a_wide_history_is_not),
		cmocka_unit_test(what_recurs_is_not_odd),
		cmocka_unit_test(a_run_is_not_odd_by_what_its_invocations_explain),
		cmocka_unit_test(student_test_is_that_of_r),
		cmocka_unit_test(runs_that_only_their_invocations_part_have_no_variance_between),
		cmocka_unit_test(dependence_is_called_where_it_is_and_seldom_where_it_is_not),
		cmocka_unit_test(a_correlation_of_few_values_has_no_bias_to_speak_of),
		cmocka_unit_test(correlations_that_were_seen_together_are_shared),
		cmocka_unit_test(the_interval_of_a_dependent_series_is_wide_enough),
		cmocka_unit_test(two_peaks_are_found_with_their_places_and_sizes),
		cmocka_unit_test(spikes_and_equal_values_are_no_second_peak),
	};

	return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}

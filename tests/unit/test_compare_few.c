/* SPDX-License-Identifier: MIT */
/* Few runs, single values, runs that teach nothing, second runs, and the absolute floor. */
#include <time.h>

#include "compare_fixture.h"

enum { MOST = 20 };

static const struct bench_compare_options careful = {
	.threshold = 0.05, .alpha = 0.01, .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD};

/* Runs of one metric, 100 s apart from 1000 on, each at 1 ms times its own factor, and one to be judged. */
struct nights {
	struct bench_run *base[MOST], *candidate;
	size_t runs, invocations;
};

static struct nights make_nights(size_t runs, size_t invocations, double now)
{
	struct nights nights = {.runs = runs, .invocations = invocations};
	char id[32];

	for (size_t i = 0; i < runs; i++) {
		snprintf(id, sizeof(id), "night-%zu", i);
		nights.base[i] = made_run(id);
		nights.base[i]->started = 1000 + 100 * (int64_t)i;
		add_time(nights.base[i], 0, 1e-3, invocations, i);
	}
	nights.candidate = made_run("tonight");
	nights.candidate->started = 1000 + 100 * (int64_t)runs;
	add_time(nights.candidate, 0, 1e-3 * now, invocations, 99);
	return nights;
}

static void slow_down(struct bench_run *run, double factor)
{
	struct bench_metric *metric = &run->results[0].metrics[0];

	for (size_t i = 0; i < metric->series_count; i++)
		metric->series[i].values[1] *= factor;
}

static struct bench_comparison *judge(struct nights nights, const struct bench_compare_options *options)
{
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	if (bench_compare_runs((const struct bench_run *const *)nights.base, nights.runs, "nights",
			       nights.candidate, options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < nights.runs; i++)
		bench_record_free(nights.base[i]);
	bench_record_free(nights.candidate);
	return comparison;
}

/* With slow stragglers in the baseline, the interval of a slowdown reaches far; that of a speed-up does not.
 */
static void the_mde_is_of_a_slowdown_wherever_the_estimate_lies(void **state)
{
	double mdes[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct nights nights = make_nights(1, 10, i == 0 ? 0.98 : 1.02);
		struct bench_comparison *comparison;

		nights.base[0]->results[0].metrics[0].series[0].values[1] *= 1.87;
		nights.base[0]->results[0].metrics[0].series[1].values[1] *= 1.87;
		comparison = judge(nights, &careful);
		mdes[i] = find(comparison, TIME_0)->mde;
		bench_compare_free(comparison);
	}
	assert_true(mdes[0] > 0.9 * mdes[1] && mdes[0] < 1.1 * mdes[1]);
}

/* Deviations of 5% in two runs, at 1%, two-sided, of one metric: 2.576 0.05 sqrt(2) = 0.182, or 20%. */
static void one_run_allows_for_what_runs_may_differ_by(void **state)
{
	struct bench_comparison *comparison = judge(make_nights(1, 10, 1.1), &careful);
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	(void)state;
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_int_equal(verdict->learned_runs, 0);
	assert_true(verdict->threshold > 0.199 && verdict->threshold < 0.23);
	assert_true(verdict->mde > verdict->threshold);
	assert_reason(verdict,
		      "how far runs of the same code differ is not known here (1 run in the baseline, ");
	assert_reason(verdict, "a baseline of 5 runs or more, bench duel or a gate's anchor would judge it");
	bench_compare_free(comparison);
	comparison = judge(make_nights(1, 10, 1), &careful);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "which a change of the threshold of 5% could hide behind");
	bench_compare_free(comparison);
	comparison = judge(make_nights(1, 10, 3), &careful);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_true(find(comparison, TIME_0)->lo > 2);
	bench_compare_free(comparison);
}

/* Of three or four runs that lie close together, more can be said than of one. */
static void a_few_quiet_runs_say_same(void **state)
{
	struct bench_comparison *comparison = judge(make_nights(4, 10, 1), &careful);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(find(comparison, TIME_0)->learned_runs, 4);
	bench_compare_free(comparison);
	comparison = judge(make_nights(4, 10, 1.3), &careful);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static void runs_of_one_value_are_judged_from_ten_on(void **state)
{
	static const double changes[] = {3, 1, 1 / 3.0};
	static const enum bench_verdict_kind kinds[] = {BENCH_SUSPECTED, BENCH_SAME, BENCH_FASTER};

	(void)state;
	for (size_t runs = 9; runs <= 12; runs++)
		for (size_t i = 0; i < 3; i++) {
			struct bench_comparison *comparison =
				judge(make_nights(runs, 1, changes[i]), &careful);
			const struct bench_verdict *verdict = find(comparison, TIME_0);

			assert_int_equal(verdict->kind, runs < 10 ? BENCH_UNCLEAR : kinds[i]);
			if (runs < 10)
				assert_reason(verdict,
					      "; 3 a side could, or a baseline of 10 such runs (it has 9)");
			else
				assert_true(verdict->mde > 0.05 && verdict->mde < 0.15);
			bench_compare_free(comparison);
		}
}

/* One is no spread. But what has been as slow before, by chance, is no news. */
static void an_odd_value_among_single_ones_does_not_hide_a_larger_change(void **state)
{
	struct nights nights = make_nights(10, 1, 4);
	struct bench_comparison *comparison;

	(void)state;
	slow_down(nights.base[3], 2);
	comparison = judge(nights, &careful);
	assert_kind(comparison, TIME_0, BENCH_SUSPECTED);
	assert_true(fabs(find(comparison, TIME_0)->ratio - 4) < 0.1);
	bench_compare_free(comparison);
	nights = make_nights(10, 1, 1.9);
	slow_down(nights.base[3], 2);
	comparison = judge(nights, &careful);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	bench_compare_free(comparison);
}

/* Three invocations cannot show p <= 0.01 over 24 metrics to a rank test. */
static void few_invocations_against_enough_runs_are_judged_by_the_runs(void **state)
{
	struct nights nights = make_nights(10, 3, 1.5);
	struct bench_comparison *comparison;

	(void)state;
	for (unsigned n = 1; n < 24; n++)
		for (size_t i = 0; i <= 10; i++)
			add_time(i < 10 ? nights.base[i] : nights.candidate, n, 1e-3, 3, 100 * n + i);
	comparison = judge(nights, &careful);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(comparison->counts[BENCH_SLOWER], 1);
	assert_int_equal(comparison->counts[BENCH_SAME], 23);
	bench_compare_free(comparison);
}

/* One that is left of ten is not one more run of ten. */
static void a_single_value_against_runs_of_many_is_unclear(void **state)
{
	struct nights nights = make_nights(10, 10, 3);
	struct bench_comparison *comparison;

	(void)state;
	nights.candidate->results[0].metrics[0].series_count = 1;
	comparison = judge(nights, &careful);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "100 invocations in the baseline and 1 now cannot tell");
	bench_compare_free(comparison);
}

static void runs_under_an_alarm_teach_nothing(void **state)
{
	const struct bench_excluded excluded[] = {{CASE_0 "/latency", 0, 5000, false},
						  {TIME_0, 1300, 1500, false},
						  {TIME_0, 1700, INT64_MAX, false},
						  {"spmv/x", 0, 5000, false}};
	struct bench_compare_options options = careful;
	struct bench_comparison *comparison;

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		struct nights nights = make_nights(10, 8, 1.3);

		for (size_t i = 3; i < 10; i++)
			if (i < 5 || i >= 7)
				slow_down(nights.base[i], 1.3);
		options.excluded = excluded;
		options.excluded_count = pass ? 4 : 0;
		comparison = judge(nights, &options);
		assert_kind(comparison, TIME_0, pass ? BENCH_SLOWER : BENCH_UNCLEAR);
		assert_int_equal(find(comparison, TIME_0)->base_invocations, pass ? 40 : 80);
		bench_compare_free(comparison);
	}
}

/* No `new`, which would pass. */
static void a_baseline_that_is_all_under_an_alarm_is_unclear_and_says_so(void **state)
{
	const struct bench_excluded excluded = {TIME_0, 1000, INT64_MAX, false};
	struct bench_compare_options options = careful;
	struct bench_comparison *comparison;

	(void)state;
	options.excluded = &excluded;
	options.excluded_count = 1;
	comparison = judge(make_nights(6, 8, 1.3), &options);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0),
		      "while an alarm was open for it; a baseline from before the alarm");
	bench_compare_free(comparison);
}

/* The level moves, the spread stays: the night after, a step of 30% is seen, and 5% nearly. */
static void an_accepted_shift_moves_the_level_and_keeps_the_spread(void **state)
{
	const struct bench_accepted accepted = {"*/time", 1900, "checked for NaN", false};
	static const double now[] = {2.6, 2.105, 2};
	static const enum bench_verdict_kind kinds[] = {BENCH_SLOWER, BENCH_UNCLEAR, BENCH_SAME};
	struct bench_compare_options options = careful;

	(void)state;
	options.accepted = &accepted;
	options.accepted_count = 1;
	for (size_t i = 0; i < 3; i++) {
		struct nights nights = make_nights(10, 8, now[i]);
		struct bench_comparison *comparison;

		slow_down(nights.base[9], 2);
		comparison = judge(nights, &options);
		assert_kind(comparison, TIME_0, kinds[i]);
		assert_int_equal(find(comparison, TIME_0)->learned_runs, 9);
		assert_int_equal(find(comparison, TIME_0)->base_invocations, 8);
		assert_true(find(comparison, TIME_0)->threshold < 0.06);
		bench_compare_free(comparison);
	}
}

/* The shift is no spread either where runs of one executable teach that lie on both sides of it. */
static void earlier_runs_on_two_sides_of_an_accepted_shift_are_of_two_levels(void **state)
{
	const struct bench_accepted accepted = {"*/time", 1500, "new driver", false};
	struct bench_compare_options options = careful;
	struct nights nights = make_nights(10, 8, 2), before;
	struct bench_comparison *comparison;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		made_host(nights.base[i], "executable", "e");
		slow_down(nights.base[i], i < 5 ? 1 : 2);
	}
	options.accepted = &accepted;
	options.accepted_count = 1;
	options.history = (const struct bench_run *const *)nights.base;
	options.history_count = 10;
	before = (struct nights){.base = {made_run("before")}, .runs = 1, .candidate = nights.candidate};
	before.base[0]->started = 1950;
	add_time(before.base[0], 0, 2e-3, 8, 77);
	comparison = judge(before, &options);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(find(comparison, TIME_0)->learned_runs, 10);
	assert_true(find(comparison, TIME_0)->threshold < 0.06);
	bench_compare_free(comparison);
	for (size_t i = 0; i < 10; i++)
		bench_record_free(nights.base[i]);
}

static void a_second_run_is_pooled_with_the_first(void **state)
{
	struct bench_compare_options options = careful;
	struct bench_comparison *comparison;

	(void)state;
	for (int pass = 0; pass < 3; pass++) {
		struct nights nights = make_nights(5, 10, 1.3);
		struct bench_run *again = made_run("again");

		nights.candidate->results[0].metrics[0].series_count = 2;
		add_time(again, 0, 1.3e-3, 6, 50);
		add_time(again, 7, 1e-3, 6, 51); /* a case that the candidate lacks */
		if (pass == 2)
			again->results[0].status = BENCH_STATUS_FAILED;
		options.again = pass > 0 ? again : NULL;
		comparison = judge(nights, &options);
		assert_int_equal(find(comparison, TIME_0)->candidate_invocations, pass == 1 ? 8 : 2);
		assert_kind(comparison, TIME_0, BENCH_SLOWER);
		assert_int_equal(comparison->verdict_count, 1);
		bench_compare_free(comparison);
		bench_record_free(again);
	}
}

static struct bench_comparison *judge_times(double before, double now, double floor)
{
	struct pair pair = {made_run("base"), made_run("candidate")};
	struct bench_compare_options options = nightly;

	options.floor = floor;
	add_time(pair.base, 0, before, 10, 1);
	add_time(pair.candidate, 0, now, 10, 2);
	return compare_with(pair, &options);
}

static void a_change_of_less_than_the_floor_is_none(void **state)
{
	struct bench_comparison *comparison = judge_times(0.26e-9, 0.51e-9, BENCH_COMPARE_FLOOR);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_reason(find(comparison, TIME_0), "less than the 1 ns that a change of a time must reach");
	bench_compare_free(comparison);
	comparison = judge_times(0.26e-9, 0.51e-9, 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
	comparison = judge_times(0.26e-9, 2e-9, BENCH_COMPARE_FLOOR);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
	/* Where the floor is less than the threshold, there is nothing to say of it. */
	comparison = judge_times(1e-6, 1.0e-6, BENCH_COMPARE_FLOOR);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_string_equal(find(comparison, TIME_0)->reason, "");
	bench_compare_free(comparison);
	/* Just at the floor nothing is decided, and the reason names it. */
	comparison = judge_times(10e-9, 10.9e-9, BENCH_COMPARE_FLOOR);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "floor of 1 ns");
	bench_compare_free(comparison);
}

/* What others measured may well be the few cycles that it says; a floor that was asked for holds all the
 * same. */
static void imported_times_have_a_floor_only_if_it_is_asked_for(void **state)
{
	(void)state;
	for (int asked = 0; asked < 2; asked++) {
		struct pair pair = {made_run("base"), made_run("candidate")};
		struct bench_compare_options options = nightly;
		struct bench_comparison *comparison;

		options.floor = BENCH_COMPARE_FLOOR;
		options.floor_of_imports = asked;
		pair.candidate->preset = bench_arena_string(&pair.candidate->arena, "imported");
		add_time(pair.base, 0, 5e-9, 10, 1);
		add_time(pair.candidate, 0, 5.5e-9, 10, 2);
		comparison = compare_with(pair, &options);
		assert_kind(comparison, TIME_0, asked ? BENCH_SAME : BENCH_SLOWER);
		bench_compare_free(comparison);
	}
}

/* A rate has no floor in seconds. */
static void only_times_have_a_floor(void **state)
{
	struct pair pair = {made_run("base"), made_run("candidate")};
	struct bench_compare_options options = nightly;
	struct bench_comparison *comparison;

	(void)state;
	options.floor = 10;
	made_metric(pair.base, made_case(pair.base, 0), "x", BENCH_BETTER_HIGHER, noisy(5, 8, 1), 8);
	made_metric(pair.candidate, made_case(pair.candidate, 0), "x", BENCH_BETTER_HIGHER, noisy(4, 8, 2),
		    8);
	comparison = compare_with(pair, &options);
	assert_kind(comparison, CASE_0 "/x", BENCH_SLOWER);
	bench_compare_free(comparison);
}

/* 500 values a side, and 60 with ties: the level of 100 metrics is reached, and the MDE is so found. */
static void many_invocations_reach_any_level(void **state)
{
	(void)state;
	for (int ties = 0; ties < 2; ties++) {
		size_t count = ties ? 60 : 500;
		struct pair pair = make_pair(100, count, 1);
		struct bench_comparison *comparison;

		for (size_t i = 0; i < count; i++) {
			double *value = &pair.candidate->results[0].metrics[0].series[i].values[1];

			*value = ties ? 1.07e-3 : *value * 1.07;
		}
		comparison = compare(pair);
		assert_kind(comparison, TIME_0, BENCH_SLOWER);
		assert_true(find(comparison, TIME_0)->p < 1e-12);
		assert_true(find(comparison, TIME_0)->mde < 0.07);
		assert_true(find(comparison, TIME_0)->level >= 1 - 0.01 / 100);
		bench_compare_free(comparison);
	}
}

/* The time is told, not judged. */
static void five_hundred_metrics_against_ten_runs(void **state)
{
	struct nights nights = make_nights(10, 10, 1.3);
	struct bench_comparison *comparison = NULL;
	struct timespec start, end;
	struct bench_error error;

	(void)state;
	for (unsigned n = 1; n < 500; n++)
		for (size_t i = 0; i <= 10; i++)
			add_time(i < 10 ? nights.base[i] : nights.candidate, n, 1e-3, 10, 100 * n + i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	assert_int_equal(bench_compare_runs((const struct bench_run *const *)nights.base, 10, "nights",
					    nights.candidate, &careful, &comparison, &error),
			 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	print_message("500 metrics against ten runs of 10 invocations: %.0f ms of CPU time\n",
		      1e3 * (double)(end.tv_sec - start.tv_sec) +
			      1e-6 * (double)(end.tv_nsec - start.tv_nsec));
	assert_int_equal(comparison->counts[BENCH_SLOWER], 1);
	assert_true(comparison->counts[BENCH_SAME] > 490);
	bench_compare_free(comparison);
	for (size_t i = 0; i < 10; i++)
		bench_record_free(nights.base[i]);
	bench_record_free(nights.candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_allows_for_what_runs_may_differ_by),
		cmocka_unit_test(the_mde_is_of_a_slowdown_wherever_the_estimate_lies),
		cmocka_unit_test(a_few_quiet_runs_say_same),
		cmocka_unit_test(runs_of_one_value_are_judged_from_ten_on),
		cmocka_unit_test(an_odd_value_among_single_ones_does_not_hide_a_larger_change),
		cmocka_unit_test(few_invocations_against_enough_runs_are_judged_by_the_runs),
		cmocka_unit_test(a_single_value_against_runs_of_many_is_unclear),
		cmocka_unit_test(runs_under_an_alarm_teach_nothing),
		cmocka_unit_test(a_baseline_that_is_all_under_an_alarm_is_unclear_and_says_so),
		cmocka_unit_test(an_accepted_shift_moves_the_level_and_keeps_the_spread),
		cmocka_unit_test(earlier_runs_on_two_sides_of_an_accepted_shift_are_of_two_levels),
		cmocka_unit_test(a_second_run_is_pooled_with_the_first),
		cmocka_unit_test(a_change_of_less_than_the_floor_is_none),
		cmocka_unit_test(imported_times_have_a_floor_only_if_it_is_asked_for),
		cmocka_unit_test(only_times_have_a_floor),
		cmocka_unit_test(many_invocations_reach_any_level),
		cmocka_unit_test(five_hundred_metrics_against_ten_runs),
	};

	return cmocka_run_group_tests_name("compare_few", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Verdicts on runs built by hand, whose right answer is known. */
#include <time.h>

#include "compare_fixture.h"

static void unchanged_metrics_are_same_and_pass(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(40, 10, 1));

	(void)state;
	assert_int_equal(comparison->verdict_count, 40);
	assert_int_equal(comparison->counts[BENCH_SAME], 40);
	assert_int_equal(bench_compare_outcome(comparison, true), BENCH_OUTCOME_GOOD);
	bench_compare_free(comparison);
}

static void one_slower_metric_of_forty_is_found_and_fails(void **state)
{
	static const double slowdowns[] = {1.1, 1.3, 3};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct bench_comparison *comparison = compare(make_pair(40, 10, slowdowns[i]));
		const struct bench_verdict *verdict = find(comparison, TIME_0);

		assert_int_equal(verdict->kind, BENCH_SLOWER);
		assert_ptr_equal(verdict, &comparison->verdicts[0]);
		assert_int_equal(comparison->counts[BENCH_SAME], 39);
		assert_true(fabs(verdict->ratio / slowdowns[i] - 1) < 0.02);
		assert_true(verdict->lo < verdict->ratio && verdict->ratio < verdict->hi && verdict->lo > 1);
		assert_true(verdict->level >= 1 - 0.01 / 40);
		assert_true(verdict->p_adjusted <= 0.01 && verdict->p < verdict->p_adjusted);
		assert_string_equal(verdict->reason, "");
		assert_string_equal(verdict->metric, "time");
		assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_SLOWER);
		bench_compare_free(comparison);
	}
}

static void direction_follows_what_is_better(void **state)
{
	static const struct {
		double ratio;
		enum bench_better better;
		enum bench_verdict_kind kind;
	} cases[] = {{1.2, BENCH_BETTER_LOWER, BENCH_SLOWER},
		     {1 / 1.2, BENCH_BETTER_LOWER, BENCH_FASTER},
		     {1.2, BENCH_BETTER_HIGHER, BENCH_FASTER},
		     {1 / 1.2, BENCH_BETTER_HIGHER, BENCH_SLOWER}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair = {made_run("base"), made_run("candidate")};
		struct bench_comparison *comparison;

		made_metric(pair.base, made_case(pair.base, 0), "x", cases[i].better, noisy(5, 8, 1), 8);
		made_metric(pair.candidate, made_case(pair.candidate, 0), "x", cases[i].better,
			    noisy(5 * cases[i].ratio, 8, 2), 8);
		comparison = compare(pair);
		assert_kind(comparison, CASE_0 "/x", cases[i].kind);
		bench_compare_free(comparison);
	}
}

/* Steps of 10%: every ratio of two medians is a power of 1.1, so that the figures can be read off. */
static void ratio_and_interval_are_those_of_the_medians(void **state)
{
	const double base[] = {1, 1.1, 1.21}, now[] = {1.2, 1.2 * 1.1, 1.2 * 1.21};
	struct pair pair = {made_run("base"), made_run("candidate")};
	struct bench_comparison *comparison;
	const struct bench_verdict *verdict;

	(void)state;
	made_metric(pair.base, made_case(pair.base, 0), "time", BENCH_BETTER_LOWER, base, 3);
	made_metric(pair.candidate, made_case(pair.candidate, 0), "time", BENCH_BETTER_LOWER, now, 3);
	comparison = compare(pair);
	verdict = find(comparison, TIME_0);
	assert_true(fabs(verdict->ratio - 1.2) < 1e-12);
	assert_true(fabs(verdict->lo - 1.2 / 1.21) < 1e-12);
	assert_true(fabs(verdict->hi - 1.2 * 1.21) < 1e-12);
	assert_true(fabs(verdict->level - 0.9) < 1e-12);
	assert_true(verdict->base_median == 1.1 && verdict->candidate_median == 1.2 * 1.1);
	assert_string_equal(verdict->unit, "s");
	bench_compare_free(comparison);
}

static void too_few_invocations_are_unclear_and_the_reason_says_how_many_would_do(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(24, 3, 1.5));
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	(void)state;
	/* 24 * 2 / C(14, 7) = 0.014 is too much, 24 * 2 / C(16, 8) = 0.0037 is not. */
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_reason(verdict, "3 invocations a side cannot show p <= 0.01 over 24 metrics; 8 a side could");
	assert_true(isnan(verdict->mde));
	assert_int_equal(comparison->counts[BENCH_SAME], 23);
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_GOOD);
	assert_int_equal(bench_compare_outcome(comparison, true), BENCH_OUTCOME_UNCLEAR);
	bench_compare_free(comparison);
}

static void alone_each_metric_has_alpha_to_itself(void **state)
{
	static const struct bench_compare_options alone = {
		.threshold = 0.05, .alpha = 0.05, .each_alone = true};
	struct bench_comparison *comparison = compare_with(make_pair(24, 4, 1.5), &alone);
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	(void)state;
	/* 2 / C(8, 4) = 0.029: enough for one metric, and not for 24. */
	assert_int_equal(verdict->kind, BENCH_SLOWER);
	assert_true(verdict->p_adjusted == verdict->p && fabs(verdict->p - 2.0 / 70) < 1e-12);
	bench_compare_free(comparison);
}

static void a_single_disturbed_invocation_is_not_slower(void **state)
{
	struct pair pair = make_pair(1, 10, 1);
	struct bench_comparison *comparison;

	(void)state;
	pair.candidate->results[0].metrics[0].series[4].values[1] *= 1.87;
	comparison = compare(pair);
	assert_int_equal(comparison->counts[BENCH_SLOWER], 0);
	assert_true(find(comparison, TIME_0)->ratio < 1.03);
	bench_compare_free(comparison);

	/* Against 300 it is significant for the test, and still no change. */
	pair = (struct pair){made_run("base"), made_run("candidate")};
	add_time(pair.base, 0, 1e-3, 300, 1);
	add_time(pair.candidate, 0, 1.87e-3, 1, 2);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "300 invocations in the baseline and 1 now cannot tell");
	bench_compare_free(comparison);
}

static void the_same_two_peaks_on_both_sides_are_no_change(void **state)
{
	struct pair pair = make_pair(5, 20, 1);
	struct bench_comparison *comparison;

	(void)state;
	for (size_t n = 0; n < 5; n++)
		for (size_t i = 0; i < 20; i++) {
			pair.base->results[n].metrics[0].series[i].values[1] *= i % 2 ? 1.39 : 0.93;
			pair.candidate->results[n].metrics[0].series[i].values[1] *= i % 3 ? 1.39 : 0.93;
		}
	comparison = compare(pair);
	assert_int_equal(comparison->counts[BENCH_SLOWER] + comparison->counts[BENCH_FASTER], 0);
	assert_true(find(comparison, TIME_0)->mde > 0.4);
	bench_compare_free(comparison);
}

static void two_peaks_that_leave_it_unclear_are_named(void **state)
{
	struct pair pair = make_pair(1, 10, 1);
	struct bench_comparison *comparison;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		pair.base->results[0].metrics[0].series[i].values[1] *= i < 6 ? 0.93 : 1.39;
		pair.candidate->results[0].metrics[0].series[i].values[1] *= i < 3 ? 0.93 : 1.39;
	}
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "; two peaks in the baseline: 0.99 and 1.");
	assert_reason(find(comparison, TIME_0),
		      " of the middle, in 6 and 4 of 10 invocations; two peaks now: 0.");
	assert_reason(find(comparison, TIME_0), " of the middle, in 3 and 7 of 10 invocations");
	bench_compare_free(comparison);
}

static void a_certain_change_below_the_threshold_is_same_or_says_why_not(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(1, 20, 1.03));
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	(void)state;
	assert_int_equal(verdict->kind, BENCH_SAME);
	assert_true(verdict->p_adjusted <= 0.01);
	bench_compare_free(comparison);

	comparison = compare(make_pair(1, 10, 1.046));
	verdict = find(comparison, TIME_0);
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_reason(verdict, "less than the threshold of 5%");
	bench_compare_free(comparison);
}

static void noise_is_unclear_and_the_reason_has_interval_and_mde(void **state)
{
	struct pair pair = make_pair(1, 10, 1);
	struct bench_comparison *comparison;
	const struct bench_verdict *verdict;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		pair.base->results[0].metrics[0].series[i].values[1] *= 1 + 0.06 * (double)i;
		pair.candidate->results[0].metrics[0].series[i].values[1] *= 1 + 0.06 * (double)(9 - i);
	}
	comparison = compare(pair);
	verdict = find(comparison, TIME_0);
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_reason(verdict, "reaches past the threshold of 5%; the smallest change visible here is ");
	assert_true(verdict->mde > 0.2 && verdict->mde < 2);
	bench_compare_free(comparison);
}

static void mde_is_never_below_the_threshold(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(20, 10, 1));

	(void)state;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		assert_true(comparison->verdicts[i].mde > 0.05 && comparison->verdicts[i].mde < 0.10);
	bench_compare_free(comparison);
}

static void runs_of_a_baseline_are_pooled(void **state)
{
	struct bench_run *one = made_run("one"), *two = made_run("two"), *now = made_run("now");
	const struct bench_run *base[] = {one, two};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	add_time(one, 0, 1, 4, 1);
	add_time(two, 0, 1, 5, 2);
	add_time(two, 1, 1, 5, 3); /* only the second run has it */
	add_time(now, 0, 1.2, 9, 4);
	add_time(now, 1, 1, 9, 5);
	assert_int_equal(bench_compare_runs(base, 2, "pool", now, &nightly, &comparison, &error), 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 9);
	assert_int_equal(find(comparison, TIME_0)->candidate_invocations, 9);
	assert_int_equal(find(comparison, "gemm/openblas:cpu/n=1/time")->base_invocations, 5);
	assert_int_equal(comparison->baseline_count, 2);
	assert_string_equal(comparison->baseline_ids[1], "two");
	assert_string_equal(comparison->baseline_name, "pool");
	assert_string_equal(comparison->candidate_id, "now");
	bench_compare_free(comparison);
	bench_record_free(one);
	bench_record_free(two);
	bench_record_free(now);
}

static void what_is_derived_or_has_no_direction_is_not_judged(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	for (int side = 0; side < 2; side++) {
		struct bench_run *run = side ? pair.candidate : pair.base;
		double center = side ? 9 : 1;

		made_metric(run, &run->results[0], "first_call", BENCH_BETTER_NONE, noisy(center, 8, 1), 8);
		made_metric(run, &run->results[0], "flop_rate", BENCH_BETTER_HIGHER, noisy(center, 8, 1), 8)
			->derived_from = bench_arena_string(&run->arena, "time");
	}
	comparison = compare(pair);
	assert_int_equal(comparison->verdict_count, 1);
	bench_compare_free(comparison);
}

static void impossible_options_are_refused(void **state)
{
	static const struct bench_compare_options bad[] = {
		{.threshold = -0.1, .alpha = 0.01}, {.threshold = NAN, .alpha = 0.01},
		{.threshold = 0.05, .alpha = 0},    {.threshold = 0.05, .alpha = 1},
		{.threshold = 0.05, .alpha = NAN},  {.threshold = INFINITY, .alpha = 0.01},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(make_pair(1, 3, 1), &bad[i], BENCH_USAGE, "must");
}

static void verdicts_stand_worst_first_and_each_is_found(void **state)
{
	struct pair pair = make_pair(6, 10, 1.5);
	struct bench_comparison *comparison;
	char key[64];

	(void)state;
	add_time(pair.base, 20, 1, 10, 50);      /* missing */
	add_time(pair.candidate, 21, 1, 10, 51); /* new */
	add_time(pair.base, 22, 1, 10, 52);
	add_time(pair.candidate, 22, 0.5, 10, 53); /* faster */
	made_result(pair.candidate, "gemm", "openblas", "cpu", 23, BENCH_STATUS_FAILED);
	comparison = compare(pair);
	assert_int_equal(comparison->verdict_count, 10);
	assert_int_equal(comparison->verdicts[0].kind, BENCH_BROKEN);
	assert_int_equal(comparison->verdicts[1].kind, BENCH_MISSING);
	assert_int_equal(comparison->verdicts[2].kind, BENCH_SLOWER);
	assert_int_equal(comparison->verdicts[3].kind, BENCH_NEW);
	assert_int_equal(comparison->verdicts[4].kind, BENCH_FASTER);
	assert_int_equal(comparison->verdicts[9].kind, BENCH_SAME);
	for (size_t i = 0; i < comparison->verdict_count; i++)
		assert_ptr_equal(bench_compare_find(comparison, comparison->verdicts[i].key),
				 &comparison->verdicts[i]);
	snprintf(key, sizeof(key), "%sx", TIME_0);
	assert_null(bench_compare_find(comparison, key));
	assert_null(bench_compare_find(comparison, ""));
	bench_compare_free(comparison);
}

static void verdict_names_are_those_of_the_reports(void **state)
{
	(void)state;
	assert_string_equal(bench_compare_verdict_name(BENCH_SAME), "same");
	assert_string_equal(bench_compare_verdict_name(BENCH_FASTER), "faster");
	assert_string_equal(bench_compare_verdict_name(BENCH_SLOWER), "slower");
	assert_string_equal(bench_compare_verdict_name(BENCH_UNCLEAR), "unclear");
	assert_string_equal(bench_compare_verdict_name(BENCH_NEW), "new");
	assert_string_equal(bench_compare_verdict_name(BENCH_MISSING), "missing");
	assert_string_equal(bench_compare_verdict_name(BENCH_BROKEN), "broken");
}

/* Ten thousand metrics at alpha 0.01 need p <= 1e-6: 12 a side have it. The time is told, not judged. */
static void ten_thousand_metrics_are_compared_and_the_slow_one_found(void **state)
{
	struct pair pair = make_pair(10000, 12, 1.3);
	struct timespec start, end;
	const struct bench_run *base[] = {pair.base};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	assert_int_equal(bench_compare_runs(base, 1, "big", pair.candidate, &nightly, &comparison, &error),
			 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	print_message("10000 metrics of 12 invocations a side: %.0f ms of CPU time\n",
		      1e3 * (double)(end.tv_sec - start.tv_sec) +
			      1e-6 * (double)(end.tv_nsec - start.tv_nsec));
	assert_int_equal(comparison->counts[BENCH_SLOWER], 1);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_true(comparison->counts[BENCH_SAME] > 9900);
	bench_compare_free(comparison);
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_metrics_are_same_and_pass),
		cmocka_unit_test(one_slower_metric_of_forty_is_found_and_fails),
		cmocka_unit_test(direction_follows_what_is_better),
		cmocka_unit_test(ratio_and_interval_are_those_of_the_medians),
		cmocka_unit_test(too_few_invocations_are_unclear_and_the_reason_says_how_many_would_do),
		cmocka_unit_test(alone_each_metric_has_alpha_to_itself),
		cmocka_unit_test(a_single_disturbed_invocation_is_not_slower),
		cmocka_unit_test(the_same_two_peaks_on_both_sides_are_no_change),
		cmocka_unit_test(two_peaks_that_leave_it_unclear_are_named),
		cmocka_unit_test(a_certain_change_below_the_threshold_is_same_or_says_why_not),
		cmocka_unit_test(noise_is_unclear_and_the_reason_has_interval_and_mde),
		cmocka_unit_test(mde_is_never_below_the_threshold),
		cmocka_unit_test(runs_of_a_baseline_are_pooled),
		cmocka_unit_test(what_is_derived_or_has_no_direction_is_not_judged),
		cmocka_unit_test(impossible_options_are_refused),
		cmocka_unit_test(verdicts_stand_worst_first_and_each_is_found),
		cmocka_unit_test(verdict_names_are_those_of_the_reports),
		cmocka_unit_test(ten_thousand_metrics_are_compared_and_the_slow_one_found),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}

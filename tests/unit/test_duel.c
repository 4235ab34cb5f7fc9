/* SPDX-License-Identifier: MIT */
/* Verdicts of duels: records with known ratios in, known answers out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/duel.h"
#include "made_run.h"

#define INVOCATIONS 12

/* A ratio of about `middle` in each invocation, off by up to `spread` to either side alike. */
static void add_ratios(struct bench_run *run, struct bench_result *result, const char *metric, double middle,
		       double spread, size_t count)
{
	double *ratios = calloc(count + 1, sizeof(*ratios));
	for (size_t i = 0; i < count; i++)
		ratios[i] = middle * exp(spread * (2 * ((double)(7 * i % count) + 0.5) / (double)count - 1));
	made_metric(run, result, metric, BENCH_BETTER_LOWER, ratios, count);
	free(ratios);
}

static void add_relative(struct bench_run *run, struct bench_result *result, double middle, double spread,
			 size_t count)
{
	add_ratios(run, result, "relative_time", middle, spread, count);
}

static void add_median(struct bench_run *run, struct bench_result *result, const char *metric, double median)
{
	made_metric(run, result, metric, BENCH_BETTER_NONE, &median, 1)->summary.median = median;
}

/* A case of a GPU: its time does not differ, its device time, of so many invocations, by that ratio. */
static struct bench_result *add_device(struct bench_run *run, unsigned n, double ratio, double seconds,
				       double within, size_t count)
{
	struct bench_result *result = made_case(run, n);
	add_ratios(run, result, "relative_time", 1, 0.002, INVOCATIONS);
	add_ratios(run, result, "relative_device_time", ratio, 0.002, count);
	add_median(run, result, "device_time", ratio * seconds);
	add_median(run, result, "base_device_time", seconds);
	add_median(run, result, "device_time_within", within);
	return result;
}

static struct bench_comparison *judge(const struct bench_run *run, double threshold)
{
	struct bench_duel_options options = {.base_name = "X=1 ./old", .threshold = threshold, .alpha = 0.01};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;
	if (bench_compare_duel(run, &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	return comparison;
}

static const struct bench_verdict *verdict_of(const struct bench_comparison *comparison, const char *key)
{
	const struct bench_verdict *verdict = bench_compare_find(comparison, key);
	if (!verdict)
		fail_msg("no verdict on %s", key);
	return verdict;
}

/* Twelve ratios of 1, one a step below and one a step above: a change of less than a step may be hidden. */
static void same_allows_for_the_steps_of_a_clock(void **state)
{
	double ratios[INVOCATIONS + 2] = {0.98, 1.02};
	struct bench_run *run = made_run("duel");
	struct bench_comparison *comparison;
	const struct bench_verdict *verdict;

	(void)state;
	for (size_t i = 2; i < INVOCATIONS + 2; i++)
		ratios[i] = 1;
	made_metric(run, made_case(run, 1), "relative_time", BENCH_BETTER_LOWER, ratios, INVOCATIONS + 2);
	comparison = judge(run, 0.01);
	verdict = verdict_of(comparison, "gemm/openblas:cpu/n=1/time");
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_true(verdict->lo > 0.99 && verdict->hi < 1.01);
	assert_string_equal(verdict->reason, "ratios come in steps of 2%, which may hide a change of 1%");
	bench_compare_free(comparison);
	comparison = judge(run, 0.03);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=1/time")->kind, BENCH_SAME);
	bench_compare_free(comparison);
	bench_record_free(run);
}

/* All ratios are 1: whether that may be one tick of a clock, the digits of the times tell. */
static void equal_ratios_are_the_same_if_the_times_have_digits(void **state)
{
	static const struct {
		double time;
		enum bench_verdict_kind kind;
	} cases[] = {{0.00105, BENCH_UNCLEAR},
		     {0.0012345, BENCH_SAME},
		     {1e-3 / 7, BENCH_SAME},
		     {0, BENCH_UNCLEAR}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_run *run = made_run("duel");
		struct bench_result *result = made_case(run, 1);
		struct bench_comparison *comparison;
		const struct bench_verdict *verdict;

		add_relative(run, result, 1, 0, INVOCATIONS);
		add_median(run, result, "time", cases[i].time);
		add_median(run, result, "base_time", cases[i].time);
		comparison = judge(run, 0.01);
		verdict = verdict_of(comparison, "gemm/openblas:cpu/n=1/time");
		assert_int_equal(verdict->kind, cases[i].kind);
		assert_true(isnan(verdict->mde));
		if (verdict->kind == BENCH_UNCLEAR)
			assert_string_equal(verdict->reason,
					    "all ratios are equal, and the times are not known: their digits "
					    "may hide a change of 1%");
		bench_compare_free(comparison);
		bench_record_free(run);
	}
}

static void each_ratio_gets_its_verdict(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	add_relative(run, made_case(run, 1), 1.03, 0.002, INVOCATIONS);
	add_relative(run, made_case(run, 2), 0.97, 0.002, INVOCATIONS);
	add_relative(run, made_case(run, 3), 1.0, 0.002, INVOCATIONS);
	add_relative(run, made_case(run, 4), 1.0, 0.2, INVOCATIONS);
	add_relative(run, made_case(run, 5), 1.005, 0.002, INVOCATIONS);
	struct bench_comparison *comparison = judge(run, 0.01);
	const struct bench_verdict *slower = verdict_of(comparison, "gemm/openblas:cpu/n=1/time");
	assert_int_equal(slower->kind, BENCH_SLOWER);
	assert_true(fabs(slower->ratio - 1.03) < 1e-9);
	assert_true(slower->lo > 1.0279 && slower->lo < 1.03 && slower->hi > 1.03 && slower->hi < 1.0321);
	assert_true(fabs(slower->p - ldexp(1, -11)) < 1e-12);
	assert_true(slower->p_adjusted <= 0.01 && slower->p_adjusted > slower->p);
	assert_true(slower->mde >= 0.01 && slower->mde < 0.02);
	assert_int_equal(slower->base_invocations, INVOCATIONS);
	assert_int_equal(slower->candidate_invocations, INVOCATIONS);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=2/time")->kind, BENCH_FASTER);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=3/time")->kind, BENCH_SAME);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=4/time")->kind, BENCH_UNCLEAR);
	/* For certain half a per cent, which does not matter. */
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=5/time")->kind, BENCH_SAME);
	assert_string_equal(comparison->candidate_id, "duel");
	assert_string_equal(comparison->baseline_name, "X=1 ./old");
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_SLOWER);
	bench_compare_free(comparison);
	bench_record_free(run);
}

static void too_few_invocations_say_how_many_would_do(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	add_relative(run, made_case(run, 1), 1.5, 0.002, 5);
	struct bench_comparison *comparison = judge(run, 0.01);
	const struct bench_verdict *verdict = verdict_of(comparison, "gemm/openblas:cpu/n=1/time");
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_non_null(strstr(verdict->reason, "5 pairs of invocations"));
	assert_non_null(strstr(verdict->reason, "--invocations 8"));
	assert_true(isnan(verdict->mde));
	bench_compare_free(comparison);
	bench_record_free(run);
}

/* Twelve of twelve are slower, but each is what the one before it was: they say little. */
static void invocations_that_wander_together_are_no_change(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	double ratios[INVOCATIONS], sorted[INVOCATIONS];
	for (size_t i = 0; i < INVOCATIONS; i++) {
		sorted[i] = 1.005 + 0.004 * (double)i;
		ratios[i] = 1.005 + 0.004 * (double)(7 * i % INVOCATIONS);
	}
	made_metric(run, made_case(run, 1), "relative_time", BENCH_BETTER_LOWER, sorted, INVOCATIONS);
	struct bench_comparison *comparison = judge(run, 0.01);
	const struct bench_verdict *verdict = verdict_of(comparison, "gemm/openblas:cpu/n=1/time");
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_non_null(strstr(verdict->reason, "resemble the ones before them"));
	bench_compare_free(comparison);
	bench_record_free(run);
	run = made_run("duel");
	made_metric(run, made_case(run, 1), "relative_time", BENCH_BETTER_LOWER, ratios, INVOCATIONS);
	comparison = judge(run, 0.01);
	assert_int_equal(comparison->counts[BENCH_SLOWER], 1);
	bench_compare_free(comparison);
	bench_record_free(run);
}

/* One straggler either way does not make a change out of nothing, and more metrics ask for more. */
static void a_straggler_is_no_change(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	add_relative(run, made_case(run, 1), 1.0, 0.001, INVOCATIONS);
	run->results[0].metrics[0].series[3].values[1] = 1.87;
	struct bench_comparison *comparison = judge(run, 0.01);
	assert_int_equal(comparison->counts[BENCH_SAME], 1);
	bench_compare_free(comparison);
	bench_record_free(run);
}

static void cases_without_two_sides_are_named(void **state)
{
	(void)state;
	static const char *const missing[] = {"gemm/openblas:cpu/n=9"}, *const why[] = {"gone"};
	struct bench_run *run = made_run("duel");
	add_relative(run, made_case(run, 1), 1.0, 0.001, INVOCATIONS);
	made_result(run, "gemm", "openblas", "cpu", 2, BENCH_STATUS_FAILED);
	made_result(run, "gemm", "openblas", "cpu", 3, BENCH_STATUS_SKIPPED);
	made_result(run, "gemm", "openblas", "cpu", 4, BENCH_STATUS_UNSUPPORTED);
	made_result(run, "gemm", "openblas", "cpu", 5, BENCH_STATUS_OK);
	struct bench_duel_options options = {.base_name = "old",
					     .threshold = 0.01,
					     .alpha = 0.01,
					     .missing = missing,
					     .missing_cause = why,
					     .missing_count = 1,
					     .removed = 2};
	struct bench_comparison *comparison;
	struct bench_error error;
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), 0);
	assert_int_equal(comparison->removed, 2);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=2")->kind, BENCH_BROKEN);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=3")->kind, BENCH_NEW);
	assert_string_equal(verdict_of(comparison, "gemm/openblas:cpu/n=3")->reason, "some reason");
	assert_null(bench_compare_find(comparison, "gemm/openblas:cpu/n=4"));
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=5/time")->kind, BENCH_UNCLEAR);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=9")->kind, BENCH_MISSING);
	assert_string_equal(verdict_of(comparison, "gemm/openblas:cpu/n=9")->reason, "gone");
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_WRONG);
	bench_compare_free(comparison);
	bench_record_free(run);
}

static void alone_each_metric_has_alpha_to_itself(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	struct bench_duel_options options = {.base_name = "old", .threshold = 0.01, .alpha = 0.01};
	struct bench_comparison *together, *alone;
	struct bench_error error;
	/* With nine, the smallest p is 2/512: enough for one metric, and not for three. */
	for (unsigned n = 1; n <= 3; n++)
		add_relative(run, made_case(run, n), 1.03, 0.002, 9);
	assert_int_equal(bench_compare_duel(run, &options, &together, &error), 0);
	options.each_alone = true;
	assert_int_equal(bench_compare_duel(run, &options, &alone, &error), 0);
	assert_int_equal(together->counts[BENCH_UNCLEAR], 3);
	assert_int_equal(alone->counts[BENCH_SLOWER], 3);
	assert_true(alone->verdicts[0].p_adjusted == alone->verdicts[0].p);
	assert_int_equal(bench_compare_duel_needed(1, 0.01), 8);
	assert_int_equal(bench_compare_duel_needed(3, 0.01), 10);
	bench_compare_free(together);
	bench_compare_free(alone);
	bench_record_free(run);
}

static void nothing_measured_is_no_pass(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	struct bench_duel_options options = {.base_name = "old", .threshold = 0.01, .alpha = 0.01};
	struct bench_comparison *comparison;
	struct bench_error error;
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	made_result(run, "gemm", "openblas", "cpu", 3, BENCH_STATUS_SKIPPED);
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "some reason"));
	options.alpha = 1;
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	bench_record_free(run);
}

static void rules_choose_threshold_and_owner_and_leave_out(void **state)
{
	(void)state;
	static const char *const missing[] = {"gemm/openblas:cpu/n=9"}, *const why[] = {"gone"};
	static const struct bench_metric_rule rules[] = {
		{.pattern = "*", .threshold = 0.10, .owner = "all"},
		{.pattern = "*n=2/*", .threshold = 0.01},
		{.pattern = "*n=3/time", .ignored = true},
		{.pattern = "*n=9", .ignored = true},
	};
	struct bench_run *run = made_run("duel");
	struct bench_duel_options options = {.base_name = "old",
					     .threshold = 0.01,
					     .alpha = 0.01,
					     .rules = rules,
					     .rule_count = 4,
					     .missing = missing,
					     .missing_cause = why,
					     .missing_count = 1};
	struct bench_comparison *comparison;
	struct bench_error error;
	for (unsigned n = 1; n <= 3; n++)
		add_relative(run, made_case(run, n), 1.05, 0.002, INVOCATIONS);
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), 0);
	assert_int_equal(comparison->verdict_count, 2);
	assert_int_equal(comparison->ignored, 2);
	const struct bench_verdict *usual = verdict_of(comparison, "gemm/openblas:cpu/n=1/time");
	assert_int_equal(usual->kind, BENCH_SAME);
	assert_true(usual->asked == 0.10 && usual->threshold == 0.10);
	const struct bench_verdict *strict = verdict_of(comparison, "gemm/openblas:cpu/n=2/time");
	assert_int_equal(strict->kind, BENCH_SLOWER);
	assert_string_equal(strict->owner, "all");
	bench_compare_free(comparison);
	bench_record_free(run);
}

static void the_devices_time_is_judged_beside_the_time(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	add_device(run, 1, 1.1, 5e-6, 1e-6, INVOCATIONS);
	add_device(run, 2, 1, 5e-6, 1e-6, INVOCATIONS);
	struct bench_comparison *comparison = judge(run, 0.01);
	assert_int_equal(comparison->verdict_count, 4);
	const struct bench_verdict *slower = verdict_of(comparison, "gemm/openblas:cpu/n=1/device_time");
	assert_int_equal(slower->kind, BENCH_SLOWER);
	assert_string_equal(slower->metric, "device_time");
	assert_true(fabs(slower->ratio - 1.1) < 1e-9);
	assert_true(fabs(slower->candidate_median - 5.5e-6) < 1e-12 && slower->base_median == 5e-6);
	/* It is one of four tests. */
	assert_true(fabs(slower->p_adjusted - 4 * slower->p) < 1e-12);
	assert_int_equal(comparison->counts[BENCH_SAME], 3);
	assert_int_equal(comparison->no_device_time, 0);
	bench_compare_free(comparison);
	bench_record_free(run);
}

/* The level of an anchor, and a second look, are the metric's own. */
static void the_devices_time_has_its_own_level(void **state)
{
	(void)state;
	const struct bench_anchor_level level = {.key = "gemm/openblas:cpu/n=1/device_time",
						 .shift = -0.0953101798};
	struct bench_run *run = made_run("duel"), *again = made_run("again");
	add_device(run, 1, 1.1, 5e-6, 1e-6, INVOCATIONS);
	add_device(again, 1, 1.1, 5e-6, 1e-6, INVOCATIONS);
	struct bench_duel_options options = {.base_name = "anchor",
					     .threshold = 0.01,
					     .alpha = 0.01,
					     .levels = &level,
					     .level_count = 1,
					     .again = again};
	struct bench_comparison *comparison;
	struct bench_error error;
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), 0);
	assert_int_equal(comparison->counts[BENCH_SAME], 2);
	const struct bench_verdict *verdict = verdict_of(comparison, "gemm/openblas:cpu/n=1/device_time");
	assert_int_equal(verdict->candidate_invocations, 2 * INVOCATIONS);
	assert_true(fabs(verdict->base_median - 5.5e-6) < 1e-12);
	bench_compare_free(comparison);
	bench_record_free(run);
	bench_record_free(again);
}

static void a_device_time_that_says_little_is_not_judged(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	add_device(run, 1, 1.1, 1.5e-6, 1e-6, INVOCATIONS); /* shown as "<= 2.65 us" */
	struct bench_comparison *comparison = judge(run, 0.01);
	assert_int_equal(comparison->verdict_count, 1);
	assert_int_equal(comparison->no_device_time, 1);
	assert_non_null(strstr(comparison->no_device_time_why, "what the launches cost"));
	bench_compare_free(comparison);
	/* What became slow counts, however fast it was. */
	add_device(run, 2, 2, 1.5e-6, 1e-6, INVOCATIONS);
	comparison = judge(run, 0.01);
	assert_int_equal(verdict_of(comparison, "gemm/openblas:cpu/n=2/device_time")->kind, BENCH_SLOWER);
	bench_compare_free(comparison);
	bench_record_free(run);
	/* Most invocations left gaps, or one side takes no rows. */
	for (size_t count = 0; count <= INVOCATIONS / 2 - 1; count += INVOCATIONS / 2 - 1) {
		run = made_run("duel");
		struct bench_result *result = add_device(run, 1, 1.1, 5e-6, 1e-6, count);
		bench_record_attribute_set(&run->arena, &result->notes, &result->note_count,
					   "relative_device_time", "there were gaps");
		comparison = judge(run, 0.01);
		assert_int_equal(comparison->verdict_count, 1);
		assert_int_equal(comparison->no_device_time, 1);
		assert_string_equal(comparison->no_device_time_why, "there were gaps");
		bench_compare_free(comparison);
		bench_record_free(run);
	}
}

static void a_rule_leaves_out_one_of_a_cases_two_metrics(void **state)
{
	(void)state;
	static const char *const patterns[] = {"*/time", "*/device_time", "*n=1"};
	struct bench_run *run = made_run("duel");
	add_device(run, 1, 1.1, 5e-6, 1e-6, INVOCATIONS);
	add_relative(run, made_case(run, 2), 1, 0.002, INVOCATIONS);
	for (size_t i = 0; i < 3; i++) {
		const struct bench_metric_rule rule = {.pattern = patterns[i], .ignored = true};
		struct bench_duel_options options = {.base_name = "old",
						     .threshold = 0.01,
						     .alpha = 0.01,
						     .rules = &rule,
						     .rule_count = 1};
		struct bench_comparison *comparison;
		struct bench_error error;
		assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), 0);
		assert_int_equal(!bench_compare_find(comparison, "gemm/openblas:cpu/n=1/time"), i != 1);
		assert_int_equal(!bench_compare_find(comparison, "gemm/openblas:cpu/n=1/device_time"),
				 i != 0);
		bench_compare_free(comparison);
	}
	bench_record_free(run);
}

static void where_the_base_knows_no_case_a_history_begins(void **state)
{
	(void)state;
	struct bench_run *run = made_run("duel");
	struct bench_duel_options options = {
		.base_name = "old", .threshold = 0.01, .alpha = 0.01, .unknown = 2};
	struct bench_comparison *comparison;
	struct bench_error error;
	made_result(run, "gemm", "openblas", "cpu", 3, BENCH_STATUS_SKIPPED);
	made_result(run, "gemm", "openblas", "cpu", 4, BENCH_STATUS_SKIPPED);
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), 0);
	assert_int_equal(comparison->counts[BENCH_NEW], 2);
	assert_int_equal(bench_compare_outcome(comparison, true), BENCH_OUTCOME_BEGUN);
	bench_compare_free(comparison);
	/* The base failed a third, which is no beginning. */
	made_result(run, "gemm", "openblas", "cpu", 5, BENCH_STATUS_SKIPPED);
	assert_int_equal(bench_compare_duel(run, &options, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ratio_gets_its_verdict),
		cmocka_unit_test(same_allows_for_the_steps_of_a_clock),
		cmocka_unit_test(equal_ratios_are_the_same_if_the_times_have_digits),
		cmocka_unit_test(too_few_invocations_say_how_many_would_do),
		cmocka_unit_test(invocations_that_wander_together_are_no_change),
		cmocka_unit_test(a_straggler_is_no_change),
		cmocka_unit_test(cases_without_two_sides_are_named),
		cmocka_unit_test(alone_each_metric_has_alpha_to_itself),
		cmocka_unit_test(nothing_measured_is_no_pass),
		cmocka_unit_test(rules_choose_threshold_and_owner_and_leave_out),
		cmocka_unit_test(the_devices_time_is_judged_beside_the_time),
		cmocka_unit_test(the_devices_time_has_its_own_level),
		cmocka_unit_test(a_device_time_that_says_little_is_not_judged),
		cmocka_unit_test(a_rule_leaves_out_one_of_a_cases_two_metrics),
		cmocka_unit_test(where_the_base_knows_no_case_a_history_begins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

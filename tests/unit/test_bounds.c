/* SPDX-License-Identifier: MIT */
/* What a project demands of its metrics: bounds, and failures that are expected until a date. */
#include "compare/bounds.h"

#include "compare_fixture.h"

#define TIME(n) "gemm/openblas:cpu/n=" #n "/time"
#define DAY     INT64_C(86400)

enum { INVOCATIONS = 10 };

static const struct bench_bound two_ms = {.text = "2 ms", .limit = 2e-3, .unit = "s"};
static const struct bench_bound one_ms = {.text = "1 ms", .limit = 1e-3, .unit = "s"};
static const struct bench_bound half_ms = {.text = "0.5 ms", .limit = 0.5e-3, .unit = "s"};

/* Compares a candidate of two cases of a millisecond, of which case 0 takes `ratio` times as long. */
static struct bench_comparison *hold(double ratio, size_t invocations, int64_t started,
				     const struct bench_metric_rule *rules, size_t count)
{
	struct pair pair = make_pair(2, invocations, ratio);
	const struct bench_run *base[] = {pair.base};
	struct bench_compare_options options = nightly;
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	options.rules = rules;
	options.rule_count = count;
	for (size_t i = 0; i < pair.candidate->result_count; i++)
		for (size_t j = 0; j < pair.candidate->results[i].metric_count; j++) {
			struct bench_metric *metric = &pair.candidate->results[i].metrics[j];
			bench_record_summarize(metric->series, metric->series_count, &metric->summary);
		}
	pair.candidate->started = started;
	if (bench_compare_runs(base, 1, "nightly", pair.candidate, &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	bench_compare_hold(comparison, pair.candidate);
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
	return comparison;
}

static const struct bench_bound_verdict *only_bound(const struct bench_comparison *comparison,
						    enum bench_bound_state state)
{
	assert_int_equal(comparison->bound_count, 1);
	if (comparison->bounds[0].state != state)
		fail_msg("%s, not %s: %s", bench_compare_bound_name(comparison->bounds[0].state),
			 bench_compare_bound_name(state), comparison->bounds[0].reason);
	return &comparison->bounds[0];
}

static void a_time_below_its_bound_is_kept(void **state)
{
	const struct bench_metric_rule rules[] = {{.pattern = TIME(0), .most = &two_ms}};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 1);

	(void)state;
	assert_string_equal(only_bound(comparison, BENCH_BOUND_KEPT)->key, TIME(0));
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_GOOD);
	bench_compare_free(comparison);
}

static void a_time_over_its_bound_is_as_bad_as_one_that_got_slower(void **state)
{
	const struct bench_metric_rule rules[] = {{.pattern = TIME(0), .most = &half_ms, .owner = "us"}};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 1);

	(void)state;
	assert_string_equal(only_bound(comparison, BENCH_BOUND_OUT)->owner, "us");
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_SLOWER);
	bench_compare_free(comparison);
}

static void an_interval_across_the_bound_decides_nothing(void **state)
{
	const struct bench_metric_rule rules[] = {{.pattern = TIME(1), .most = &one_ms}};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 1);

	(void)state;
	assert_non_null(
		strstr(only_bound(comparison, BENCH_BOUND_UNDECIDED)->reason, "has the bound inside"));
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_GOOD);
	assert_int_equal(bench_compare_outcome(comparison, BENCH_FAILING_UNCLEAR), BENCH_OUTCOME_UNCLEAR);
	bench_compare_free(comparison);
}

static void few_invocations_decide_nothing(void **state)
{
	const struct bench_metric_rule rules[] = {{.pattern = TIME(0), .most = &half_ms}};
	struct bench_comparison *comparison = hold(1, 4, 0, rules, 1);

	(void)state;
	assert_non_null(strstr(only_bound(comparison, BENCH_BOUND_UNDECIDED)->reason, "6 or more"));
	bench_compare_free(comparison);
}

static void the_last_rule_that_sets_a_bound_counts(void **state)
{
	const struct bench_metric_rule rules[] = {{.pattern = "*", .most = &half_ms},
						  {.pattern = TIME(0), .most = &two_ms},
						  {.pattern = TIME(1), .most = &two_ms},
						  {.pattern = "*", .owner = "us"}};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 4);

	(void)state;
	assert_int_equal(comparison->bound_count, 2);
	assert_int_equal(comparison->bounds[0].state, BENCH_BOUND_KEPT);
	assert_int_equal(comparison->bounds[1].state, BENCH_BOUND_KEPT);
	bench_compare_free(comparison);
}

static void a_bound_leaves_metrics_of_other_units_alone(void **state)
{
	const struct bench_bound rate = {.text = "1 GB/s", .limit = 1e9, .unit = "B/s"};
	const struct bench_metric_rule rules[] = {{.pattern = "*", .least = &rate}};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 1);

	(void)state;
	/* Nobody would miss it. */
	assert_int_equal(comparison->bound_count, 1);
	assert_int_equal(comparison->bounds[0].state, BENCH_BOUND_UNDECIDED);
	assert_non_null(strstr(comparison->bounds[0].reason, "no metric that this matches has the unit"));
	bench_compare_free(comparison);
}

/* Two cases that differ in n alone: n=1 is the contestant "1" of n=0. */
static void a_ratio_is_against_the_case_with_that_value(void **state)
{
	const struct bench_bound twice = {.text = "2x 1", .limit = 2, .unit = "", .versus = "1"};
	const struct bench_metric_rule rules[] = {{.pattern = "*", .least = &twice}};
	static const double ratios[] = {1, 0.4};
	static const enum bench_bound_state states[] = {BENCH_BOUND_OUT, BENCH_BOUND_KEPT};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bench_comparison *comparison = hold(ratios[i], INVOCATIONS, 0, rules, 1);
		const struct bench_bound_verdict *held = only_bound(comparison, states[i]);

		assert_string_equal(held->key, TIME(0));
		assert_string_equal(held->unit, "ratio");
		assert_true(fabs(held->value * ratios[i] - 1) < 0.05);
		bench_compare_free(comparison);
	}
}

static void a_ratio_against_nothing_is_undecided(void **state)
{
	const struct bench_bound twice = {.text = "2x none", .limit = 2, .unit = "", .versus = "none"};
	const struct bench_metric_rule rules[] = {{.pattern = TIME(0), .least = &twice}};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 1);

	(void)state;
	assert_non_null(strstr(only_bound(comparison, BENCH_BOUND_UNDECIDED)->reason, "none has no time"));
	bench_compare_free(comparison);
}

/* An expectation until the second day of 1970. */
static const struct bench_expected expected = {.until = "1970-01-02", .end = 2 * DAY, .why = "new driver"};
static const struct bench_metric_rule expecting[] = {{.pattern = "gemm/*", .expected = &expected}};

static void what_is_slower_as_expected_fails_nothing(void **state)
{
	struct bench_comparison *comparison = hold(1.3, INVOCATIONS, 2 * DAY - 1, expecting, 1);

	(void)state;
	assert_kind(comparison, TIME(0), BENCH_SLOWER);
	assert_ptr_equal(find(comparison, TIME(0))->expected, &expected);
	assert_null(find(comparison, TIME(1))->expected);
	assert_int_equal(comparison->expected[BENCH_SLOWER], 1);
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_GOOD);
	assert_int_equal(comparison->expectation_count, 1);
	assert_int_equal(comparison->expectations[0].state, BENCH_EXPECTATION_HOLDS);
	assert_int_equal(comparison->expectations[0].failing, 1);
	bench_compare_free(comparison);
}

static void an_expectation_ends_with_its_last_day(void **state)
{
	struct bench_comparison *comparison = hold(1.3, INVOCATIONS, 2 * DAY, expecting, 1);

	(void)state;
	assert_null(find(comparison, TIME(0))->expected);
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_SLOWER);
	assert_int_equal(comparison->expectations[0].state, BENCH_EXPECTATION_EXPIRED);
	bench_compare_free(comparison);
}

static void an_expectation_of_what_passes_can_go(void **state)
{
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, expecting, 1);

	(void)state;
	assert_int_equal(comparison->expectation_count, 1);
	assert_int_equal(comparison->expectations[0].state, BENCH_EXPECTATION_PASSED);
	assert_int_equal(comparison->expectations[0].failing, 0);
	bench_compare_free(comparison);
}

static void a_bound_may_be_exceeded_as_expected(void **state)
{
	const struct bench_metric_rule rules[] = {{.pattern = TIME(0), .most = &half_ms}, expecting[0]};
	struct bench_comparison *comparison = hold(1, INVOCATIONS, 0, rules, 2);

	(void)state;
	assert_ptr_equal(only_bound(comparison, BENCH_BOUND_OUT)->expected, &expected);
	assert_int_equal(bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT), 0);
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_GOOD);
	bench_compare_free(comparison);
}

/* A case that the candidate lacks. */
static void what_is_missing_as_expected_fails_nothing(void **state)
{
	struct pair pair = make_pair(2, INVOCATIONS, 1);
	struct bench_compare_options options = nightly;
	struct bench_comparison *comparison;
	struct bench_error error;

	(void)state;
	add_time(pair.base, 2, 1e-3, INVOCATIONS, 9);
	options.rules = expecting;
	options.rule_count = 1;
	assert_int_equal(bench_compare_runs((const struct bench_run *[]){pair.base}, 1, "nightly",
					    pair.candidate, &options, &comparison, &error),
			 0);
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_WRONG);
	pair.candidate->started = 0;
	bench_compare_hold(comparison, pair.candidate);
	assert_int_equal(comparison->counts[BENCH_MISSING], 1);
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_GOOD);
	bench_compare_free(comparison);
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_below_its_bound_is_kept),
		cmocka_unit_test(a_time_over_its_bound_is_as_bad_as_one_that_got_slower),
		cmocka_unit_test(an_interval_across_the_bound_decides_nothing),
		cmocka_unit_test(few_invocations_decide_nothing),
		cmocka_unit_test(the_last_rule_that_sets_a_bound_counts),
		cmocka_unit_test(a_bound_leaves_metrics_of_other_units_alone),
		cmocka_unit_test(a_ratio_is_against_the_case_with_that_value),
		cmocka_unit_test(a_ratio_against_nothing_is_undecided),
		cmocka_unit_test(what_is_slower_as_expected_fails_nothing),
		cmocka_unit_test(an_expectation_ends_with_its_last_day),
		cmocka_unit_test(an_expectation_of_what_passes_can_go),
		cmocka_unit_test(a_bound_may_be_exceeded_as_expected),
		cmocka_unit_test(what_is_missing_as_expected_fails_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

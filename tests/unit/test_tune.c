/* SPDX-License-Identifier: MIT */
/* The search for the best value: which candidate is next, and what wins. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/duel.h"
#include "compare/tune.h"
#include "kit/rng.h"
#include "made_run.h"

#define INVOCATIONS 12

static const uint64_t values[] = {1, 2, 4, 8, 16};

static size_t left_of(uint64_t fallback, uint64_t current, const struct bench_tune_tried *tried, size_t count,
		      uint64_t *next)
{
	const struct bench_tune_search search = {values, 5, fallback, current, tried, count};
	*next = 0;
	return bench_compare_tune_left(&search, next);
}

static void neighbours_come_first(void **state)
{
	(void)state;
	const struct bench_tune_tried tried[] = {{8, 1.0}, {2, 1.0}, {16, 1.0}, {1, 1.0}};
	const uint64_t expected[] = {8, 2, 16, 1};
	uint64_t next;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(left_of(4, 4, tried, i, &next), 4 - i);
		assert_int_equal(next, expected[i]);
	}
	assert_int_equal(left_of(4, 4, tried, 4, &next), 0);
	/* At an end there is one side. */
	assert_int_equal(left_of(1, 1, NULL, 0, &next), 4);
	assert_int_equal(next, 2);
	assert_int_equal(left_of(16, 16, NULL, 0, &next), 4);
	assert_int_equal(next, 8);
}

static void a_side_is_given_up_after_a_much_slower_value(void **state)
{
	(void)state;
	const struct bench_tune_tried slow_above[] = {{8, 1.06}}, slower_above[] = {{8, 1.04}};
	const struct bench_tune_tried both[] = {{8, 1.06}, {2, 1.2}}, wrong[] = {{8, NAN}};
	uint64_t next;
	assert_int_equal(left_of(4, 4, slow_above, 1, &next), 2);
	assert_int_equal(next, 2);
	assert_int_equal(left_of(4, 4, slower_above, 1, &next), 3);
	assert_int_equal(left_of(4, 4, both, 2, &next), 0);
	/* A wrong result says nothing of the values beyond. */
	assert_int_equal(left_of(4, 4, wrong, 1, &next), 3);
}

static void search_goes_on_from_the_winner(void **state)
{
	(void)state;
	const struct bench_tune_tried tried[] = {{8, 0.9}, {16, 0.95}};
	uint64_t next;
	assert_int_equal(left_of(4, 8, tried, 1, &next), 3);
	assert_int_equal(next, 16);
	/* The default has lost against the winner, and is not measured again. */
	assert_int_equal(left_of(4, 16, tried, 2, &next), 2);
	assert_int_equal(next, 2);
}

/* A ratio of about `middle` in each invocation, off by up to `spread` to either side alike. */
static void add_relative(struct bench_run *run, struct bench_result *result, double middle, double spread,
			 size_t count)
{
	double *ratios = calloc(count + 1, sizeof(*ratios));
	for (size_t i = 0; i < count; i++)
		ratios[i] = middle * exp(spread * (2 * ((double)(7 * i % count) + 0.5) / (double)count - 1));
	made_metric(run, result, "relative_time", BENCH_BETTER_LOWER, ratios, count);
	free(ratios);
}

/* Judges, and frees the run; the reason is left in `why`. */
static struct bench_tune_outcome judge(struct bench_run *run, size_t unsupported, char *why, size_t size)
{
	const struct bench_duel_options options = {.base_name = "old", .threshold = 0.01, .alpha = 0.01};
	struct bench_comparison *comparison = NULL;
	struct bench_tune_outcome outcome;
	struct bench_error error;
	if (bench_compare_duel(run, &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	bench_compare_tune_judge(run, comparison, unsupported, &outcome);
	snprintf(why, size, "%s", outcome.reason);
	bench_compare_free(comparison);
	bench_record_free(run);
	return outcome;
}

static struct bench_run *run_of(const double *middles, size_t count, double spread, size_t invocations)
{
	struct bench_run *run = made_run("duel");
	for (unsigned n = 0; n < count; n++)
		add_relative(run, made_case(run, n + 1), middles[n], spread, invocations);
	return run;
}

static void what_is_faster_over_all_and_slower_in_none_wins(void **state)
{
	(void)state;
	const double middles[] = {0.9, 1.0};
	char why[200];
	struct bench_tune_outcome outcome =
		judge(run_of(middles, 2, 0.001, INVOCATIONS), 0, why, sizeof(why));
	assert_true(outcome.wins);
	assert_string_equal(why, "");
	assert_int_equal(outcome.cases, 2);
	assert_true(fabs(outcome.all.ratio - sqrt(0.9)) < 1e-9);
	assert_true(outcome.all.lo < outcome.all.ratio && outcome.all.hi > outcome.all.ratio);
	assert_true(outcome.all.lo > 0.94 && outcome.all.hi < 0.96);
}

static void one_slower_case_outweighs_all_others(void **state)
{
	(void)state;
	const double middles[] = {0.7, 0.7, 1.03};
	char why[200];
	assert_false(judge(run_of(middles, 3, 0.001, INVOCATIONS), 0, why, sizeof(why)).wins);
	assert_string_equal(why, "a case is slower");
}

static void too_little_or_too_uncertain_a_gain_does_not_win(void **state)
{
	(void)state;
	const double little[] = {0.995}, more[] = {0.97};
	char why[200];
	assert_false(judge(run_of(little, 1, 0.001, INVOCATIONS), 0, why, sizeof(why)).wins);
	assert_non_null(strstr(why, "not faster by more than 1%"));
	assert_false(judge(run_of(more, 1, 0.3, INVOCATIONS), 0, why, sizeof(why)).wins);
	assert_non_null(strstr(why, "reaches past 1"));
	assert_false(judge(run_of(more, 1, 0.001, 3), 0, why, sizeof(why)).wins);
	assert_non_null(strstr(why, "too few invocations"));
	assert_true(judge(run_of(more, 1, 0.001, INVOCATIONS), 0, why, sizeof(why)).wins);
}

static void a_case_that_is_not_right_never_wins(void **state)
{
	(void)state;
	static const enum bench_status statuses[] = {BENCH_STATUS_FAILED, BENCH_STATUS_INCORRECT,
						     BENCH_STATUS_SKIPPED, BENCH_STATUS_UNSUPPORTED};
	const double middles[] = {0.5};
	char why[200];
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct bench_run *run = run_of(middles, 1, 0.001, INVOCATIONS);
		made_result(run, "gemm", "openblas", "cpu", 7, statuses[i]);
		struct bench_tune_outcome outcome = judge(run, 0, why, sizeof(why));
		assert_false(outcome.wins);
		assert_true(isnan(outcome.all.ratio));
		assert_string_equal(why, "some reason");
	}
	struct bench_run *run = run_of(middles, 1, 0.001, INVOCATIONS);
	made_case(run, 7);
	assert_false(judge(run, 0, why, sizeof(why)).wins);
	assert_non_null(strstr(why, "too short"));
}

/* What the device cannot do with any value says nothing of this one. */
static void a_case_that_the_device_cannot_do_is_passed_over(void **state)
{
	(void)state;
	const double middles[] = {0.9};
	char why[200];
	struct bench_run *run = run_of(middles, 1, 0.001, INVOCATIONS);
	made_result(run, "gemm", "openblas", "cpu", 7, BENCH_STATUS_UNSUPPORTED);
	struct bench_tune_outcome outcome = judge(run, 1, why, sizeof(why));
	assert_true(outcome.wins);
	assert_int_equal(outcome.cases, 1);
	run = run_of(middles, 1, 0.001, INVOCATIONS);
	made_result(run, "gemm", "openblas", "cpu", 7, BENCH_STATUS_UNSUPPORTED);
	made_result(run, "gemm", "openblas", "cpu", 8, BENCH_STATUS_UNSUPPORTED);
	assert_false(judge(run, 1, why, sizeof(why)).wins);
}

/* How often a combination of equal speed wins its duel, at that spread of invocations. */
static double wins_of_equals(double spread, size_t invocations)
{
	enum { DUELS = 2000 };
	double ratios[64];
	char why[200];
	size_t wins = 0;
	struct bench_rng rng;
	bench_rng_start(&rng, 42, invocations);
	for (size_t d = 0; d < DUELS; d++) {
		struct bench_run *run = made_run("duel");
		for (size_t i = 0; i < invocations; i++)
			ratios[i] = exp(spread * bench_rng_normal(&rng));
		made_metric(run, made_case(run, 1), "relative_time", BENCH_BETTER_LOWER, ratios, invocations);
		wins += judge(run, 0, why, sizeof(why)).wins;
	}
	return (double)wins / DUELS;
}

static void what_is_equal_seldom_wins(void **state)
{
	(void)state;
	/* 2.5% (docs/tune.md), and three standard errors of 2000 duels. */
	static const double spreads[] = {0.005, 0.03, 0.2};
	for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); i++)
		for (size_t invocations = 6; invocations <= 32; invocations *= 2) {
			const double wins = wins_of_equals(spreads[i], invocations);
			printf("spread %g, %zu invocations: %.2f%%\n", spreads[i], invocations, 100 * wins);
			assert_true(wins <= (spreads[i] < 0.01 ? 0.002 : 0.025 + 3 * 0.0035));
		}
}

static void steps_multiply(void **state)
{
	(void)state;
	const struct bench_tune_ratio none = {1, 1, 1}, first = {0.9, 0.9 * exp(-0.03), 0.9 * exp(0.03)},
				      second = {0.8, 0.8 * exp(-0.04), 0.8 * exp(0.04)};
	struct bench_tune_ratio both = bench_compare_tune_chain(&none, &first);
	assert_true(fabs(both.ratio - first.ratio) < 1e-12 && fabs(both.lo - first.lo) < 1e-12 &&
		    fabs(both.hi - first.hi) < 1e-12);
	both = bench_compare_tune_chain(&first, &second);
	assert_true(fabs(both.ratio - 0.72) < 1e-12);
	assert_true(fabs(log(both.hi / both.ratio) - 0.05) < 1e-12);
	assert_true(fabs(log(both.lo / both.ratio) + 0.05) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_come_first),
		cmocka_unit_test(a_side_is_given_up_after_a_much_slower_value),
		cmocka_unit_test(search_goes_on_from_the_winner),
		cmocka_unit_test(what_is_faster_over_all_and_slower_in_none_wins),
		cmocka_unit_test(one_slower_case_outweighs_all_others),
		cmocka_unit_test(too_little_or_too_uncertain_a_gain_does_not_win),
		cmocka_unit_test(a_case_that_is_not_right_never_wins),
		cmocka_unit_test(a_case_that_the_device_cannot_do_is_passed_over),
		cmocka_unit_test(what_is_equal_seldom_wins),
		cmocka_unit_test(steps_multiply),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

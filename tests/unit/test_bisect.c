/* SPDX-License-Identifier: MIT */
/* The search for the first slower commit: which pair is next, when it ends, and what a duel says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/bisect.h"
#include "compare/duel.h"
#include "made_run.h"

enum { COMMITS = 16, MOST_DUELS = 100 };

struct history {
	double levels[COMMITS + 1]; /* logarithms of the times */
	double error;               /* of a duel, stated; they are exact */
	bool broken[COMMITS + 1];
	bool skipped[COMMITS + 1];
	struct bench_bisect_look looks[MOST_DUELS];
	size_t duels;
	struct bench_arena arena;
	struct bench_bisect_state state;
};

static void look(struct history *in, size_t base, size_t head)
{
	in->looks[in->duels++] =
		(struct bench_bisect_look){base, head, in->levels[head] - in->levels[base], in->error};
}

static void judge(struct history *in)
{
	const struct bench_bisect_search search = {COMMITS, in->skipped, in->looks, in->duels, 0.01};
	bench_compare_bisect(&search, &in->arena, &in->state);
}

/* Until it is over. */
static void run(struct history *in)
{
	look(in, 0, COMMITS);
	for (judge(in); in->duels < MOST_DUELS; judge(in)) {
		const struct bench_bisect_state *state = &in->state;
		if (state->next == BENCH_BISECT_FOUND || state->next == BENCH_BISECT_UNDECIDED)
			return;
		if (in->broken[state->base] || in->broken[state->head])
			in->skipped[in->broken[state->base] ? state->base : state->head] = true;
		else
			look(in, state->base, state->head);
	}
	fail_msg("it does not end");
}

static void step_at(struct history *in, size_t at, double step)
{
	for (size_t k = at; k <= COMMITS; k++)
		in->levels[k] += step;
}

static void first_probe_is_the_middle(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.002};
	step_at(&in, 3, 0.05);
	look(&in, 0, COMMITS);
	judge(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_PROBE);
	assert_int_equal(in.state.base, 0);
	assert_int_equal(in.state.head, COMMITS / 2);
	assert_true(fabs(in.state.posterior[5] - 1.0 / COMMITS) < 1e-9);
	assert_true(fabs(in.state.step - 0.05) < 1e-12);
	look(&in, 0, COMMITS / 2);
	judge(&in);
	assert_int_equal(in.state.head, COMMITS / 4);
	bench_arena_free(&in.arena);
}

static void every_commit_is_found_in_few_duels(void **unused)
{
	(void)unused;
	for (size_t at = 1; at <= COMMITS; at++) {
		struct history in = {.error = 0.003};
		step_at(&in, at, 0.05);
		run(&in);
		assert_int_equal(in.state.next, BENCH_BISECT_FOUND);
		assert_int_equal(in.state.base, at - 1);
		assert_int_equal(in.state.head, at);
		assert_true(in.state.probability >= 0.99);
		assert_true(in.duels <= 8);
		bench_arena_free(&in.arena);
	}
}

static void likely_commit_is_confirmed_against_the_one_before(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.003};
	struct bench_bisect_look pooled;
	step_at(&in, 7, 0.05);
	run(&in);
	assert_int_equal(in.looks[in.duels - 1].base, 6);
	assert_int_equal(in.looks[in.duels - 1].head, 7);
	/* Where that duel shows nothing, it is not over. */
	in.looks[in.duels - 1].shift = 0;
	judge(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_PROBE);
	assert_int_equal(bench_compare_bisect_pool(in.looks, in.duels, 6, 7, &pooled), 1);
	assert_int_equal(bench_compare_bisect_pool(in.looks, in.duels, 5, 7, &pooled), 0);
	assert_true(isnan(pooled.shift));
	bench_arena_free(&in.arena);
}

static void commits_that_do_not_build_leave_a_range(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.003, .broken = {[4] = true, [5] = true, [8] = true}};
	step_at(&in, 5, 0.05);
	run(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_FOUND);
	assert_int_equal(in.state.base, 3);
	assert_int_equal(in.state.head, 6);
	bench_arena_free(&in.arena);
}

static void duel_that_says_little_is_made_again(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.02};
	step_at(&in, 11, 0.05);
	run(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_FOUND);
	assert_int_equal(in.state.head, 11);
	assert_true(in.duels > 10);
	/* The step itself comes first: its error is two fifths of it. */
	assert_int_equal(in.looks[1].head, COMMITS);
	bench_arena_free(&in.arena);
}

static void what_more_duels_would_not_decide_is_undecided(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.5};
	step_at(&in, 11, 0.05);
	look(&in, 0, COMMITS);
	for (size_t i = 0; i < BENCH_BISECT_MOST_LOOKS; i++)
		look(&in, 0, COMMITS);
	for (size_t k = 1; k < COMMITS; k++)
		in.skipped[k] = k != 8;
	judge(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_PROBE);
	assert_int_equal(in.state.head, 8);
	in.skipped[8] = true;
	judge(&in);
	/* One stretch is left: all of it. */
	assert_int_equal(in.state.next, BENCH_BISECT_FOUND);
	assert_int_equal(in.state.head - in.state.base, COMMITS);
	in.skipped[8] = false;
	for (size_t i = 0; i < BENCH_BISECT_MOST_LOOKS; i++) {
		look(&in, 0, 8);
		in.looks[in.duels - 1].shift = 0.025;
	}
	judge(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_UNDECIDED);
	assert_true(in.state.probability < 0.99);
	bench_arena_free(&in.arena);
}

static void duels_that_take_the_step_back_end_undecided(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.01};
	look(&in, 0, COMMITS);
	in.looks[0].shift = 0.05;
	look(&in, 0, COMMITS);
	in.looks[1].shift = -0.07;
	for (judge(&in); in.duels < MOST_DUELS && in.state.next == BENCH_BISECT_PROBE; judge(&in))
		look(&in, in.state.base, in.state.head);
	assert_true(in.state.next != BENCH_BISECT_FOUND);
	bench_arena_free(&in.arena);
}

static void of_two_steps_the_larger_is_found(void **unused)
{
	(void)unused;
	for (int order = 0; order < 2; order++) {
		struct history in = {.error = 0.002};
		step_at(&in, 5, order ? 0.03 : 0.08);
		step_at(&in, 12, order ? 0.08 : 0.03);
		run(&in);
		assert_int_equal(in.state.next, BENCH_BISECT_FOUND);
		assert_int_equal(in.state.head, order ? 12 : 5);
		bench_arena_free(&in.arena);
	}
}

static void slower_than_the_bad_commit_is_past_the_step(void **unused)
{
	(void)unused;
	struct history in = {.error = 0.003};
	/* It was twice as bad for a while; and faster before. */
	step_at(&in, 6, 0.10);
	step_at(&in, 10, -0.05);
	for (size_t k = 2; k < 6; k++)
		in.levels[k] = -0.05;
	run(&in);
	assert_int_equal(in.state.next, BENCH_BISECT_FOUND);
	assert_int_equal(in.state.head, 6);
	bench_arena_free(&in.arena);
}

static void duels_that_disagree_have_a_larger_error(void **unused)
{
	(void)unused;
	const struct bench_bisect_look looks[] = {{0, 3, 0.04, 0.01}, {0, 3, 0.06, 0.01}, {0, 2, 9, 1}};
	const struct bench_bisect_look apart[] = {{0, 3, 0.00, 0.01}, {0, 3, 0.10, 0.01}};
	struct bench_bisect_look pooled;
	assert_int_equal(bench_compare_bisect_pool(looks, 3, 0, 3, &pooled), 2);
	assert_true(fabs(pooled.shift - 0.05) < 1e-12);
	assert_true(fabs(pooled.error - 0.01 * sqrt(2.0 / 2)) < 1e-12);
	assert_int_equal(bench_compare_bisect_pool(apart, 2, 0, 3, &pooled), 2);
	assert_true(fabs(pooled.error - 0.05) < 1e-12);
}

static void add_ratios(struct bench_run *record, struct bench_result *result, const char *metric,
		       double middle, double spread, size_t count)
{
	double *ratios = calloc(count + 1, sizeof(*ratios));
	for (size_t i = 0; i < count; i++)
		ratios[i] = middle * exp(spread * (2 * ((double)(7 * i % count) + 0.5) / (double)count - 1));
	made_metric(record, result, metric, BENCH_BETTER_LOWER, ratios, count);
	free(ratios);
}

static void add_ratio(struct bench_run *record, unsigned n, double middle, double spread, size_t count)
{
	add_ratios(record, made_case(record, n), "relative_time", middle, spread, count);
}

static void cases_that_changed_decide_weighted_by_their_noise(void **unused)
{
	(void)unused;
	struct bench_run *record = made_run("duel");
	const struct bench_duel_options options = {.base_name = "good", .threshold = 0.02, .alpha = 0.01};
	struct bench_comparison *comparison;
	struct bench_bisect_case *cases;
	struct bench_bisect_look found;
	struct bench_arena arena = {0};
	struct bench_error error;
	add_ratio(record, 1, 1.05, 0.01, 20);
	add_ratio(record, 2, 1.10, 0.02, 20);
	add_ratio(record, 3, 1.00, 0.01, 20);
	add_ratio(record, 4, 0.90, 0.01, 20);
	if (bench_compare_duel(record, &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_compare_bisect_cases(record, comparison, true, &arena, &cases), 1);
	assert_string_equal(cases[0].key, "gemm/openblas:cpu/n=4");
	assert_null(bench_compare_bisect_look(record, cases, 1, true, &found));
	assert_true(fabs(found.shift + log(0.9)) < 1e-9);
	assert_int_equal(bench_compare_bisect_cases(record, comparison, false, &arena, &cases), 2);
	assert_true(fabs(cases[0].weight - 0.8) < 0.01 && fabs(cases[1].weight - 0.2) < 0.01);
	assert_null(bench_compare_bisect_look(record, cases, 2, false, &found));
	assert_true(fabs(found.shift - 0.8 * log(1.05) - 0.2 * log(1.1)) < 1e-3);
	assert_true(found.error > 0.0005 && found.error < 0.005);
	cases[1].key = "gemm/openblas:cpu/n=9";
	assert_string_equal(bench_compare_bisect_look(record, cases, 2, false, &found), cases[1].key);
	bench_compare_free(comparison);
	bench_record_free(record);
	bench_arena_free(&arena);
}

/* The device's time decides for a case whose launches hide the change from its time. */
static void a_case_decides_by_what_changed(void **unused)
{
	(void)unused;
	struct bench_run *record = made_run("duel");
	const struct bench_duel_options options = {.base_name = "good", .threshold = 0.02, .alpha = 0.01};
	struct bench_comparison *comparison;
	struct bench_bisect_case *cases;
	struct bench_bisect_look found;
	struct bench_arena arena = {0};
	struct bench_error error;
	for (unsigned n = 1; n <= 2; n++) {
		struct bench_result *result = made_case(record, n);
		add_ratios(record, result, "relative_time", n == 1 ? 1.1 : 1, 0.01, 20);
		add_ratios(record, result, "relative_device_time", 1.2, 0.01, 20);
	}
	if (bench_compare_duel(record, &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_compare_bisect_cases(record, comparison, false, &arena, &cases), 2);
	assert_string_equal(cases[0].pair->name, "time");
	assert_string_equal(cases[1].pair->name, "device_time");
	assert_null(bench_compare_bisect_look(record, &cases[1], 1, false, &found));
	assert_true(fabs(found.shift - cases[1].weight * log(1.2)) < 1e-3);
	bench_compare_free(comparison);
	bench_record_free(record);
	bench_arena_free(&arena);
}

static void few_invocations_have_no_error_to_rely_on(void **unused)
{
	(void)unused;
	struct bench_run *record = made_run("duel");
	const struct bench_bisect_case one = {"gemm/openblas:cpu/n=1", 1, &bench_metric_pairs[0]};
	struct bench_bisect_look found;
	add_ratio(record, 1, 1.05, 0.0001, 2);
	assert_null(bench_compare_bisect_look(record, &one, 1, false, &found));
	assert_true(found.error >= 1);
	bench_record_free(record);
	assert_int_equal(bench_compare_bisect_invocations(0.01, 16, 0.05, 6, 6, 32), 24);
	assert_int_equal(bench_compare_bisect_invocations(0.001, 16, 0.05, 6, 6, 32), 6);
	assert_int_equal(bench_compare_bisect_invocations(0.1, 16, 0.05, 6, 6, 32), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_probe_is_the_middle),
		cmocka_unit_test(every_commit_is_found_in_few_duels),
		cmocka_unit_test(likely_commit_is_confirmed_against_the_one_before),
		cmocka_unit_test(commits_that_do_not_build_leave_a_range),
		cmocka_unit_test(duel_that_says_little_is_made_again),
		cmocka_unit_test(what_more_duels_would_not_decide_is_undecided),
		cmocka_unit_test(duels_that_take_the_step_back_end_undecided),
		cmocka_unit_test(of_two_steps_the_larger_is_found),
		cmocka_unit_test(slower_than_the_bad_commit_is_past_the_step),
		cmocka_unit_test(duels_that_disagree_have_a_larger_error),
		cmocka_unit_test(cases_that_changed_decide_weighted_by_their_noise),
		cmocka_unit_test(a_case_decides_by_what_changed),
		cmocka_unit_test(few_invocations_have_no_error_to_rely_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

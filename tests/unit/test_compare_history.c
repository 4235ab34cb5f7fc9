/* SPDX-License-Identifier: MIT */
/* Baselines of several runs: thresholds learned from them, and shifts that were accepted in them. */
#include "compare_fixture.h"
#include "stats/stats.h"

enum { MOST = 12 };

/* Runs of one metric, each at 1 ms times its own factor, and one to be judged. */
struct history {
	struct bench_run *base[MOST], *candidate;
	size_t runs;
};

static struct history make_history(const double *factors, size_t runs, double now)
{
	struct history history = {.runs = runs};
	char id[32];

	for (size_t i = 0; i < runs; i++) {
		snprintf(id, sizeof(id), "night-%zu", i);
		history.base[i] = made_run(id);
		history.base[i]->started = 1000 + 100 * (int64_t)i;
		add_time(history.base[i], 0, 1e-3 * factors[i], 8, 2 * i);
	}
	history.candidate = made_run("tonight");
	history.candidate->started = 1000 + 100 * (int64_t)runs;
	add_time(history.candidate, 0, 1e-3 * now, 8, 99);
	return history;
}

static struct bench_comparison *judge(struct history history, const struct bench_accepted *accepted,
				      size_t accepted_count)
{
	struct bench_compare_options options = nightly;
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	options.accepted = accepted;
	options.accepted_count = accepted_count;
	if (bench_compare_runs((const struct bench_run *const *)history.base, history.runs, "nights",
			       history.candidate, &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < history.runs; i++)
		bench_record_free(history.base[i]);
	bench_record_free(history.candidate);
	return comparison;
}

static const double steady[] = {1, 1, 1, 1, 1, 1, 1, 1};
static const double restless[] = {0.97, 1.03, 1, 1.05, 0.96};

static void a_history_that_varies_raises_the_threshold(void **state)
{
	struct bench_comparison *comparison = judge(make_history(restless, 5, 1.09), NULL, 0);
	const struct bench_verdict *verdict = find(comparison, TIME_0);
	double edge = log1p(verdict->threshold);

	(void)state;
	/* 9% slower than the mean of runs that go from -4% to +5% by themselves. */
	assert_int_equal(comparison->counts[BENCH_SLOWER], 0);
	/* Deviation of the runs 0.038, times sqrt(1.2), times qt(1 - 0.005, 4) = 4.604: one metric, alpha
	 * 0.01. */
	assert_true(edge > 0.15 && edge < 0.24);
	assert_true(verdict->mde > verdict->threshold);
	bench_compare_free(comparison);

	comparison = judge(make_history(restless, 5, 1.4), NULL, 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static void a_steady_history_keeps_the_option_and_four_runs_teach_nothing(void **state)
{
	struct bench_comparison *comparison = judge(make_history(steady, 5, 1.09), NULL, 0);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_true(find(comparison, TIME_0)->threshold == 0.05);
	bench_compare_free(comparison);
	comparison = judge(make_history(restless, 4, 1.2), NULL, 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_true(find(comparison, TIME_0)->threshold == 0.05);
	bench_compare_free(comparison);
}

static void the_reason_says_that_the_threshold_was_learned(void **state)
{
	struct bench_comparison *comparison = judge(make_history(restless, 5, 1.2), NULL, 0);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0),
		      "runs of the same code differ by up to 9.1% here (at 90%, learned from 5 runs)");
	bench_compare_free(comparison);
}

static void one_odd_run_does_not_make_the_metric_blind(void **state)
{
	const double odd[] = {1, 1, 1.6, 1, 1, 1, 1, 1};
	struct bench_comparison *comparison = judge(make_history(odd, 8, 1.09), NULL, 0);

	(void)state;
	assert_true(find(comparison, TIME_0)->threshold < 0.06);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

/* Two nights that stand out are what nights are like, and a third is no news. */
static void two_odd_runs_are_what_runs_are_like(void **state)
{
	const double odd[] = {1, 1, 1.6, 1, 1.5, 1, 1, 1, 1, 1};
	struct bench_comparison *comparison = judge(make_history(odd, 10, 1.09), NULL, 0);

	(void)state;
	assert_true(find(comparison, TIME_0)->threshold > 0.5);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	bench_compare_free(comparison);
}

/* `same` is of the threshold that was asked for, never of one that was learned. */
static void what_runs_go_by_themselves_is_unclear_and_not_same(void **state)
{
	const double wilder[] = {1, 2, 4, 1.5, 3};
	struct bench_comparison *comparison = judge(make_history(restless, 5, 1), NULL, 0);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_true(find(comparison, TIME_0)->threshold > 0.15);
	assert_reason(
		find(comparison, TIME_0),
		"% here (at 90%, learned from 5 runs), which a change of the threshold of 5% could hide "
		"behind; the smallest change visible here is ");
	assert_reason(find(comparison, TIME_0),
		      "more invocations, more runs in the baseline, bench duel or a gate's anchor");
	bench_compare_free(comparison);
	comparison = judge(make_history(wilder, 5, 8), NULL, 0);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "%, but runs of the same code differ by up to ");
	assert_reason(find(comparison, TIME_0), "a change is certain from ");
	assert_true(find(comparison, TIME_0)->threshold > 2);
	bench_compare_free(comparison);
}

/* With the spread of five runs, and Student's t of four degrees of freedom: 2.132 at 95%. */
static void intervals_allow_for_what_runs_go_by_themselves(void **state)
{
	struct bench_comparison *comparison = judge(make_history(restless, 5, 1), NULL, 0);
	const struct bench_verdict *verdict = find(comparison, TIME_0);
	double logs[5], ahead;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		logs[i] = log(restless[i]);
	ahead = bench_stats_stddev(logs, 5) * sqrt(1.2);
	assert_true(log(verdict->hi / verdict->ratio) > 0.8 * 2.132 * ahead);
	assert_true(log(verdict->hi / verdict->ratio) < 1.25 * 2.132 * ahead);
	assert_true(fabs(log(verdict->hi / verdict->ratio) - log(verdict->ratio / verdict->lo)) < 0.01);
	assert_int_equal(verdict->learned_runs, 5);
	bench_compare_free(comparison);
}

/*
 * One run is compared with one other; those before are of `codes` executables, one after the other. The first
 * `without` of them are of still others, and have not got the case.
 */
static struct bench_comparison *judge_some(struct history history, size_t codes, size_t without)
{
	struct bench_compare_options options = nightly;
	struct bench_run *base = made_run("before");
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	add_time(base, 0, 1e-3, 8, 77);
	made_host(base, "executable", "e0");
	for (size_t i = 0; i < history.runs; i++) {
		struct bench_run *run = history.base[i];
		size_t code = i < without ? 100 + i : i % (codes ? codes : 1);

		made_host(run, "executable", codes ? bench_arena_format(&run->arena, "e%zu", code) : "");
		if (i < without)
			run->result_count = 0;
	}
	options.history = (const struct bench_run *const *)history.base;
	options.history_count = history.runs;
	if (bench_compare_runs((const struct bench_run *const *)&base, 1, "before", history.candidate,
			       &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < history.runs; i++)
		bench_record_free(history.base[i]);
	bench_record_free(history.candidate);
	bench_record_free(base);
	return comparison;
}

static struct bench_comparison *judge_one(struct history history, size_t codes)
{
	return judge_some(history, codes, 0);
}

static void one_run_is_judged_by_what_runs_of_the_same_code_differ_by(void **state)
{
	const double nights[] = {0.97, 1.03, 1, 1.05, 0.96, 1.02};
	struct bench_comparison *comparison = judge_one(make_history(nights, 6, 1.15), 1);
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	(void)state;
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_int_equal(verdict->learned_runs, 6);
	assert_true(verdict->threshold > 0.15 && verdict->threshold < 0.26);
	assert_true(verdict->lo < 1.07 && verdict->hi > 1.22);
	bench_compare_free(comparison);
	/* It is enough for a change that is larger. */
	comparison = judge_one(make_history(nights, 6, 1.5), 1);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_true(find(comparison, TIME_0)->lo > 1);
	bench_compare_free(comparison);
}

/* Each executable by itself did not differ; and runs that nobody knows the executable of say nothing. */
static void what_the_code_changed_is_not_learned_as_noise(void **state)
{
	const double two[] = {1, 2, 1, 2, 1, 2, 1, 2}, nights[] = {0.97, 1.03, 1, 1.05, 0.96, 1.02};
	struct bench_comparison *comparison = judge_one(make_history(two, 8, 1.09), 2);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(find(comparison, TIME_0)->learned_runs, 8);
	bench_compare_free(comparison);
	comparison = judge_one(make_history(nights, 6, 1.09), 6);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(find(comparison, TIME_0)->learned_runs, 0);
	bench_compare_free(comparison);
	comparison = judge_one(make_history(nights, 6, 1.09), 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
	/* Two of each of three have three degrees of freedom: too few. */
	comparison = judge_one(make_history(nights, 6, 1.09), 3);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static void earlier_runs_without_the_case_are_passed_over(void **state)
{
	const double nights[] = {1, 1, 1, 1, 1, 1, 1, 0.97, 1.03, 1, 1.05, 0.96};
	struct bench_comparison *comparison = judge_some(make_history(nights, 12, 1.15), 1, 7);

	(void)state;
	assert_int_equal(find(comparison, TIME_0)->learned_runs, 5);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	bench_compare_free(comparison);
}

static void runs_of_another_environment_teach_nothing(void **state)
{
	const double nights[] = {0.97, 1.03, 1, 1.05, 0.96, 1.02};
	struct history history = make_history(nights, 6, 1.09);
	struct bench_comparison *comparison;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		made_host(history.base[i], "threads", "1");
	comparison = judge_one(history, 1);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static const double stepped[] = {1, 1, 1, 1.3, 1.3, 1.3};

static void runs_from_before_an_accepted_shift_do_not_count(void **state)
{
	const struct bench_accepted accepted[] = {{"gemm/*", 1300, "blocked differently", false},
						  {"spmv/*", 1500, "not this one", false},
						  {"gemm/*", 1100, "", false}};
	struct bench_comparison *comparison = judge(make_history(stepped, 6, 1.3), NULL, 0);

	(void)state;
	assert_true(find(comparison, TIME_0)->kind != BENCH_SAME ||
		    find(comparison, TIME_0)->threshold > 0.5);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 48);
	bench_compare_free(comparison);
	comparison = judge(make_history(stepped, 6, 1.3), accepted, 3);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 24);
	bench_compare_free(comparison);
	comparison = judge(make_history(stepped, 6, 1.5), accepted, 3);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static void a_metric_with_no_run_since_it_was_accepted_is_new_and_says_why(void **state)
{
	const struct bench_accepted accepted = {"*/time", 1600, "blocked differently", false};
	struct history history = make_history(stepped, 6, 1.3);
	struct bench_comparison *comparison;
	struct bench_error error;

	(void)state;
	/* Were it all that there is, nothing would be compared, which is no pass. */
	comparison = NULL;
	assert_int_equal(
		bench_compare_runs(
			(const struct bench_run *const *)history.base, 6, "nights", history.candidate,
			&(struct bench_compare_options){
				.threshold = 0.05, .alpha = 0.01, .accepted = &accepted, .accepted_count = 1},
			&comparison, &error),
		-1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "measured since"));
	made_metric(history.base[5], &history.base[5]->results[0], "latency", BENCH_BETTER_LOWER,
		    noisy(1, 8, 5), 8);
	made_metric(history.candidate, &history.candidate->results[0], "latency", BENCH_BETTER_LOWER,
		    noisy(1, 8, 6), 8);
	comparison = judge(history, &accepted, 1);
	assert_kind(comparison, CASE_0 "/latency", BENCH_SAME);
	assert_kind(comparison, TIME_0, BENCH_NEW);
	assert_reason(find(comparison, TIME_0), "accepted on 1970-01-01 00:26 UTC (blocked differently)");
	assert_int_equal(find(comparison, TIME_0)->candidate_invocations, 8);
	bench_compare_free(comparison);
}

static void a_run_from_before_the_shift_is_judged_without_it(void **state)
{
	const struct bench_accepted accepted = {"*", 5000, "later", false};
	struct bench_comparison *comparison = judge(make_history(steady, 3, 1.3), &accepted, 1);

	(void)state;
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 24);
	bench_compare_free(comparison);
}

static void a_pattern_is_of_the_whole_name(void **state)
{
	const struct bench_accepted accepted = {"time", 1200, "", false};
	struct bench_comparison *comparison = judge(make_history(steady, 3, 1.3), &accepted, 1);

	(void)state;
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 24);
	bench_compare_free(comparison);
}

static void an_accepted_shift_does_not_excuse_a_missing_case(void **state)
{
	const struct bench_accepted accepted = {"*", 1200, "all new", false};
	struct history history = make_history(steady, 2, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_time(history.base[0], 7, 1, 8, 5);
	comparison = judge(history, &accepted, 1);
	assert_kind(comparison, "gemm/openblas:cpu/n=7/time", BENCH_MISSING);
	assert_kind(comparison, TIME_0, BENCH_NEW);
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_WRONG);
	bench_compare_free(comparison);
}

/* Nights of which those up to `last` have a second case, n = 7. */
static struct history make_removal(size_t last)
{
	struct history history = make_history(steady, 4, 1);

	for (size_t i = 0; i <= last; i++)
		add_time(history.base[i], 7, 1, 8, 5 + i);
	return history;
}

static void an_accepted_removal_is_counted_and_not_missing(void **state)
{
	/* The later shift is of what is there. */
	const struct bench_accepted accepted[] = {{"*n=7/*", 1200, "nobody uses it", true},
						  {"gemm/*", 1300, "blocked differently", false}};
	struct bench_comparison *comparison = judge(make_removal(1), accepted, 2);

	(void)state;
	assert_int_equal(comparison->removed, 1);
	assert_int_equal(comparison->verdict_count, 1);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_GOOD);
	bench_compare_free(comparison);
}

static void what_was_removed_and_came_back_is_new_and_then_missed_again(void **state)
{
	const struct bench_accepted accepted = {"*n=7/*", 1200, "nobody uses it", true};
	struct history history = make_removal(1);
	struct bench_comparison *comparison;

	(void)state;
	add_time(history.candidate, 7, 1, 8, 77);
	comparison = judge(history, &accepted, 1);
	assert_int_equal(comparison->removed, 0);
	assert_kind(comparison, "gemm/openblas:cpu/n=7/time", BENCH_NEW);
	assert_reason(find(comparison, "gemm/openblas:cpu/n=7/time"),
		      "it is back: its removal was accepted on 1970-01-01 00:20 UTC (nobody uses it)");
	bench_compare_free(comparison);
	comparison = judge(make_removal(2), &accepted, 1);
	assert_int_equal(comparison->removed, 0);
	assert_kind(comparison, "gemm/openblas:cpu/n=7/time", BENCH_MISSING);
	bench_compare_free(comparison);
}

static void metrics_are_removed_where_the_command_asked_for_them_and_none_went_wrong(void **state)
{
	struct history history = make_removal(0);
	struct bench_run *before = history.base[0], *after = history.candidate;
	struct bench_result *failed;

	(void)state;
	assert_true(bench_compare_is_removed(before, after, "*n=7/*"));
	assert_false(bench_compare_is_removed(before, after, "gemm/*"));
	assert_false(bench_compare_is_removed(before, after, "spmv/*"));
	after->interrupted = true;
	assert_false(bench_compare_is_removed(before, after, "*n=7/*"));
	after->interrupted = false;
	after->selection.filter = bench_arena_string(&after->arena, "n<7");
	assert_false(bench_compare_is_removed(before, after, "*n=7/*"));
	after->selection.filter = bench_arena_string(&after->arena, "");
	failed = made_case(after, 7);
	failed->status = BENCH_STATUS_FAILED;
	assert_false(bench_compare_is_removed(before, after, "*n=7/*"));
	failed->status = BENCH_STATUS_OK;
	assert_true(bench_compare_is_removed(before, after, "*n=7/*"));
	for (size_t i = 0; i < history.runs; i++)
		bench_record_free(history.base[i]);
	bench_record_free(after);
}

/* One in two is laid out badly, in every run: the fraction varies, and that is no change. */
static void two_peaks_that_were_always_two_peaks_are_no_change_in_a_history(void **state)
{
	struct history history = make_history(steady, 6, 1);
	struct bench_comparison *comparison;

	(void)state;
	for (size_t r = 0; r <= 6; r++) {
		struct bench_run *run = r < 6 ? history.base[r] : history.candidate;

		for (size_t i = 0; i < 8; i++)
			run->results[0].metrics[0].series[i].values[1] *= (i + r) % (2 + r % 2) ? 1.39 : 0.93;
	}
	comparison = judge(history, NULL, 0);
	assert_int_equal(comparison->counts[BENCH_SLOWER] + comparison->counts[BENCH_FASTER], 0);
	assert_int_equal(comparison->counts[BENCH_SAME] + comparison->counts[BENCH_UNCLEAR], 1);
	bench_compare_free(comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_history_that_varies_raises_the_threshold),
		cmocka_unit_test(a_steady_history_keeps_the_option_and_four_runs_teach_nothing),
		cmocka_unit_test(the_reason_says_that_the_threshold_was_learned),
		cmocka_unit_test(one_odd_run_does_not_make_the_metric_blind),
		cmocka_unit_test(two_odd_runs_are_what_runs_are_like),
		cmocka_unit_test(what_runs_go_by_themselves_is_unclear_and_not_same),
		cmocka_unit_test(intervals_allow_for_what_runs_go_by_themselves),
		cmocka_unit_test(one_run_is_judged_by_what_runs_of_the_same_code_differ_by),
		cmocka_unit_test(what_the_code_changed_is_not_learned_as_noise),
		cmocka_unit_test(earlier_runs_without_the_case_are_passed_over),
		cmocka_unit_test(runs_of_another_environment_teach_nothing),
		cmocka_unit_test(runs_from_before_an_accepted_shift_do_not_count),
		cmocka_unit_test(a_metric_with_no_run_since_it_was_accepted_is_new_and_says_why),
		cmocka_unit_test(a_run_from_before_the_shift_is_judged_without_it),
		cmocka_unit_test(a_pattern_is_of_the_whole_name),
		cmocka_unit_test(an_accepted_shift_does_not_excuse_a_missing_case),
		cmocka_unit_test(an_accepted_removal_is_counted_and_not_missing),
		cmocka_unit_test(what_was_removed_and_came_back_is_new_and_then_missed_again),
		cmocka_unit_test(metrics_are_removed_where_the_command_asked_for_them_and_none_went_wrong),
		cmocka_unit_test(two_peaks_that_were_always_two_peaks_are_no_change_in_a_history),
	};

	return cmocka_run_group_tests_name("compare_history", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What is new, missing, broken, or must not be compared at all. */
#include "compare_fixture.h"

static void new_cases_and_metrics_are_new(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_time(pair.candidate, 9, 1, 8, 1);
	made_metric(pair.candidate, &pair.candidate->results[0], "device_time", BENCH_BETTER_LOWER,
		    noisy(1, 8, 3), 8);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=9/time", BENCH_NEW);
	assert_kind(comparison, CASE_0 "/device_time", BENCH_NEW);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(bench_compare_outcome(comparison, true), BENCH_OUTCOME_GOOD);
	bench_compare_free(comparison);
}

static void vanished_cases_and_metrics_are_missing_and_fail(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_time(pair.base, 9, 1, 8, 1);
	made_metric(pair.base, &pair.base->results[0], "device_time", BENCH_BETTER_LOWER, noisy(1, 8, 3), 8);
	/* One of a suite's own, which the harness does not know, is as good as any. */
	made_metric(pair.base, &pair.base->results[0], "accuracy", BENCH_BETTER_HIGHER, noisy(1, 8, 3), 8);
	/* A metric that came back empty is not there either. */
	made_metric(pair.base, &pair.base->results[0], "empty", BENCH_BETTER_LOWER, noisy(1, 8, 3), 8);
	made_metric(pair.candidate, &pair.candidate->results[0], "empty", BENCH_BETTER_LOWER, NULL, 0);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=9/time", BENCH_MISSING);
	assert_kind(comparison, CASE_0 "/device_time", BENCH_MISSING);
	assert_kind(comparison, CASE_0 "/accuracy", BENCH_MISSING);
	assert_kind(comparison, CASE_0 "/empty", BENCH_MISSING);
	assert_int_equal(comparison->counts[BENCH_MISSING], 4);
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_WRONG);
	bench_compare_free(comparison);
}

/* As where the first command, or the first choice of a variant, is another one. */
static void ratios_to_different_references_are_not_compared(void **state)
{
	for (int same = 0; same < 2; same++) {
		struct pair pair = make_pair(1, 8, 1);
		pair.base->results[0].relative_to =
			bench_arena_string(&pair.base->arena, "exec/host:cpu/command=one");
		pair.candidate->results[0].relative_to =
			bench_arena_string(&pair.candidate->arena, same ? "exec/host:cpu/command=one"
									: "exec/host:cpu/command=other");
		made_metric(pair.base, &pair.base->results[0], "relative_time", BENCH_BETTER_LOWER,
			    noisy(1, 8, 3), 8);
		made_metric(pair.candidate, &pair.candidate->results[0], "relative_time", BENCH_BETTER_LOWER,
			    noisy(2.56, 8, 4), 8);
		struct bench_comparison *comparison = compare(pair);
		(void)state;
		assert_kind(comparison, CASE_0 "/relative_time", same ? BENCH_SLOWER : BENCH_MISSING);
		for (size_t i = 0; !same && i < comparison->verdict_count; i++)
			if (comparison->verdicts[i].kind == BENCH_MISSING) {
				assert_non_null(strstr(comparison->verdicts[i].reason, "command=one,"));
				assert_non_null(strstr(comparison->verdicts[i].reason, "command=other now"));
			}
		bench_compare_free(comparison);
	}
}

static void rules_choose_the_threshold_and_leave_out(void **state)
{
	static const struct bench_metric_rule rules[] = {
		{.pattern = "*/time", .threshold = 0.5, .owner = "us"},
		{.pattern = "gemm/*/device_time", .ignored = true},
		{.pattern = "*n=9*", .ignored = true},
	};
	struct bench_compare_options options = nightly;
	struct pair pair = make_pair(1, 8, 1.2);
	struct bench_comparison *comparison;

	(void)state;
	options.rules = rules;
	options.rule_count = 3;
	add_time(pair.base, 9, 1, 8, 1);
	made_metric(pair.candidate, &pair.candidate->results[0], "device_time", BENCH_BETTER_LOWER,
		    noisy(1, 8, 3), 8);
	made_result(pair.candidate, "gemm", "openblas", "cpu", 9, BENCH_STATUS_FAILED);
	comparison = compare_with(pair, &options);
	assert_int_equal(comparison->verdict_count, 1);
	assert_int_equal(comparison->ignored, 2);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_true(comparison->verdicts[0].asked == 0.5);
	assert_string_equal(comparison->verdicts[0].owner, "us");
	bench_compare_free(comparison);
}

static void what_the_command_did_not_ask_for_is_not_missing(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int how = 0; how < 5; how++) {
		struct pair pair = make_pair(1, 8, 1);
		struct bench_selection *then = &pair.base->selection, *now = &pair.candidate->selection;
		bool other_suite = how == 3, other_device = how == 4;

		if (how == 0)
			now->filter = bench_arena_string(&pair.candidate->arena, "n<9");
		if (how == 1)
			made_word(pair.candidate, &now->sets, &now->set_count, "n=0");
		if (how == 2)
			pair.candidate->preset = bench_arena_string(&pair.candidate->arena, "quick");
		if (other_suite)
			made_word(pair.base, &then->suites, &then->suite_count, "transfer");
		if (other_device) {
			made_device(pair.base, "opencl", "h200");
			now->backends = bench_arena_string(&pair.candidate->arena, "openblas");
		}
		made_metric(pair.base,
			    made_result(pair.base, other_suite ? "transfer" : "gemm",
					other_device ? "opencl" : "openblas", other_device ? "h200" : "cpu",
					9, BENCH_STATUS_OK),
			    "time", BENCH_BETTER_LOWER, noisy(1, 8, 5), 8);
		comparison = compare(pair);
		assert_int_equal(comparison->not_selected, 1);
		assert_int_equal(comparison->counts[BENCH_MISSING], 0);
		assert_int_equal(comparison->verdict_count, 1);
		bench_compare_free(comparison);
	}
}

static void sets_in_another_order_are_the_same_command(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_selection *then = &pair.base->selection, *now = &pair.candidate->selection;
	struct bench_comparison *comparison;

	(void)state;
	made_word(pair.base, &then->sets, &then->set_count, "n=0,9");
	made_word(pair.base, &then->sets, &then->set_count, "trans=NN");
	made_word(pair.candidate, &now->sets, &now->set_count, "trans=NN");
	made_word(pair.candidate, &now->sets, &now->set_count, "n=0,9");
	add_time(pair.base, 9, 1, 8, 1);
	comparison = compare(pair);
	assert_int_equal(comparison->counts[BENCH_MISSING], 1);
	bench_compare_free(comparison);
}

static void a_changed_unit_or_direction_is_missing_and_never_compared(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int how = 0; how < 3; how++) {
		struct pair pair = make_pair(2, 8, 1);
		struct bench_metric *metric = &pair.candidate->results[0].metrics[0];

		if (how == 0)
			metric->unit = bench_arena_string(&pair.candidate->arena, "ms");
		if (how == 1)
			metric->better = BENCH_BETTER_HIGHER;
		if (how == 2)
			metric->better = BENCH_BETTER_NONE;
		comparison = compare(pair);
		assert_kind(comparison, TIME_0, BENCH_MISSING);
		assert_int_equal(comparison->verdict_count, 2);
		bench_compare_free(comparison);
	}
}

static void a_case_that_was_ok_and_is_not_is_broken_and_fails(void **state)
{
	static const enum bench_status statuses[] = {BENCH_STATUS_SKIPPED, BENCH_STATUS_UNSUPPORTED,
						     BENCH_STATUS_FAILED, BENCH_STATUS_INCORRECT};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct pair pair = {made_run("base"), made_run("candidate")};
		struct bench_comparison *comparison;
		const struct bench_verdict *verdict;

		add_time(pair.base, 0, 1, 8, 1);
		made_result(pair.candidate, "gemm", "openblas", "cpu", 0, statuses[i]);
		comparison = compare(pair);
		verdict = find(comparison, CASE_0);
		assert_int_equal(verdict->kind, BENCH_BROKEN);
		assert_string_equal(verdict->metric, "");
		assert_reason(verdict, bench_record_status_name(statuses[i]));
		assert_reason(verdict, "some reason");
		assert_int_equal(comparison->verdict_count, 1);
		assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_WRONG);
		bench_compare_free(comparison);
	}
}

static void a_case_that_fails_is_broken_also_without_a_good_baseline(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	made_result(pair.candidate, "gemm", "openblas", "cpu", 7, BENCH_STATUS_FAILED);
	made_result(pair.base, "gemm", "openblas", "cpu", 8, BENCH_STATUS_INCORRECT);
	made_result(pair.candidate, "gemm", "openblas", "cpu", 8, BENCH_STATUS_INCORRECT);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=7", BENCH_BROKEN);
	assert_kind(comparison, "gemm/openblas:cpu/n=8", BENCH_BROKEN);
	bench_compare_free(comparison);
}

static void a_case_without_a_sample_is_broken(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	made_case(pair.candidate, 7);
	add_time(pair.base, 7, 1, 8, 1);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=7", BENCH_BROKEN);
	assert_int_equal(comparison->verdict_count, 2);
	bench_compare_free(comparison);
}

static void what_was_never_supported_is_no_news(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	made_result(pair.base, "gemm", "openblas", "cpu", 7, BENCH_STATUS_UNSUPPORTED);
	made_result(pair.candidate, "gemm", "openblas", "cpu", 7, BENCH_STATUS_UNSUPPORTED);
	made_result(pair.candidate, "gemm", "openblas", "cpu", 8, BENCH_STATUS_SKIPPED);
	made_result(pair.base, "gemm", "openblas", "cpu", 9,
		    BENCH_STATUS_FAILED); /* gone, and never was ok */
	comparison = compare(pair);
	assert_int_equal(comparison->verdict_count, 1);
	assert_int_equal(comparison->not_selected, 0);
	bench_compare_free(comparison);
}

static void a_case_that_works_again_is_new(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	made_result(pair.base, "gemm", "openblas", "cpu", 7, BENCH_STATUS_FAILED);
	add_time(pair.candidate, 7, 1, 8, 1);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=7/time", BENCH_NEW);
	bench_compare_free(comparison);
}

static void what_a_run_cut_short_did_not_reach_is_missing(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int how = 0; how < 2; how++) {
		struct pair pair = make_pair(1, 8, 1);

		for (unsigned n = 5; n < 8; n++)
			add_time(pair.base, n, 1, 8, n);
		made_result(pair.candidate, "gemm", "openblas", "cpu", 5, BENCH_STATUS_PENDING);
		made_result(pair.candidate, "gemm", "openblas", "cpu", 6, BENCH_STATUS_SKIPPED);
		if (how == 0)
			pair.candidate->interrupted = true;
		else
			pair.candidate->finished = 0;
		comparison = compare(pair);
		assert_int_equal(comparison->counts[BENCH_MISSING], 3);
		assert_int_equal(comparison->counts[BENCH_SAME], 1);
		assert_reason(&comparison->verdicts[0], "cut short");
		bench_compare_free(comparison);
	}
}

static void another_environment_is_refused_by_name_with_both_values(void **state)
{
	static const char *const facts[] = {"fingerprint", "threads", "build_type",
					    "compiler",    "cache",   "pin"};

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		struct pair pair = make_pair(1, 8, 1);
		char words[64];

		made_host(pair.base, facts[i], "then-value");
		made_host(pair.candidate, facts[i], "now-value");
		snprintf(words, sizeof(words), "%s: |then-value|now-value|--allow-env-change|nightly",
			 facts[i]);
		assert_refused(pair, &nightly, BENCH_NOTHING, words);
	}
}

static void a_fact_that_only_one_side_recorded_is_a_difference(void **state)
{
	struct pair pair = make_pair(1, 8, 1);

	(void)state;
	made_host(pair.base, "compiler", "");
	assert_refused(pair, &nightly, BENCH_NOTHING,
		       "compiler: not recorded in the baseline, GNU 12.2.0 now");
}

/* Before these facts were recorded, nothing was pinned and no cache was flushed. */
static void a_run_that_does_not_know_of_pinning_was_not_pinned_and_hot(void **state)
{
	struct pair pair = make_pair(1, 8, 1);

	(void)state;
	made_host(pair.candidate, "pin", "no");
	made_host(pair.candidate, "cache", "hot");
	bench_compare_free(compare(pair));
	pair = make_pair(1, 8, 1);
	made_host(pair.candidate, "pin", "yes");
	assert_refused(pair, &nightly, BENCH_NOTHING, "pin: no in the baseline, yes now");
	pair = make_pair(1, 8, 1);
	made_host(pair.candidate, "cache", "cold");
	assert_refused(pair, &nightly, BENCH_NOTHING, "cache: hot in the baseline, cold now");
}

/* Earlier versions recorded nothing. */
static void commands_whose_output_goes_elsewhere_are_refused(void **state)
{
	(void)state;
	struct pair pair = make_pair(1, 8, 1);
	made_host(pair.base, "output.other", "null");
	made_host(pair.candidate, "output.other", "pipe");
	bench_compare_free(compare(pair));
	pair = make_pair(1, 8, 1);
	made_host(pair.base, "output.gemm", "pipe");
	made_host(pair.candidate, "output.gemm", "null");
	assert_refused(pair, &nightly, BENCH_NOTHING, "output.gemm: pipe in the baseline, null now");
	pair = make_pair(1, 8, 1);
	made_host(pair.candidate, "output.gemm", "pipe");
	assert_refused(pair, &nightly, BENCH_NOTHING, "output.gemm: not recorded in the baseline, pipe now");
	pair = make_pair(1, 8, 1);
	made_host(pair.base, "output.gemm", "pipe");
	assert_refused(pair, &nightly, BENCH_NOTHING, "output.gemm: pipe in the baseline, not recorded now");
}

static void another_commit_or_load_is_no_other_environment(void **state)
{
	struct pair pair = make_pair(1, 8, 1);

	(void)state;
	made_host(pair.candidate, "build_commit", "abcdef");
	made_host(pair.candidate, "load_1min", "7.5");
	pair.candidate->git.commit = bench_arena_string(&pair.candidate->arena, "abcdef");
	bench_compare_free(compare(pair));
}

static void facts_that_choose_kernels_are_refused_where_both_sides_have_them(void **state)
{
	struct pair pair = make_pair(1, 8, 1);

	(void)state;
	made_host(pair.base, "flags", "-O3");
	made_host(pair.candidate, "flags", "-O0");
	made_host(pair.base, "env", "OMP_PLACES OPENBLAS_CORETYPE");
	made_host(pair.candidate, "env", "OPENBLAS_CORETYPE OMP_PLACES");
	made_host(pair.candidate, "env.OPENBLAS_CORETYPE", "Haswell");
	assert_refused(pair, &nightly, BENCH_NOTHING,
		       "flags: -O3 in the baseline, -O0 now|env.OPENBLAS_CORETYPE: not set in the baseline, "
		       "Haswell now");
	/* An earlier version recorded neither. */
	pair = make_pair(1, 8, 1);
	made_host(pair.base, "flags", "");
	made_host(pair.candidate, "flags", "-O0");
	made_host(pair.base, "env", "OPENBLAS_CORETYPES OMP_PLACES");
	made_host(pair.candidate, "env", "OPENBLAS_CORETYPE");
	made_host(pair.candidate, "env.OPENBLAS_CORETYPE", "Haswell");
	bench_compare_free(compare(pair));
}

/* "OMP_*": all that begin so were looked at. */
static void variables_are_looked_at_by_families(void **state)
{
	static const char looked_at[] = "LD_* GLIBC_TUNABLES BENCH_OPENCL_* OMP_*";
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	made_host(pair.base, "env", looked_at);
	made_host(pair.candidate, "env", looked_at);
	made_host(pair.base, "env.LD_PRELOAD", "libother.so");
	made_host(pair.candidate, "env.BENCH_OPENCL_KIND", "gpu");
	assert_refused(
		pair, &nightly, BENCH_NOTHING,
		"env.BENCH_OPENCL_KIND: not set in the baseline, gpu now; env.LD_PRELOAD: libother.so in "
		"the baseline, not set now");

	pair = make_pair(1, 8, 1);
	made_host(pair.base, "env", looked_at);
	made_host(pair.candidate, "env", looked_at);
	made_host(pair.base, "env.GLIBC_TUNABLES", "glibc.malloc.arena_max=1");
	made_host(pair.candidate, "env.OMP_DYNAMIC", "true");
	made_host(pair.candidate, "env.BENCH_TUNING_LATER", "x"); /* which the baseline has not looked at */
	comparison = compare(pair);
	assert_int_equal(comparison->env_change_count, 0);
	assert_int_equal(comparison->env_note_count, 2);
	assert_string_equal(comparison->env_notes[0], "env.OMP_DYNAMIC: not set in the baseline, true now");
	assert_string_equal(comparison->env_notes[1],
			    "env.GLIBC_TUNABLES: glibc.malloc.arena_max=1 in the baseline, not set now");
	bench_compare_free(comparison);

	/* A list of names, as earlier versions wrote it. */
	pair = make_pair(1, 8, 1);
	made_host(pair.base, "env", "OMP_NUM_THREADS");
	made_host(pair.candidate, "env", looked_at);
	made_host(pair.candidate, "env.OMP_NUM_THREADS", "1");
	made_host(pair.candidate, "env.OMP_DYNAMIC", "true");
	comparison = compare(pair);
	assert_int_equal(comparison->env_note_count, 1);
	bench_compare_free(comparison);
}

static void facts_that_may_change_times_are_said(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	made_host(pair.base, "governor", "performance");
	made_host(pair.candidate, "governor", "powersave");
	made_host(pair.base, "kernel", "Linux 6.1.0");
	made_host(pair.candidate, "os", "Debian 13");
	made_host(pair.base, "env", "OMP_NUM_THREADS");
	made_host(pair.candidate, "env", "OMP_NUM_THREADS");
	made_host(pair.base, "env.OMP_NUM_THREADS", "8");
	comparison = compare(pair);
	assert_int_equal(comparison->env_change_count, 0);
	assert_int_equal(comparison->env_note_count, 2);
	assert_string_equal(comparison->env_notes[0], "governor: performance in the baseline, powersave now");
	assert_string_equal(comparison->env_notes[1], "env.OMP_NUM_THREADS: 8 in the baseline, not set now");
	assert_kind(comparison, TIME_0, BENCH_SAME);
	bench_compare_free(comparison);
}

static void another_driver_is_refused_and_can_be_allowed(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int allow = 0; allow < 2; allow++) {
		struct pair pair = make_pair(1, 8, 1);

		snprintf(pair.candidate->devices[0].info.driver,
			 sizeof(pair.candidate->devices[0].info.driver), "4.0");
		if (!allow) {
			assert_refused(pair, &nightly, BENCH_NOTHING,
				       "driver of openblas:cpu: 3.1 in the baseline, 4.0 now");
			continue;
		}
		comparison = compare_with(pair, &lenient);
		assert_int_equal(comparison->env_change_count, 1);
		assert_string_equal(comparison->env_changes[0],
				    "driver of openblas:cpu: 3.1 in the baseline, 4.0 now");
		assert_int_equal(comparison->counts[BENCH_SAME], 1);
		bench_compare_free(comparison);
	}
}

static void a_vanished_device_is_refused_and_missing_where_allowed(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int allow = 0; allow < 2; allow++) {
		struct pair pair = make_pair(1, 8, 1);

		made_device(pair.base, "opencl", "h200");
		for (unsigned n = 0; n < 2; n++)
			made_metric(pair.base,
				    made_result(pair.base, "gemm", "opencl", "h200", n, BENCH_STATUS_OK),
				    "time", BENCH_BETTER_LOWER, noisy(1, 8, n), 8);
		if (!allow) {
			assert_refused(pair, &nightly, BENCH_NOTHING, "device opencl:h200: measured");
			continue;
		}
		comparison = compare_with(pair, &lenient);
		assert_int_equal(comparison->env_change_count, 1);
		assert_int_equal(comparison->counts[BENCH_MISSING], 2);
		assert_reason(find(comparison, "gemm/opencl:h200/n=0/time"), "device");
		assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_WRONG);
		bench_compare_free(comparison);
	}
}

static void many_differences_leave_room_for_the_advice(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	char slug[32];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(slug, sizeof(slug), "device-%d", i);
		snprintf(made_device(pair.base, "opencl", slug)->info.driver, 128, "%0120d", 1);
		snprintf(made_device(pair.candidate, "opencl", slug)->info.driver, 128, "%0120d", 2);
	}
	assert_refused(pair, &nightly, BENCH_NOTHING, "device-0| more|--allow-env-change");
}

static void baselines_that_differ_among_themselves_are_refused(void **state)
{
	struct bench_run *one = made_run("one"), *two = made_run("two"), *now = made_run("now");
	const struct bench_run *base[] = {one, two};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	made_host(two, "threads", "16");
	add_time(one, 0, 1, 8, 1);
	add_time(two, 0, 1, 8, 2);
	add_time(now, 0, 1, 8, 3);
	assert_int_equal(bench_compare_runs(base, 2, "pool", now, &nightly, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "threads: 16 in the baseline, 2 now"));
	bench_record_free(one);
	bench_record_free(two);
	bench_record_free(now);
}

static void nothing_to_compare_with_is_an_error_and_no_pass(void **state)
{
	struct pair pair;
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	/* No baseline. */
	pair = make_pair(1, 8, 1);
	assert_int_equal(bench_compare_runs(NULL, 0, "none", pair.candidate, &nightly, &comparison, &error),
			 -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
	/* An empty one. */
	pair = make_pair(1, 8, 1);
	bench_record_free(pair.base);
	pair.base = made_run("base");
	assert_refused(pair, &nightly, BENCH_NOTHING, "nothing to compare");
	/* Nothing measured on either side. */
	assert_refused((struct pair){made_run("base"), made_run("candidate")}, &nightly, BENCH_NOTHING,
		       "nothing to compare");
	/* Nothing in common: all is new. */
	pair = (struct pair){made_run("base"), made_run("candidate")};
	pair.candidate->selection.filter = bench_arena_string(&pair.candidate->arena, "n=2");
	add_time(pair.base, 1, 1, 8, 1);
	add_time(pair.candidate, 2, 1, 8, 1);
	assert_refused(pair, &nightly, BENCH_NOTHING, "1 are new|1 of the baseline's were not asked for");
}

static void an_empty_candidate_has_everything_missing(void **state)
{
	struct pair pair = {made_run("base"), made_run("candidate")};
	struct bench_comparison *comparison;

	(void)state;
	add_time(pair.base, 0, 1, 8, 1);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_MISSING);
	assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_WRONG);
	bench_compare_free(comparison);
}

static void a_run_is_not_compared_with_itself_nor_counted_twice(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	const struct bench_run *twice[] = {pair.base, pair.base}, *itself[] = {pair.base, pair.candidate};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	assert_int_equal(bench_compare_runs(twice, 2, "x", pair.candidate, &nightly, &comparison, &error),
			 -1);
	assert_non_null(strstr(error.text, "twice"));
	assert_int_equal(bench_compare_runs(itself, 2, "x", pair.candidate, &nightly, &comparison, &error),
			 -1);
	assert_non_null(strstr(error.text, "itself"));
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_cases_and_metrics_are_new),
		cmocka_unit_test(vanished_cases_and_metrics_are_missing_and_fail),
		cmocka_unit_test(ratios_to_different_references_are_not_compared),
		cmocka_unit_test(rules_choose_the_threshold_and_leave_out),
		cmocka_unit_test(what_the_command_did_not_ask_for_is_not_missing),
		cmocka_unit_test(sets_in_another_order_are_the_same_command),
		cmocka_unit_test(a_changed_unit_or_direction_is_missing_and_never_compared),
		cmocka_unit_test(a_case_that_was_ok_and_is_not_is_broken_and_fails),
		cmocka_unit_test(a_case_that_fails_is_broken_also_without_a_good_baseline),
		cmocka_unit_test(a_case_without_a_sample_is_broken),
		cmocka_unit_test(what_was_never_supported_is_no_news),
		cmocka_unit_test(a_case_that_works_again_is_new),
		cmocka_unit_test(what_a_run_cut_short_did_not_reach_is_missing),
		cmocka_unit_test(another_environment_is_refused_by_name_with_both_values),
		cmocka_unit_test(a_fact_that_only_one_side_recorded_is_a_difference),
		cmocka_unit_test(a_run_that_does_not_know_of_pinning_was_not_pinned_and_hot),
		cmocka_unit_test(commands_whose_output_goes_elsewhere_are_refused),
		cmocka_unit_test(another_commit_or_load_is_no_other_environment),
		cmocka_unit_test(facts_that_choose_kernels_are_refused_where_both_sides_have_them),
		cmocka_unit_test(variables_are_looked_at_by_families),
		cmocka_unit_test(facts_that_may_change_times_are_said),
		cmocka_unit_test(another_driver_is_refused_and_can_be_allowed),
		cmocka_unit_test(a_vanished_device_is_refused_and_missing_where_allowed),
		cmocka_unit_test(many_differences_leave_room_for_the_advice),
		cmocka_unit_test(baselines_that_differ_among_themselves_are_refused),
		cmocka_unit_test(nothing_to_compare_with_is_an_error_and_no_pass),
		cmocka_unit_test(an_empty_candidate_has_everything_missing),
		cmocka_unit_test(a_run_is_not_compared_with_itself_nor_counted_twice),
	};

	return cmocka_run_group_tests_name("compare_match", tests, NULL, NULL);
}

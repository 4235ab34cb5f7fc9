/* SPDX-License-Identifier: MIT */
/* What the gate makes of a comparison, a second run and a reference. */
#include "compare/gate.h"

#include "compare_fixture.h"

#define KEY(n) "gemm/openblas:cpu/n=" #n "/time"

enum { METRICS = 4, INVOCATIONS = 10 };

/* A run of METRICS cases; case 0 takes `ratio` times what it should. */
static struct bench_run *run_of(const char *id, double ratio, uint64_t seed)
{
	struct bench_run *run = made_run(id);

	for (unsigned n = 0; n < METRICS; n++)
		add_time(run, n, 1e-3 * (n == 0 ? ratio : 1), INVOCATIONS, seed + n);
	return run;
}

static struct bench_comparison *compared(const struct bench_run *base, const char *name,
					 const struct bench_run *candidate)
{
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	if (bench_compare_runs(&base, 1, name, candidate, &nightly, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	return comparison;
}

static const struct bench_verdict *verdict_of(const struct bench_comparison *comparison, const char *key,
					      enum bench_verdict_kind kind)
{
	assert_kind(comparison, key, kind);
	return find(comparison, key);
}

/* Everything that a gate compares: the runs may be NULL but for base and first. */
struct scene {
	struct bench_run *base, *reference, *first, *second;
	struct bench_comparison *verdicts, *drift, *again_verdicts, *again_drift;
};

static void conclude(struct scene *scene)
{
	struct bench_compare_confirmation again = {.run = scene->second};

	scene->verdicts = compared(scene->base, "rolling:5", scene->first);
	if (scene->reference)
		scene->drift = compared(scene->reference, "reference", scene->first);
	if (scene->second) {
		again.comparison = scene->again_verdicts = compared(scene->base, "rolling:5", scene->second);
		if (scene->reference)
			again.reference = scene->again_drift =
				compared(scene->reference, "reference", scene->second);
	}
	bench_compare_gate_conclude(scene->verdicts, scene->drift, scene->second ? &again : NULL);
}

static void end(struct scene *scene)
{
	bench_compare_free(scene->verdicts);
	bench_compare_free(scene->drift);
	bench_compare_free(scene->again_verdicts);
	bench_compare_free(scene->again_drift);
	bench_record_free(scene->base);
	bench_record_free(scene->reference);
	bench_record_free(scene->first);
	bench_record_free(scene->second);
}

static void what_is_slower_twice_is_slower(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0),
			      .first = run_of("first", 1.3, 10),
			      .second = run_of("second", 1.3, 20)};

	(void)state;
	conclude(&scene);
	assert_reason(verdict_of(scene.verdicts, KEY(0), BENCH_SLOWER), "confirmed in fresh processes (+");
	verdict_of(scene.verdicts, KEY(1), BENCH_SAME);
	assert_int_equal(bench_compare_outcome(scene.verdicts, false), BENCH_OUTCOME_SLOWER);
	end(&scene);
}

static void what_is_slower_once_is_unclear(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0),
			      .first = run_of("first", 1.3, 10),
			      .second = run_of("second", 1, 20)};

	(void)state;
	conclude(&scene);
	const struct bench_verdict *verdict = verdict_of(scene.verdicts, KEY(0), BENCH_UNCLEAR);
	assert_reason(verdict, "slower at first (+");
	assert_reason(verdict, "not confirmed in fresh processes (");
	assert_int_equal(scene.verdicts->counts[BENCH_SLOWER], 0);
	assert_int_equal(scene.verdicts->counts[BENCH_UNCLEAR], 1);
	assert_int_equal(scene.verdicts->counts[BENCH_SAME], METRICS - 1);
	assert_int_equal(bench_compare_outcome(scene.verdicts, false), BENCH_OUTCOME_GOOD);
	assert_int_equal(bench_compare_outcome(scene.verdicts, true), BENCH_OUTCOME_UNCLEAR);
	end(&scene);
}

/* One invocation can show nothing: that is why it is not confirmed, and is said. */
static void what_the_second_run_leaves_open_says_why(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0),
			      .first = run_of("first", 1.3, 10),
			      .second = made_run("second")};

	(void)state;
	add_time(scene.second, 0, 1.3e-3, 1, 20);
	conclude(&scene);
	assert_reason(verdict_of(scene.verdicts, KEY(0), BENCH_UNCLEAR),
		      "%): too few invocations (1, needed 3)");
	end(&scene);
}

/* The kind of a metric that is slower at first and by both runs together, where the second run alone leaves
 * it open with this interval. */
static enum bench_verdict_kind with_second(double lo, double hi, double level)
{
	struct bench_run *base = run_of("base", 1, 0), *first = run_of("first", 1.3, 10);
	struct bench_comparison *verdicts = compared(base, "anchor", first),
				*alone = compared(base, "anchor", first),
				*pooled = compared(base, "anchor", first);
	const struct bench_compare_confirmation again = {.run = first, .comparison = alone, .pooled = pooled};
	enum bench_verdict_kind kind;

	for (size_t i = 0; i < alone->verdict_count; i++)
		if (alone->verdicts[i].kind == BENCH_SLOWER) {
			alone->verdicts[i].kind = BENCH_UNCLEAR;
			alone->verdicts[i].threshold = 0.05;
			alone->verdicts[i].lo = lo;
			alone->verdicts[i].hi = hi;
			alone->verdicts[i].level = level;
		}
	bench_compare_gate_conclude(verdicts, NULL, &again);
	kind = find(verdicts, KEY(0))->kind;
	bench_compare_free(verdicts);
	bench_compare_free(alone);
	bench_compare_free(pooled);
	bench_record_free(base);
	bench_record_free(first);
	return kind;
}

static void few_invocations_confirm_what_all_of_them_show(void **state)
{
	(void)state;
	assert_int_equal(with_second(1.2, 1.4, 0.875), BENCH_SLOWER);
	assert_int_equal(with_second(1.06, 1.9, 0.9), BENCH_SLOWER);
	assert_int_equal(with_second(1.04, 1.4, 0.9), BENCH_UNCLEAR);
	assert_int_equal(with_second(0.5, 0.6, 0.9), BENCH_UNCLEAR);
	assert_int_equal(with_second(1.2, 1.4, 0.75), BENCH_UNCLEAR);
	assert_int_equal(with_second(NAN, NAN, NAN), BENCH_UNCLEAR);
}

/* The second run measured the suspects alone: what it lacks of the rest is no verdict. */
static void the_second_run_speaks_for_the_suspects_alone(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0),
			      .first = run_of("first", 1.3, 10),
			      .second = made_run("second")};

	(void)state;
	add_time(scene.second, 0, 1.3e-3, INVOCATIONS, 20);
	conclude(&scene);
	verdict_of(scene.verdicts, KEY(0), BENCH_SLOWER);
	verdict_of(scene.verdicts, KEY(1), BENCH_SAME);
	assert_int_equal(scene.verdicts->counts[BENCH_MISSING], 0);
	end(&scene);
}

static void an_accusation_that_nobody_could_check_stands(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0), .first = run_of("first", 1.3, 10)};
	struct bench_compare_confirmation again = {.failure = "no worker could be started"};

	(void)state;
	scene.verdicts = compared(scene.base, "rolling:5", scene.first);
	bench_compare_gate_conclude(scene.verdicts, NULL, &again);
	assert_reason(verdict_of(scene.verdicts, KEY(0), BENCH_SLOWER),
		      "not confirmed, nor refuted: no worker could be started");
	end(&scene);
}

static void a_suspect_that_fails_the_second_time_stays_slower(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0),
			      .first = run_of("first", 1.3, 10),
			      .second = made_run("second")};

	(void)state;
	made_result(scene.second, "gemm", "openblas", "cpu", 0, BENCH_STATUS_FAILED);
	conclude(&scene);
	assert_reason(verdict_of(scene.verdicts, KEY(0), BENCH_SLOWER),
		      "failed when measured again: some reason");
	end(&scene);
}

static void a_broken_case_stays_broken(void **state)
{
	const enum bench_status statuses[] = {BENCH_STATUS_FAILED, BENCH_STATUS_OK};
	const char *reasons[] = {"incorrect: some reason; failed again in fresh processes",
				 "incorrect: some reason; flaky: it was ok when measured again"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene scene = {.base = run_of("base", 1, 0),
				      .first = made_run("first"),
				      .second = made_run("second")};
		struct bench_result *result;

		made_result(scene.first, "gemm", "openblas", "cpu", 0, BENCH_STATUS_INCORRECT);
		for (unsigned n = 1; n < METRICS; n++)
			add_time(scene.first, n, 1e-3, INVOCATIONS, 10 + n);
		result = made_result(scene.second, "gemm", "openblas", "cpu", 0, statuses[i]);
		if (statuses[i] == BENCH_STATUS_OK)
			made_metric(scene.second, result, "time", BENCH_BETTER_LOWER,
				    noisy(1e-3, INVOCATIONS, 20), INVOCATIONS);
		conclude(&scene);
		assert_reason(verdict_of(scene.verdicts, "gemm/openblas:cpu/n=0", BENCH_BROKEN), reasons[i]);
		assert_int_equal(bench_compare_outcome(scene.verdicts, false), BENCH_OUTCOME_WRONG);
		end(&scene);
	}
}

/* One per cent a night: the same as last night, and 30% more than a month ago. */
static void a_slow_drift_is_seen_against_the_reference(void **state)
{
	struct scene scene = {.base = run_of("base", 1.3, 0),
			      .reference = run_of("20261001-021500", 1, 30),
			      .first = run_of("first", 1.3, 10),
			      .second = run_of("second", 1.3, 20)};

	(void)state;
	conclude(&scene);
	const struct bench_verdict *verdict = verdict_of(scene.verdicts, KEY(0), BENCH_SLOWER);
	assert_reason(verdict, "drift: +");
	assert_reason(verdict, "% against reference 20261001-021500; ");
	assert_reason(verdict, "% against rolling:5");
	assert_true(verdict->ratio > 1.25);
	assert_true(verdict->base_median < 1.05e-3);
	verdict_of(scene.verdicts, KEY(1), BENCH_SAME);
	assert_int_equal(bench_compare_outcome(scene.verdicts, false), BENCH_OUTCOME_SLOWER);
	end(&scene);
}

static void a_drift_is_confirmed_too(void **state)
{
	struct scene scene = {.base = run_of("base", 1.3, 0),
			      .reference = run_of("reference", 1, 30),
			      .first = run_of("first", 1.3, 10),
			      .second = run_of("second", 1, 20)};

	(void)state;
	conclude(&scene);
	assert_reason(verdict_of(scene.verdicts, KEY(0), BENCH_SAME),
		      "against reference reference at first, not confirmed in fresh processes (");
	assert_int_equal(bench_compare_outcome(scene.verdicts, false), BENCH_OUTCOME_GOOD);
	end(&scene);
}

/* After N nights, rolling:N has forgotten a case that vanished. The reference has not. */
static void what_the_reference_alone_remembers_is_missing(void **state)
{
	struct scene scene = {.base = made_run("base"),
			      .reference = run_of("reference", 1, 30),
			      .first = made_run("first")};

	(void)state;
	for (unsigned n = 1; n < METRICS; n++) {
		add_time(scene.base, n, 1e-3, INVOCATIONS, n);
		add_time(scene.first, n, 1e-3, INVOCATIONS, 10 + n);
	}
	conclude(&scene);
	assert_reason(verdict_of(scene.verdicts, KEY(0), BENCH_MISSING), "in reference reference and not in");
	assert_int_equal(scene.verdicts->counts[BENCH_MISSING], 1);
	assert_int_equal(bench_compare_outcome(scene.verdicts, false), BENCH_OUTCOME_WRONG);
	end(&scene);
}

static void suspects_are_cases_each_once(void **state)
{
	struct scene scene = {.base = run_of("base", 1, 0),
			      .reference = run_of("reference", 1, 30),
			      .first = made_run("first")};
	struct bench_arena arena = {0};
	struct bench_result *result;
	size_t count;

	(void)state;
	result = made_case(scene.first, 0);
	made_metric(scene.first, result, "time", BENCH_BETTER_LOWER, noisy(2e-3, INVOCATIONS, 1),
		    INVOCATIONS);
	made_result(scene.first, "gemm", "openblas", "cpu", 1, BENCH_STATUS_FAILED);
	add_time(scene.first, 2, 1e-3, INVOCATIONS, 3);
	scene.verdicts = compared(scene.base, "base", scene.first);
	scene.drift = compared(scene.reference, "reference", scene.first);
	const char *const *keys = bench_compare_gate_suspects(scene.verdicts, scene.drift, &arena, &count);
	assert_int_equal(count, 2);
	assert_string_equal(keys[0], "gemm/openblas:cpu/n=0");
	assert_string_equal(keys[1], "gemm/openblas:cpu/n=1");
	assert_null(keys[2]);
	bench_arena_free(&arena);
	end(&scene);
}

/* What can be refused before anything is measured: the candidate has no results yet. */
static void another_environment_is_refused_before_measuring(void **state)
{
	struct bench_run *base = run_of("base", 1, 0), *candidate = made_run("");
	const struct bench_run *runs[] = {base};
	struct bench_error error;

	(void)state;
	assert_int_equal(bench_compare_check(runs, 1, "main", candidate, &nightly, &error), 0);
	made_host(candidate, "threads", "1");
	assert_int_equal(bench_compare_check(runs, 1, "main", candidate, &nightly, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "threads: 2 in the baseline, 1 now"));
	assert_int_equal(bench_compare_check(runs, 1, "main", candidate, &lenient, &error), 0);
	assert_int_equal(bench_compare_check(runs, 0, "main", candidate, &nightly, &error), -1);
	bench_record_free(base);
	bench_record_free(candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_slower_twice_is_slower),
		cmocka_unit_test(what_is_slower_once_is_unclear),
		cmocka_unit_test(what_the_second_run_leaves_open_says_why),
		cmocka_unit_test(the_second_run_speaks_for_the_suspects_alone),
		cmocka_unit_test(an_accusation_that_nobody_could_check_stands),
		cmocka_unit_test(a_suspect_that_fails_the_second_time_stays_slower),
		cmocka_unit_test(a_broken_case_stays_broken),
		cmocka_unit_test(a_slow_drift_is_seen_against_the_reference),
		cmocka_unit_test(few_invocations_confirm_what_all_of_them_show),
		cmocka_unit_test(a_drift_is_confirmed_too),
		cmocka_unit_test(what_the_reference_alone_remembers_is_missing),
		cmocka_unit_test(suspects_are_cases_each_once),
		cmocka_unit_test(another_environment_is_refused_before_measuring),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

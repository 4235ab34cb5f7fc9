/* Verdicts on runs built by hand, whose right answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "compare/compare.h"
#include "core/rng.h"

static const struct bench_compare_options nightly = {.threshold = 0.05, .alpha = 0.01};
static const struct bench_compare_options lenient = {
	.threshold = 0.05, .alpha = 0.01, .allow_env_change = true};

static void add_word(struct bench_run *run, char ***words, size_t *count, const char *word)
{
	char **slot = bench_arena_push(&run->arena, words, count, sizeof(*slot));

	*slot = bench_arena_string(&run->arena, word);
}

static void set_host(struct bench_run *run, const char *name, const char *value)
{
	bench_pair_set(&run->arena, &run->host, &run->host_count, name, value);
}

static struct bench_device_record *add_device(struct bench_run *run, const char *backend, const char *slug)
{
	struct bench_device_record *device =
		bench_arena_push(&run->arena, &run->devices, &run->device_count, sizeof(*device));
	char target[128];

	device->backend = bench_arena_string(&run->arena, backend);
	snprintf(device->info.slug, sizeof(device->info.slug), "%s", slug);
	snprintf(device->info.driver, sizeof(device->info.driver), "3.1");
	snprintf(target, sizeof(target), "%s:%s", backend, slug);
	add_word(run, &run->selection.targets, &run->selection.target_count, target);
	return device;
}

/* A finished run of suite gemm on openblas:cpu, without results. */
static struct bench_run *make_run(const char *id)
{
	struct bench_run *run = bench_run_new();

	run->id = bench_arena_string(&run->arena, id);
	run->preset = bench_arena_string(&run->arena, "nightly");
	run->selection.backends = bench_arena_string(&run->arena, "");
	run->started = 1000;
	run->finished = 2000;
	add_word(run, &run->selection.suites, &run->selection.suite_count, "gemm");
	add_device(run, "openblas", "cpu");
	set_host(run, "fingerprint", "0123456789abcdef");
	set_host(run, "threads", "2");
	set_host(run, "build_type", "Release");
	set_host(run, "compiler", "GNU 12.2.0");
	return run;
}

static struct bench_result *add_result(struct bench_run *run, const char *suite, const char *backend,
				       const char *device, unsigned n, enum bench_status status)
{
	char name[] = "n", value[16];
	const struct bench_pair params = {name, value};
	struct bench_error error;
	struct bench_result *result;

	snprintf(value, sizeof(value), "%u", n);
	result = bench_record_add_case(run, suite, backend, device, &params, 1, &error);
	if (!result)
		fail_msg("%s", error.text);
	result->status = status;
	if (status != BENCH_STATUS_OK)
		result->reason = bench_arena_string(&run->arena, "some reason");
	return result;
}

static struct bench_result *add_case(struct bench_run *run, unsigned n)
{
	return add_result(run, "gemm", "openblas", "cpu", n, BENCH_STATUS_OK);
}

/* A metric with one series of three samples an invocation, whose median is that of `medians`. */
static struct bench_metric *add_metric(struct bench_run *run, struct bench_result *result, const char *name,
				       enum bench_better better, const double *medians, size_t count)
{
	struct bench_metric *metric =
		bench_arena_push(&run->arena, &result->metrics, &result->metric_count, sizeof(*metric));

	metric->name = bench_arena_string(&run->arena, name);
	metric->unit = bench_arena_string(&run->arena, better == BENCH_BETTER_HIGHER ? "B/s" : "s");
	metric->derived_from = bench_arena_string(&run->arena, "");
	metric->better = better;
	metric->series = bench_arena_alloc(&run->arena, count + 1, sizeof(*metric->series));
	metric->series_count = count;
	for (size_t i = 0; i < count; i++) {
		double *values = bench_arena_alloc(&run->arena, 3, sizeof(*values));

		values[0] = medians[i] * 9; /* far off: the median does not see it */
		values[1] = medians[i];
		values[2] = medians[i] * 0.5;
		metric->series[i] = (struct bench_series){(int)i, values, 3};
	}
	return metric;
}

/* Medians with 1% of normal noise. */
static const double *noisy(double center, size_t count, uint64_t seed)
{
	static double medians[1024];
	struct bench_rng rng;

	bench_rng_start(&rng, 7, seed);
	for (size_t i = 0; i < count; i++)
		medians[i] = center * exp(0.01 * bench_rng_normal(&rng));
	return medians;
}

/* A case with one time metric of `count` invocations about `center`. */
static struct bench_metric *add_time(struct bench_run *run, unsigned n, double center, size_t count,
				     uint64_t seed)
{
	return add_metric(run, add_case(run, n), "time", BENCH_BETTER_LOWER, noisy(center, count, seed),
			  count);
}

/* A pair of runs of `metrics` cases, n = 0, 1, ...; the candidate's case 0 is `ratio` times the baseline's.
 */
struct pair {
	struct bench_run *base, *candidate;
};

static struct pair make_pair(unsigned metrics, size_t invocations, double ratio)
{
	struct pair pair = {make_run("base"), make_run("candidate")};

	for (unsigned n = 0; n < metrics; n++) {
		add_time(pair.base, n, 1e-3, invocations, 2 * n);
		add_time(pair.candidate, n, 1e-3 * (n == 0 ? ratio : 1), invocations, 2 * n + 1);
	}
	return pair;
}

static struct bench_comparison *compare_with(struct pair pair, const struct bench_compare_options *options)
{
	const struct bench_run *base[] = {pair.base};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	if (bench_compare(base, 1, "nightly", pair.candidate, options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	bench_run_free(pair.base);
	bench_run_free(pair.candidate);
	return comparison;
}

static struct bench_comparison *compare(struct pair pair)
{
	return compare_with(pair, &nightly);
}

/* Compares what cannot be compared; the text must have each of `words` (separated by '|'). */
static void assert_refused(struct pair pair, const struct bench_compare_options *options,
			   enum bench_code code, const char *words)
{
	const struct bench_run *base[] = {pair.base};
	struct bench_comparison *comparison = NULL;
	struct bench_error error = {0};
	char list[256], *word, *rest = NULL;

	assert_int_equal(bench_compare(base, 1, "nightly", pair.candidate, options, &comparison, &error), -1);
	assert_null(comparison);
	assert_int_equal(error.code, code);
	snprintf(list, sizeof(list), "%s", words);
	for (word = strtok_r(list, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
		if (!strstr(error.text, word))
			fail_msg("'%s' is not in: %s", word, error.text);
	bench_run_free(pair.base);
	bench_run_free(pair.candidate);
}

static const struct bench_verdict *find(const struct bench_comparison *comparison, const char *key)
{
	const struct bench_verdict *verdict = bench_comparison_find(comparison, key);

	if (!verdict)
		fail_msg("no verdict on %s", key);
	return verdict;
}

static void assert_kind(const struct bench_comparison *comparison, const char *key,
			enum bench_verdict_kind kind)
{
	const struct bench_verdict *verdict = find(comparison, key);

	if (verdict->kind != kind)
		fail_msg("%s is %s, not %s (ratio %g, %g..%g, p %g; %s)", key,
			 bench_verdict_name(verdict->kind), bench_verdict_name(kind), verdict->ratio,
			 verdict->lo, verdict->hi, verdict->p_adjusted, verdict->reason);
}

static void assert_reason(const struct bench_verdict *verdict, const char *part)
{
	if (!strstr(verdict->reason, part))
		fail_msg("'%s' is not in: %s", part, verdict->reason);
}

#define CASE_0 "gemm/openblas:cpu/n=0"
#define TIME_0 CASE_0 "/time"

static void unchanged_metrics_are_same_and_pass(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(40, 10, 1));

	(void)state;
	assert_int_equal(comparison->verdict_count, 40);
	assert_int_equal(comparison->counts[BENCH_SAME], 40);
	assert_int_equal(bench_comparison_exit(comparison, true), 0);
	bench_comparison_free(comparison);
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
		assert_int_equal(bench_comparison_exit(comparison, false), 1);
		bench_comparison_free(comparison);
	}
}

static void direction_follows_what_is_better(void **state)
{
	static const struct {
		enum bench_better better;
		double ratio;
		enum bench_verdict_kind kind;
	} cases[] = {{BENCH_BETTER_LOWER, 1.2, BENCH_SLOWER},
		     {BENCH_BETTER_LOWER, 1 / 1.2, BENCH_FASTER},
		     {BENCH_BETTER_HIGHER, 1.2, BENCH_FASTER},
		     {BENCH_BETTER_HIGHER, 1 / 1.2, BENCH_SLOWER}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair = {make_run("base"), make_run("candidate")};
		struct bench_comparison *comparison;

		add_metric(pair.base, add_case(pair.base, 0), "x", cases[i].better, noisy(5, 8, 1), 8);
		add_metric(pair.candidate, add_case(pair.candidate, 0), "x", cases[i].better,
			   noisy(5 * cases[i].ratio, 8, 2), 8);
		comparison = compare(pair);
		assert_kind(comparison, CASE_0 "/x", cases[i].kind);
		bench_comparison_free(comparison);
	}
}

/* Steps of 10%: every ratio of two medians is a power of 1.1, so that the figures can be read off. */
static void ratio_and_interval_are_those_of_the_medians(void **state)
{
	const double base[] = {1, 1.1, 1.21}, now[] = {1.2, 1.2 * 1.1, 1.2 * 1.21};
	struct pair pair = {make_run("base"), make_run("candidate")};
	struct bench_comparison *comparison;
	const struct bench_verdict *verdict;

	(void)state;
	add_metric(pair.base, add_case(pair.base, 0), "time", BENCH_BETTER_LOWER, base, 3);
	add_metric(pair.candidate, add_case(pair.candidate, 0), "time", BENCH_BETTER_LOWER, now, 3);
	comparison = compare(pair);
	verdict = find(comparison, TIME_0);
	assert_true(fabs(verdict->ratio - 1.2) < 1e-12);
	assert_true(fabs(verdict->lo - 1.2 / 1.21) < 1e-12);
	assert_true(fabs(verdict->hi - 1.2 * 1.21) < 1e-12);
	assert_true(fabs(verdict->level - 0.9) < 1e-12);
	assert_true(verdict->base_median == 1.1 && verdict->candidate_median == 1.2 * 1.1);
	assert_string_equal(verdict->unit, "s");
	bench_comparison_free(comparison);
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
	assert_int_equal(bench_comparison_exit(comparison, false), 0);
	assert_int_equal(bench_comparison_exit(comparison, true), 6);
	bench_comparison_free(comparison);
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
	bench_comparison_free(comparison);

	/* Against 300 it is significant for the test, and still no change. */
	pair = (struct pair){make_run("base"), make_run("candidate")};
	add_time(pair.base, 0, 1e-3, 300, 1);
	add_time(pair.candidate, 0, 1.87e-3, 1, 2);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "300 invocations in the baseline and 1 now cannot tell");
	bench_comparison_free(comparison);
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
	bench_comparison_free(comparison);
}

static void a_certain_change_below_the_threshold_is_same_or_says_why_not(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(1, 20, 1.03));
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	(void)state;
	assert_int_equal(verdict->kind, BENCH_SAME);
	assert_true(verdict->p_adjusted <= 0.01);
	bench_comparison_free(comparison);

	comparison = compare(make_pair(1, 10, 1.046));
	verdict = find(comparison, TIME_0);
	assert_int_equal(verdict->kind, BENCH_UNCLEAR);
	assert_reason(verdict, "less than the threshold of 5%");
	bench_comparison_free(comparison);
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
	bench_comparison_free(comparison);
}

static void mde_is_never_below_the_threshold(void **state)
{
	struct bench_comparison *comparison = compare(make_pair(20, 10, 1));

	(void)state;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		assert_true(comparison->verdicts[i].mde > 0.05 && comparison->verdicts[i].mde < 0.10);
	bench_comparison_free(comparison);
}

static void runs_of_a_baseline_are_pooled(void **state)
{
	struct bench_run *one = make_run("one"), *two = make_run("two"), *now = make_run("now");
	const struct bench_run *base[] = {one, two};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	add_time(one, 0, 1, 4, 1);
	add_time(two, 0, 1, 5, 2);
	add_time(two, 1, 1, 5, 3); /* only the second run has it */
	add_time(now, 0, 1.2, 9, 4);
	add_time(now, 1, 1, 9, 5);
	assert_int_equal(bench_compare(base, 2, "pool", now, &nightly, &comparison, &error), 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 9);
	assert_int_equal(find(comparison, TIME_0)->candidate_invocations, 9);
	assert_int_equal(find(comparison, "gemm/openblas:cpu/n=1/time")->base_invocations, 5);
	assert_int_equal(comparison->baseline_count, 2);
	assert_string_equal(comparison->baseline_ids[1], "two");
	assert_string_equal(comparison->baseline_name, "pool");
	assert_string_equal(comparison->candidate_id, "now");
	bench_comparison_free(comparison);
	bench_run_free(one);
	bench_run_free(two);
	bench_run_free(now);
}

static void what_is_derived_or_has_no_direction_is_not_judged(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	for (int side = 0; side < 2; side++) {
		struct bench_run *run = side ? pair.candidate : pair.base;
		double center = side ? 9 : 1;

		add_metric(run, &run->results[0], "first_call", BENCH_BETTER_NONE, noisy(center, 8, 1), 8);
		add_metric(run, &run->results[0], "flop_rate", BENCH_BETTER_HIGHER, noisy(center, 8, 1), 8)
			->derived_from = bench_arena_string(&run->arena, "time");
	}
	comparison = compare(pair);
	assert_int_equal(comparison->verdict_count, 1);
	bench_comparison_free(comparison);
}

static void zero_or_negative_values_are_unclear_with_the_reason(void **state)
{
	static const double bad[] = {0, -1e-3};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct pair pair = make_pair(2, 8, 1);
		struct bench_comparison *comparison;

		pair.candidate->results[0].metrics[0].series[3].values[0] = bad[i];
		pair.candidate->results[0].metrics[0].series[3].values[1] = bad[i];
		comparison = compare(pair);
		assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
		assert_reason(find(comparison, TIME_0), "zero or negative");
		assert_true(isnan(find(comparison, TIME_0)->ratio) && isnan(find(comparison, TIME_0)->p));
		assert_int_equal(comparison->counts[BENCH_SAME], 1);
		bench_comparison_free(comparison);
	}
}

static void new_cases_and_metrics_are_new(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_time(pair.candidate, 9, 1, 8, 1);
	add_metric(pair.candidate, &pair.candidate->results[0], "device_time", BENCH_BETTER_LOWER,
		   noisy(1, 8, 3), 8);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=9/time", BENCH_NEW);
	assert_kind(comparison, CASE_0 "/device_time", BENCH_NEW);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(bench_comparison_exit(comparison, true), 0);
	bench_comparison_free(comparison);
}

static void vanished_cases_and_metrics_are_missing_and_fail(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_time(pair.base, 9, 1, 8, 1);
	add_metric(pair.base, &pair.base->results[0], "device_time", BENCH_BETTER_LOWER, noisy(1, 8, 3), 8);
	/* A metric that came back empty is not there either. */
	add_metric(pair.base, &pair.base->results[0], "empty", BENCH_BETTER_LOWER, noisy(1, 8, 3), 8);
	add_metric(pair.candidate, &pair.candidate->results[0], "empty", BENCH_BETTER_LOWER, NULL, 0);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=9/time", BENCH_MISSING);
	assert_kind(comparison, CASE_0 "/device_time", BENCH_MISSING);
	assert_kind(comparison, CASE_0 "/empty", BENCH_MISSING);
	assert_int_equal(comparison->counts[BENCH_MISSING], 3);
	assert_int_equal(bench_comparison_exit(comparison, false), 4);
	bench_comparison_free(comparison);
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
			add_word(pair.candidate, &now->sets, &now->set_count, "n=0");
		if (how == 2)
			pair.candidate->preset = bench_arena_string(&pair.candidate->arena, "quick");
		if (other_suite)
			add_word(pair.base, &then->suites, &then->suite_count, "transfer");
		if (other_device) {
			add_device(pair.base, "opencl", "h200");
			now->backends = bench_arena_string(&pair.candidate->arena, "openblas");
		}
		add_metric(pair.base,
			   add_result(pair.base, other_suite ? "transfer" : "gemm",
				      other_device ? "opencl" : "openblas", other_device ? "h200" : "cpu", 9,
				      BENCH_STATUS_OK),
			   "time", BENCH_BETTER_LOWER, noisy(1, 8, 5), 8);
		comparison = compare(pair);
		assert_int_equal(comparison->not_selected, 1);
		assert_int_equal(comparison->counts[BENCH_MISSING], 0);
		assert_int_equal(comparison->verdict_count, 1);
		bench_comparison_free(comparison);
	}
}

static void sets_in_another_order_are_the_same_command(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_selection *then = &pair.base->selection, *now = &pair.candidate->selection;
	struct bench_comparison *comparison;

	(void)state;
	add_word(pair.base, &then->sets, &then->set_count, "n=0,9");
	add_word(pair.base, &then->sets, &then->set_count, "trans=NN");
	add_word(pair.candidate, &now->sets, &now->set_count, "trans=NN");
	add_word(pair.candidate, &now->sets, &now->set_count, "n=0,9");
	add_time(pair.base, 9, 1, 8, 1);
	comparison = compare(pair);
	assert_int_equal(comparison->counts[BENCH_MISSING], 1);
	bench_comparison_free(comparison);
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
		bench_comparison_free(comparison);
	}
}

static void a_case_that_was_ok_and_is_not_is_broken_and_fails(void **state)
{
	static const enum bench_status statuses[] = {BENCH_STATUS_SKIPPED, BENCH_STATUS_UNSUPPORTED,
						     BENCH_STATUS_FAILED, BENCH_STATUS_INCORRECT};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct pair pair = {make_run("base"), make_run("candidate")};
		struct bench_comparison *comparison;
		const struct bench_verdict *verdict;

		add_time(pair.base, 0, 1, 8, 1);
		add_result(pair.candidate, "gemm", "openblas", "cpu", 0, statuses[i]);
		comparison = compare(pair);
		verdict = find(comparison, CASE_0);
		assert_int_equal(verdict->kind, BENCH_BROKEN);
		assert_string_equal(verdict->metric, "");
		assert_reason(verdict, bench_status_name(statuses[i]));
		assert_reason(verdict, "some reason");
		assert_int_equal(comparison->verdict_count, 1);
		assert_int_equal(bench_comparison_exit(comparison, false), 4);
		bench_comparison_free(comparison);
	}
}

static void a_case_that_fails_is_broken_also_without_a_good_baseline(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_result(pair.candidate, "gemm", "openblas", "cpu", 7, BENCH_STATUS_FAILED);
	add_result(pair.base, "gemm", "openblas", "cpu", 8, BENCH_STATUS_INCORRECT);
	add_result(pair.candidate, "gemm", "openblas", "cpu", 8, BENCH_STATUS_INCORRECT);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=7", BENCH_BROKEN);
	assert_kind(comparison, "gemm/openblas:cpu/n=8", BENCH_BROKEN);
	bench_comparison_free(comparison);
}

static void a_case_without_a_sample_is_broken(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_case(pair.candidate, 7);
	add_time(pair.base, 7, 1, 8, 1);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=7", BENCH_BROKEN);
	assert_int_equal(comparison->verdict_count, 2);
	bench_comparison_free(comparison);
}

static void what_was_never_supported_is_no_news(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_result(pair.base, "gemm", "openblas", "cpu", 7, BENCH_STATUS_UNSUPPORTED);
	add_result(pair.candidate, "gemm", "openblas", "cpu", 7, BENCH_STATUS_UNSUPPORTED);
	add_result(pair.candidate, "gemm", "openblas", "cpu", 8, BENCH_STATUS_SKIPPED);
	add_result(pair.base, "gemm", "openblas", "cpu", 9, BENCH_STATUS_FAILED); /* gone, and never was ok */
	comparison = compare(pair);
	assert_int_equal(comparison->verdict_count, 1);
	assert_int_equal(comparison->not_selected, 0);
	bench_comparison_free(comparison);
}

static void a_case_that_works_again_is_new(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	struct bench_comparison *comparison;

	(void)state;
	add_result(pair.base, "gemm", "openblas", "cpu", 7, BENCH_STATUS_FAILED);
	add_time(pair.candidate, 7, 1, 8, 1);
	comparison = compare(pair);
	assert_kind(comparison, "gemm/openblas:cpu/n=7/time", BENCH_NEW);
	bench_comparison_free(comparison);
}

static void what_a_run_cut_short_did_not_reach_is_missing(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int how = 0; how < 2; how++) {
		struct pair pair = make_pair(1, 8, 1);

		for (unsigned n = 5; n < 8; n++)
			add_time(pair.base, n, 1, 8, n);
		add_result(pair.candidate, "gemm", "openblas", "cpu", 5, BENCH_STATUS_PENDING);
		add_result(pair.candidate, "gemm", "openblas", "cpu", 6, BENCH_STATUS_SKIPPED);
		if (how == 0)
			pair.candidate->interrupted = true;
		else
			pair.candidate->finished = 0;
		comparison = compare(pair);
		assert_int_equal(comparison->counts[BENCH_MISSING], 3);
		assert_int_equal(comparison->counts[BENCH_SAME], 1);
		assert_reason(&comparison->verdicts[0], "cut short");
		bench_comparison_free(comparison);
	}
}

static void another_environment_is_refused_by_name_with_both_values(void **state)
{
	static const char *const facts[] = {"fingerprint", "threads", "build_type", "compiler", "cache"};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct pair pair = make_pair(1, 8, 1);
		char words[64];

		set_host(pair.base, facts[i], "then-value");
		set_host(pair.candidate, facts[i], "now-value");
		snprintf(words, sizeof(words), "%s: |then-value|now-value|--allow-env-change|nightly",
			 facts[i]);
		assert_refused(pair, &nightly, BENCH_NOTHING, words);
	}
}

static void a_fact_that_only_one_side_recorded_is_a_difference(void **state)
{
	struct pair pair = make_pair(1, 8, 1);

	(void)state;
	set_host(pair.candidate, "cache", "hot");
	assert_refused(pair, &nightly, BENCH_NOTHING, "cache: not recorded in the baseline, hot now");
}

static void another_commit_or_load_is_no_other_environment(void **state)
{
	struct pair pair = make_pair(1, 8, 1);

	(void)state;
	set_host(pair.candidate, "build_commit", "abcdef");
	set_host(pair.candidate, "load_1min", "7.5");
	pair.candidate->git.commit = bench_arena_string(&pair.candidate->arena, "abcdef");
	bench_comparison_free(compare(pair));
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
		bench_comparison_free(comparison);
	}
}

static void a_vanished_device_is_refused_and_missing_where_allowed(void **state)
{
	struct bench_comparison *comparison;

	(void)state;
	for (int allow = 0; allow < 2; allow++) {
		struct pair pair = make_pair(1, 8, 1);

		add_device(pair.base, "opencl", "h200");
		for (unsigned n = 0; n < 2; n++)
			add_metric(pair.base,
				   add_result(pair.base, "gemm", "opencl", "h200", n, BENCH_STATUS_OK),
				   "time", BENCH_BETTER_LOWER, noisy(1, 8, n), 8);
		if (!allow) {
			assert_refused(pair, &nightly, BENCH_NOTHING, "device opencl:h200: measured");
			continue;
		}
		comparison = compare_with(pair, &lenient);
		assert_int_equal(comparison->env_change_count, 1);
		assert_int_equal(comparison->counts[BENCH_MISSING], 2);
		assert_reason(find(comparison, "gemm/opencl:h200/n=0/time"), "device");
		assert_int_equal(bench_comparison_exit(comparison, false), 4);
		bench_comparison_free(comparison);
	}
}

static void many_differences_leave_room_for_the_advice(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	char slug[32];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(slug, sizeof(slug), "device-%d", i);
		snprintf(add_device(pair.base, "opencl", slug)->info.driver, 128, "%0120d", 1);
		snprintf(add_device(pair.candidate, "opencl", slug)->info.driver, 128, "%0120d", 2);
	}
	assert_refused(pair, &nightly, BENCH_NOTHING, "device-0| more|--allow-env-change");
}

static void baselines_that_differ_among_themselves_are_refused(void **state)
{
	struct bench_run *one = make_run("one"), *two = make_run("two"), *now = make_run("now");
	const struct bench_run *base[] = {one, two};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	set_host(two, "threads", "16");
	add_time(one, 0, 1, 8, 1);
	add_time(two, 0, 1, 8, 2);
	add_time(now, 0, 1, 8, 3);
	assert_int_equal(bench_compare(base, 2, "pool", now, &nightly, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "threads: 16 in the baseline, 2 now"));
	bench_run_free(one);
	bench_run_free(two);
	bench_run_free(now);
}

static void nothing_to_compare_with_is_an_error_and_no_pass(void **state)
{
	struct pair pair;
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	/* No baseline. */
	pair = make_pair(1, 8, 1);
	assert_int_equal(bench_compare(NULL, 0, "none", pair.candidate, &nightly, &comparison, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_run_free(pair.base);
	bench_run_free(pair.candidate);
	/* An empty one. */
	pair = make_pair(1, 8, 1);
	bench_run_free(pair.base);
	pair.base = make_run("base");
	assert_refused(pair, &nightly, BENCH_NOTHING, "nothing to compare");
	/* Nothing measured on either side. */
	assert_refused((struct pair){make_run("base"), make_run("candidate")}, &nightly, BENCH_NOTHING,
		       "nothing to compare");
	/* Nothing in common: all is new. */
	pair = (struct pair){make_run("base"), make_run("candidate")};
	pair.candidate->selection.filter = bench_arena_string(&pair.candidate->arena, "n=2");
	add_time(pair.base, 1, 1, 8, 1);
	add_time(pair.candidate, 2, 1, 8, 1);
	assert_refused(pair, &nightly, BENCH_NOTHING, "1 are new|1 of the baseline's were not asked for");
}

static void an_empty_candidate_has_everything_missing(void **state)
{
	struct pair pair = {make_run("base"), make_run("candidate")};
	struct bench_comparison *comparison;

	(void)state;
	add_time(pair.base, 0, 1, 8, 1);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_MISSING);
	assert_int_equal(bench_comparison_exit(comparison, false), 4);
	bench_comparison_free(comparison);
}

static void a_run_is_not_compared_with_itself_nor_counted_twice(void **state)
{
	struct pair pair = make_pair(1, 8, 1);
	const struct bench_run *twice[] = {pair.base, pair.base}, *itself[] = {pair.base, pair.candidate};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	(void)state;
	assert_int_equal(bench_compare(twice, 2, "x", pair.candidate, &nightly, &comparison, &error), -1);
	assert_non_null(strstr(error.text, "twice"));
	assert_int_equal(bench_compare(itself, 2, "x", pair.candidate, &nightly, &comparison, &error), -1);
	assert_non_null(strstr(error.text, "itself"));
	bench_run_free(pair.base);
	bench_run_free(pair.candidate);
}

static void impossible_options_are_refused(void **state)
{
	static const struct bench_compare_options bad[] = {{-0.1, 0.01, false}, {NAN, 0.01, false},
							   {0.05, 0, false},    {0.05, 1, false},
							   {0.05, NAN, false},  {INFINITY, 0.01, false}};

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
	add_result(pair.candidate, "gemm", "openblas", "cpu", 23, BENCH_STATUS_FAILED);
	comparison = compare(pair);
	assert_int_equal(comparison->verdict_count, 10);
	assert_int_equal(comparison->verdicts[0].kind, BENCH_BROKEN);
	assert_int_equal(comparison->verdicts[1].kind, BENCH_MISSING);
	assert_int_equal(comparison->verdicts[2].kind, BENCH_SLOWER);
	assert_int_equal(comparison->verdicts[3].kind, BENCH_NEW);
	assert_int_equal(comparison->verdicts[4].kind, BENCH_FASTER);
	assert_int_equal(comparison->verdicts[9].kind, BENCH_SAME);
	for (size_t i = 0; i < comparison->verdict_count; i++)
		assert_ptr_equal(bench_comparison_find(comparison, comparison->verdicts[i].key),
				 &comparison->verdicts[i]);
	snprintf(key, sizeof(key), "%sx", TIME_0);
	assert_null(bench_comparison_find(comparison, key));
	assert_null(bench_comparison_find(comparison, ""));
	bench_comparison_free(comparison);
}

static void verdict_names_are_those_of_the_reports(void **state)
{
	(void)state;
	assert_string_equal(bench_verdict_name(BENCH_SAME), "same");
	assert_string_equal(bench_verdict_name(BENCH_FASTER), "faster");
	assert_string_equal(bench_verdict_name(BENCH_SLOWER), "slower");
	assert_string_equal(bench_verdict_name(BENCH_UNCLEAR), "unclear");
	assert_string_equal(bench_verdict_name(BENCH_NEW), "new");
	assert_string_equal(bench_verdict_name(BENCH_MISSING), "missing");
	assert_string_equal(bench_verdict_name(BENCH_BROKEN), "broken");
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
	assert_int_equal(bench_compare(base, 1, "big", pair.candidate, &nightly, &comparison, &error), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	print_message("10000 metrics of 12 invocations a side: %.0f ms of CPU time\n",
		      1e3 * (double)(end.tv_sec - start.tv_sec) +
			      1e-6 * (double)(end.tv_nsec - start.tv_nsec));
	assert_int_equal(comparison->counts[BENCH_SLOWER], 1);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_true(comparison->counts[BENCH_SAME] > 9900);
	bench_comparison_free(comparison);
	bench_run_free(pair.base);
	bench_run_free(pair.candidate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_metrics_are_same_and_pass),
		cmocka_unit_test(one_slower_metric_of_forty_is_found_and_fails),
		cmocka_unit_test(direction_follows_what_is_better),
		cmocka_unit_test(ratio_and_interval_are_those_of_the_medians),
		cmocka_unit_test(too_few_invocations_are_unclear_and_the_reason_says_how_many_would_do),
		cmocka_unit_test(a_single_disturbed_invocation_is_not_slower),
		cmocka_unit_test(the_same_two_peaks_on_both_sides_are_no_change),
		cmocka_unit_test(a_certain_change_below_the_threshold_is_same_or_says_why_not),
		cmocka_unit_test(noise_is_unclear_and_the_reason_has_interval_and_mde),
		cmocka_unit_test(mde_is_never_below_the_threshold),
		cmocka_unit_test(runs_of_a_baseline_are_pooled),
		cmocka_unit_test(what_is_derived_or_has_no_direction_is_not_judged),
		cmocka_unit_test(zero_or_negative_values_are_unclear_with_the_reason),
		cmocka_unit_test(new_cases_and_metrics_are_new),
		cmocka_unit_test(vanished_cases_and_metrics_are_missing_and_fail),
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
		cmocka_unit_test(another_commit_or_load_is_no_other_environment),
		cmocka_unit_test(another_driver_is_refused_and_can_be_allowed),
		cmocka_unit_test(a_vanished_device_is_refused_and_missing_where_allowed),
		cmocka_unit_test(many_differences_leave_room_for_the_advice),
		cmocka_unit_test(baselines_that_differ_among_themselves_are_refused),
		cmocka_unit_test(nothing_to_compare_with_is_an_error_and_no_pass),
		cmocka_unit_test(an_empty_candidate_has_everything_missing),
		cmocka_unit_test(a_run_is_not_compared_with_itself_nor_counted_twice),
		cmocka_unit_test(impossible_options_are_refused),
		cmocka_unit_test(verdicts_stand_worst_first_and_each_is_found),
		cmocka_unit_test(verdict_names_are_those_of_the_reports),
		cmocka_unit_test(ten_thousand_metrics_are_compared_and_the_slow_one_found),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}

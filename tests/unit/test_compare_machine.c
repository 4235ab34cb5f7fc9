/* SPDX-License-Identifier: MIT */
/* What a disturbed or slower machine does to verdicts. */
#include "compare_fixture.h"

/* The first `count` invocations of a metric, marked as disturbed. */
static void disturb(struct bench_run *run, size_t result, size_t count)
{
	struct bench_metric *metric = &run->results[result].metrics[0];

	for (size_t i = 0; i < count; i++) {
		metric->series[i].disturbed =
			bench_arena_alloc(&run->arena, metric->series[i].count, sizeof(bool));
		memset(metric->series[i].disturbed, true, metric->series[i].count * sizeof(bool));
	}
}

/* A case watched in all its invocations: canaries of 1 ms times `slower` with 0.2% of noise. */
static void watch(struct bench_run *run, size_t result, double slower, size_t count, uint64_t seed)
{
	const double *canaries = noisy(1, count, 1000 + seed);

	for (size_t i = 0; i < count; i++) {
		struct bench_watched *watched =
			bench_arena_push(&run->arena, &run->results[result].watched,
					 &run->results[result].watched_count, sizeof(*watched));

		*watched = (struct bench_watched){.invocation = (int)i,
						  .canary = 1e-3 * slower * pow(canaries[i], 0.2),
						  .canary_worst = 1.9,
						  .others = 0.98,
						  .steal = NAN,
						  .frequency = NAN,
						  .device = bench_arena_string(&run->arena, "")};
	}
}

static void disturbed_invocations_are_left_out_on_either_side(void **state)
{
	(void)state;
	for (int side = 0; side < 2; side++) {
		struct pair pair = make_pair(1, 12, 1);
		struct bench_run *run = side ? pair.candidate : pair.base;
		struct bench_comparison *comparison;
		const struct bench_verdict *verdict;

		/* Four of twelve are three times as slow, and would make the verdict unclear. */
		for (size_t i = 0; i < 4; i++)
			for (size_t j = 0; j < 3; j++)
				run->results[0].metrics[0].series[i].values[j] *= 3;
		disturb(run, 0, 4);
		comparison = compare(pair);
		verdict = find(comparison, TIME_0);
		assert_kind(comparison, TIME_0, BENCH_SAME);
		assert_int_equal(verdict->base_invocations, side ? 12 : 8);
		assert_int_equal(verdict->candidate_invocations, side ? 8 : 12);
		assert_int_equal(verdict->base_disturbed, side ? 0 : 4);
		assert_int_equal(verdict->candidate_disturbed, side ? 4 : 0);
		bench_compare_free(comparison);
	}
}

/* Marks are not excuses: what is slower in the undisturbed ones is slower. */
static void a_slowdown_is_found_in_what_was_not_disturbed(void **state)
{
	struct pair pair = make_pair(1, 12, 1.3);
	struct bench_comparison *comparison;

	(void)state;
	disturb(pair.base, 0, 4);
	disturb(pair.candidate, 0, 3);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static void a_metric_that_was_disturbed_throughout_is_unclear_and_says_by_what(void **state)
{
	static const double changes[] = {1, 3, 0.3};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t left = 0; left < 2; left++) {
			struct pair pair = make_pair(3, 10, changes[i]);
			struct bench_comparison *comparison;

			watch(pair.candidate, 0, 1, 10, 1);
			disturb(pair.candidate, 0, 10 - left);
			comparison = compare(pair);
			assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
			assert_reason(
				find(comparison, TIME_0),
				left ? "the machine was disturbed: 9 of 10 invocations now (others used "
				       "0.98 cores, canary 1.9x); bench duel would still judge"
				     : "the machine was disturbed: 10 of 10 invocations now (others");
			assert_int_equal(comparison->counts[BENCH_SAME], 2);
			assert_int_equal(bench_compare_outcome(comparison, false), BENCH_OUTCOME_GOOD);
			assert_int_equal(bench_compare_outcome(comparison, true), BENCH_OUTCOME_UNCLEAR);
			bench_compare_free(comparison);
		}
}

static void a_disturbed_baseline_is_not_no_baseline(void **state)
{
	struct pair pair = make_pair(2, 10, 1);
	struct bench_comparison *comparison;

	(void)state;
	disturb(pair.base, 0, 10);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0),
		      "disturbed: 10 of 10 invocations in the baseline; bench duel");
	bench_compare_free(comparison);
}

static void too_few_left_to_show_a_change_say_how_many_were_left_out(void **state)
{
	struct pair pair = make_pair(3, 10, 1.5);
	struct bench_comparison *comparison;

	(void)state;
	watch(pair.candidate, 0, 1, 10, 1);
	disturb(pair.candidate, 0, 7);
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "10 invocations in the baseline and 3 now cannot show");
	assert_reason(find(comparison, TIME_0),
		      "left out, the machine being disturbed: 7 of 10 invocations now");
	bench_compare_free(comparison);
}

struct machine {
	double change, canary; /* of the metric's values, of the canary's time: candidate over baseline */
	const char *unit;
	enum bench_better better;
	enum bench_device_kind kind;
	enum bench_verdict_kind verdict;
};

static void a_change_must_survive_without_what_the_canary_explains(void **state)
{
	static const struct machine machines[] = {
		/* The machine was slower by as much. */
		{1.08, 1.08, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_UNCLEAR},
		{1.08, 1.05, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_UNCLEAR},
		/* Some is left that it does not explain. */
		{1.30, 1.06, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SLOWER},
		/* It was as fast as before, or faster: no excuse, and nothing is added. */
		{1.08, 1.00, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SLOWER},
		{1.08, 0.95, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SLOWER},
		{1.00, 0.90, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SAME},
		{1.00, 1.10, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SAME},
		/* Faster, because the machine was. */
		{0.92, 0.92, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_UNCLEAR},
		{0.92, 1.08, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_FASTER},
		/* A rate falls where the canary's time grows. */
		{0.92, 1.08, "FLOP/s", BENCH_BETTER_HIGHER, BENCH_DEVICE_CPU, BENCH_UNCLEAR},
		{0.92, 0.92, "FLOP/s", BENCH_BETTER_HIGHER, BENCH_DEVICE_CPU, BENCH_SLOWER},
		{1.08, 0.92, "B/s", BENCH_BETTER_HIGHER, BENCH_DEVICE_CPU, BENCH_UNCLEAR},
		{1.08, 1.08, "B/s", BENCH_BETTER_HIGHER, BENCH_DEVICE_CPU, BENCH_FASTER},
		/* What the processor's speed does not enter. */
		{1.08, 1.08, "s", BENCH_BETTER_LOWER, BENCH_DEVICE_GPU, BENCH_SLOWER},
		{1.08, 1.08, "ratio", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SLOWER},
		{1.08, 1.08, "count", BENCH_BETTER_LOWER, BENCH_DEVICE_CPU, BENCH_SLOWER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const struct machine *machine = &machines[i];
		struct pair pair = {made_run("base"), made_run("candidate")};
		struct bench_comparison *comparison;

		for (int side = 0; side < 2; side++) {
			struct bench_run *run = side ? pair.candidate : pair.base;
			struct bench_metric *metric =
				made_metric(run, made_case(run, 0), "x", machine->better,
					    noisy(side ? machine->change : 1, 10, (uint64_t)side), 10);

			metric->unit = bench_arena_string(&run->arena, machine->unit);
			run->devices[0].info.kind = machine->kind;
			watch(run, 0, side ? machine->canary : 1, 10, (uint64_t)side);
		}
		comparison = compare(pair);
		if (find(comparison, CASE_0 "/x")->kind != machine->verdict)
			fail_msg("setting %zu is %s, not %s (%s)", i,
				 bench_compare_verdict_name(find(comparison, CASE_0 "/x")->kind),
				 bench_compare_verdict_name(machine->verdict),
				 find(comparison, CASE_0 "/x")->reason);
		if (machine->verdict == BENCH_UNCLEAR)
			assert_reason(find(comparison, CASE_0 "/x"), machine->canary > 1
									     ? "x slower by its canary"
									     : "x faster by its canary");
		bench_compare_free(comparison);
	}
}

static void without_a_canary_on_both_sides_there_is_no_excuse(void **state)
{
	(void)state;
	for (int how = 0; how < 4; how++) {
		struct pair pair = make_pair(1, 10, 1.08);
		struct bench_comparison *comparison;

		if (how == 1)
			watch(pair.candidate, 0, 1.08, 10,
			      1); /* the baseline is from before it was watched */
		if (how == 2) {
			watch(pair.base, 0, 1, 4, 1);
			watch(pair.candidate, 0, 1.08, 4, 2); /* not half of them */
		}
		if (how == 3) {
			watch(pair.base, 0, NAN, 10, 1);
			watch(pair.candidate, 0, NAN, 10, 2);
		}
		comparison = compare(pair);
		assert_kind(comparison, TIME_0, BENCH_SLOWER);
		bench_compare_free(comparison);
	}
}

/* The canary of an invocation that was left out says how the disturbance was, not how the machine is. */
static void the_canary_of_disturbed_invocations_does_not_count(void **state)
{
	struct pair pair = make_pair(1, 12, 1.08);
	struct bench_comparison *comparison;

	(void)state;
	watch(pair.base, 0, 1, 12, 1);
	watch(pair.candidate, 0, 1, 12, 2);
	for (size_t i = 0; i < 7; i++)
		pair.candidate->results[0].watched[i].canary *= 2;
	disturb(pair.candidate, 0, 5);
	for (size_t i = 5; i < 7; i++)
		pair.candidate->results[0].watched[i].canary *= 0.5;
	comparison = compare(pair);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

static void another_device_under_the_same_slug_is_refused_by_name(void **state)
{
	(void)state;
	for (int how = 0; how < 2; how++) {
		struct pair pair = make_pair(1, 8, 1);
		struct bench_device_info *then = &pair.base->devices[0].info;
		struct bench_device_info *now = &pair.candidate->devices[0].info;

		snprintf(how ? then->platform : then->name, sizeof(then->name), "what it was");
		snprintf(how ? now->platform : now->name, sizeof(now->name), "what it is");
		assert_refused(pair, &nightly, BENCH_NOTHING,
			       how ? "platform of openblas:cpu: what it was in the baseline, what it is now"
				   : "name of openblas:cpu: what it was in the baseline, what it is now");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disturbed_invocations_are_left_out_on_either_side),
		cmocka_unit_test(a_slowdown_is_found_in_what_was_not_disturbed),
		cmocka_unit_test(a_metric_that_was_disturbed_throughout_is_unclear_and_says_by_what),
		cmocka_unit_test(a_disturbed_baseline_is_not_no_baseline),
		cmocka_unit_test(too_few_left_to_show_a_change_say_how_many_were_left_out),
		cmocka_unit_test(a_change_must_survive_without_what_the_canary_explains),
		cmocka_unit_test(without_a_canary_on_both_sides_there_is_no_excuse),
		cmocka_unit_test(another_device_under_the_same_slug_is_refused_by_name),
		cmocka_unit_test(the_canary_of_disturbed_invocations_does_not_count),
	};

	return cmocka_run_group_tests_name("compare_machine", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Power: what is counted of comparisons, of made runs and made up. */
#include "compare/power.h"
#include "compare_fixture.h"
#include "report_fixture.h"

#define SLOWDOWNS 3
static const double slowdowns[SLOWDOWNS] = {0.02, 0.05, 0.5};

static struct bench_power *new_power(void)
{
	return bench_compare_power_new(slowdowns, SLOWDOWNS, &nightly);
}

/* A run of three cases with 1% of noise, 50% slower at level 3; its id is the number of its noise. */
static struct bench_run *measured(unsigned number, size_t level)
{
	char id[16];
	snprintf(id, sizeof(id), "run-%u", number);
	struct bench_run *run = made_run(id);
	for (unsigned n = 0; n < 3; n++)
		add_time(run, n, level ? 1e-3 * (1 + slowdowns[level - 1]) : 1e-3, 8, 100 * number + n);
	return run;
}

struct set {
	struct bench_power_run runs[16];
	struct bench_run *owned[16];
	size_t count;
};

static void add_runs(struct set *set, size_t level, size_t count)
{
	for (size_t i = 0; i < count; i++, set->count++) {
		set->owned[set->count] = measured((unsigned)set->count + 1, level);
		set->runs[set->count] = (struct bench_power_run){set->owned[set->count], level};
	}
}

static void free_runs(struct set *set)
{
	for (size_t i = 0; i < set->count; i++)
		bench_record_free(set->owned[i]);
}

static void slowed_runs_are_found_and_unchanged_ones_are_not(void **state)
{
	struct set set = {.count = 0};
	struct bench_power *power = new_power();
	struct bench_error error;

	(void)state;
	add_runs(&set, 0, 5);
	add_runs(&set, 3, 4);
	assert_int_equal(bench_compare_power_runs(power, set.runs, set.count, 3, 1, &error), 0);
	assert_int_equal(power->baseline_runs, 3);
	assert_int_equal(power->least_invocations, 8);
	assert_int_equal(power->case_count, 3);
	const struct bench_power_level *unchanged = &power->levels[0], *slowed = &power->levels[3];
	assert_int_equal(unchanged->comparisons, 5);
	assert_int_equal(unchanged->alarms, 0);
	assert_int_equal(unchanged->metrics, 15);
	assert_int_equal(unchanged->slower, 0);
	assert_int_equal(unchanged->cases, 15);
	assert_int_equal(unchanged->found, 0);
	assert_int_equal(slowed->comparisons, 4);
	assert_int_equal(slowed->alarms, 4);
	assert_int_equal(slowed->cases, 12);
	assert_int_equal(slowed->found, 12);
	assert_int_equal(power->levels[1].comparisons, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(power->cases[i].trials[3], 4);
		assert_int_equal(power->cases[i].found[3], 4);
		assert_int_equal(power->cases[i].mde_count, 5);
		assert_true(bench_compare_power_mde(&power->cases[i]) >= 0.05);
	}
	bench_compare_power_free(power);
	free_runs(&set);
}

/* bench_compare_runs refuses a run on both sides: every draw of many must leave it out. */
static void no_run_is_its_own_baseline(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct set set = {.count = 0};
		struct bench_power *power = new_power();
		struct bench_error error;
		add_runs(&set, 0, 4);
		if (bench_compare_power_runs(power, set.runs, set.count, 3, seed, &error) != 0)
			fail_msg("%s", error.text);
		assert_int_equal(power->levels[0].comparisons, 4);
		bench_compare_power_free(power);
		free_runs(&set);
	}
}

static void a_baseline_takes_what_there_is(void **state)
{
	struct set set = {.count = 0};
	struct bench_power *power = new_power();
	struct bench_error error;

	(void)state;
	add_runs(&set, 0, 2);
	add_runs(&set, 3, 1);
	assert_int_equal(bench_compare_power_runs(power, set.runs, set.count, 3, 1, &error), 0);
	assert_int_equal(power->baseline_runs, 1);
	assert_int_equal(power->levels[0].comparisons, 2);
	assert_int_equal(power->levels[3].comparisons, 1);
	bench_compare_power_free(power);
	free_runs(&set);
}

static void with_one_unchanged_run_nothing_is_counted(void **state)
{
	struct set set = {.count = 0};
	struct bench_power *power = new_power();
	struct bench_error error;

	(void)state;
	add_runs(&set, 0, 1);
	add_runs(&set, 3, 2);
	assert_int_equal(bench_compare_power_runs(power, set.runs, set.count, 3, 1, &error), 0);
	assert_int_equal(power->baseline_runs, 0);
	assert_int_equal(power->levels[3].comparisons, 0);
	bench_compare_power_free(power);
	free_runs(&set);
}

static void a_refused_comparison_is_an_error(void **state)
{
	struct set set = {.count = 0};
	struct bench_power *power = new_power();
	struct bench_error error;

	(void)state;
	add_runs(&set, 0, 2);
	made_host(set.owned[1], "threads", "7");
	assert_int_equal(bench_compare_power_runs(power, set.runs, set.count, 1, 1, &error), -1);
	assert_non_null(strstr(error.text, "threads"));
	bench_compare_power_free(power);
	free_runs(&set);
}

#define ONE "gemm/openblas:cpu/n=1"
#define TWO "gemm/openblas:cpu/n=12"

static struct bench_verdict *verdict(struct bench_comparison *comparison, enum bench_verdict_kind kind,
				     const char *key, double p)
{
	struct bench_verdict *made = fixture_verdict(comparison, kind, key, 1.1, "");
	made->p = p;
	return made;
}

/* Slowed with all others: its p was corrected for one metric; alone it would have been for three. */
static void a_case_counts_as_found_only_by_itself(void **state)
{
	struct bench_comparison comparison = {0};
	struct bench_power *power = new_power();

	(void)state;
	verdict(&comparison, BENCH_SLOWER, ONE "/time", 0.004);
	verdict(&comparison, BENCH_SLOWER, TWO "/time", 0.003);
	verdict(&comparison, BENCH_SAME, TWO "/device_time", 0.5);
	bench_compare_power_add(power, 2, &comparison);
	assert_int_equal(power->levels[2].alarms, 1);
	assert_int_equal(power->levels[2].slower, 2);
	assert_int_equal(power->levels[2].metrics, 3);
	assert_int_equal(power->levels[2].cases, 2);
	assert_int_equal(power->levels[2].found, 1);
	assert_string_equal(power->cases[0].key, ONE);
	assert_int_equal(power->cases[0].found[2], 0);
	assert_string_equal(power->cases[1].key, TWO);
	assert_int_equal(power->cases[1].found[2], 1);
	bench_compare_power_free(power);
	bench_arena_free(&comparison.arena);
}

static void time_and_latency_are_one_case_and_device_time_is_none(void **state)
{
	struct bench_comparison comparison = {0};
	struct bench_power *power = new_power();

	(void)state;
	verdict(&comparison, BENCH_SLOWER, ONE "/latency", 1e-5);
	verdict(&comparison, BENCH_SLOWER, TWO "/device_time", 1e-5);
	verdict(&comparison, BENCH_UNCLEAR, ONE "/time", 0.2);
	verdict(&comparison, BENCH_SAME, TWO "/relative_time", 0.9);
	bench_compare_power_add(power, 1, &comparison);
	assert_int_equal(power->case_count, 1);
	assert_string_equal(power->cases[0].key, ONE);
	assert_int_equal(power->cases[0].trials[1], 1);
	assert_int_equal(power->cases[0].found[1], 1);
	assert_int_equal(power->levels[1].unclear, 1);
	assert_int_equal(power->levels[1].metrics, 4);
	bench_compare_power_free(power);
	bench_arena_free(&comparison.arena);
}

static void what_is_missing_or_broken_is_counted_apart(void **state)
{
	struct bench_comparison comparison = {0};
	struct bench_power *power = new_power();

	(void)state;
	verdict(&comparison, BENCH_BROKEN, ONE, NAN);
	verdict(&comparison, BENCH_MISSING, TWO "/time", NAN);
	verdict(&comparison, BENCH_NEW, "gemm/openblas:cpu/n=3/time", NAN);
	bench_compare_power_add(power, 1, &comparison);
	assert_int_equal(power->levels[1].missing, 2);
	assert_int_equal(power->levels[1].metrics, 0);
	assert_int_equal(power->levels[1].cases, 0);
	assert_int_equal(power->case_count, 0);
	bench_compare_power_free(power);
	bench_arena_free(&comparison.arena);
}

/* Found at 2% by chance, at 5% in four of five and at 50% always. */
static void the_smallest_is_that_from_which_on_all_are_found(void **state)
{
	size_t trials[] = {5, 5, 5, 5}, found[] = {0, 5, 4, 5};
	struct bench_power *power = new_power();
	struct bench_power_case one = {.trials = trials, .found = found};

	(void)state;
	assert_true(bench_compare_power_smallest(power, &one, 0.95) == 0.5);
	assert_true(bench_compare_power_smallest(power, &one, 0.80) == 0.02);
	found[2] = 3;
	assert_true(bench_compare_power_smallest(power, &one, 0.80) == 0.5);
	found[3] = 3;
	assert_true(isnan(bench_compare_power_smallest(power, &one, 0.80)));
	trials[3] = found[3] = 0;
	assert_true(isnan(bench_compare_power_smallest(power, &one, 0.80)));
	assert_true(isnan(bench_compare_power_mde(&one)));
	bench_compare_power_free(power);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowed_runs_are_found_and_unchanged_ones_are_not),
		cmocka_unit_test(no_run_is_its_own_baseline),
		cmocka_unit_test(a_baseline_takes_what_there_is),
		cmocka_unit_test(with_one_unchanged_run_nothing_is_counted),
		cmocka_unit_test(a_refused_comparison_is_an_error),
		cmocka_unit_test(a_case_counts_as_found_only_by_itself),
		cmocka_unit_test(time_and_latency_are_one_case_and_device_time_is_none),
		cmocka_unit_test(what_is_missing_or_broken_is_counted_apart),
		cmocka_unit_test(the_smallest_is_that_from_which_on_all_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

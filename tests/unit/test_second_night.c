/* SPDX-License-Identifier: MIT */
/* Against a rolling baseline: suspected on the first night, slower on the second. */
#include "compare/gate.h"
#include "compare_fixture.h"

enum { MOST = 24, DAY = 86400 };

/* Nights of one metric at 1 ms times their factors, oldest first; the last one is judged, as a gate does. */
struct nights {
	const double *factors;
	size_t count, invocations;
	int64_t last_gap; /* seconds between the last two; 0: a day */
	size_t newest;    /* of the options; 0: no rolling baseline */
	bool twice;       /* the gate measures the last one again, with the same outcome */
};

static struct bench_comparison *judge(const struct nights *nights)
{
	struct bench_compare_options options = {.threshold = 0.05,
						.alpha = 0.01,
						.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD,
						.newest = nights->newest};
	struct bench_run *runs[MOST], *again = NULL;
	const struct bench_run *baseline[MOST];
	struct bench_comparison *comparison = NULL, *second = NULL;
	struct bench_error error;
	size_t last = nights->count - 1;
	char id[32];

	for (size_t i = 0; i < nights->count; i++) {
		snprintf(id, sizeof(id), "night-%zu", i);
		runs[i] = made_run(id);
		runs[i]->started = DAY * (int64_t)(i + 1);
		add_time(runs[i], 0, 1e-3 * nights->factors[i], nights->invocations, i);
	}
	if (nights->last_gap)
		runs[last]->started = runs[last - 1]->started + nights->last_gap;
	for (size_t i = 0; i < last; i++)
		baseline[i] = runs[last - 1 - i];
	if (bench_compare_runs(baseline, last, "rolling:10", runs[last], &options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	if (nights->twice) {
		again = made_run("again");
		add_time(again, 0, 1e-3 * nights->factors[last], nights->invocations, 99);
		options.each_alone = true;
		if (bench_compare_runs(baseline, last, "rolling:10", again, &options, &second, &error) != 0)
			fail_msg("%s", error.text);
	}
	bench_compare_gate_conclude(
		comparison, NULL,
		&(struct bench_compare_confirmation){.run = again, .comparison = second, .pooled = second});
	bench_compare_free(second);
	bench_record_free(again);
	for (size_t i = 0; i < nights->count; i++)
		bench_record_free(runs[i]);
	return comparison;
}

#define FACTORS(...)                                                                                         \
	.factors = (const double[]){__VA_ARGS__},                                                            \
	.count = sizeof((const double[]){__VA_ARGS__}) / sizeof(double)

static void assert_night(const struct nights *nights, enum bench_verdict_kind kind, const char *first)
{
	struct bench_comparison *comparison = judge(nights);
	const struct bench_verdict *verdict = find(comparison, TIME_0);

	assert_kind(comparison, TIME_0, kind);
	if (first) {
		assert_non_null(verdict->first);
		assert_string_equal(verdict->first->run, first);
	} else if (verdict->first) {
		fail_msg("%s is its first night", verdict->first->run);
	}
	if (kind == BENCH_SUSPECTED)
		assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_UNCLEAR);
	bench_compare_free(comparison);
}

static void a_step_is_suspected_and_the_next_night_confirms_it(void **state)
{
	(void)state;
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2), .invocations = 8, .newest = 10},
		     BENCH_SUSPECTED, NULL);
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2, 1.2), .invocations = 8, .newest = 10},
		     BENCH_SLOWER, "night-6");
	/* Two nights that decided nothing are the first ones all the same. */
	assert_night(
		&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2, 1.2, 1.2), .invocations = 8, .newest = 10},
		BENCH_SLOWER, "night-6");
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2, 1), .invocations = 8, .newest = 10},
		     BENCH_SAME, NULL);
}

static void a_slow_hour_confirms_nothing(void **state)
{
	(void)state;
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2, 1.2), .invocations = 8, .newest = 10,
				      .last_gap = 1800},
		     BENCH_SUSPECTED, NULL);
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2, 1.2), .invocations = 8, .newest = 10,
				      .last_gap = 7200},
		     BENCH_SLOWER, "night-6");
}

static void what_happens_on_other_nights_too_confirms_nothing(void **state)
{
	(void)state;
	/* Spikes of other sizes, and a level that nights have now and then. */
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.7, 1.2), .invocations = 8, .newest = 10},
		     BENCH_SUSPECTED, NULL);
	assert_night(
		&(struct nights){FACTORS(1, 1.06, 1, 1.06, 1, 1, 1.06, 1.06), .invocations = 8, .newest = 10},
		BENCH_UNCLEAR, NULL);
}

/* Many times the threshold, and twice as much: no slow hour does that, if the second look says so too. */
static void what_is_beyond_doubt_need_not_wait(void **state)
{
	(void)state;
	assert_night(
		&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 3), .invocations = 8, .newest = 10, .twice = true},
		BENCH_SLOWER, NULL);
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 3), .invocations = 8, .newest = 10},
		     BENCH_SUSPECTED, NULL);
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.5), .invocations = 8, .newest = 10,
				      .twice = true},
		     BENCH_SUSPECTED, NULL);
}

/* One value of a night may be a spike of any size. */
static void a_single_value_waits_for_the_next_night(void **state)
{
	(void)state;
	assert_night(
		&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9), .invocations = 1, .newest = 10},
		BENCH_SUSPECTED, NULL);
	assert_night(
		&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9, 9), .invocations = 1, .newest = 10},
		BENCH_SLOWER, "night-10");
}

/* A baseline that somebody has named has no nights. */
static void only_a_rolling_baseline_has_second_nights(void **state)
{
	(void)state;
	assert_night(&(struct nights){FACTORS(1, 1, 1, 1, 1, 1, 1.2), .invocations = 8}, BENCH_SLOWER, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_suspected_and_the_next_night_confirms_it),
		cmocka_unit_test(a_slow_hour_confirms_nothing),
		cmocka_unit_test(what_happens_on_other_nights_too_confirms_nothing),
		cmocka_unit_test(what_is_beyond_doubt_need_not_wait),
		cmocka_unit_test(a_single_value_waits_for_the_next_night),
		cmocka_unit_test(only_a_rolling_baseline_has_second_nights),
	};

	return cmocka_run_group_tests_name("second_night", tests, NULL, NULL);
}

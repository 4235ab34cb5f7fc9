/* SPDX-License-Identifier: MIT */
/* Which invocations are wanted again, by records made by hand and by a session whose record says so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/session/budget.h"
#include "measure/session/replicates.h"
#include "measure/session/session.h"
#include "measure_fixture.h"
#include "scratch.h"

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g", value, expected);
}

/* A case that is ok, with one sample of `time` in each of so many invocations. */
static struct bench_result *made_case(struct bench_run *run, size_t invocations)
{
	struct bench_error error;
	struct bench_result *result = bench_record_add_case(run, "toy", "board", "slow-cpu", NULL, 0, &error);
	struct bench_metric *metric =
		bench_arena_push(&run->arena, &result->metrics, &result->metric_count, sizeof(*metric));
	assert_non_null(result);
	result->status = BENCH_STATUS_OK;
	metric->name = bench_arena_string(&run->arena, "time");
	for (size_t i = 0; i < invocations; i++) {
		struct bench_series *series = bench_arena_push(&run->arena, &metric->series,
							       &metric->series_count, sizeof(*series));
		series->invocation = (int)i;
		series->count = 1;
		series->values = bench_arena_alloc(&run->arena, 1, sizeof(*series->values));
		series->values[0] = 1 + (double)i;
	}
	return result;
}

static void watch(struct bench_run *run, struct bench_result *result, int invocation, double disturbed)
{
	struct bench_watched *watched =
		bench_arena_push(&run->arena, &result->watched, &result->watched_count, sizeof(*watched));
	watched->invocation = invocation;
	watched->disturbed = disturbed;
}

static void as_many_are_wanted_as_were_disturbed(void **state)
{
	(void)state;
	struct bench_run *run = bench_record_new();
	struct bench_result *result = made_case(run, 5);
	assert_int_equal(bench_session_replicates_wanted(result, 5),
			 0); /* not watched: nothing is known of a disturbance */
	watch(run, result, 0, 0);
	watch(run, result, 1, 0.5); /* half of it is left */
	watch(run, result, 2, 0.51);
	watch(run, result, 3, 1);
	watch(run, result, 4, NAN);
	assert_int_equal(bench_session_replicates_wanted(result, 5), 2);
	assert_int_equal(bench_session_replicates_wanted(result, 4), 1);
	assert_int_equal(bench_session_replicates_wanted(result, 3), 0);
	/* Those that have not been made yet are not wanted again. */
	assert_int_equal(bench_session_replicates_wanted(result, 10), 2);
	watch(run, result, 7, 1); /* it gave no samples */
	assert_int_equal(bench_session_replicates_wanted(result, 5), 2);
	result->status = BENCH_STATUS_FAILED;
	assert_int_equal(bench_session_replicates_wanted(result, 5), 0);
	bench_record_free(run);
}

static void what_came_to_its_end_is_known(void **state)
{
	(void)state;
	struct bench_run *run = bench_record_new();
	struct bench_result *result = made_case(run, 2);
	assert_true(bench_session_replicates_has(result, 0));
	assert_true(bench_session_replicates_has(result, 1));
	assert_false(bench_session_replicates_has(result, 2));
	/* The medians are 1 and 2. */
	const double medians[] = {1, 2};
	assert_near(bench_session_replicates_need(result, "time", 0.01),
		    bench_session_budget_need(medians, 2, 0.01), 1e-12);
	result->metric_count = 0;
	assert_true(isnan(bench_session_replicates_need(result, "time", 0.01)));
	assert_false(bench_session_replicates_has(result, 0));
	bench_record_free(run);
}

struct meddler {
	struct bench_run *run;
	double disturbed;
};

/* In place of the watch: all invocations but the first `asked` are undisturbed. */
static void meddle(void *context, const struct bench_session_progress *progress)
{
	struct meddler *meddler = context;
	struct bench_run *run = meddler->run;
	(void)progress;
	for (size_t i = 0; i < run->result_count; i++) {
		struct bench_result *result = &run->results[i];
		const struct bench_metric *time = bench_record_metric(result, "time");
		while (time && result->watched_count < time->series_count) {
			int invocation = time->series[result->watched_count].invocation;
			bool first = invocation < (int)run->invocations;
			watch(run, result, invocation, first ? meddler->disturbed : 0);
		}
	}
}

/* A session of two groups, of which the record says that each invocation was disturbed so much. */
static struct bench_run *measure(const char *scratch, double disturbed, double budget)
{
	static const char *const sets[] = {"mode=right", "n=8,16", "x=1"};
	const struct bench_plan_options options = {.suites = suites,
						   .backends = backends,
						   .backend_text = "board:0",
						   .sets = sets,
						   .set_count = 3};
	struct bench_plan *plan = plan_of(&options);
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	struct meddler meddler = {.run = run, .disturbed = disturbed};
	const char *const arguments[] = {"test_replicates", "worker", NULL};
	const struct bench_session_options session = {.executable = "/proc/self/exe",
						      .arguments = arguments,
						      .time_limit_seconds = 10,
						      .tick_seconds = 0.5,
						      .progress = meddle,
						      .context = &meddler};
	run->started = 1764000000;
	run->invocations = 2;
	run->precision = 0.5;
	run->budget_seconds = budget;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "watch", "no");
	if (bench_record_folder_create(&folder, scratch, run, NULL, NULL, &error) != 0 ||
	    bench_session_run(run, plan, &folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	return run;
}

static size_t invocations_of(const struct bench_run *run, size_t result)
{
	return bench_record_metric(&run->results[result], "time")->series_count;
}

static void what_was_disturbed_is_measured_again_and_kept(void **state)
{
	struct bench_run *run = measure(*state, 1, 30);
	for (size_t i = 0; i < run->result_count; i++) {
		assert_int_equal(run->results[i].status, BENCH_STATUS_OK);
		assert_int_equal(invocations_of(run, i), 4);
		for (int k = 0; k < 4; k++)
			assert_true(bench_session_replicates_has(&run->results[i], k));
	}
	assert_int_equal(run->result_count, 2);
	bench_record_free(run);
}

static void what_was_not_is_left_alone(void **state)
{
	struct bench_run *run = measure(*state, 0.5, 30);
	for (size_t i = 0; i < run->result_count; i++)
		assert_int_equal(invocations_of(run, i), 2);
	bench_record_free(run);
}

static void nothing_is_measured_again_when_the_budget_is_over(void **state)
{
	struct bench_run *run = measure(*state, 1, 1e-3);
	for (size_t i = 0; i < run->result_count; i++)
		assert_int_equal(invocations_of(run, i), 2);
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(all_suites, backends, NULL, &(struct bench_error){0}) != 0;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_are_wanted_as_were_disturbed),
		cmocka_unit_test(what_came_to_its_end_is_known),
		in_scratch(what_was_disturbed_is_measured_again_and_kept),
		in_scratch(what_was_not_is_left_alone),
		in_scratch(nothing_is_measured_again_when_the_budget_is_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

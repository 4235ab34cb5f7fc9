/* SPDX-License-Identifier: MIT */
/* What the line of history decides beside baselines: docs/comparing.md. tests/cli/line.sh has repositories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "app/alarms.h"
#include "app/line.h"
#include "made_run.h"
#include "scratch.h"
#include "store/store.h"

#define MAIN "1111111111111111111111111111111111111111"
#define SLOW "2222222222222222222222222222222222222222"

static struct bench_error error;

static struct bench_store *open_store(void **state)
{
	struct bench_store *store = NULL;
	char path[160];
	snprintf(path, sizeof(path), "%s/results.db", (char *)*state);
	assert_int_equal(bench_store_open(path, BENCH_STORE_WRITE, &store, &error), 0);
	return store;
}

/* A run of a commit that no repository has: its branch decides. */
static struct bench_run *made_of(struct bench_store *store, const char *id, int64_t started,
				 const char *commit, const char *branch)
{
	struct bench_run *run = made_run(id);
	bool added;
	run->started = started;
	run->finished = started + 10;
	run->git.present = true;
	run->git.commit = bench_arena_string(&run->arena, commit);
	run->git.branch = bench_arena_string(&run->arena, branch);
	assert_int_equal(bench_store_ingest(store, run, &added, &error), 0);
	return run;
}

static void keep_alarm(struct bench_store *store, const struct bench_run *run)
{
	struct bench_arena arena = {0};
	char none[] = "";
	struct bench_alarm_metric metric = {.key = bench_arena_string(&arena, "gemm/openblas:cpu/n=1/time"),
					    .unit = bench_arena_string(&arena, "s"),
					    .state = BENCH_ALARM_OPEN,
					    .last_run = none,
					    .closed_run = none,
					    .why = none};
	struct bench_alarm alarm = {.fingerprint = bench_arena_string(&arena, "0123456789abcdef"),
				    .track = bench_compare_track(run, &arena),
				    .first_bad = run->id,
				    .last_good = none,
				    .bad_commit = run->git.commit,
				    .good_commit = none,
				    .culprit = none,
				    .since = run->started,
				    .metrics = &metric,
				    .metric_count = 1};
	assert_int_equal(bench_store_alarm_keep(store, &alarm, &error), 0);
	bench_arena_free(&arena);
}

static void assert_alarms(struct bench_store *store, const struct bench_run *run, const char *branch,
			  size_t expected)
{
	const struct bench_app_line_request request = {.branch = branch};
	struct bench_app_alarms alarms;
	struct bench_arena arena = {0};
	struct bench_app_line line;

	assert_int_equal(bench_app_line_of(store, &request, &run->git, &arena, &line, &error), 0);
	assert_int_equal(bench_app_alarms_load(store, run, &line, &alarms, &error), 0);
	assert_int_equal(alarms.count, expected);
	bench_app_alarms_free(&alarms);
	bench_arena_free(&arena);
}

static void an_alarm_of_a_branch_is_no_alarm_of_another(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *fine = made_of(store, "night-1", 100, MAIN, "main");
	struct bench_run *bad = made_of(store, "night-2", 200, SLOW, "slow");
	keep_alarm(store, bad);
	assert_alarms(store, fine, NULL, 0);
	assert_alarms(store, fine, "slow", 1);
	assert_alarms(store, fine, BENCH_APP_LINE_ANY, 1);
	assert_alarms(store, bad, NULL, 1);
	bench_record_free(fine);
	bench_record_free(bad);
	bench_store_close(store);
}

/* Of a metric that the judged line has no run of, the branch of its newest run decides. */
static void a_metric_of_another_program_has_a_line_of_its_own(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = made_of(store, "night-1", 100, MAIN, "main");
	struct bench_point points[5] = {{0}};
	static const char *const branches[] = {"other", "theirs", "theirs", "main", "slow"};
	struct bench_app_line_tally tally;
	struct bench_app_line line;
	const struct bench_app_line_request request = {0};
	struct bench_arena arena = {0};
	for (size_t i = 0; i < 5; i++)
		points[i] = (struct bench_point){.run = bench_arena_format(&arena, "r%zu", i),
						 .key = bench_arena_string(&arena, i < 3 ? "a" : "b"),
						 .commit = bench_arena_string(&arena, ""),
						 .branch = bench_arena_string(&arena, branches[i]),
						 .fingerprint = bench_arena_string(&arena, "f00d")};
	assert_int_equal(bench_app_line_of(store, &request, &run->git, &arena, &line, &error), 0);
	assert_int_equal(bench_app_line_points(&line, points, 5, &tally), 3);
	assert_string_equal(points[0].run, "r1");
	assert_string_equal(points[1].run, "r2");
	assert_string_equal(points[2].run, "r3");
	assert_int_equal(tally.left_out, 2);
	bench_record_free(run);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void nothing_is_said_where_nothing_is_left_out(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = made_of(store, "night-1", 100, MAIN, "main");
	struct bench_app_line_tally tally = {0};
	const struct bench_app_line_request request = {0};
	struct bench_app_line line;
	struct bench_arena arena = {0};
	assert_int_equal(bench_app_line_of(store, &request, &run->git, &arena, &line, &error), 0);
	assert_true(bench_app_line_takes(&line, SLOW, "main", &tally));
	assert_null(bench_app_line_note(&line, &tally, &arena));
	assert_false(bench_app_line_takes(&line, MAIN, "slow", &tally));
	assert_non_null(strstr(bench_app_line_note(&line, &tally, &arena), "1 run left out: "));
	bench_record_free(run);
	bench_arena_free(&arena);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(an_alarm_of_a_branch_is_no_alarm_of_another),
		in_scratch(a_metric_of_another_program_has_a_line_of_its_own),
		in_scratch(nothing_is_said_where_nothing_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

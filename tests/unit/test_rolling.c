/* SPDX-License-Identifier: MIT */
/* Which runs a rolling baseline takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "app/compare.h"
#include "made_run.h"
#include "scratch.h"
#include "store/store.h"

enum { NIGHTS = 30 };

/* A history of nights 0 to NIGHTS - 1; night n started at 100 n. */
static struct bench_store *make_history(void **state)
{
	struct bench_store *store = NULL;
	struct bench_error error;
	char path[160], id[32];
	bool added;

	snprintf(path, sizeof(path), "%s/results.db", (char *)*state);
	assert_int_equal(bench_store_open(path, BENCH_STORE_WRITE, &store, &error), 0);
	for (int night = 0; night < NIGHTS; night++) {
		snprintf(id, sizeof(id), "night-%02d", night);
		struct bench_run *run = made_run(id);
		run->started = 100 * night;
		run->finished = run->started + 10;
		assert_int_equal(bench_store_ingest(store, run, &added, &error), 0);
		bench_record_free(run);
	}
	return store;
}

/* An alarm of metric n, of runs that started from `since` on and before `until`; until 0: it is open. */
struct made_alarm {
	unsigned n;
	int64_t since, until;
};

static void keep_alarms(struct bench_store *store, const struct bench_run *run, const struct made_alarm *made,
			size_t count)
{
	struct bench_arena arena = {0};
	struct bench_error error;
	char none[] = "";

	for (size_t i = 0; i < count; i++) {
		struct bench_alarm_metric metric = {
			.key = bench_arena_format(&arena, "gemm/openblas:cpu/n=%u/time", made[i].n),
			.unit = bench_arena_string(&arena, "s"),
			.state = made[i].until ? BENCH_ALARM_RECOVERED : BENCH_ALARM_OPEN,
			.last_run = none,
			.closed_run = none,
			.closed = made[i].until,
			.why = none,
		};
		struct bench_alarm alarm = {
			.fingerprint = bench_arena_string(&arena, "0123456789abcdef"),
			.track = bench_compare_track(run, &arena),
			.first_bad = bench_arena_format(&arena, "night-%02d", (int)(made[i].since / 100)),
			.last_good = none,
			.bad_commit = none,
			.good_commit = none,
			.culprit = none,
			.since = made[i].since,
			.metrics = &metric,
			.metric_count = 1,
		};
		assert_int_equal(bench_store_alarm_keep(store, &alarm, &error), 0);
	}
	bench_arena_free(&arena);
}

/* Of rolling:10 before a run that is yet to be measured, as "29 28 ...". */
static void assert_taken(void **state, const struct made_alarm *alarms, size_t count, const char *expected)
{
	const struct bench_app_places places = {.runs_dir = "", .db = ""};
	const struct bench_compare_options options = {.threshold = 0.05, .alpha = 0.01};
	struct bench_store *store = make_history(state);
	struct bench_run *candidate = made_run("");
	struct bench_app_baseline baseline;
	struct bench_error error;
	char taken[200] = "";

	keep_alarms(store, candidate, alarms, count);
	assert_int_equal(bench_app_baseline_load(&places, store, NULL, candidate, "rolling:10", &options,
						 &baseline, &error),
			 0);
	for (size_t i = 0; i < baseline.count; i++)
		snprintf(taken + strlen(taken), sizeof(taken) - strlen(taken), "%s%s", i ? " " : "",
			 baseline.runs[i]->id + strlen("night-"));
	assert_string_equal(taken, expected);
	bench_app_baseline_free(&baseline);
	bench_record_free(candidate);
	bench_store_close(store);
}

static void the_last_ten_where_there_was_no_alarm(void **state)
{
	assert_taken(state, NULL, 0, "29 28 27 26 25 24 23 22 21 20");
}

static void the_ten_before_an_alarm_as_well_however_long_it_lasts(void **state)
{
	const struct made_alarm open[] = {{1, 1400, 0}};

	assert_taken(state, open, 1, "29 28 27 26 25 24 23 22 21 20 13 12 11 10 09 08 07 06 05 04");
}

static void enough_for_each_metric_beside_alarms_that_are_closed(void **state)
{
	const struct made_alarm closed[] = {{1, 500, 900}, {1, 2200, 2700}, {2, 2000, 2100}};

	assert_taken(state, closed, 3, "29 28 27 26 25 24 23 22 21 20 19 18 17 16 15");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(the_last_ten_where_there_was_no_alarm),
		in_scratch(the_ten_before_an_alarm_as_well_however_long_it_lasts),
		in_scratch(enough_for_each_metric_beside_alarms_that_are_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

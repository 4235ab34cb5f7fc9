/* SPDX-License-Identifier: MIT */
/* What disturbed a measurement is kept with it, and runs that are aside are no history. */
#include <math.h>

#include "store_fixture.h"

#define KEY "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1"

/* The samples of the first case's `time` in its first invocation: three. */
static struct bench_series *first_series(struct bench_run *run)
{
	for (size_t i = 0; i < run->results[0].metric_count; i++)
		if (strcmp(run->results[0].metrics[i].name, "time") == 0)
			return run->results[0].metrics[i].series;
	fail_msg("the fixture has no time");
	return NULL;
}

static void mark(struct bench_run *run, struct bench_series *series, size_t at)
{
	if (!series->disturbed)
		series->disturbed = bench_arena_alloc(&run->arena, series->count, sizeof(*series->disturbed));
	series->disturbed[at] = true;
}

static struct bench_run *reload(struct bench_store *store, const char *id)
{
	struct bench_run *run = NULL;
	must(bench_store_load(store, id, &run, &error));
	return run;
}

static void marks_of_samples_come_back(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	assert_int_equal(first_series(run)[0].count, 3);
	mark(run, &first_series(run)[0], 0);
	mark(run, &first_series(run)[0], 2);
	must_ingest(store, run);
	run = reload(store, "a");
	const struct bench_series *series = first_series(run);
	assert_non_null(series[0].disturbed);
	assert_true(series[0].disturbed[0]);
	assert_false(series[0].disturbed[1]);
	assert_true(series[0].disturbed[2]);
	assert_null(series[1].disturbed);
	bench_record_free(run);
	bench_store_close(store);
}

/* More samples than a byte has bits, in a pattern that no shift of it is equal to. */
static void marks_of_many_samples_come_back(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	struct bench_series *series = first_series(run);
	series->count = 1003;
	series->values = bench_arena_alloc(&run->arena, series->count, sizeof(double));
	for (size_t i = 0; i < series->count; i++) {
		series->values[i] = 1.0 / (double)(i + 1);
		if (i * i % 7 == 2)
			mark(run, series, i);
	}
	must_ingest(store, run);
	run = reload(store, "a");
	series = first_series(run);
	assert_int_equal(series->count, 1003);
	assert_non_null(series->disturbed);
	for (size_t i = 0; i < series->count; i++)
		assert_int_equal(series->disturbed[i], i * i % 7 == 2);
	bench_record_free(run);
	bench_store_close(store);
}

static void marks_that_mark_nothing_are_none(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	mark(run, first_series(run), 0);
	first_series(run)->disturbed[0] = false;
	must_ingest(store, run);
	run = reload(store, "a");
	assert_null(first_series(run)->disturbed);
	bench_record_free(run);
	bench_store_close(store);
}

static void damaged_samples_are_refused(void **state)
{
	static const char *const damages[] = {"x''", "substr(samples, 1, length(samples) / 2)"};
	for (size_t i = 0; i < 2; i++) {
		char id[8], sql[96];
		struct bench_run *run;
		struct bench_store *store = open_store(state);
		snprintf(id, sizeof(id), "run-%zu", i);
		must_ingest(store, fixture_run(id, 10));
		snprintf(sql, sizeof(sql), "UPDATE result SET samples = %s", damages[i]);
		run_sql(state, "results.db", sql);
		assert_int_equal(bench_store_load(store, id, &run, &error), -1);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, "damaged"));
		bench_store_close(store);
	}
}

static void what_was_watched_comes_back(void **state)
{
	const struct bench_watched expected[] = {
		{0, 0.25, 1.1e-3, 1.9, 0.7, 0.30000000000000004, 2.1e9, (char *)"throttled: power"},
		{1, 0, 1.0e-3, 1, NAN, NAN, NAN, (char *)""},
	};
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	for (size_t i = 0; i < 2; i++)
		*(struct bench_watched *)bench_arena_push(&run->arena, &run->results[0].watched,
							  &run->results[0].watched_count,
							  sizeof(expected[0])) = expected[i];
	must_ingest(store, run);
	run = reload(store, "a");
	assert_int_equal(run->results[0].watched_count, 2);
	assert_int_equal(run->results[1].watched_count, 0);
	for (size_t i = 0; i < 2; i++) {
		const struct bench_watched *watched = &run->results[0].watched[i];
		assert_int_equal(watched->invocation, expected[i].invocation);
		assert_same_real(watched->disturbed, expected[i].disturbed);
		assert_same_real(watched->canary, expected[i].canary);
		assert_same_real(watched->canary_worst, expected[i].canary_worst);
		assert_same_real(watched->others, expected[i].others);
		assert_same_real(watched->steal, expected[i].steal);
		assert_same_real(watched->frequency, expected[i].frequency);
		assert_string_equal(watched->device, expected[i].device);
	}
	bench_record_free(run);
	bench_store_close(store);
}

/* Ingests the fixture, of whose first case's `time` (two invocations) so many were disturbed. */
static void ingest_disturbed(struct bench_store *store, const char *id, long long started, size_t disturbed)
{
	struct bench_run *run = fixture_run(id, started);
	struct bench_result *result = &run->results[0];
	for (size_t i = 0; i < result->metric_count; i++)
		if (strcmp(result->metrics[i].name, "time") == 0)
			result->metrics[i].summary.disturbed = disturbed;
	must_ingest(store, run);
}

static void history_tells_where_all_invocations_were_disturbed(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_point *points;
	size_t count;
	ingest_disturbed(store, "none", 10, 0);
	ingest_disturbed(store, "some", 20, 1);
	ingest_disturbed(store, "all", 30, 2);
	must(bench_store_history(store, KEY "/time", &arena, &points, &count, &error));
	assert_int_equal(count, 3);
	assert_false(points[0].disturbed);
	assert_false(points[1].disturbed);
	assert_true(points[2].disturbed);
	assert_string_equal(points[2].fingerprint, "f00d");
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void runs_that_are_aside_are_reached_by_id_alone(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_point *points;
	struct bench_run_row *rows;
	struct bench_run *run;
	size_t count;
	char id[64];
	must_ingest(store, labelled_run("a", 10, NULL));
	must_ingest(store, labelled_run("b", 20, ""));
	must_ingest(store, labelled_run("c", 30, "confirms b"));
	must(bench_store_last(store, 0, id, sizeof(id), &error));
	assert_string_equal(id, "b");
	must(bench_store_last(store, 1, id, sizeof(id), &error));
	assert_string_equal(id, "a");
	assert_int_equal(bench_store_last(store, 2, id, sizeof(id), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	must(bench_store_last_of(store, "gemm", "opencl", "pocl-cpu", "f00d", id, sizeof(id), &error));
	assert_string_equal(id, "b");
	must(bench_store_history(store, KEY "/time", &arena, &points, &count, &error));
	assert_int_equal(count, 2);
	must(bench_store_runs(store, 0, &arena, &rows, &count, &error));
	assert_int_equal(count, 3);
	assert_string_equal(rows[0].aside, "confirms b");
	assert_string_equal(rows[1].aside, "");
	run = reload(store, "c");
	assert_string_equal(bench_record_attribute_get(run->labels, run->label_count, "aside"), "confirms b");
	bench_record_free(run);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void head_of_a_run_is_what_was_known_before_it(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *head = NULL;
	must_ingest(store, fixture_run("a", 10));
	must(bench_store_load_head(store, "a", &head, &error));
	assert_string_equal(head->id, "a");
	assert_string_equal(head->preset, "quick");
	assert_int_equal(head->selection.set_count, 1);
	assert_string_equal(head->selection.sets[0], "m=1024");
	assert_int_equal(head->result_count, 0);
	bench_record_free(head);
	assert_int_equal(bench_store_load_head(store, "x", &head, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(marks_of_samples_come_back),
		in_scratch(marks_of_many_samples_come_back),
		in_scratch(marks_that_mark_nothing_are_none),
		in_scratch(damaged_samples_are_refused),
		in_scratch(what_was_watched_comes_back),
		in_scratch(history_tells_where_all_invocations_were_disturbed),
		in_scratch(runs_that_are_aside_are_reached_by_id_alone),
		in_scratch(head_of_a_run_is_what_was_known_before_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

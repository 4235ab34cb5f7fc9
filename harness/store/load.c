/* A record from the tables: its heads as events, its results from their rows. ingest.c says why. */
#include <math.h>
#include <string.h>

#include "record/event.h"
#include "store/sql.h"

struct load {
	struct bench_store *store;
	struct bench_run *run;
	struct bench_error *error;
	sqlite3_stmt *results, *watched, *metrics, *samples;
};

static int damaged(struct load *in, const char *what)
{
	return bench_fail(
		in->error, BENCH_ENVIRONMENT,
		"database '%s': %s; it is damaged: 'bench db check' says what, 'bench db repair' saves the "
		"rest",
		in->store->path, what);
}

/* The head in a column of the row at hand. */
static int apply_head(struct load *in, sqlite3_stmt *row, int column)
{
	struct bench_error cause = {0};
	const char *text = (const char *)sqlite3_column_text(row, column);
	struct bench_event event;
	int status = text ? bench_record_event_read(text, strlen(text), "a head", &event, &cause) : -1;
	if (text && status == 0) {
		status = bench_record_apply(in->run, &event, &cause);
		bench_record_event_free(&event);
	}
	return status == 0 ? 0 : damaged(in, cause.text);
}

/* The disturbance flags of the current row's samples; NULL: none is set. */
static int load_flags(struct load *in, struct bench_series *series)
{
	const unsigned char *data = sqlite3_column_blob(in->samples, 3);
	size_t bytes = (size_t)sqlite3_column_bytes(in->samples, 3);
	if (sqlite3_column_type(in->samples, 3) == SQLITE_NULL)
		return 0;
	series->disturbed = bench_arena_alloc(&in->run->arena, series->count, sizeof(bool));
	if (!data || !store_unpack_flags(data, bytes, series->disturbed, series->count))
		return damaged(in, "the marks of samples are wrong");
	return 0;
}

static int load_series(struct load *in, struct bench_metric *metric)
{
	struct bench_series *series =
		bench_arena_push(&in->run->arena, &metric->series, &metric->series_count, sizeof(*series));
	int64_t count = sqlite3_column_int64(in->samples, 1);
	const void *data = sqlite3_column_blob(in->samples, 2);
	int64_t bytes = sqlite3_column_bytes(in->samples, 2);
	/* Deflate expands at most 1032 times, so the size of the data bounds the count, which is untrusted.
	 */
	if (!data || count < 1 || count > bytes * 1032 / (int64_t)sizeof(double))
		return damaged(in, "a count of samples is wrong");
	series->invocation = sqlite3_column_int(in->samples, 0);
	series->count = (size_t)count;
	series->values = bench_arena_alloc(&in->run->arena, series->count, sizeof(double));
	if (!store_unpack(data, (size_t)bytes, series->values, series->count))
		return damaged(in, "samples cannot be unpacked");
	for (size_t i = 0; i < series->count; i++) {
		if (!isfinite(series->values[i]))
			return damaged(in, "a sample is no finite number");
	}
	return load_flags(in, series);
}

static int load_watched(struct load *in, struct bench_result *result, int64_t id)
{
	struct bench_arena *arena = &in->run->arena;
	int state = store_start(in->store, in->watched, in->error, "i", id);
	for (; state == 1; state = store_next(in->store, in->watched, in->error)) {
		struct bench_watched *watched =
			bench_arena_push(arena, &result->watched, &result->watched_count, sizeof(*watched));
		*watched = (struct bench_watched){
			.invocation = sqlite3_column_int(in->watched, 0),
			.disturbed = store_real(in->watched, 1),
			.canary = store_real(in->watched, 2),
			.canary_worst = store_real(in->watched, 3),
			.others = store_real(in->watched, 4),
			.steal = store_real(in->watched, 5),
			.frequency = store_real(in->watched, 6),
			.device = store_text(arena, in->watched, 7),
		};
	}
	return state;
}

static int load_metric(struct load *in, struct bench_result *result)
{
	struct bench_metric *metric =
		bench_arena_push(&in->run->arena, &result->metrics, &result->metric_count, sizeof(*metric));
	metric->name = store_text(&in->run->arena, in->metrics, 1);
	metric->unit = store_text(&in->run->arena, in->metrics, 2);
	metric->derived_from = bench_arena_string(&in->run->arena, "");
	const char *better = (const char *)sqlite3_column_text(in->metrics, 3);
	if (!better || !bench_record_better_parse(better, &metric->better))
		return damaged(in, "the direction of a metric is wrong");
	metric->summary.median = store_real(in->metrics, 4);
	int state = store_start(in->store, in->samples, in->error, "i",
				(int64_t)sqlite3_column_int64(in->metrics, 0));
	for (; state == 1; state = store_next(in->store, in->samples, in->error)) {
		if (load_series(in, metric) != 0)
			return -1;
	}
	return state;
}

static int load_result(struct load *in)
{
	struct bench_arena *arena = &in->run->arena;
	size_t before = in->run->result_count;
	if (apply_head(in, in->results, 1) != 0)
		return -1;
	const char *status = (const char *)sqlite3_column_text(in->results, 2);
	struct bench_result *result = &in->run->results[before];
	if (in->run->result_count != before + 1 || !status ||
	    !bench_record_status_parse(status, &result->status))
		return damaged(in, "a result is wrong");
	result->reason = store_text(arena, in->results, 3);
	result->check.error = store_real(in->results, 4);
	result->check.tolerance = store_real(in->results, 5);
	const char *method = (const char *)sqlite3_column_text(in->results, 6);
	result->checked = method != NULL;
	if (method)
		strncpy(result->check.method, method, sizeof(result->check.method) - 1);
	else
		result->check = (struct bench_check){0};
	result->iterations = (uint64_t)sqlite3_column_int64(in->results, 7);
	result->stopped = store_text(arena, in->results, 8);
	const int64_t id = sqlite3_column_int64(in->results, 0);
	if (load_watched(in, result, id) != 0)
		return -1;
	int state = store_start(in->store, in->metrics, in->error, "i", id);
	for (; state == 1; state = store_next(in->store, in->metrics, in->error)) {
		if (load_metric(in, result) != 0)
			return -1;
	}
	return state;
}

static int load_head(struct load *in, const char *id, int64_t *run)
{
	sqlite3_stmt *row = NULL;
	if (store_find_run(in->store, id, run, in->error) != 0)
		return -1;
	int status = -1;
	if (store_select(in->store, &row, in->error, "SELECT head, folder FROM run WHERE run = ?", "i",
			 *run) == 1 &&
	    (status = apply_head(in, row, 0)) == 0)
		in->run->folder = store_text(&in->run->arena, row, 1);
	sqlite3_finalize(row);
	return status;
}

static int load_run(struct load *in, const char *id)
{
	int64_t run;
	if (load_head(in, id, &run) != 0)
		return -1;
	int state = store_start(in->store, in->results, in->error, "i", run);
	for (; state == 1; state = store_next(in->store, in->results, in->error)) {
		if (load_result(in) != 0)
			return -1;
	}
	struct bench_error cause;
	return state == 0 && bench_record_check(in->run, &cause) != 0 ? damaged(in, cause.text) : state;
}

int bench_store_load_head(struct bench_store *store, const char *id, struct bench_run **run,
			  struct bench_error *error)
{
	struct load in = {.store = store, .run = bench_record_new(), .error = error};
	int64_t row;
	if (load_head(&in, id, &row) != 0) {
		bench_record_free(in.run);
		return -1;
	}
	*run = in.run;
	return 0;
}

int bench_store_load_measured(struct bench_store *store, const char *id, struct bench_run **run,
			      struct bench_error *error)
{
	struct load in = {.store = store, .run = bench_record_new(), .error = error};
	int status = -1;
	if (store_prepare(store,
			  "SELECT result, head, status, reason, error, tolerance, method, iterations, "
			  "stopped FROM result WHERE run = ? ORDER BY position",
			  &in.results, error) == 0 &&
	    store_prepare(store,
			  "SELECT metric, name, unit, better, median FROM metric WHERE result = ? AND "
			  "derived_from = '' ORDER BY metric",
			  &in.metrics, error) == 0 &&
	    store_prepare(
		    store,
		    "SELECT invocation, n, data, disturbed FROM sample WHERE metric = ? ORDER BY sample",
		    &in.samples, error) == 0 &&
	    store_prepare(store,
			  "SELECT invocation, disturbed, canary, canary_worst, others, steal, frequency, "
			  "device FROM watched WHERE result = ? ORDER BY position",
			  &in.watched, error) == 0)
		status = load_run(&in, id);
	sqlite3_finalize(in.results);
	sqlite3_finalize(in.metrics);
	sqlite3_finalize(in.samples);
	sqlite3_finalize(in.watched);
	if (status != 0) {
		bench_record_free(in.run);
		return -1;
	}
	*run = in.run;
	return 0;
}

int bench_store_load(struct bench_store *store, const char *id, struct bench_run **run,
		     struct bench_error *error)
{
	int status = bench_store_load_measured(store, id, run, error);
	if (status == 0)
		bench_record_finalise(*run);
	return status;
}

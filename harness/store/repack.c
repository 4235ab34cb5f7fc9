/* SPDX-License-Identifier: MIT */
/*
 * What migrate-4-5.sql calls. Until version 4, samples and what the watch saw had a row per invocation; now
 * they are packed by the result. The samples were doubles, little-endian, deflated. If a row is damaged, its
 * result gets data that cannot be unpacked, so that loading it fails. All others are migrated.
 */
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store/pack.h"
#include "store/sqlite.h"

/* A row of old_sample, with that of its metric. */
struct old_series {
	int64_t metric, key, sample;
	bool is_sample; /* a metric without samples has one row all the same */
	struct bench_series series;
};

/* The rows of a result. damaged: one cannot be unpacked. */
struct old_rows {
	struct bench_arena arena;
	struct old_series *series;
	size_t series_count;
	struct bench_watched *watched;
	int64_t *positions;
	size_t watched_count, position_count;
	bool damaged;
};

static const unsigned char wrong_data[] = {0xff};

static bool inflate_samples(const void *data, size_t bytes, double *values, size_t count)
{
	uLongf unpacked = (uLongf)(count * sizeof(*values));
	const uLongf expected = unpacked;
	if (uncompress((Bytef *)values, &unpacked, data, (uLong)bytes) != Z_OK || unpacked != expected)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t word;
		memcpy(&word, &values[i], sizeof(word));
		word = le64toh(word);
		memcpy(&values[i], &word, sizeof(word));
	}
	return true;
}

static bool read_flags(struct old_rows *rows, sqlite3_value *value, struct bench_series *series)
{
	const unsigned char *data = sqlite3_value_blob(value);
	if (sqlite3_value_type(value) == SQLITE_NULL)
		return true;
	if (!data || (size_t)sqlite3_value_bytes(value) != (series->count + 7) / 8)
		return false;
	series->disturbed = bench_arena_alloc(&rows->arena, series->count, sizeof(bool));
	for (size_t i = 0; i < series->count; i++)
		series->disturbed[i] = (data[i / 8] >> i % 8 & 1) != 0;
	return true;
}

static bool read_series(struct old_rows *rows, sqlite3_value **values, struct bench_series *series)
{
	const int64_t count = sqlite3_value_int64(values[4]);
	const void *data = sqlite3_value_blob(values[5]);
	const int64_t bytes = sqlite3_value_bytes(values[5]);
	/* Deflate expands at most 1032 times, so the size of the data bounds the count, which is untrusted.
	 */
	if (!data || count < 1 || count > bytes * 1032 / (int64_t)sizeof(double))
		return false;
	series->invocation = sqlite3_value_int(values[3]);
	series->count = (size_t)count;
	series->values = bench_arena_alloc(&rows->arena, series->count, sizeof(double));
	return inflate_samples(data, (size_t)bytes, series->values, series->count) &&
	       read_flags(rows, values[6], series);
}

/* Arguments: metric, metric_key, sample, invocation, n, data, disturbed. */
static void add_series(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct old_rows *rows = sqlite3_aggregate_context(context, sizeof(*rows));
	(void)count;
	if (!rows)
		return;
	struct old_series *series =
		bench_arena_push(&rows->arena, &rows->series, &rows->series_count, sizeof(*series));
	series->metric = sqlite3_value_int64(values[0]);
	series->key = sqlite3_value_int64(values[1]);
	series->sample = sqlite3_value_int64(values[2]);
	series->is_sample = sqlite3_value_type(values[2]) != SQLITE_NULL;
	if (series->is_sample && !read_series(rows, values, &series->series))
		rows->damaged = true;
}

static int compare_series(const void *left, const void *right)
{
	const struct old_series *a = left, *b = right;
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return (a->sample > b->sample) - (a->sample < b->sample);
}

static void give(sqlite3_context *context, struct store_packed *packed, bool damaged)
{
	if (packed->bad)
		sqlite3_result_error_nomem(context);
	else if (damaged)
		sqlite3_result_blob(context, wrong_data, sizeof(wrong_data), SQLITE_STATIC);
	else
		sqlite3_result_blob64(context, packed->data ? packed->data : (const void *)"", packed->length,
				      SQLITE_TRANSIENT);
	store_packed_free(packed);
}

static void give_series(sqlite3_context *context)
{
	struct old_rows *rows = sqlite3_aggregate_context(context, 0);
	struct store_packed packed = {0};
	if (!rows || rows->series_count == 0) {
		sqlite3_result_null(context);
		return;
	}
	if (rows->series_count > 1)
		qsort(rows->series, rows->series_count, sizeof(*rows->series), compare_series);
	struct bench_series *series =
		bench_arena_alloc(&rows->arena, rows->series_count + 1, sizeof(*series));
	for (size_t first = 0, next; first < rows->series_count && !rows->damaged; first = next) {
		size_t count = 0;
		for (next = first;
		     next < rows->series_count && rows->series[next].metric == rows->series[first].metric;
		     next++)
			if (rows->series[next].is_sample)
				series[count++] = rows->series[next].series;
		store_pack_metric(&packed, rows->series[first].key, series, count);
	}
	give(context, &packed, rows->damaged);
	bench_arena_free(&rows->arena);
}

static double real_of(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

/* Arguments: position, invocation, disturbed, canary, canary_worst, others, steal, frequency, device. */
static void add_watched(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct old_rows *rows = sqlite3_aggregate_context(context, sizeof(*rows));
	(void)count;
	if (!rows)
		return;
	const int64_t position = sqlite3_value_int64(values[0]);
	struct bench_watched *watched =
		bench_arena_push(&rows->arena, &rows->watched, &rows->watched_count, sizeof(*watched));
	int64_t *positions =
		bench_arena_push(&rows->arena, &rows->positions, &rows->position_count, sizeof(*positions));
	size_t at = rows->watched_count - 1;
	const char *device = (const char *)sqlite3_value_text(values[8]);
	*positions = position;
	*watched = (struct bench_watched){.invocation = sqlite3_value_int(values[1]),
					  .disturbed = real_of(values[2]),
					  .canary = real_of(values[3]),
					  .canary_worst = real_of(values[4]),
					  .others = real_of(values[5]),
					  .steal = real_of(values[6]),
					  .frequency = real_of(values[7]),
					  .device = bench_arena_string(&rows->arena, device ? device : "")};
	/* They mostly come in order. */
	for (; at > 0 && rows->positions[at - 1] > position; at--) {
		const struct bench_watched other = rows->watched[at];
		rows->watched[at] = rows->watched[at - 1];
		rows->watched[at - 1] = other;
		rows->positions[at] = rows->positions[at - 1];
		rows->positions[at - 1] = position;
	}
}

static void give_watched(sqlite3_context *context)
{
	struct old_rows *rows = sqlite3_aggregate_context(context, 0);
	struct store_packed packed = {0};
	if (!rows || rows->watched_count == 0) {
		sqlite3_result_null(context);
		return;
	}
	store_pack_watched(&packed, rows->watched, rows->watched_count);
	give(context, &packed, false);
	bench_arena_free(&rows->arena);
}

int store_add_repacking(struct bench_store *store)
{
	static const struct {
		const char *name;
		int arguments;
		void (*step)(sqlite3_context *, int, sqlite3_value **);
		void (*final)(sqlite3_context *);
	} functions[] = {{"bench_repack", 7, add_series, give_series},
			 {"bench_repack_watched", 9, add_watched, give_watched}};
	int code = SQLITE_OK;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && code == SQLITE_OK; i++)
		code = sqlite3_create_function(store->connection, functions[i].name, functions[i].arguments,
					       SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, NULL, functions[i].step,
					       functions[i].final);
	return code;
}

/* SPDX-License-Identifier: MIT */
/*
 * A record from the tables: its heads as events, its results from their rows. ingest.c says why.
 *
 * What many runs share, the text of a case and the name of a metric, is read once for all that are loaded in
 * one call.
 */
#include <string.h>

#include "record/event.h"
#include "store/pack.h"
#include "store/sql.h"

/* What was read of a row, by its id; open addressing. */
struct known {
	struct {
		int64_t id;
		void *item; /* NULL: the slot is free */
	} * slots;
	size_t room, count;
};

struct load {
	struct bench_store *store;
	struct bench_run *run;
	struct bench_arena *arena; /* of results, and of what they share */
	struct bench_error *error;
	bool medians; /* of each invocation its median alone, nothing derived */
	struct store_statement *results, *head, *key, *method;
	struct known heads, keys, methods;
	double *values; /* of the series at hand, where its samples are not kept */
	bool *disturbed;
	size_t room;
	struct bench_result *read; /* of the run at hand */
	size_t read_count, read_room;
	bool some_disturbed;          /* some invocation of the result at hand was */
	char *last;                   /* a text that may be the next one's, too; NULL: there was none */
	struct bench_metric *metrics; /* of the result at hand */
	size_t metric_count, metric_room;
};

/* A row of metric_key. */
struct meaning {
	char *name, *unit;
	enum bench_better better;
};

static int damaged(struct load *in, const char *what)
{
	return store_damaged(in->store, what, in->error);
}

/*
 * The next element of an array that is used again for what is read next. (bench_arena_push knows the room of
 * an array from its count, and would make it anew.)
 */
static void *next_read(struct load *in, void *array_pointer, size_t *count, size_t *room, size_t size)
{
	char *array;
	memcpy(&array, array_pointer, sizeof(array));
	if (*count == *room) {
		char *grown = bench_arena_alloc(in->arena, *room ? 2 * *room : 16, size);
		if (*count)
			memcpy(grown, array, *count * size);
		memcpy(array_pointer, &grown, sizeof(grown));
		array = grown;
		*room = *room ? 2 * *room : 16;
	}
	return memset(array + (*count)++ * size, 0, size);
}

/* Of an array that is used again, what is kept: with the room that bench_arena_push expects, where the record
 * may grow. */
static void *keep(struct load *in, const void *array, size_t count, size_t size)
{
	size_t room = in->medians ? count : 4;
	while (room < count)
		room *= 2;
	void *kept = room ? bench_arena_alloc(in->arena, room, size) : NULL;
	return count ? memcpy(kept, array, count * size) : kept;
}

/* The item of an id, which is to be set where it is NULL. */
static void **find_known(struct load *in, struct known *known, int64_t id)
{
	if (2 * known->count >= known->room) {
		struct known grown = {.room = known->room ? 2 * known->room : 256};
		grown.slots = bench_arena_alloc(in->arena, grown.room, sizeof(*grown.slots));
		for (size_t i = 0; i < known->room; i++)
			if (known->slots[i].item)
				*find_known(in, &grown, known->slots[i].id) = known->slots[i].item;
		*known = grown;
	}
	size_t at = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 32) & (known->room - 1);
	while (known->slots[at].item && known->slots[at].id != id)
		at = (at + 1) & (known->room - 1);
	known->count += !known->slots[at].item;
	known->slots[at].id = id;
	return &known->slots[at].item;
}

/* The text of a head in a column of the row at hand, into a record. */
static int apply_head(struct load *in, struct bench_run *run, struct store_statement *row, int column)
{
	struct bench_error cause = {0};
	const char *text = store_chars(row, column);
	if (text && bench_record_apply_line(run, text, strlen(text), "a head", &cause) == 0)
		return 0;
	return damaged(in, cause.text);
}

/* The row of one of the small tables, by its id, in one column or more: to be reset by the next. */
static int select_row(struct load *in, struct store_statement *statement, int64_t id, const char *what)
{
	int state = store_start(in->store, statement, in->error, "i", id);
	return state == 1 ? 0 : state == 0 ? damaged(in, what) : -1;
}

/* A result as far as its head tells, which is in that column of the row at hand; NULL: it is damaged. */
static void *read_head(struct load *in, struct store_statement *row, int column)
{
	struct bench_run alone = {.arena = *in->arena};
	int status = apply_head(in, &alone, row, column);
	if (status == 0 && alone.result_count != 1)
		status = damaged(in, "a head is none of a case");
	*in->arena = alone.arena;
	return status == 0 ? alone.results : NULL;
}

/* A row of metric_key, from that column on. */
static void *read_meaning(struct load *in, struct store_statement *row, int column)
{
	const char *better = store_chars(row, column + 2);
	struct meaning *meaning = bench_arena_alloc(in->arena, 1, sizeof(*meaning));
	*meaning = (struct meaning){.name = store_text(in->arena, row, column),
				    .unit = store_text(in->arena, row, column + 1)};
	if (better && bench_record_better_parse(better, &meaning->better))
		return meaning;
	damaged(in, "the direction of a metric is wrong");
	return NULL;
}

/* What a run refers to, in one question; sql's first column is the id, and what `read` reads is behind it. */
static int read_ahead(struct load *in, struct known *known, const char *sql, int64_t run,
		      void *(*read)(struct load *, struct store_statement *, int))
{
	STORE_SCOPED_STATEMENT *row = NULL;
	int state = store_select(in->store, &row, in->error, sql, "i", run);
	for (; state == 1; state = store_next(in->store, row, in->error)) {
		void **item = find_known(in, known, store_int(row, 0));
		if (!*item)
			*item = read(in, row, 1);
		known->count -= !*item;
		if (!*item) {
			state = -1;
			break;
		}
	}
	return state;
}

/* Of the first run that is read; what those after it have alone is looked up one by one. */
static int read_shared(struct load *in, int64_t run)
{
	if (in->heads.count > 0)
		return 0;
	if (read_ahead(in, &in->heads,
		       "SELECT head, text FROM head WHERE head IN (SELECT head FROM result WHERE run = ?)",
		       run, read_head) != 0)
		return -1;
	return read_ahead(in, &in->keys,
			  "SELECT metric_key, name, unit, better FROM metric_key WHERE metric_key IN (SELECT "
			  "metric_key FROM metric WHERE run = ?)",
			  run, read_meaning);
}

static const struct bench_result *find_head(struct load *in, int64_t id)
{
	void **item = find_known(in, &in->heads, id);
	if (!*item && select_row(in, in->head, id, "a result has no head") == 0)
		*item = read_head(in, in->head, 0);
	in->heads.count -= !*item;
	return *item;
}

static const struct meaning *find_meaning(struct load *in, int64_t id)
{
	void **item = find_known(in, &in->keys, id);
	if (!*item && select_row(in, in->key, id, "samples are of no metric") == 0)
		*item = read_meaning(in, in->key, 0);
	in->keys.count -= !*item;
	return *item;
}

static const char *find_method(struct load *in, int64_t id)
{
	void **item = find_known(in, &in->methods, id);
	if (!*item && select_row(in, in->method, id, "how a result was checked is not told") == 0)
		*item = store_text(in->arena, in->method, 0);
	in->methods.count -= !*item;
	return *item;
}

/* Memory for the samples of a series that is not kept. */
static void reserve(struct load *in, size_t count)
{
	if (count <= in->room)
		return;
	in->room = 2 * count;
	in->values = bench_arena_alloc(in->arena, in->room, sizeof(*in->values));
	in->disturbed = bench_arena_alloc(in->arena, in->room, sizeof(*in->disturbed));
}

/* All samples of the next series. */
static void load_samples(struct load *in, struct store_unpacking *from, const struct store_series_head *head,
			 struct bench_series *series)
{
	*series = (struct bench_series){.invocation = head->invocation, .count = head->count};
	series->values = bench_arena_alloc(in->arena, head->count, sizeof(*series->values));
	if (head->has_flags)
		series->disturbed = bench_arena_alloc(in->arena, head->count, sizeof(*series->disturbed));
	store_unpack_series(from, head, series->values, series->disturbed);
}

/* Their median, as the one sample of the series: it says what all of them say. */
static void load_median(struct load *in, struct store_unpacking *from, const struct store_series_head *head,
			struct bench_series *series)
{
	struct bench_series all = {.invocation = head->invocation, .count = head->count};
	bool disturbed = false;
	*series = (struct bench_series){.invocation = head->invocation, .values = series->values, .count = 1};
	if (!head->has_flags) {
		series->values[0] = store_unpack_series_median(from, head);
		return;
	}
	reserve(in, head->count);
	all.values = in->values;
	all.disturbed = in->disturbed;
	store_unpack_series(from, head, in->values, in->disturbed);
	series->values[0] = from->bad ? 0 : bench_record_series_median(&all, &disturbed);
	if (disturbed)
		series->disturbed = memset(bench_arena_alloc(in->arena, 1, sizeof(bool)), true, sizeof(bool));
	in->some_disturbed |= disturbed;
}

static int load_metric(struct load *in, struct store_unpacking *from, struct bench_metric *metric)
{
	int64_t id;
	size_t count;
	int before = -1;
	store_unpack_metric(from, &id, &count);
	if (from->bad)
		return damaged(in, "samples cannot be unpacked");
	const struct meaning *meaning = find_meaning(in, id);
	if (!meaning)
		return -1;
	metric->name = meaning->name;
	metric->unit = meaning->unit;
	metric->better = meaning->better;
	metric->derived_from = (char *)"";
	metric->series = bench_arena_alloc(in->arena, count + 1, sizeof(*metric->series));
	double *medians = in->medians ? bench_arena_alloc(in->arena, count + 1, sizeof(*medians)) : NULL;
	for (size_t i = 0; i < count && !from->bad; i++) {
		const struct store_series_head head = store_unpack_series_head(from, before);
		if (from->bad)
			break;
		metric->series[i].values = in->medians ? &medians[i] : NULL;
		(in->medians ? load_median : load_samples)(in, from, &head, &metric->series[i]);
		before = head.invocation;
		metric->series_count++;
	}
	if (from->bad)
		return damaged(in, "samples cannot be unpacked");
	if (in->medians)
		metric->summary.median = bench_record_median(metric->series, metric->series_count);
	return 0;
}

/* The packed data in a column of the row at hand: nothing where it is NULL; if there is some, it has a byte.
 */
static struct store_unpacking packed_column(struct store_statement *row, int column)
{
	const struct store_value value = store_column(row, column);
	const unsigned char *data = value.bytes > 0 ? value.data : NULL;
	return (struct store_unpacking){.at = data,
					.end = data ? data + value.bytes : data,
					.bad = !data && value.type != STORE_NULL};
}

static int load_measured(struct load *in, struct bench_result *result)
{
	struct store_unpacking samples = packed_column(in->results, 8);
	struct store_unpacking watched = packed_column(in->results, 9);
	if (samples.bad)
		return damaged(in, "samples cannot be unpacked");
	in->metric_count = 0;
	in->some_disturbed = false;
	while (samples.at < samples.end) {
		struct bench_metric *metric =
			next_read(in, &in->metrics, &in->metric_count, &in->metric_room, sizeof(*metric));
		if (load_metric(in, &samples, metric) != 0)
			return -1;
	}
	result->metrics = keep(in, in->metrics, in->metric_count, sizeof(*result->metrics));
	result->metric_count = in->metric_count;
	if (watched.at < watched.end)
		result->watched = store_unpack_watched(&watched, !in->medians || in->some_disturbed,
						       in->arena, &result->watched_count);
	return watched.bad ? damaged(in, "what the watch saw cannot be unpacked") : 0;
}

static int load_check(struct load *in, struct bench_result *result)
{
	result->checked = store_column(in->results, 5).type != STORE_NULL;
	if (!result->checked)
		return 0;
	const char *method = find_method(in, store_int(in->results, 5));
	if (!method)
		return -1;
	result->check.error = store_real(in->results, 3);
	result->check.tolerance = store_real(in->results, 4);
	strncpy(result->check.method, method, sizeof(result->check.method) - 1);
	return 0;
}

/* A text of the row at hand: "", or the last one, if it is that, which is mostly so. */
static char *shared_text(struct load *in, int column)
{
	const char *text = store_chars(in->results, column);
	if (!text || !*text)
		return (char *)"";
	if (!in->last || strcmp(in->last, text) != 0)
		in->last = bench_arena_string(in->arena, text);
	return in->last;
}

static int load_result(struct load *in)
{
	const struct bench_result *head = find_head(in, store_int(in->results, 0));
	const char *status = store_chars(in->results, 1);
	if (!head)
		return -1;
	struct bench_result *result =
		next_read(in, &in->read, &in->read_count, &in->read_room, sizeof(*result));
	*result = *head;
	if (!status || !bench_record_status_parse(status, &result->status))
		return damaged(in, "a result is wrong");
	result->reason = shared_text(in, 2);
	result->iterations = (uint64_t)store_int(in->results, 6);
	result->stopped = shared_text(in, 7);
	return load_check(in, result) == 0 ? load_measured(in, result) : -1;
}

static int load_head(struct load *in, const char *id, int64_t *run)
{
	STORE_SCOPED_STATEMENT *row = NULL;
	/* Prepared: heads of many runs are read, one after the other. */
	if (store_prepare(in->store, "SELECT head, folder, run FROM run WHERE id = ?", &row, in->error) != 0)
		return -1;
	int state = store_start(in->store, row, in->error, "t", id);
	int status = state == 1   ? apply_head(in, in->run, row, 0)
		     : state == 0 ? store_unknown(in->store, BENCH_NOTHING, "run", id,
						  "SELECT id FROM run " NEWEST_FIRST, in->error)
				  : -1;
	if (status == 0) {
		in->run->folder = store_text(&in->run->arena, row, 1);
		*run = store_int(row, 2);
	}
	return status;
}

static int load_run(struct load *in, const char *id)
{
	int64_t run;
	if (load_head(in, id, &run) != 0 || read_shared(in, run) != 0)
		return -1;
	in->read_count = 0;
	int state = store_start(in->store, in->results, in->error, "i", run);
	for (; state == 1; state = store_next(in->store, in->results, in->error)) {
		if (load_result(in) != 0)
			return -1;
	}
	in->run->results = keep(in, in->read, in->read_count, sizeof(*in->read));
	in->run->result_count = in->read_count;
	if (state == 0)
		store_rename_results(in->store, in->arena, in->run);
	struct bench_error cause;
	return state == 0 && bench_record_check(in->run, &cause) != 0 ? damaged(in, cause.text) : state;
}

static int prepare(struct load *in)
{
	const struct {
		struct store_statement **statement;
		const char *sql;
	} statements[] = {
		{&in->results, "SELECT head, status, reason, error, tolerance, method, iterations, stopped, "
			       "samples, watched FROM result WHERE run = ? ORDER BY position"},
		{&in->head, "SELECT text FROM head WHERE head = ?"},
		{&in->key, "SELECT name, unit, better FROM metric_key WHERE metric_key = ?"},
		{&in->method, "SELECT text FROM method WHERE method = ?"},
	};
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (store_prepare(in->store, statements[i].sql, statements[i].statement, in->error) != 0)
			return -1;
	return 0;
}

static void finish(struct load *in)
{
	store_finish(in->results);
	store_finish(in->head);
	store_finish(in->key);
	store_finish(in->method);
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

int bench_store_load_medians(struct bench_store *store, char *const *ids, size_t count,
			     struct bench_arena *arena, struct bench_run **runs, struct bench_error *error)
{
	struct load in = {.store = store, .arena = arena, .error = error, .medians = true};
	size_t loaded = 0;
	int status = prepare(&in);
	for (; status == 0 && loaded < count; loaded++) {
		in.run = runs[loaded] = bench_record_new();
		status = load_run(&in, ids[loaded]);
	}
	finish(&in);
	while (status != 0 && loaded > 0)
		bench_record_free(runs[--loaded]);
	return status;
}

int bench_store_load(struct bench_store *store, const char *id, struct bench_run **run,
		     struct bench_error *error)
{
	struct load in = {.store = store, .run = bench_record_new(), .error = error};
	in.arena = &in.run->arena;
	int status = prepare(&in);
	if (status == 0)
		status = load_run(&in, id);
	finish(&in);
	if (status != 0) {
		bench_record_free(in.run);
		return -1;
	}
	bench_record_finalise(in.run);
	*run = in.run;
	return 0;
}

/* Metrics over all runs. */
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

/* What all points of a run have in common. */
struct night {
	int64_t row, started;
	char *id, *commit, *fingerprint, *anchor;
};

/* What all points of a metric have in common. */
struct named {
	int64_t row;
	char *key, *unit;
	enum bench_better better;
	bool derived;
	size_t place; /* of its key among the different ones, in their order: units may change */
};

/* A value of a metric in a run. */
struct value {
	const struct night *night;
	const struct named *named;
	double median, ci_lo, ci_hi;
	bool disturbed;
};

struct history {
	struct bench_store *store;
	struct bench_arena *arena;
	struct night *nights; /* oldest first */
	size_t night_count;
	struct named *named; /* by row */
	size_t named_count, key_count;
	struct value *values; /* by night, malloc'd */
	size_t value_count, value_room;
	struct bench_point *points; /* by key, then by night */
};

/* Runs that are aside measured something else on purpose. */
static int read_nights(struct history *in, struct bench_error *error)
{
	sqlite3_stmt *row = NULL;
	int state =
		store_select(in->store, &row, error,
			     "SELECT run, id, commit_hash, started, fingerprint, anchor FROM run JOIN host "
			     "USING (host) WHERE aside = '' " OLDEST_FIRST,
			     "");
	for (; state == 1; state = store_next(in->store, row, error)) {
		struct night *night =
			bench_arena_push(in->arena, &in->nights, &in->night_count, sizeof(*night));
		*night = (struct night){.row = sqlite3_column_int64(row, 0),
					.id = store_text(in->arena, row, 1),
					.commit = store_text(in->arena, row, 2),
					.started = sqlite3_column_int64(row, 3),
					.fingerprint = store_text(in->arena, row, 4),
					.anchor = store_text(in->arena, row, 5)};
	}
	sqlite3_finalize(row);
	return state;
}

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	return (a->row > b->row) - (a->row < b->row);
}

/* The metrics that match: few. */
static int read_named(struct history *in, const char *pattern, struct bench_error *error)
{
	sqlite3_stmt *row = NULL;
	int state =
		store_select(in->store, &row, error,
			     "SELECT metric_key, key, unit, better, derived_from <> '' FROM metric_key WHERE "
			     "bench_match(?, key) ORDER BY key",
			     "t", pattern);
	for (; state == 1; state = store_next(in->store, row, error)) {
		struct named *named =
			bench_arena_push(in->arena, &in->named, &in->named_count, sizeof(*named));
		*named = (struct named){.row = sqlite3_column_int64(row, 0),
					.key = store_text(in->arena, row, 1),
					.unit = store_text(in->arena, row, 2),
					.derived = sqlite3_column_int(row, 4) != 0};
		if (in->named_count == 1 || strcmp(named[-1].key, named->key) != 0)
			in->key_count++;
		named->place = in->key_count - 1;
		const char *better = (const char *)sqlite3_column_text(row, 3);
		if (!better || !bench_record_better_parse(better, &named->better)) {
			state = bench_fail(error, BENCH_ENVIRONMENT,
					   "database '%s': '%s' has the direction '%.20s'; it is damaged",
					   in->store->path, named->key, better ? better : "");
			break;
		}
	}
	sqlite3_finalize(row);
	if (in->named_count > 1)
		qsort(in->named, in->named_count, sizeof(*in->named), compare_named);
	return state;
}

static int add_value(struct history *in, struct value value, struct bench_error *error)
{
	if (in->value_count == in->value_room) {
		size_t room = in->value_room ? 2 * in->value_room : 1024;
		struct value *values = realloc(in->values, room * sizeof(*values));
		if (!values)
			return bench_fail(error, BENCH_NO_MEMORY, "database '%s': no memory for %zu values",
					  in->store->path, room);
		in->values = values;
		in->value_room = room;
	}
	in->values[in->value_count++] = value;
	return 0;
}

/* The values of a night, in the order of its metrics' rows, of which all from the first wanted to the last
 * come. */
static int read_night(struct history *in, sqlite3_stmt *row, const struct night *night,
		      struct bench_error *error)
{
	const struct named *named = in->named, *end = in->named + in->named_count;
	int state = store_start(in->store, row, error, "iii", night->row, named->row, end[-1].row);
	for (; state == 1; state = store_next(in->store, row, error)) {
		const int64_t id = sqlite3_column_int64(row, 0);
		while (named < end && named->row < id)
			named++;
		if (named == end || named->row != id)
			continue;
		const struct value value = {.night = night,
					    .named = named,
					    .median = store_real(row, 1),
					    .ci_lo = store_real(row, 2),
					    .ci_hi = store_real(row, 3),
					    .disturbed = sqlite3_column_int(row, 4) != 0};
		if (add_value(in, value, error) != 0)
			return -1;
	}
	return state;
}

static int read_values(struct history *in, struct bench_error *error)
{
	sqlite3_stmt *row = NULL;
	int status =
		store_prepare(in->store,
			      "SELECT metric_key, median, ci_lo, ci_hi, disturbed FROM metric WHERE run = ? "
			      "AND metric_key BETWEEN ? AND ?",
			      &row, error);
	for (size_t i = 0; status == 0 && in->named_count > 0 && i < in->night_count; i++)
		status = read_night(in, row, &in->nights[i], error);
	sqlite3_finalize(row);
	return status;
}

/* The values by key. Those of a key stay in the order of nights. */
static void sort_values(struct history *in)
{
	size_t *places = bench_arena_alloc(in->arena, in->key_count + 1, sizeof(*places));
	in->points = bench_arena_alloc(in->arena, in->value_count + 1, sizeof(*in->points));
	for (size_t i = 0; i < in->value_count; i++)
		places[in->values[i].named->place + 1]++;
	for (size_t i = 1; i < in->key_count; i++)
		places[i] += places[i - 1];
	for (size_t i = 0; i < in->value_count; i++) {
		const struct value *value = &in->values[i];
		in->points[places[value->named->place]++] = (struct bench_point){
			.run = value->night->id,
			.commit = value->night->commit,
			.key = value->named->key,
			.unit = value->named->unit,
			.started = value->night->started,
			.median = value->median,
			.ci_lo = value->ci_lo,
			.ci_hi = value->ci_hi,
			.better = value->named->better,
			.derived = value->named->derived,
			.disturbed = value->disturbed,
			.fingerprint = value->night->fingerprint,
			.anchor = value->night->anchor,
			.accepted = "",
		};
	}
}

/* How far an anchor is from the first one of its track, by the run that became it and the metric. */
struct chain {
	char *run, *key;
	double shift;
};

static int compare_chains(const void *left, const void *right)
{
	const struct chain *a = left, *b = right;
	int order = strcmp(a->run, b->run);
	return order ? order : strcmp(a->key, b->key);
}

/*
 * Fills in level_shift: of relative_time and base_time, which hang on the anchor that they were measured
 * with. A run that became an anchor more than once has the same chain each time.
 */
static int fill_chains(struct history *in, struct bench_error *error)
{
	sqlite3_stmt *row = NULL;
	struct chain *chains = NULL;
	size_t count = 0;
	int state = store_select(
		in->store, &row, error,
		"SELECT DISTINCT run, key, chain FROM anchor_level JOIN anchor USING (anchor) WHERE "
		"chain <> 0 ORDER BY run, key",
		"");
	for (; state == 1; state = store_next(in->store, row, error))
		*(struct chain *)bench_arena_push(in->arena, &chains, &count, sizeof(*chains)) =
			(struct chain){store_text(in->arena, row, 0), store_text(in->arena, row, 1),
				       store_real(row, 2)};
	sqlite3_finalize(row);
	if (count > 1)
		qsort(chains, count, sizeof(*chains), compare_chains);
	for (size_t i = 0; i < in->value_count && count > 0; i++) {
		struct bench_point *point = &in->points[i];
		const char *metric = strrchr(point->key, '/');
		if (!*point->anchor || !metric ||
		    (strcmp(metric, "/relative_time") != 0 && strcmp(metric, "/base_time") != 0))
			continue;
		struct chain wanted = {
			(char *)(uintptr_t)point->anchor,
			bench_arena_format(in->arena, "%.*s/time", (int)(metric - point->key), point->key),
			0};
		const struct chain *found = bsearch(&wanted, chains, count, sizeof(*chains), compare_chains);
		point->level_shift = found ? found->shift : 0;
	}
	return state;
}

int bench_store_history(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			struct bench_point **points, size_t *count, struct bench_error *error)
{
	struct history in = {.store = store, .arena = arena};
	*points = NULL;
	*count = 0;
	int status = read_nights(&in, error);
	if (status == 0)
		status = read_named(&in, pattern, error);
	if (status == 0)
		status = read_values(&in, error);
	if (status == 0)
		sort_values(&in);
	free(in.values);
	if (status != 0 || fill_chains(&in, error) != 0)
		return -1;
	*points = in.points;
	*count = in.value_count;
	return store_fill_accepted(store, arena, *points, *count, error);
}

int bench_store_metrics(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			char ***keys, size_t *count, struct bench_error *error)
{
	return store_texts(store, arena, keys, count, error,
			   "SELECT DISTINCT key FROM metric_key WHERE bench_match(?, key) ORDER BY key", "t",
			   pattern);
}

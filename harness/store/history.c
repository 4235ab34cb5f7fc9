/* Metrics over all runs. */
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

/* What all points of a run have in common: read once a run, and not once a point. */
struct night {
	int64_t row, started;
	char *id, *commit, *fingerprint, *anchor;
};

struct history {
	struct bench_store *store;
	struct bench_arena *arena;
	struct night *nights; /* by row */
	size_t night_count;
	struct bench_point *points;
	size_t count, key_start; /* the first point of the key at hand */
};

/* Runs that are aside measured something else on purpose. */
static int read_nights(struct history *in, struct bench_error *error)
{
	sqlite3_stmt *row = NULL;
	int state = store_select(in->store, &row, error,
				 "SELECT run, id, commit_hash, started, fingerprint, CASE WHEN instr(head, "
				 "'\"anchor\"') AND json_valid(head) THEN coalesce(json_extract(head, "
				 "'$.run.labels.anchor'), '') ELSE '' END FROM run JOIN host USING (host) "
				 "WHERE aside = '' ORDER BY run",
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

static int compare_rows(const void *left, const void *right)
{
	const struct night *a = left, *b = right;
	return (a->row > b->row) - (a->row < b->row);
}

/* The order of runs, as NEWEST_FIRST has it the other way round. */
static int compare_runs(const void *left, const void *right)
{
	const struct bench_point *a = left, *b = right;
	size_t a_length = strlen(a->run), b_length = strlen(b->run);
	if (a->started != b->started)
		return a->started < b->started ? -1 : 1;
	return a_length != b_length ? (a_length < b_length ? -1 : 1) : strcmp(a->run, b->run);
}

/* The points of a key come in the order in which their runs were taken in. */
static void sort_key(struct history *in)
{
	if (in->count > in->key_start)
		qsort(in->points + in->key_start, in->count - in->key_start, sizeof(*in->points),
		      compare_runs);
	in->key_start = in->count;
}

/* A text of the row at hand, or the same one of the point before, which mostly is equal. */
static char *shared_text(struct history *in, sqlite3_stmt *row, int column, char *last)
{
	const char *text = (const char *)sqlite3_column_text(row, column);
	return last && text && strcmp(last, text) == 0 ? last : store_text(in->arena, row, column);
}

static int add_point(struct history *in, sqlite3_stmt *row, struct bench_error *error)
{
	const struct night wanted = {.row = sqlite3_column_int64(row, 7)};
	const struct night *night =
		in->nights ? bsearch(&wanted, in->nights, in->night_count, sizeof(*in->nights), compare_rows)
			   : NULL;
	if (!night)
		return 1;
	const struct bench_point *last = in->count ? &in->points[in->count - 1] : NULL;
	char *key = shared_text(in, row, 0, last ? last->key : NULL);
	char *unit = shared_text(in, row, 1, last ? last->unit : NULL);
	if (last && key != last->key)
		sort_key(in);
	struct bench_point *point = bench_arena_push(in->arena, &in->points, &in->count, sizeof(*point));
	*point = (struct bench_point){
		.run = night->id,
		.commit = night->commit,
		.key = key,
		.unit = unit,
		.started = night->started,
		.median = store_real(row, 2),
		.ci_lo = store_real(row, 3),
		.ci_hi = store_real(row, 4),
		.disturbed = sqlite3_column_int(row, 6) != 0,
		.fingerprint = night->fingerprint,
		.anchor = night->anchor,
		.accepted = "",
	};
	const char *better = (const char *)sqlite3_column_text(row, 5);
	if (better && !bench_record_better_parse(better, &point->better))
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': '%s' has the direction '%.20s'; it is damaged",
				  in->store->path, point->key, better);
	return 1;
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
	for (size_t i = 0; i < in->count && count > 0; i++) {
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
	sqlite3_stmt *row = NULL;
	*points = NULL;
	*count = 0;
	if (read_nights(&in, error) != 0)
		return -1;
	/*
	 * CROSS JOIN keeps the order: the few keys are matched first, and all that is asked of their metrics
	 * is in one index.
	 */
	int state = store_select(store, &row, error,
				 "SELECT key, unit, median, ci_lo, ci_hi, better, metric.disturbed > 0 AND "
				 "metric.disturbed >= metric.invocations, run FROM metric_key CROSS JOIN "
				 "metric USING (metric_key) CROSS JOIN result USING (result) WHERE "
				 "bench_match(?, key) ORDER BY key",
				 "t", pattern);
	while (state == 1 && (state = add_point(&in, row, error)) == 1)
		state = store_next(store, row, error);
	sqlite3_finalize(row);
	if (state != 0)
		return -1;
	sort_key(&in);
	if (fill_chains(&in, error) != 0)
		return -1;
	*points = in.points;
	*count = in.count;
	return store_fill_accepted(store, arena, *points, *count, error);
}

int bench_store_metrics(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			char ***keys, size_t *count, struct bench_error *error)
{
	return store_texts(store, arena, keys, count, error,
			   "SELECT key FROM metric_key WHERE bench_match(?, key) ORDER BY key", "t", pattern);
}

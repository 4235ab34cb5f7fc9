/* SPDX-License-Identifier: MIT */
/* Metrics over all runs. */
#include <stdlib.h>
#include <string.h>

#include "core/metric.h"
#include "core/text.h"
#include "store/sql.h"

/* What all points of a run have in common. */
struct night {
	int64_t row, started;
	char *id, *commit, *branch, *fingerprint, *anchor;
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
	double median, ci_lo, ci_hi, ci_level;
	bool disturbed;
};

struct history {
	struct bench_store *store;
	struct bench_arena *arena;
	struct night *nights; /* oldest first */
	const struct night **by_row;
	size_t night_count;
	struct named *named; /* by row */
	size_t named_count, key_count;
	struct value *values; /* in the order in which they come, malloc'd */
	size_t value_count, value_room;
	struct bench_point *points; /* by key, then by night */
};

static int compare_nights(const void *left, const void *right)
{
	const struct night *const *a = left, *const *b = right;
	return ((*a)->row > (*b)->row) - ((*a)->row < (*b)->row);
}

static void sort_nights(struct history *in)
{
	in->by_row = bench_arena_alloc(in->arena, in->night_count + 1, sizeof(*in->by_row));
	for (size_t i = 0; i < in->night_count; i++)
		in->by_row[i] = &in->nights[i];
	if (in->night_count > 1)
		qsort(in->by_row, in->night_count, sizeof(*in->by_row), compare_nights);
}

/* NULL: it is aside, or came in since the nights were read. */
static const struct night *find_night(const struct history *in, int64_t row)
{
	const struct night wanted = {.row = row}, *key = &wanted;
	const struct night **found =
		bsearch(&key, in->by_row, in->night_count, sizeof(*in->by_row), compare_nights);
	return found ? *found : NULL;
}

/* Runs that are aside measured something else on purpose. */
static int read_nights(struct history *in, struct bench_error *error)
{
	struct store_statement *row = NULL;
	int state = store_select(in->store, &row, error,
				 "SELECT run, id, commit_hash, started, fingerprint, anchor, branch FROM run "
				 "JOIN host USING (host) WHERE aside = '' " OLDEST_FIRST,
				 "");
	for (; state == 1; state = store_next(in->store, row, error)) {
		struct night *night =
			bench_arena_push(in->arena, &in->nights, &in->night_count, sizeof(*night));
		*night = (struct night){.row = store_int(row, 0),
					.id = store_text(in->arena, row, 1),
					.commit = store_text(in->arena, row, 2),
					.started = store_int(row, 3),
					.fingerprint = store_text(in->arena, row, 4),
					.anchor = store_text(in->arena, row, 5),
					.branch = store_text(in->arena, row, 6)};
	}
	store_finish(row);
	sort_nights(in);
	return state;
}

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	return (a->row > b->row) - (a->row < b->row);
}

static int compare_keys(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	const int by_key = strcmp(a->key, b->key);
	return by_key ? by_key : compare_named(left, right);
}

/* The metrics that match: few. */
static int read_named(struct history *in, const char *pattern, struct bench_error *error)
{
	struct store_statement *row = NULL;
	int state = store_select(
		in->store, &row, error,
		"SELECT metric_key, key, unit, better, derived_from <> '' FROM metric_key ORDER BY key", "");
	for (; state == 1; state = store_next(in->store, row, error)) {
		char *key = store_named(in->store, in->arena, store_text(in->arena, row, 1));
		if (!*key || !bench_text_match(pattern, key))
			continue;
		struct named *named =
			bench_arena_push(in->arena, &in->named, &in->named_count, sizeof(*named));
		*named = (struct named){.row = store_int(row, 0),
					.key = key,
					.unit = store_text(in->arena, row, 2),
					.derived = store_int(row, 4) != 0};
		const char *better = store_chars(row, 3);
		if (!better || !bench_record_better_parse(better, &named->better)) {
			state = bench_fail(error, BENCH_ENVIRONMENT,
					   "database '%s': '%s' has the direction '%.20s'; it is damaged",
					   in->store->path, named->key, better ? better : "");
			break;
		}
	}
	store_finish(row);
	if (in->named_count > 1)
		qsort(in->named, in->named_count, sizeof(*in->named), compare_keys);
	for (size_t i = 0; i < in->named_count; i++) {
		in->key_count += i == 0 || strcmp(in->named[i - 1].key, in->named[i].key) != 0;
		in->named[i].place = in->key_count - 1;
	}
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

static const struct named *find_named(const struct history *in, int64_t row)
{
	const struct named wanted = {.row = row};
	return bsearch(&wanted, in->named, in->named_count, sizeof(*in->named), compare_named);
}

/*
 * The values of all nights, of which those of all metrics' rows from the first wanted to the last come, in
 * any order: what it takes to sort them is less here. (A CROSS JOIN makes SQLite look for each run's.)
 */
static int read_values(struct history *in, struct bench_error *error)
{
	const struct named *named = in->named, *end = in->named + in->named_count;
	const struct night *night = NULL;
	STORE_SCOPED_STATEMENT *row = NULL;
	if (named == end)
		return 0;
	int state = store_select(
		in->store, &row, error,
		"SELECT metric.run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level FROM run CROSS "
		"JOIN metric WHERE metric.run = run.run AND metric_key BETWEEN ? AND ?",
		"ii", named->row, end[-1].row);
	for (; state == 1; state = store_next(in->store, row, error)) {
		const int64_t run = store_int(row, 0), id = store_int(row, 1);
		/* Neighbors are mostly of one run, or of one metric. */
		if (!night || night->row != run)
			night = find_night(in, run);
		if (!named || named->row != id)
			named = named && named + 1 < end && named[1].row == id ? named + 1
									       : find_named(in, id);
		if (!night || !named)
			continue;
		const struct value value = {.night = night,
					    .named = named,
					    .median = store_real(row, 2),
					    .ci_lo = store_real(row, 3),
					    .ci_hi = store_real(row, 4),
					    .disturbed = store_int(row, 5) != 0,
					    .ci_level = store_real(row, 6)};
		if (add_value(in, value, error) != 0) {
			state = -1;
			break;
		}
	}
	return state;
}

static size_t night_of(const struct history *in, const struct value *value)
{
	return (size_t)(value->night - in->nights);
}

static size_t key_of(const struct history *in, const struct value *value)
{
	(void)in;
	return value->named->place;
}

/* The indices of all values, sorted by `of`, which is below `most`. Equal ones stay in the order of `from`;
 * NULL: as they came. */
static size_t *sort_by(struct history *in, const size_t *from, size_t most,
		       size_t (*of)(const struct history *in, const struct value *value))
{
	size_t *places = bench_arena_alloc(in->arena, most + 1, sizeof(*places));
	size_t *sorted = bench_arena_alloc(in->arena, in->value_count + 1, sizeof(*sorted));
	for (size_t i = 0; i < in->value_count; i++)
		places[of(in, &in->values[i]) + 1]++;
	for (size_t i = 1; i < most; i++)
		places[i] += places[i - 1];
	for (size_t i = 0; i < in->value_count; i++) {
		const size_t value = from ? from[i] : i;
		sorted[places[of(in, &in->values[value])]++] = value;
	}
	return sorted;
}

/* The points by key, those of a key by night. */
static void sort_values(struct history *in)
{
	const size_t *nights = sort_by(in, NULL, in->night_count, night_of);
	const size_t *sorted = sort_by(in, nights, in->key_count, key_of);
	in->points = bench_arena_alloc(in->arena, in->value_count + 1, sizeof(*in->points));
	for (size_t i = 0; i < in->value_count; i++) {
		const struct value *value = &in->values[sorted[i]];
		in->points[i] = (struct bench_point){
			.run = value->night->id,
			.commit = value->night->commit,
			.branch = value->night->branch,
			.key = value->named->key,
			.unit = value->named->unit,
			.started = value->night->started,
			.median = value->median,
			.ci_lo = value->ci_lo,
			.ci_hi = value->ci_hi,
			.ci_level = value->ci_level,
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
 * Fills in level_shift: of ratios and base times, which hang on the anchor that they were measured
 * with. A run that became an anchor more than once has the same chain each time.
 */
static int fill_chains(struct history *in, struct bench_error *error)
{
	struct store_statement *row = NULL;
	struct chain *chains = NULL;
	size_t count = 0, night = 0;
	while (night < in->night_count && !*in->nights[night].anchor)
		night++;
	if (night == in->night_count)
		return 0;
	int state = store_select(in->store, &row, error,
				 "SELECT DISTINCT run, key, chain FROM anchor_level JOIN anchor USING "
				 "(anchor) WHERE chain <> 0 ORDER BY run, key",
				 "");
	for (; state == 1; state = store_next(in->store, row, error))
		BENCH_PUSH(in->arena, chains, count) = (struct chain){
			store_text(in->arena, row, 0),
			store_named(in->store, in->arena, store_text(in->arena, row, 1)), store_real(row, 2)};
	store_finish(row);
	if (count > 1)
		qsort(chains, count, sizeof(*chains), compare_chains);
	for (size_t i = 0; i < in->value_count && count > 0; i++) {
		struct bench_point *point = &in->points[i];
		const char *metric = strrchr(point->key, '/');
		const struct bench_metric_pair *pair = metric ? bench_metric_pair_of(metric + 1) : NULL;
		if (!*point->anchor || !pair || strcmp(metric + 1, pair->name) == 0)
			continue;
		struct chain wanted = {(char *)(uintptr_t)point->anchor,
				       bench_arena_format(in->arena, "%.*s/%s", (int)(metric - point->key),
							  point->key, pair->name),
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
	if (store_fill_accepted(store, arena, *points, *count, error) != 0)
		return -1;
	return store_name_references(store, arena, *points, *count, error);
}

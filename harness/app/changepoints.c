/* SPDX-License-Identifier: MIT */
#include "app/changepoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metric.h"
#include "record/anchor.h"
#include "stats/changepoints.h"

/* Half of a 95% interval over the deviation of normal noise. */
#define INTERVAL_STEPS 1.96

/* The points of one metric on one host that say something, and their logarithms. */
struct series {
	const struct bench_point **points;
	double *values, *deviations;
	size_t count;
};

/* What the metric is to a duel: the ratio of two executables, the base's time, or neither. */
enum role { OTHER, RATIO, ANCHOR };

static enum role role_of(const char *key)
{
	const char *slash = strrchr(key, '/');
	const struct bench_metric_pair *pair = slash ? bench_metric_pair_of(slash + 1) : NULL;
	return !pair                                 ? OTHER
	       : strcmp(slash + 1, pair->ratio) == 0 ? RATIO
	       : strcmp(slash + 1, pair->base) == 0  ? ANCHOR
						     : OTHER;
}

static bool is_anchored(const struct bench_point *point)
{
	return point->anchor && *point->anchor;
}

/* What a relative time is against, or an anchor's time is of: a commit, the nights' anchor, or a variant. */
static const char *against(const struct bench_point *point)
{
	if (!is_anchored(point))
		return "variant";
	return bench_record_anchor_is_commit(point->anchor) ? point->anchor : "night";
}

static bool is_same_series(const struct bench_point *a, const struct bench_point *b)
{
	return strcmp(a->key, b->key) == 0 && strcmp(a->fingerprint, b->fingerprint) == 0 &&
	       (role_of(a->key) == OTHER || strcmp(against(a), against(b)) == 0);
}

static bool is_first_of_series(const struct bench_point *points, size_t i)
{
	for (size_t j = i; j > 0 && strcmp(points[j - 1].key, points[i].key) == 0; j--)
		if (is_same_series(&points[j - 1], &points[i]))
			return false;
	return true;
}

/* The logarithm that counts: of an anchor that is not at the level, what it is away from it is chained. */
static double level_of(const struct bench_point *point)
{
	enum role role = role_of(point->key);
	return log(point->median) + (role == RATIO    ? point->level_shift
				     : role == ANCHOR ? -point->level_shift
						      : 0);
}

static bool says_something(const struct bench_point *point)
{
	return !point->disturbed && point->median > 0 && isfinite(point->median);
}

static void gather(const struct bench_point *points, size_t count, size_t first, struct series *series)
{
	series->count = 0;
	for (size_t i = first; i < count && strcmp(points[i].key, points[first].key) == 0; i++) {
		const struct bench_point *point = &points[i];
		if (!is_same_series(point, &points[first]) || !says_something(point))
			continue;
		double half = log(point->ci_hi / point->ci_lo) / 2 / INTERVAL_STEPS;
		series->points[series->count] = point;
		series->values[series->count] = level_of(point);
		series->deviations[series->count++] = isfinite(half) ? half : 0;
	}
}

/* Where all commits were interleaved with one: their code changed, or the machine did. */
static void attribute_commits(struct bench_change *change, const struct bench_point *first)
{
	if (!is_anchored(first) || !bench_record_anchor_is_commit(first->anchor))
		return;
	if (role_of(change->key) == RATIO) {
		change->cause = BENCH_CHANGE_CODE;
		change->why = "interleaved with the anchor";
	} else if (role_of(change->key) == ANCHOR) {
		change->cause = BENCH_CHANGE_MACHINE;
		change->why = "the anchor's time";
	}
}

static void add_changes(const struct series *series, const struct bench_stats_changepoint_options *options,
			struct bench_arena *arena, struct bench_change **changes, size_t *change_count)
{
	struct bench_stats_changepoint *found;
	size_t count = bench_stats_changepoints(series->values, series->count, options, &found);
	for (size_t i = 0; i < count; i++) {
		struct bench_change *change = bench_arena_push(arena, changes, change_count, sizeof(*change));
		const struct bench_interval *shift = &found[i].shift;
		const struct bench_point *last = series->points[found[i].index - 1];
		const struct bench_point *first = series->points[found[i].index];
		*change = (struct bench_change){
			.key = first->key,
			.unit = first->unit,
			.better = first->better,
			.fingerprint = first->fingerprint,
			.last_run = last->run,
			.last_commit = last->commit,
			.first_run = first->run,
			.first_commit = first->commit,
			.from = series->points[found[i].from]->started,
			.started = first->started,
			.until = series->points[found[i].end - 1]->started,
			.index = found[i].index,
			.before = exp(found[i].before),
			.after = exp(found[i].after),
			.ratio = {exp(shift->estimate), exp(shift->lo), exp(shift->hi), shift->level},
			.p = found[i].p,
			.recurs = found[i].recurs,
			.why = ""};
		attribute_commits(change, first);
	}
	free(found);
}

/* The metrics of a host that were searched: the series that begin in its points. */
static size_t count_searched(const struct bench_point *points, const size_t *starts, size_t count,
			     const char *fingerprint)
{
	size_t searched = 0;
	for (size_t s = 0; s < count; s++)
		searched += strcmp(points[starts[s]].fingerprint, fingerprint) == 0;
	return searched;
}

static void count_together(struct bench_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			changes[i].together += i != j && changes[i].started == changes[j].started &&
					       strcmp(changes[i].first_run, changes[j].first_run) == 0;
}

size_t bench_app_changepoints(const struct bench_point *points, size_t count,
			      const struct bench_app_changepoint_options *options, struct bench_arena *arena,
			      struct bench_change **changes)
{
	size_t series_count = 0, change_count = 0;
	size_t *starts = bench_arena_alloc(arena, count + 1, sizeof(*starts));
	struct series series = {
		.points = bench_arena_alloc(arena, count + 1, sizeof(*series.points)),
		.values = bench_arena_alloc(arena, count + 1, sizeof(double)),
		.deviations = bench_arena_alloc(arena, count + 1, sizeof(double)),
	};
	for (size_t i = 0; i < count; i++)
		if (is_first_of_series(points, i))
			starts[series_count++] = i;
	const struct bench_stats_changepoint_options searched = {
		.alpha = series_count > 0 ? options->alpha / (double)series_count : options->alpha,
		.deviations = series.deviations,
		.least = log1p(options->least),
	};
	*changes = NULL;
	for (size_t s = 0; s < series_count; s++) {
		gather(points, count, starts[s], &series);
		add_changes(&series, &searched, arena, changes, &change_count);
	}
	count_together(*changes, change_count);
	for (size_t i = 0; i < change_count; i++)
		(*changes)[i].searched =
			count_searched(points, starts, series_count, (*changes)[i].fingerprint);
	return change_count;
}

/* The points of the nights that were interleaved with an anchor: of the metrics that say what it did. */
struct anchored {
	struct bench_point *points;
	size_t count;
};

static int find_anchored(struct bench_store *store, const struct bench_app_line *line, const char *pattern,
			 struct bench_arena *arena, struct anchored *found, struct bench_error *error)
{
	struct bench_app_line_tally tally;
	struct bench_point *points;
	size_t count;
	if (bench_store_history(store, pattern, arena, &points, &count, error) != 0)
		return -1;
	count = bench_app_line_points(line, points, count, &tally);
	found->points = points;
	for (size_t i = 0; i < count; i++)
		if (strcmp(against(&points[i]), "night") == 0 && says_something(&points[i]))
			points[found->count++] = points[i];
	return 0;
}

/* Compares a key with that of the case of `key` with another metric. */
static int compare_sibling(const char *key, const char *metric, const char *other)
{
	size_t length = (size_t)(strrchr(key, '/') + 1 - key);
	int order = strncmp(other, key, length);
	return order != 0 ? order : strcmp(other + length, metric);
}

/* The first of the points, which are sorted by key, of the case of a change. */
static size_t find_sibling(const struct anchored *anchored, const char *key, const char *metric)
{
	size_t low = 0, high = anchored->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_sibling(key, metric, anchored->points[middle].key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How a metric of the case shifted with a change; false if too few runs around it have an anchor. */
static bool measure_sibling(const struct anchored *anchored, const struct bench_change *change,
			    const char *metric, struct bench_arena *arena, struct bench_interval *shift)
{
	size_t first = find_sibling(anchored, change->key, metric), end = first, old = 0, fresh = 0;
	while (end < anchored->count && compare_sibling(change->key, metric, anchored->points[end].key) == 0)
		end++;
	double *before = bench_arena_alloc(arena, end - first + 1, sizeof(*before));
	double *after = bench_arena_alloc(arena, end - first + 1, sizeof(*after));
	for (size_t i = first; i < end; i++) {
		const struct bench_point *point = &anchored->points[i];
		if (strcmp(point->fingerprint, change->fingerprint) != 0 || point->started < change->from ||
		    point->started > change->until)
			continue;
		if (point->started < change->started)
			before[old++] = level_of(point);
		else
			after[fresh++] = level_of(point);
	}
	if (old < BENCH_STATS_LEVEL_VALUES || fresh < BENCH_STATS_LEVEL_VALUES)
		return false;
	*shift = bench_stats_shift(before, old, after, fresh, 0.95);
	return true;
}

/* By the runs with an anchor; false where there are too few. What is measured against the anchor is the
 * code's, whatever else shifted, and the anchor's own time is the machine's. */
static bool attribute(struct bench_change *change, const struct anchored *relative,
		      const struct anchored *anchor, struct bench_arena *arena)
{
	struct bench_interval code, machine;
	const struct bench_metric_pair *pair = bench_metric_pair_of(strrchr(change->key, '/') + 1);
	pair = pair ? pair : &bench_metric_pairs[0];
	if (!measure_sibling(relative, change, pair->ratio, arena, &code) ||
	    !measure_sibling(anchor, change, pair->base, arena, &machine))
		return false;
	bench_compare_change_attribute(change, &code, &machine, arena);
	if (role_of(change->key) == RATIO)
		change->cause = BENCH_CHANGE_CODE;
	else if (role_of(change->key) == ANCHOR)
		change->cause = BENCH_CHANGE_MACHINE;
	return true;
}

/* The heads of runs that were loaded, so that a run is loaded once. */
struct heads {
	struct bench_run **runs;
	size_t count;
};

static int find_head(struct heads *heads, struct bench_store *store, const char *id,
		     struct bench_arena *arena, const struct bench_run **head, struct bench_error *error)
{
	struct bench_run *run = NULL;
	for (size_t i = heads->count; i > 0; i--) {
		*head = heads->runs[i - 1];
		if (strcmp((*head)->id, id) == 0)
			return 0;
	}
	if (bench_store_load_head(store, id, &run, error) != 0)
		return -1;
	BENCH_PUSH(arena, heads->runs, heads->count) = run;
	*head = run;
	return 0;
}

int bench_app_changepoints_explain(struct bench_store *store, const struct bench_app_line *line,
				   struct bench_change *changes, size_t count, struct bench_arena *arena,
				   struct bench_error *error)
{
	struct anchored relative = {0}, anchor = {0};
	struct heads heads = {0};
	if (count == 0)
		return 0;
	if (find_anchored(store, line, "*/base_*time", arena, &anchor, error) != 0 ||
	    (anchor.count > 0 &&
	     find_anchored(store, line, "*/relative_*time", arena, &relative, error) != 0))
		return -1;
	int result = 0;
	for (size_t i = 0; i < count && result == 0; i++) {
		const struct bench_run *last, *first;
		if (changes[i].cause != BENCH_CHANGE_UNKNOWN ||
		    attribute(&changes[i], &relative, &anchor, arena))
			continue;
		result = find_head(&heads, store, changes[i].last_run, arena, &last, error);
		if (result == 0)
			result = find_head(&heads, store, changes[i].first_run, arena, &first, error);
		if (result == 0)
			bench_compare_change_explain(&changes[i], last, first, arena);
	}
	for (size_t i = 0; i < heads.count; i++)
		bench_record_free(heads.runs[i]);
	return result;
}

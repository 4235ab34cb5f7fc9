/* SPDX-License-Identifier: MIT */
/* The changes that a gate's report shows: of what a run has measured, and not long ago. */
#include <stdlib.h>
#include <string.h>

#include "app/changepoints.h"
#include "compare/compare.h"
#include "core/text.h"

#define MOST_RUNS 400 /* more nights say nothing about the last few */

struct texts {
	const char **items;
	size_t count;
};

static void add_text(struct texts *texts, struct bench_arena *arena, const char *text)
{
	BENCH_PUSH(arena, texts->items, texts->count) = text;
}

static void sort(struct texts *texts)
{
	if (texts->count > 0)
		qsort(texts->items, texts->count, sizeof(*texts->items), bench_text_order);
}

static bool has_sorted(const struct texts *texts, const char *text)
{
	return texts->count > 0 &&
	       bsearch(&text, texts->items, texts->count, sizeof(*texts->items), bench_text_order) != NULL;
}

/* The ids of the nights of the run's host, track and line up to it, oldest first in the line's order. */
static int find_nights(struct bench_store *store, const struct bench_run *run,
		       const struct bench_app_line *line, struct bench_arena *arena, struct texts *nights,
		       struct bench_error *error)
{
	BENCH_SCOPED_ARENA scratch = {0};
	const char *fingerprint = bench_record_fact(run, "fingerprint");
	const char *track = bench_compare_track(run, &scratch);
	struct bench_app_line_item *items;
	struct bench_run_row *rows;
	size_t count, found = MOST_RUNS;
	int result = bench_store_runs(store, 0, arena, &rows, &count, error);
	items = bench_arena_alloc(&scratch, MOST_RUNS, sizeof(*items));
	for (size_t i = 0; result == 0 && i < count && found > 0; i++) {
		BENCH_SCOPED_RUN *head = NULL;
		if (*rows[i].aside || rows[i].started > run->started ||
		    !bench_app_line_has(line, rows[i].commit, rows[i].branch) ||
		    strcmp(rows[i].fingerprint, fingerprint) != 0 || strcmp(rows[i].preset, run->preset) != 0)
			continue;
		result = bench_store_load_head(store, rows[i].id, &head, error);
		if (result != 0)
			break;
		if (strcmp(bench_compare_track(head, &scratch), track) == 0)
			items[--found] =
				(struct bench_app_line_item){rows[i].commit, rows[i].branch, i, 0, 0};
	}
	bench_app_line_arrange(line, items + found, MOST_RUNS - found);
	for (; result == 0 && found < MOST_RUNS; found++)
		add_text(nights, arena, rows[items[found].index].id);
	return result;
}

/* The full names of the run's metrics that are judged, sorted, and the few patterns that match them all. */
static void find_metrics(const struct bench_run *run, struct bench_arena *arena, struct texts *keys,
			 struct texts *patterns)
{
	for (size_t r = 0; r < run->result_count; r++) {
		const struct bench_result *result = &run->results[r];
		for (size_t m = 0; m < result->metric_count; m++) {
			const struct bench_metric *metric = &result->metrics[m];
			if (*metric->derived_from || metric->better == BENCH_BETTER_NONE)
				continue;
			add_text(keys, arena, bench_arena_format(arena, "%s/%s", result->key, metric->name));
			const char *pattern =
				bench_arena_format(arena, "%s/*/%s", result->suite, metric->name);
			if (!BENCH_FIND(patterns->items, patterns->count, pattern))
				add_text(patterns, arena, pattern);
		}
	}
	sort(keys);
}

static int find_points(struct bench_store *store, const struct bench_app_line *line,
		       const struct texts *patterns, const struct texts *keys, const struct texts *nights,
		       struct bench_arena *arena, struct bench_point **points, size_t *count,
		       struct bench_error *error)
{
	*points = NULL;
	*count = 0;
	for (size_t i = 0; i < patterns->count; i++) {
		struct bench_point *found;
		struct bench_app_line_tally tally;
		size_t found_count;
		if (bench_store_history(store, patterns->items[i], arena, &found, &found_count, error) != 0)
			return -1;
		found_count = bench_app_line_points(line, found, found_count, &tally);
		for (size_t p = 0; p < found_count; p++)
			if (has_sorted(nights, found[p].run) && has_sorted(keys, found[p].key))
				BENCH_PUSH(arena, *points, *count) = found[p];
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct bench_change *x = a, *y = b;
	int order = strcmp(x->key, y->key);
	return order ? order : (x->started > y->started) - (x->started < y->started);
}

int bench_app_changepoints_recent(struct bench_store *store, const struct bench_run *run,
				  const struct bench_app_line *line,
				  const struct bench_app_changepoint_options *options,
				  struct bench_arena *arena, struct bench_changes *changes,
				  struct bench_error *error)
{
	struct texts nights = {0}, recent = {0}, keys = {0}, patterns = {0};
	struct bench_point *points;
	struct bench_change *found;
	size_t count, kept = 0;
	*changes = (struct bench_changes){.runs = options->runs};
	if (find_nights(store, run, line, arena, &nights, error) != 0)
		return -1;
	for (size_t i = 0; i < nights.count && i < options->runs; i++)
		add_text(&recent, arena, nights.items[nights.count - 1 - i]);
	sort(&nights);
	find_metrics(run, arena, &keys, &patterns);
	if (find_points(store, line, &patterns, &keys, &nights, arena, &points, &count, error) != 0)
		return -1;
	size_t found_count = bench_app_changepoints(points, count, options, arena, &found);
	for (size_t i = 0; i < found_count; i++)
		if (BENCH_FIND(recent.items, recent.count, found[i].first_run))
			found[kept++] = found[i];
	if (kept > 0)
		qsort(found, kept, sizeof(*found), by_key);
	changes->items = found;
	changes->count = kept;
	return bench_app_changepoints_explain(store, line, found, kept, arena, error);
}

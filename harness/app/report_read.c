/* SPDX-License-Identifier: MIT */
/* What a report needs of the history, in one pass over each of its tables. */
#include <string.h>
#include <time.h>

#include "app/compare.h"
#include "app/period.h"
#include "app/report.h"
#include "app/runs.h"

enum {
	MOST_KINDS = 16, /* of which the samples are shown: hosts, presets and suites */
	WHOLE = 2,       /* runs of each, with their samples */
};

struct reading {
	const struct bench_app_report_request *request;
	struct bench_store *store;
	struct bench_app_report_data *data;
	struct bench_run_row *rows; /* newest first */
	struct bench_html_run *runs;
	size_t count;
	struct bench_app_period period;
	struct bench_kept_comparison *comparisons;
	size_t comparison_count;
};

/* Runs that are aside are of no kind. */
static bool is_alike(const struct bench_run_row *a, const struct bench_run_row *b)
{
	return bench_store_is_same_kind(a, b) && !*a->aside && !*b->aside;
}

/* The next older run of the kind; the count of all: none. */
static size_t older_of(const struct reading *in, size_t at)
{
	size_t older = at + 1;
	while (older < in->count && !is_alike(&in->rows[older], &in->rows[at]))
		older++;
	return older;
}

static int read_heads(struct reading *in, struct bench_error *error)
{
	struct bench_arena *arena = &in->data->arena;
	struct bench_html_run *runs = in->runs = bench_arena_alloc(arena, in->count + 1, sizeof(*runs));
	struct bench_run **heads = bench_arena_alloc(arena, in->count + 1, sizeof(struct bench_run *));
	size_t shown = in->count < in->request->runs ? in->count : in->request->runs;
	in->data->heads = heads;
	for (size_t i = 0; i < in->count; i++)
		runs[i] = (struct bench_html_run){.row = &in->rows[i], .facts = ""};
	for (; in->data->head_count < shown; in->data->head_count++) {
		size_t at = in->data->head_count;
		if (bench_store_load_head(in->store, in->rows[at].id, &heads[at], error) != 0)
			return -1;
		runs[at].head = heads[at];
	}
	for (size_t i = 0; i < shown; i++) {
		size_t older = older_of(in, i);
		if (older < shown)
			runs[i].facts = bench_compare_changed_facts(heads[older], heads[i], arena);
	}
	in->data->html.runs = runs;
	in->data->html.run_count = in->count;
	return 0;
}

static bool is_judged(const struct bench_point *point)
{
	return !point->derived && point->better != BENCH_BETTER_NONE;
}

/* All values, and where those that are judged shifted. */
static int read_points(struct reading *in, struct bench_error *error)
{
	struct bench_arena *arena = &in->data->arena;
	struct bench_html_data *html = &in->data->html;
	struct bench_point *points;
	struct bench_change *changes;
	size_t judged = 0;
	if (bench_store_history(in->store, "*", arena, &points, &html->point_count, error) != 0)
		return -1;
	html->point_count = bench_app_period_points(&in->period, points, html->point_count);
	struct bench_app_line line;
	struct bench_app_line_tally tally;
	if (bench_app_line_here(in->store, &in->request->places.line, arena, &line, error) != 0)
		return -1;
	struct bench_point *searched = bench_arena_alloc(arena, html->point_count + 1, sizeof(*searched));
	for (size_t i = 0; i < html->point_count; i++)
		if (is_judged(&points[i]))
			searched[judged++] = points[i];
	judged = bench_app_line_points(&line, searched, judged, &tally);
	html->change_count = bench_app_changepoints(searched, judged, &in->request->changes, arena, &changes);
	html->points = points;
	html->changes = changes;
	const char *note = bench_app_line_note(&line, &tally, arena);
	if (note)
		bench_app_note(in->request->host, "change points: line of history: %s", note);
	return bench_app_changepoints_explain(in->store, &line, changes, html->change_count, arena, error);
}

static void add_comparison(struct reading *in, const struct bench_run *run,
			   const struct bench_comparison *comparison)
{
	struct bench_arena *arena = &in->data->arena;
	struct bench_verdict_row *rows =
		bench_arena_alloc(arena, comparison->verdict_count + 1, sizeof(*rows));
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		rows[i] = bench_app_verdict_row(&comparison->verdicts[i]);
		rows[i].key = bench_arena_string(arena, rows[i].key);
		rows[i].reason = bench_arena_string(arena, rows[i].reason);
		rows[i].owner = bench_arena_string(arena, rows[i].owner);
	}
	BENCH_PUSH(arena, in->comparisons, in->comparison_count) = (struct bench_kept_comparison){
		run->id, in->request->baseline, rows, comparison->verdict_count};
}

/* Verdicts on the newest run of a kind that nobody has judged. A first run has no earlier one to compare
 * with; that needs no warning. */
static void judge(struct reading *in, const struct bench_run *run, bool is_first)
{
	BENCH_SCOPED_COMPARISON *comparison = NULL;
	struct bench_error cause;
	if (bench_app_compare(&in->request->places, in->store, run, in->request->baseline,
			      &in->request->comparing, &comparison, &cause) == 0)
		add_comparison(in, run, comparison);
	else if (!is_first)
		bench_app_warn(in->request->host, "run %s has no verdicts: %s", run->id, cause.text);
}

static int load_whole(struct reading *in, size_t at, struct bench_error *error)
{
	struct bench_app_report_data *data = in->data;
	struct bench_run **slot =
		bench_arena_push(&data->arena, &data->whole, &data->whole_count, sizeof(struct bench_run *));
	if (bench_store_load(in->store, in->rows[at].id, slot, error) == 0)
		return 0;
	data->whole_count--;
	return -1;
}

/* The newest runs of each kind, with their samples. */
static int read_whole(struct reading *in, struct bench_error *error)
{
	size_t kinds = 0;
	for (size_t i = 0; i < in->count && kinds < MOST_KINDS; i++) {
		bool newest = !*in->rows[i].aside;
		for (size_t j = 0; j < i && newest; j++)
			newest = !is_alike(&in->rows[j], &in->rows[i]);
		if (!newest)
			continue;
		kinds++;
		size_t at = i;
		for (size_t n = 0; n < WHOLE && at < in->count; n++, at = older_of(in, at))
			if (load_whole(in, at, error) != 0)
				return -1;
		if (!BENCH_FIND(in->comparisons, in->comparison_count, in->rows[i].id))
			for (size_t w = 0; w < in->data->whole_count; w++)
				if (strcmp(in->data->whole[w]->id, in->rows[i].id) == 0)
					judge(in, in->data->whole[w], older_of(in, i) == in->count);
	}
	in->data->html.whole = (const struct bench_run *const *)(uintptr_t)in->data->whole;
	in->data->html.whole_count = in->data->whole_count;
	in->data->html.comparisons = in->comparisons;
	in->data->html.comparison_count = in->comparison_count;
	return 0;
}

/* Those of runs in the period. */
static void keep_comparisons(struct reading *in)
{
	size_t kept = 0;
	for (size_t i = 0; i < in->comparison_count; i++)
		for (size_t r = 0; r < in->count; r++)
			if (strcmp(in->comparisons[i].run, in->rows[r].id) == 0) {
				in->comparisons[kept++] = in->comparisons[i];
				break;
			}
	in->comparison_count = kept;
}

static int read_history(struct reading *in, struct bench_error *error)
{
	struct bench_arena *arena = &in->data->arena;
	struct bench_alarm *alarms;
	if (bench_app_period_read(in->request->since, in->request->until, in->data->html.now, in->store,
				  &in->period, error) != 0 ||
	    bench_store_runs(in->store, 0, arena, &in->rows, &in->count, error) != 0)
		return -1;
	size_t all = in->count;
	in->count = bench_app_period_runs(&in->period, in->rows, in->count);
	if (in->count == 0 && all > 0)
		return bench_fail(error, BENCH_NOTHING, "no run of the history is from that period");
	if (in->count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "history '%s' has no run yet: 'bench run' measures one",
				  bench_store_shown(in->request->places.db, arena));
	if (read_heads(in, error) != 0 || read_points(in, error) != 0 ||
	    bench_store_alarms(in->store, NULL, NULL, false, arena, &alarms, &in->data->html.alarm_count,
			       error) != 0 ||
	    bench_store_comparisons(in->store, arena, &in->comparisons, &in->comparison_count, error) != 0)
		return -1;
	in->data->html.alarms = alarms;
	keep_comparisons(in);
	return read_whole(in, error);
}

int bench_app_report_read(const struct bench_app_report_request *request, struct bench_app_report_data *data,
			  struct bench_error *error)
{
	struct reading in = {.request = request, .data = data};
	*data = (struct bench_app_report_data){.html = {.now = (int64_t)time(NULL)}};
	BENCH_SCOPED_STORE *store = NULL;

	if (bench_app_open_store(request->places.db, &store, error) != 0)
		return -1;
	in.store = store;
	return read_history(&in, error);
}

void bench_app_report_free(struct bench_app_report_data *data)
{
	for (size_t i = 0; i < data->head_count; i++)
		bench_record_free(data->heads[i]);
	for (size_t i = 0; i < data->whole_count; i++)
		bench_record_free(data->whole[i]);
	bench_arena_free(&data->arena);
}

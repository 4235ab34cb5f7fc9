/* Trend: metrics over the runs of the history. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "report/plot/lines.h"
#include "report/plot/plot.h"
#include "report/render/words.h"
#include "stats/stats.h"

#define LABELS 13 /* ticks that can be labelled side by side */

/*
 * The runs that have a point, oldest first. They stand at even steps: runs come in bursts
 * and after pauses, and on an axis of time a day's work would be one heap of points.
 */
struct run {
	const char *id, *commit;
	int64_t started;
};

static int by_start(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return strcmp(x->id, y->id);
}

static size_t find_runs(struct bench_arena *arena, const struct bench_point *points, size_t count,
			struct run **runs)
{
	struct run *all = bench_arena_alloc(arena, count, sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[i] = (struct run){points[i].run, points[i].commit, points[i].started};
	qsort(all, count, sizeof(*all), by_start);
	size_t distinct = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || by_start(&all[i], &all[distinct - 1]) != 0)
			all[distinct++] = all[i];
	}
	*runs = all;
	return distinct;
}

static double position(const struct run *runs, size_t count, const struct bench_point *point)
{
	const struct run wanted = {point->run, point->commit, point->started};
	const struct run *run = bsearch(&wanted, runs, count, sizeof(*runs), by_start);
	return run ? (double)(run - runs) + 1 : NAN;
}

/* A line before the run at `at`. Metrics that have the same label there share one. */
static void add_mark(struct bench_plot *plot, double at, const char *label)
{
	for (size_t i = 0; i < plot->mark_count; i++)
		if (plot->marks[i].x == at - 0.5 && strcmp(plot->marks[i].label, label) == 0)
			return;
	*(struct bench_plot_mark *)bench_arena_push(&plot->arena, &plot->marks, &plot->mark_count,
						    sizeof(*plot->marks)) =
		(struct bench_plot_mark){at - 0.5, label};
}

/* "gemm/openblas:haswell/m=64,n=64/time" in its parts. */
static void split_key(struct bench_plot *plot, struct bench_plot_line *line, const char *key)
{
	const char *suite_end = strchrnul(key, '/');
	const char *target = *suite_end ? suite_end + 1 : suite_end;
	const char *target_end = strchrnul(target, '/');
	const char *params = *target_end ? target_end + 1 : target_end;
	const char *metric = strrchr(params, '/');
	const char *params_end = metric ? metric : params;
	bench_plot_add_part(plot, line, key, (size_t)(suite_end - key));
	bench_plot_add_part(plot, line, target, (size_t)(target_end - target));
	while (params < params_end) {
		size_t length = strcspn(params, ",/");
		bench_plot_add_part(plot, line, params, length);
		params += length + 1;
	}
	if (metric)
		bench_plot_add_part(plot, line, metric + 1, strlen(metric + 1));
}

static int add_lines(struct bench_plot *plot, const struct bench_point *points, size_t count,
		     const struct run *runs, size_t run_count, struct bench_error *error)
{
	struct bench_plot_line *line = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct bench_point *point = &points[i];
		if (strcmp(point->unit, points[0].unit) != 0)
			return bench_fail(error, BENCH_USAGE,
					  "the metrics differ in unit (%s and %s), so that one axis cannot "
					  "show them: narrow the pattern to one metric, such as '*/time'",
					  points[0].unit, point->unit);
		if (i == 0 || strcmp(point->key, points[i - 1].key) != 0) {
			if (bench_plot_add_line(plot, point->key,
						"narrow the pattern, for example to one suite or size", &line,
						error) != 0)
				return -1;
			split_key(plot, line, point->key);
		}
		double at = position(runs, run_count, point);
		bench_plot_add_point(plot, line, at, point->median, point->ci_lo, point->ci_hi);
		if (*point->accepted)
			add_mark(plot, at,
				 bench_arena_format(&plot->arena, "accepted: %s",
						    bench_render_words_line(&plot->arena, point->accepted)));
	}
	return 0;
}

/* The changes of the points' metrics, and where their new levels begin on the axis. */
struct shifts {
	const struct bench_change *changes;
	size_t count;
	double *at; /* one a change; NaN: its run is not drawn */
};

static void find_places(struct bench_arena *arena, const struct bench_point *points, size_t count,
			const struct run *runs, size_t run_count, struct shifts *shifts)
{
	shifts->at = bench_arena_alloc(arena, shifts->count + 1, sizeof(double));
	for (size_t c = 0; c < shifts->count; c++) {
		const struct bench_change *change = &shifts->changes[c];
		shifts->at[c] = NAN;
		for (size_t i = 0; i < count && isnan(shifts->at[c]); i++)
			if (points[i].started == change->started &&
			    strcmp(points[i].run, change->first_run) == 0)
				shifts->at[c] = position(runs, run_count, &points[i]);
	}
}

/* "+9.8%" at each, of several metrics at one run "3 metrics, +4.1% to +9.8%". */
static void add_shift_marks(struct bench_plot *plot, const struct shifts *shifts)
{
	for (size_t c = 0; c < shifts->count; c++) {
		size_t together = 0;
		double least = INFINITY, most = 0;
		for (size_t o = 0; o < shifts->count; o++)
			if (shifts->at[o] == shifts->at[c]) {
				together++;
				least = fmin(least, shifts->changes[o].ratio.estimate);
				most = fmax(most, shifts->changes[o].ratio.estimate);
			}
		if (together == 0) /* NaN is not equal to itself */
			continue;
		const char *lowest = bench_render_words_change(&plot->arena, least);
		add_mark(plot, shifts->at[c],
			 together == 1
				 ? lowest
				 : bench_arena_format(&plot->arena, "%zu metrics, %s to %s", together, lowest,
						      bench_render_words_change(&plot->arena, most)));
	}
}

static void push_level(struct bench_plot *plot, struct bench_plot_line *line, struct bench_plot_level level)
{
	*(struct bench_plot_level *)bench_arena_push(&plot->arena, &line->levels, &line->level_count,
						     sizeof(level)) = level;
}

/* The levels of one metric on one host, whose changes begin at `first`; returns where the next one's do. */
static size_t add_host_levels(struct bench_plot *plot, struct bench_plot_line *line,
			      const struct shifts *shifts, size_t first)
{
	const struct bench_change *changes = shifts->changes;
	size_t end = first;
	while (end < shifts->count && strcmp(changes[end].key, changes[first].key) == 0 &&
	       strcmp(changes[end].fingerprint, changes[first].fingerprint) == 0)
		end++;
	double from = line->points[0].x, last = line->points[line->point_count - 1].x;
	push_level(plot, line,
		   (struct bench_plot_level){from, shifts->at[first] - 0.5, changes[first].before, true});
	for (size_t c = first; c < end; c++)
		push_level(plot, line,
			   (struct bench_plot_level){shifts->at[c] - 0.5,
						     c + 1 < end ? shifts->at[c + 1] - 0.5 : last,
						     changes[c].after, false});
	return end;
}

static void add_shifts(struct bench_plot *plot, const struct shifts *shifts)
{
	for (size_t c = 0; c < shifts->count;) {
		struct bench_plot_line *line = NULL;
		for (size_t l = 0; l < plot->line_count; l++)
			if (strcmp(plot->lines[l].key, shifts->changes[c].key) == 0)
				line = &plot->lines[l];
		if (line && line->point_count > 0)
			c = add_host_levels(plot, line, shifts, c);
		else
			c++;
	}
	add_shift_marks(plot, shifts);
}

/* The median over its runs of a line; NaN where it has no point. */
static double line_median(struct bench_arena *arena, const struct bench_plot_line *line)
{
	double *values = bench_arena_alloc(arena, line->point_count, sizeof(*values));
	for (size_t i = 0; i < line->point_count; i++)
		values[i] = line->points[i].y;
	return bench_stats_median(values, line->point_count);
}

static void divide(struct bench_plot_line *line, double by)
{
	for (size_t i = 0; i < line->point_count; i++) {
		line->points[i].y /= by;
		line->points[i].lo /= by;
		line->points[i].hi /= by;
	}
	for (size_t i = 0; i < line->level_count; i++)
		line->levels[i].y /= by;
}

/*
 * Scales values to what the axis shows. Lines more than a factor of five apart would each
 * be flat on a common axis: they are shown relative to their own medians.
 */
static void scale(struct bench_plot *plot, const char *unit)
{
	double medians[BENCH_LINES_MAX], least = INFINITY, largest = 0, factor;
	for (size_t i = 0; i < plot->line_count; i++) {
		medians[i] = line_median(&plot->arena, &plot->lines[i]);
		least = fmin(least, medians[i]);
		largest = fmax(largest, medians[i]);
	}
	bool relative = least > 0 && largest > 5 * least;
	const char *name = bench_text_scale(largest, unit, &factor);
	for (size_t i = 0; i < plot->line_count; i++) {
		struct bench_plot_line *line = &plot->lines[i];
		if (relative)
			line->remark = bench_arena_format(
				&plot->arena, "median %s",
				bench_render_words_quantity(&plot->arena, medians[i], unit));
		divide(line, relative ? medians[i] : factor);
	}
	plot->y_label = relative ? "relative to the median of the line" : *name ? name : unit;
}

/* "11-20" over "9f3c2a1"; on runs of one day "23:15" over it. */
static void add_ticks(struct bench_plot *plot, const struct run *runs, size_t count)
{
	size_t step = (count + LABELS - 1) / LABELS;
	char first[32], last[32];
	bench_clock_iso(runs[0].started, first, sizeof(first));
	bench_clock_iso(runs[count - 1].started, last, sizeof(last));
	bool one_day = strncmp(first, last, 10) == 0, years = strncmp(first, last, 4) != 0;
	for (size_t i = (count - 1) % step; i < count; i += step) {
		char iso[32], commit[8];
		size_t length = 0;
		bench_clock_iso(runs[i].started, iso, sizeof(iso));
		for (; length < 7 && isalnum((unsigned char)runs[i].commit[length]); length++)
			commit[length] = runs[i].commit[length];
		commit[length] = '\0';
		struct bench_plot_tick *tick =
			bench_arena_push(&plot->arena, &plot->ticks, &plot->tick_count, sizeof(*tick));
		tick->x = (double)i + 1;
		tick->label = one_day ? bench_arena_format(&plot->arena, "%.5s\\n%s", iso + 11, commit)
			      : years ? bench_arena_format(&plot->arena, "%.8s\\n%s", iso + 2, commit)
				      : bench_arena_format(&plot->arena, "%.5s\\n%s", iso + 5, commit);
	}
	plot->tick_rows = 2;
	plot->x_label = one_day ? bench_arena_format(&plot->arena, "run, on %.10s", first) : "run";
}

int bench_plot_trend(const struct bench_point *points, size_t count, const struct bench_change *changes,
		     size_t change_count, const char *output, struct bench_error *error)
{
	struct shifts shifts = {.changes = changes, .count = change_count};
	int result = -1;
	struct bench_plot plot = {.title = "Trend"};
	struct run *runs;
	if (count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no metric of the history matches, so that there is no trend to plot");
	size_t run_count = find_runs(&plot.arena, points, count, &runs);
	if (add_lines(&plot, points, count, runs, run_count, error) != 0)
		goto out;
	find_places(&plot.arena, points, count, runs, run_count, &shifts);
	add_shifts(&plot, &shifts);
	scale(&plot, points[0].unit);
	add_ticks(&plot, runs, run_count);
	bench_plot_fit(&plot, false, false);
	plot.x_min = 0.5;
	plot.x_max = (double)run_count + 0.5;
	result = bench_plot_draw(&plot, output, error);
out:
	bench_plot_free(&plot);
	return result;
}

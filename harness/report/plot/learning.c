/* SPDX-License-Identifier: MIT */
/* Learning curve: samples that build on each other, step by step. */
#include <math.h>
#include <string.h>

#include "report/plot/lines.h"
#include "report/render/block.h"
#include "stats/stats.h"

#define STEPS "epoch_" /* what the names of such metrics begin with */

/* The median over the invocations at one step, with the least and the most of them. */
static struct bench_plot_point point_at(const struct bench_metric *metric, size_t step)
{
	BENCH_SCOPED_ARENA arena = {0};
	double *values = bench_arena_alloc(&arena, metric->series_count, sizeof(*values));
	size_t count = 0;
	for (size_t s = 0; s < metric->series_count; s++)
		if (step < metric->series[s].count && isfinite(metric->series[s].values[step]))
			values[count++] = metric->series[s].values[step];
	struct bench_plot_point point = {(double)step + 1, bench_stats_median(values, count),
					 bench_stats_quantile(values, count, 0),
					 bench_stats_quantile(values, count, 1), 0};
	return point;
}

static void add_metric(struct bench_plot_lines *lines, const struct bench_result *result,
		       const struct bench_metric *metric)
{
	size_t longest = 0;
	char *target = bench_render_block_target(lines->arena, result);
	const char *name = metric->name + strlen(STEPS);
	struct bench_plot_line *line = bench_plot_lines_of(
		lines, bench_arena_format(lines->arena, "%s/%s", result->key, metric->name));
	bench_plot_lines_add_part(lines, line, target, strlen(target));
	for (size_t i = 0; i < result->param_count; i++) {
		const char *pair = bench_arena_format(lines->arena, "%s=%s", result->params[i].name,
						      result->params[i].value);
		bench_plot_lines_add_part(lines, line, pair, strlen(pair));
	}
	bench_plot_lines_add_part(lines, line, name, strlen(name));
	for (size_t s = 0; s < metric->series_count; s++)
		longest = metric->series[s].count > longest ? metric->series[s].count : longest;
	for (size_t step = 0; step < longest; step++)
		bench_plot_lines_add_point(lines, line, point_at(metric, step));
}

static const char *collect(struct bench_plot_lines *lines, const struct bench_run *run, const char *suite)
{
	const char *unit = NULL;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if ((suite && strcmp(result->suite, suite) != 0) || result->status != BENCH_STATUS_OK)
			continue;
		for (size_t m = 0; m < result->metric_count; m++) {
			const struct bench_metric *metric = &result->metrics[m];
			if (strncmp(metric->name, STEPS, strlen(STEPS)) != 0 ||
			    (unit && strcmp(unit, metric->unit) != 0))
				continue;
			unit = metric->unit;
			add_metric(lines, result, metric);
		}
	}
	bench_plot_lines_drop_empty(lines);
	return unit;
}

/* The other curves, pale: what the panel's own is compared with. */
static void draw_others(struct bench_plot *plot, const struct bench_plot_lines *lines, size_t own,
			struct bench_plot_panel *panel)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct bench_plot_line *line = &lines->items[i];
		if (i == own)
			continue;
		size_t block = bench_plot_page_begin(plot, panel);
		for (size_t p = 0; p < line->point_count; p++)
			bench_text_add(&panel->data, "%.17g %.17g\n", line->points[p].x, line->points[p].y);
		bench_plot_page_end(panel);
		bench_plot_page_add_layer(panel, "$d%zu using 1:2 with lines lc rgb '%s' lw 3", block,
					  bench_plot_page_color(plot, BENCH_PLOT_GRID));
	}
}

static void add_panel(struct bench_plot *plot, struct bench_plot_lines *lines, size_t first, size_t count,
		      const char *unit)
{
	bool alone = count == lines->count;
	struct bench_plot_panel *panel = bench_plot_page_add_panel(
		plot, alone ? "" : bench_plot_lines_name(lines, &lines->items[first], false));
	double steps = 1;
	for (size_t i = 0; i < lines->count; i++)
		steps = fmax(steps, lines->items[i].points[lines->items[i].point_count - 1].x);
	panel->x = (struct bench_plot_axis){.label = "epoch", .min = 0.5, .max = steps + 0.5, .rows = 1};
	size_t apart = (size_t)ceil(steps / (alone ? 20 : 8));
	for (size_t at = 1; at <= (size_t)steps; at += apart)
		bench_plot_page_add_tick(plot, &panel->x, (double)at,
					 bench_plot_page_short(plot, (double)at));
	panel->y.label = unit;
	/* A curve has no level: nothing of it is far off. All panels have the same range. */
	bench_plot_lines_fit(lines, 0, lines->count, BENCH_PLOT_FIT_CURVE, &panel->y);
	if (!alone && !bench_plot_page_is_text(plot))
		draw_others(plot, lines, first, panel);
	bench_plot_lines_draw(lines, first, count, alone ? 0 : first, alone, plot, panel);
}

int bench_plot_learning(const struct bench_run *run, const char *suite, struct bench_plot_place *place,
			struct bench_error *error)
{
	struct bench_plot page = {.place = place};
	BENCH_SCOPED_PLOT *plot = &page;
	struct bench_plot_lines lines = {.arena = &plot->arena};
	const char *unit = collect(&lines, run, suite);
	double factor;

	if (lines.count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "run %s has no metric of steps (" STEPS
				  "...)%s%.60s: suite mnist has, a step an epoch",
				  run->id, suite ? " in suite " : "", suite ? suite : "");
	const char *name = bench_text_scale(1, unit, &factor);
	unit = *name ? name : unit;
	for (size_t i = 0; i < lines.count; i++)
		bench_plot_lines_multiply(&lines.items[i], 1 / factor);
	const char *shared = bench_plot_lines_name(&lines, &lines.items[0], true);
	plot->title = bench_arena_format(&plot->arena, "Learning, run %s%s%s", run->id, *shared ? ":  " : "",
					 shared);
	/* Curves of one training mostly coincide: each has a panel. Those of a terminal are letters. */
	bool together = bench_plot_page_is_text(plot) && lines.count <= BENCH_LINES_MAX;
	size_t count = together ? lines.count : 1;
	for (size_t first = 0; first < lines.count; first += count)
		add_panel(plot, &lines, first, count, unit);
	return bench_plot_page_draw(plot, error);
}

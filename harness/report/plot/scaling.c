/* SPDX-License-Identifier: MIT */
/* Scaling: how a suite's rate, or time, goes with one of its parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/cases.h"
#include "report/plot/lines.h"
#include "report/render/block.h"
#include "stats/stats.h"

#define LABEL_ROOM 0.06 /* of the axis, that the label of a tick takes */

struct scaling {
	struct bench_plot plot;
	struct bench_plot_cases cases;
	struct bench_plot_lines lines;
	const char *parameter;
};

/* The parameters of a result except the plotted one, joined by '\n'. */
static char *others(const struct scaling *scaling, const struct bench_result *result)
{
	const struct bench_plot_cases *cases = &scaling->cases;
	const char *parameter = scaling->parameter;
	struct bench_text text = {0};
	for (size_t i = 0; i < result->param_count; i++) {
		const struct bench_attribute *pair = &result->params[i];
		if (strcmp(pair->name, parameter) == 0 ||
		    bench_plot_cases_is_same(cases, pair->name, parameter))
			continue;
		bool along = strcmp(pair->value, bench_record_param(result, parameter)) == 0 &&
			     bench_plot_cases_goes_along(cases, pair->name, parameter);
		bench_text_add(&text, "\n%s=%s", pair->name, along ? parameter : pair->value);
	}
	return bench_text_keep(&text, cases->arena);
}

/* The line of a case; a new one where it is the first. */
static struct bench_plot_line *line_of(struct scaling *scaling, const struct bench_result *result)
{
	struct bench_arena *arena = scaling->cases.arena;
	char *target = bench_render_block_target(arena, result), *rest = others(scaling, result);
	size_t known = scaling->lines.count;
	/* By the parameters first: lines of the same ones stand together. */
	struct bench_plot_line *line =
		bench_plot_lines_of(&scaling->lines, bench_arena_format(arena, "%s\n\n%s", rest, target));
	if (scaling->lines.count == known)
		return line;
	bench_plot_lines_add_part(&scaling->lines, line, target, strlen(target));
	for (const char *part = rest; *part;) {
		size_t length = strcspn(++part, "\n");
		bench_plot_lines_add_part(&scaling->lines, line, part, length);
		part += length;
	}
	return line;
}

static void add_cases(struct scaling *scaling, double factor)
{
	struct bench_plot_lines *lines = &scaling->lines;
	*lines = (struct bench_plot_lines){.arena = lines->arena};
	for (size_t i = 0; i < scaling->cases.count; i++) {
		const struct bench_plot_case *item = &scaling->cases.items[i];
		const struct bench_summary *summary = &item->metric->summary;
		double x = NAN;
		bench_text_real(bench_record_param(item->result, scaling->parameter), &x);
		bench_plot_lines_add_point(lines, line_of(scaling, item->result),
					   (struct bench_plot_point){x, summary->median / factor,
								     summary->ci_lo / factor,
								     summary->ci_hi / factor, 0});
	}
	for (size_t l = 0; l < lines->count; l++)
		qsort(lines->items[l].points, lines->items[l].point_count, sizeof(lines->items[l].points[0]),
		      bench_stats_order);
}

/*
 * A case that shares its line with no other says nothing about scaling. If there are lines, such cases are
 * left out, and their parameters do not distinguish lines. Returns their number.
 */
static size_t drop_lonely(struct scaling *scaling)
{
	struct bench_plot_cases *cases = &scaling->cases;
	size_t kept = 0, all = cases->count;
	for (size_t l = 0; l < scaling->lines.count; l++)
		kept += scaling->lines.items[l].point_count > 1;
	if (kept == 0)
		return 0;
	kept = 0;
	for (size_t i = 0; i < all; i++)
		if (line_of(scaling, cases->items[i].result)->point_count > 1)
			cases->items[kept++] = cases->items[i];
	cases->count = kept;
	return all - kept;
}

/* Ticks at the measured values, except where labels would overlap. */
static void add_x_axis(struct scaling *scaling, double room, struct bench_plot_axis *axis)
{
	double *values;
	struct bench_plot_lines *lines = &scaling->lines;
	double first = INFINITY, last = -INFINITY, at = -INFINITY;
	size_t count = bench_plot_cases_values(&scaling->cases, scaling->parameter, &values);
	for (size_t l = 0; l < lines->count; l++) {
		first = fmin(first, lines->items[l].points[0].x);
		last = fmax(last, lines->items[l].points[lines->items[l].point_count - 1].x);
	}
	axis->log = first > 0;
	axis->rows = 1;
	double span = axis->log ? log2(last / first) : last - first;
	for (size_t i = 0; i < count; i++) {
		double place =
			span > 0 ? (axis->log ? log2(values[i] / first) : values[i] - first) / span : 0;
		if (values[i] < first || values[i] > last || place - at < room)
			continue;
		at = place;
		bench_plot_page_add_tick(&scaling->plot, axis, values[i],
					 bench_plot_page_short(&scaling->plot, values[i]));
	}
	double pad = span > 0 ? 0.03 * span : 1;
	axis->min = axis->log ? first * exp2(-pad) : first - pad;
	axis->max = axis->log ? last * exp2(pad) : last + pad;
}

static int by_key(const void *a, const void *b)
{
	return strverscmp(((const struct bench_plot_line *)a)->key, ((const struct bench_plot_line *)b)->key);
}

/* The lines from `first` on that have the parameters of that one. */
static size_t same_parameters(const struct bench_plot_lines *lines, size_t first)
{
	const char *key = lines->items[first].key;
	size_t length = (size_t)(strstr(key, "\n\n") - key) + 2, end = first + 1;
	while (end < lines->count && strncmp(lines->items[end].key, key, length) == 0)
		end++;
	return end - first;
}

/* The title of a panel: the parts that its lines share with each other and not with all lines. */
static const char *panel_title(const struct bench_plot_lines *lines, size_t first)
{
	struct bench_plot_lines shown = {.arena = lines->arena};
	for (size_t i = 0; i < lines->count; i++) {
		struct bench_plot_line *line = bench_plot_lines_of(&shown, lines->items[i].key);
		/* The first part is the target. */
		line->parts = lines->items[i].parts + 1;
		line->part_count = lines->items[i].part_count - 1;
	}
	return bench_plot_lines_name(&shown, &shown.items[first], false);
}

/* All lines in one panel; where they are many, those of the same parameters in one each. */
static void add_panels(struct scaling *scaling, const char *unit)
{
	struct bench_plot *plot = &scaling->plot;
	struct bench_plot_lines *lines = &scaling->lines, targets = {.arena = lines->arena};
	bool split = lines->count > BENCH_LINES_MAX;
	if (split)
		qsort(lines->items, lines->count, sizeof(*lines->items), by_key);
	for (size_t first = 0, count; first < lines->count; first += count) {
		count = split ? same_parameters(lines, first) : lines->count;
		struct bench_plot_panel *panel =
			bench_plot_page_add_panel(plot, split ? panel_title(lines, first) : "");
		panel->y.label = unit;
		bench_plot_lines_fit(lines, first, count, BENCH_PLOT_FIT_MAY_LOG, &panel->y);
		if (panel->y.log)
			bench_plot_page_add_log_ticks(plot, &panel->y);
		add_x_axis(scaling, split ? 3 * LABEL_ROOM : LABEL_ROOM, &panel->x);
		if (!split) {
			bench_plot_lines_draw(lines, first, count, 0, true, plot, panel);
			panel->x.label = bench_plot_cases_axis(&scaling->cases, scaling->parameter);
		}
		for (size_t i = first; split && i < first + count; i++) {
			/* A target has one color in all panels. */
			const char *target = lines->items[i].parts[0];
			const struct bench_plot_line *known = bench_plot_lines_of(&targets, target);
			size_t hue = (size_t)(known - targets.items);
			bench_plot_lines_draw(lines, i, 1, hue, false, plot, panel);
			bench_plot_page_add_series(plot, hue, target);
		}
	}
}

static void set_title(struct scaling *scaling, const struct bench_run *run, size_t dropped, bool split)
{
	struct bench_plot *plot = &scaling->plot;
	const char *shared = bench_plot_lines_name(&scaling->lines, &scaling->lines.items[0], true);
	const char *axis = bench_plot_cases_axis(&scaling->cases, scaling->parameter);
	plot->title =
		bench_arena_format(&plot->arena, "%s, run %s%s%s%s%s", scaling->cases.suite, run->id,
				   split ? ", over " : "", split ? axis : "", *shared ? ":  " : "", shared);
	if (dropped)
		bench_plot_page_add_remark(plot, "without %zu cases at one %s only", dropped,
					   scaling->parameter);
}

static int draw(struct scaling *scaling, const struct bench_run *run, struct bench_error *error)
{
	double factor;
	struct bench_plot_cases *cases = &scaling->cases;
	struct bench_plot_lines *lines = &scaling->lines;
	add_cases(scaling, 1);
	size_t dropped = drop_lonely(scaling);
	const char *unit = bench_plot_cases_unit(cases, &factor);
	add_cases(scaling, factor);
	set_title(scaling, run, dropped, lines->count > BENCH_LINES_MAX);
	add_panels(scaling, unit);
	return bench_plot_page_draw(&scaling->plot, error);
}

int bench_plot_scaling(const struct bench_run *run, const char *suite, const char *parameter,
		       struct bench_plot_place *place, struct bench_error *error)
{
	struct scaling scaling = {.plot.place = place};
	BENCH_SCOPED_PLOT *plot = &scaling.plot;

	scaling.lines.arena = scaling.cases.arena = &plot->arena;
	if (bench_plot_cases_collect(&scaling.cases, run, suite, error) != 0 ||
	    (parameter && bench_plot_cases_check(&scaling.cases, parameter, error) != 0))
		return -1;
	scaling.parameter = parameter ? parameter : bench_plot_cases_choose(&scaling.cases, NULL);
	if (!scaling.parameter)
		return bench_fail(error, BENCH_USAGE, "suite %s has no parameter with numbers to plot over",
				  suite);
	bench_plot_cases_keep(&scaling.cases, scaling.parameter);
	return draw(&scaling, run, error);
}

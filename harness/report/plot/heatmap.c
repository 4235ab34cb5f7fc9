/* SPDX-License-Identifier: MIT */
/* Heatmap: a suite's rate, or time, over two of its parameters. */
#include <math.h>
#include <string.h>

#include "report/plot/cases.h"
#include "report/plot/page.h"
#include "report/render/block.h"

#define NUMBERS_MOST 12 /* cells of a row that have room for their numbers */
#define SCALE        5  /* entries of the legend */

struct heatmap {
	struct bench_plot plot;
	struct bench_plot_cases cases;
	const char *over, *up;
	double *x, *y; /* their values */
	size_t x_count, y_count;
	double factor, least, most; /* of all values, scaled */
	bool log;
	const char *unit;
};

/* What a panel has: the target, and the other parameters that vary. */
static char *identity(struct heatmap *heatmap, const struct bench_result *result)
{
	struct bench_plot_cases *cases = &heatmap->cases;
	struct bench_text text = {0};
	bench_text_add(&text, "%s", bench_render_block_target(cases->arena, result));
	for (size_t i = 0; i < result->param_count; i++) {
		const struct bench_attribute *pair = &result->params[i];
		bool varies = false;
		for (size_t c = 0; c < cases->count; c++)
			varies |= strcmp(bench_record_param(cases->items[c].result, pair->name),
					 pair->value) != 0;
		if (varies && strcmp(pair->name, heatmap->over) != 0 &&
		    strcmp(pair->name, heatmap->up) != 0 &&
		    !bench_plot_cases_is_same(cases, pair->name, heatmap->over) &&
		    !bench_plot_cases_is_same(cases, pair->name, heatmap->up))
			bench_text_add(&text, "  %s=%s", pair->name, pair->value);
	}
	return bench_text_keep(&text, cases->arena);
}

static size_t index_of(const double *values, size_t count, const struct bench_result *result,
		       const char *name)
{
	double value = NAN;
	size_t i = 0;
	bench_text_real(bench_record_param(result, name), &value);
	while (i < count && values[i] != value)
		i++;
	return i;
}

static double share(const struct heatmap *heatmap, double value)
{
	if (!(heatmap->most > heatmap->least))
		return 0.5;
	if (heatmap->log)
		return log(value / heatmap->least) / log(heatmap->most / heatmap->least);
	return (value - heatmap->least) / (heatmap->most - heatmap->least);
}

static const char *heat(struct heatmap *heatmap, double value)
{
	return bench_arena_format(&heatmap->plot.arena, "#%06x",
				  bench_plot_theme_heat(share(heatmap, value)));
}

/* Is there room for the numbers of the cells? */
static bool has_numbers(const struct heatmap *heatmap)
{
	return bench_plot_page_is_text(&heatmap->plot) || heatmap->x_count <= NUMBERS_MOST;
}

/* The cells, as boxes about whole numbers, and their numbers where there is room. */
static void draw_cells(struct heatmap *heatmap, const char *of, struct bench_plot_panel *panel)
{
	struct bench_plot *plot = &heatmap->plot;
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t c = 0; c < heatmap->cases.count; c++) {
		const struct bench_plot_case *item = &heatmap->cases.items[c];
		if (strcmp(identity(heatmap, item->result), of) != 0)
			continue;
		size_t x = index_of(heatmap->x, heatmap->x_count, item->result, heatmap->over);
		size_t y = index_of(heatmap->y, heatmap->y_count, item->result, heatmap->up);
		double value = item->metric->summary.median / heatmap->factor;
		bench_text_add(&panel->data, "%zu %zu %zu.5 %zu.5 %zu.5 %zu.5 0x%06x\n", x + 1, y + 1, x,
			       x + 1, y, y + 1, bench_plot_theme_heat(share(heatmap, value)));
		/* Neither is a color of the theme: on a dark page the cell is as it was. */
		if (has_numbers(heatmap))
			bench_plot_page_add_label(
				plot, panel,
				(struct bench_plot_label){
					.x = (double)x + 1,
					.y = (double)y + 1,
					.centered = true,
					.color = share(heatmap, value) > 0.45 ? "#010101" : "#fefefe",
					.text = bench_arena_format(&plot->arena, "%.3g", value)});
	}
	if (bench_plot_page_end(panel) && !bench_plot_page_is_text(plot))
		bench_plot_page_add_layer(
			panel, "$d%zu using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable fs solid noborder",
			block);
}

static void add_axis(struct heatmap *heatmap, const char *name, const double *values, size_t count,
		     size_t most, struct bench_plot_axis *axis)
{
	size_t step = (count + most - 1) / most;
	axis->rows = 1;
	axis->min = 0.5;
	axis->max = (double)count + 0.5;
	axis->label = bench_plot_cases_axis(&heatmap->cases, name);
	for (size_t i = 0; i < count; i += step)
		bench_plot_page_add_tick(&heatmap->plot, axis, (double)i + 1,
					 bench_plot_page_short(&heatmap->plot, values[i]));
}

static void add_panel(struct heatmap *heatmap, const char *title)
{
	struct bench_plot_panel *panel = bench_plot_page_add_panel(&heatmap->plot, title);
	add_axis(heatmap, heatmap->over, heatmap->x, heatmap->x_count, 8, &panel->x);
	add_axis(heatmap, heatmap->up, heatmap->y, heatmap->y_count, 12, &panel->y);
	panel->y.label = bench_arena_format(&heatmap->plot.arena, "rows: %s", panel->y.label);
	draw_cells(heatmap, title, panel);
}

static void add_panels(struct heatmap *heatmap)
{
	const char **titles = NULL;
	size_t count = 0;
	for (size_t c = 0; c < heatmap->cases.count; c++) {
		const char *title = identity(heatmap, heatmap->cases.items[c].result);
		if (BENCH_FIND(titles, count, title))
			continue;
		BENCH_PUSH(&heatmap->plot.arena, titles, count) = title;
		add_panel(heatmap, title);
	}
}

static void find_range(struct heatmap *heatmap)
{
	heatmap->unit = bench_plot_cases_unit(&heatmap->cases, &heatmap->factor);
	heatmap->least = INFINITY;
	heatmap->most = -INFINITY;
	for (size_t c = 0; c < heatmap->cases.count; c++) {
		double value = heatmap->cases.items[c].metric->summary.median / heatmap->factor;
		heatmap->least = fmin(heatmap->least, value);
		heatmap->most = fmax(heatmap->most, value);
	}
	heatmap->log = heatmap->least > 0 && heatmap->most > 20 * heatmap->least;
}

/* What the colors are, where no cell has its number. */
static void add_scale(struct heatmap *heatmap)
{
	struct bench_plot *plot = &heatmap->plot;
	for (size_t i = 0; i < SCALE && !has_numbers(heatmap); i++) {
		double at = (double)i / (SCALE - 1);
		double value = heatmap->log ? heatmap->least * pow(heatmap->most / heatmap->least, at)
					    : heatmap->least + at * (heatmap->most - heatmap->least);
		bench_plot_page_add_entry(
			plot, (struct bench_plot_entry){.label = bench_arena_format(&plot->arena, "%.3g %s",
										    value, heatmap->unit),
							.role = BENCH_PLOT_INK,
							.shape = 5,
							.color = heat(heatmap, value)});
	}
}

/* "a,b" in its two names; the two with most values where it is NULL. */
static int choose(struct heatmap *heatmap, const char *parameters, struct bench_error *error)
{
	struct bench_plot_cases *cases = &heatmap->cases;
	char *rest = bench_arena_string(cases->arena, parameters);
	heatmap->over = rest ? bench_text_next(&rest, ',') : bench_plot_cases_choose(cases, NULL);
	heatmap->up = rest ? bench_text_next(&rest, ',') : NULL;
	if (parameters && (!heatmap->up || rest || strcmp(heatmap->over, heatmap->up) == 0))
		return bench_fail(error, BENCH_USAGE,
				  "over '%.60s': a heatmap is over two parameters, such as m,n", parameters);
	if (!parameters && heatmap->over) {
		bench_plot_cases_keep(cases, heatmap->over);
		heatmap->up = bench_plot_cases_choose(cases, heatmap->over);
	}
	if (!heatmap->over || !heatmap->up)
		return bench_fail(
			error, BENCH_USAGE,
			"suite %s has no two parameters with numbers to plot over: 'bench plot scaling' "
			"draws it over one",
			cases->suite);
	if (bench_plot_cases_check(cases, heatmap->over, error) != 0 ||
	    bench_plot_cases_check(cases, heatmap->up, error) != 0)
		return -1;
	bench_plot_cases_keep(cases, heatmap->over);
	bench_plot_cases_keep(cases, heatmap->up);
	return cases->count > 0 ? 0
				: bench_fail(error, BENCH_NOTHING, "no case of suite %s has both %s and %s",
					     cases->suite, heatmap->over, heatmap->up);
}

int bench_plot_heatmap(const struct bench_run *run, const char *suite, const char *parameters,
		       struct bench_plot_place *place, struct bench_error *error)
{
	struct heatmap heatmap = {.plot.place = place};
	BENCH_SCOPED_PLOT *plot = &heatmap.plot;

	heatmap.cases.arena = &plot->arena;
	if (bench_plot_cases_collect(&heatmap.cases, run, suite, error) != 0 ||
	    choose(&heatmap, parameters, error) != 0)
		return -1;
	heatmap.x_count = bench_plot_cases_values(&heatmap.cases, heatmap.over, &heatmap.x);
	heatmap.y_count = bench_plot_cases_values(&heatmap.cases, heatmap.up, &heatmap.y);
	find_range(&heatmap);
	plot->title = bench_arena_format(&plot->arena, "%s, run %s:  %s", suite, run->id, heatmap.unit);
	add_panels(&heatmap);
	add_scale(&heatmap);
	plot->rows = (unsigned)(heatmap.y_count < 24 ? heatmap.y_count + 4 : 28);
	return bench_plot_page_draw(plot, error);
}

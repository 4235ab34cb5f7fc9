/* Scaling: how a suite's rate, or time, goes with one of its parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/lines.h"
#include "report/plot/plot.h"
#include "report/render/block.h"
#include "report/render/words.h"

#define LABEL_ROOM 0.05 /* of the axis, that the label of a tick takes */

/* The results of one suite that have a value to plot, and that value. */
struct plotted {
	struct plotted_item {
		const struct bench_result *result;
		const struct bench_metric *metric;
	} * items;
	size_t count;
};

static const struct bench_metric *find_unit(const struct bench_result *result, const char *unit)
{
	for (size_t i = 0; i < result->metric_count; i++) {
		if (strcmp(result->metrics[i].unit, unit) == 0 &&
		    !bench_render_block_is_own(&result->metrics[i]))
			return &result->metrics[i];
	}
	return NULL;
}

/* Rates first; times where no result of the suite has a rate. */
static bool collect(struct bench_arena *arena, const struct bench_run *run, const char *suite,
		    struct plotted *plotted)
{
	static const char *const units[] = {"FLOP/s", "B/s", "item/s", "s"};
	bool known = false;
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]) && plotted->count == 0; u++) {
		for (size_t i = 0; i < run->result_count; i++) {
			const struct bench_result *result = &run->results[i];
			if (strcmp(result->suite, suite) != 0)
				continue;
			known = true;
			const struct bench_metric *metric = strcmp(units[u], "s") == 0
								    ? bench_record_metric(result, "time")
								    : find_unit(result, units[u]);
			if (result->status != BENCH_STATUS_OK || !metric)
				continue;
			struct plotted_item *item =
				bench_arena_push(arena, &plotted->items, &plotted->count, sizeof(*item));
			*item = (struct plotted_item){result, metric};
		}
	}
	return known;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The distinct values of a parameter, ascending; 0 where one of them is no number. */
static size_t distinct_values(struct bench_arena *arena, const struct plotted *plotted, const char *name,
			      double **values)
{
	double *all = bench_arena_alloc(arena, plotted->count, sizeof(*all));
	*values = all;
	for (size_t i = 0; i < plotted->count; i++) {
		if (!bench_text_real(bench_render_block_param(plotted->items[i].result, name), &all[i]))
			return 0;
	}
	qsort(all, plotted->count, sizeof(*all), by_number);
	size_t distinct = 0;
	for (size_t i = 0; i < plotted->count; i++) {
		if (i == 0 || all[i] > all[distinct - 1])
			all[distinct++] = all[i];
	}
	return distinct;
}

/* A parameter that was asked for, and its values. */
static int take_parameter(struct bench_arena *arena, const struct plotted *plotted, const char *suite,
			  const char *parameter, double **values, size_t *count, struct bench_error *error)
{
	const struct bench_result *first = plotted->items[0].result;
	struct bench_text names = {0};
	bool exists = false;
	for (size_t i = 0; i < first->param_count; i++) {
		exists |= strcmp(first->params[i].name, parameter) == 0;
		bench_text_add(&names, "%s%s", i ? ", " : "", first->params[i].name);
	}
	*count = distinct_values(arena, plotted, parameter, values);
	if (!exists)
		bench_fail(error, BENCH_USAGE, "suite %s has no parameter '%.60s'; it has %s", suite,
			   parameter, names.data ? names.data : "none");
	else if (*count == 0)
		bench_fail(
			error, BENCH_USAGE,
			"parameter '%s' of suite %s is not a number, so that nothing can be plotted over it",
			parameter, suite);
	bench_text_free(&names);
	return exists && *count ? 0 : -1;
}

/* The parameter with the most values (the first of those), and its values. */
static int choose_parameter(struct bench_arena *arena, const struct plotted *plotted, const char *suite,
			    const char **parameter, double **values, size_t *count, struct bench_error *error)
{
	const struct bench_result *first = plotted->items[0].result;
	*count = 0;
	for (size_t i = 0; i < first->param_count; i++) {
		double *candidate;
		size_t distinct = distinct_values(arena, plotted, first->params[i].name, &candidate);
		if (distinct > *count) {
			*parameter = first->params[i].name;
			*values = candidate;
			*count = distinct;
		}
	}
	if (*count)
		return 0;
	bench_fail(error, BENCH_USAGE, "suite %s has no parameter with numbers to plot over", suite);
	return -1;
}

/*
 * Does `name` go along with the parameter? In a square GEMM n is m at every point, and is
 * part of what is scaled rather than of what tells lines apart. Equal values at one point
 * alone are a coincidence.
 */
static bool goes_along(const struct plotted *plotted, const char *name, const char *parameter)
{
	const char *seen = NULL;
	for (size_t i = 0; i < plotted->count; i++) {
		const char *value = bench_render_block_param(plotted->items[i].result, parameter);
		if (strcmp(bench_render_block_param(plotted->items[i].result, name), value) != 0)
			continue;
		if (seen && strcmp(seen, value) != 0)
			return true;
		seen = value;
	}
	return false;
}

/* Is `name` equal to the parameter at every point? Then the axis says so, and no line needs to. */
static bool is_same(const struct plotted *plotted, const char *name, const char *parameter)
{
	for (size_t i = 0; i < plotted->count; i++) {
		if (strcmp(bench_render_block_param(plotted->items[i].result, name),
			   bench_render_block_param(plotted->items[i].result, parameter)) != 0)
			return false;
	}
	return goes_along(plotted, name, parameter);
}

/* What a result's line is: its target and the parameters other than the plotted one, joined by '\n'. */
static char *identity(struct bench_arena *arena, const struct plotted *plotted, const char *parameter,
		      const struct bench_result *result)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", bench_render_block_target(arena, result));
	for (size_t i = 0; i < result->param_count; i++) {
		const struct bench_attribute *pair = &result->params[i];
		if (strcmp(pair->name, parameter) == 0 || is_same(plotted, pair->name, parameter))
			continue;
		bool along = strcmp(pair->value, bench_render_block_param(result, parameter)) == 0 &&
			     goes_along(plotted, pair->name, parameter);
		bench_text_add(&text, "\n%s=%s", pair->name, along ? parameter : pair->value);
	}
	return bench_text_keep(&text, arena);
}

/*
 * A case that no other shares a line with says nothing about scaling: where there are lines, it is left
 * out. Returns how many were.
 */
static size_t drop_lonely(struct bench_arena *arena, struct plotted *plotted, const char *parameter)
{
	char **names = bench_arena_alloc(arena, plotted->count, sizeof(*names));
	bool *shared = bench_arena_alloc(arena, plotted->count, sizeof(*shared));
	size_t kept = 0, all = plotted->count;
	for (size_t i = 0; i < all; i++)
		names[i] = identity(arena, plotted, parameter, plotted->items[i].result);
	for (size_t i = 0; i < all; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				shared[i] = shared[j] = true;
	for (size_t i = 0; i < all; i++)
		kept += shared[i];
	if (kept == 0)
		return 0;
	kept = 0;
	for (size_t i = 0; i < all; i++)
		if (shared[i])
			plotted->items[kept++] = plotted->items[i];
	plotted->count = kept;
	return all - kept;
}

static int by_x(const void *a, const void *b)
{
	double x = ((const struct bench_plot_point *)a)->x, y = ((const struct bench_plot_point *)b)->x;
	return (x > y) - (x < y);
}

static int add_lines(struct bench_plot *plot, const struct plotted *plotted, const char *parameter,
		     double factor, struct bench_error *error)
{
	for (size_t i = 0; i < plotted->count; i++) {
		const struct bench_result *result = plotted->items[i].result;
		const struct bench_summary *summary = &plotted->items[i].metric->summary;
		char *own = identity(&plot->arena, plotted, parameter, result);
		size_t l = 0;
		while (l < plot->line_count && strcmp(plot->lines[l].key, own) != 0)
			l++;
		if (l == plot->line_count) {
			struct bench_plot_line *line;
			if (bench_plot_add_line(plot, own, "plot a run that varies fewer parameters", &line,
						error) != 0)
				return -1;
			for (const char *part = own; *part;) {
				size_t length = strcspn(part, "\n");
				bench_plot_add_part(plot, line, part, length);
				part += length + (part[length] == '\n');
			}
		}
		double x = NAN;
		bench_text_real(bench_render_block_param(result, parameter), &x);
		bench_plot_add_point(plot, &plot->lines[l], x, summary->median / factor,
				     summary->ci_lo / factor, summary->ci_hi / factor);
	}
	for (size_t l = 0; l < plot->line_count; l++) {
		if (plot->lines[l].point_count)
			qsort(plot->lines[l].points, plot->lines[l].point_count,
			      sizeof(plot->lines[l].points[0]), by_x);
	}
	return 0;
}

/* Ticks at the values that were measured, but for those whose labels would run into each other. */
static void add_x_axis(struct bench_plot *plot, const double *values, size_t count)
{
	plot->tick_rows = 1;
	plot->log_x = values[0] > 0;
	double first = values[0], last = values[count - 1];
	double span = plot->log_x ? log2(last / first) : last - first, at = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		double place =
			span > 0 ? (plot->log_x ? log2(values[i] / first) : values[i] - first) / span : 0;
		if (place - at < LABEL_ROOM)
			continue;
		at = place;
		struct bench_plot_tick *tick =
			bench_arena_push(&plot->arena, &plot->ticks, &plot->tick_count, sizeof(*tick));
		tick->x = values[i];
		tick->label = bench_arena_format(&plot->arena, "%.7g", values[i]);
	}
	double pad = span > 0 ? 0.03 * span : 1;
	plot->x_min = plot->log_x ? first * exp2(-pad) : first - pad;
	plot->x_max = plot->log_x ? last * exp2(pad) : last + pad;
}

/* The name of the axis with all that is equal to it: "m = n = k". */
static char *name_axis(struct bench_plot *plot, const struct plotted *plotted, const char *parameter)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", parameter);
	const struct bench_result *first = plotted->items[0].result;
	for (size_t i = 0; i < first->param_count; i++) {
		const char *name = first->params[i].name;
		if (strcmp(name, parameter) != 0 && is_same(plotted, name, parameter))
			bench_text_add(&text, " = %s", name);
	}
	char *axis = bench_render_words_line(&plot->arena, text.data);
	bench_text_free(&text);
	return axis;
}

int bench_plot_scaling(const struct bench_run *run, const char *suite, const char *parameter,
		       const char *output, struct bench_error *error)
{
	int result = -1;
	struct bench_plot plot = {0};
	struct plotted plotted = {0};
	double *values = NULL, factor, largest = 0;
	size_t count = 0;
	if (!collect(&plot.arena, run, suite, &plotted)) {
		bench_fail(error, BENCH_NOTHING, "run %s has no results of a suite '%.60s'", run->id, suite);
		goto out;
	}
	if (plotted.count == 0) {
		bench_fail(error, BENCH_NOTHING,
			   "run %s has no case of suite %s that is ok, so that there is nothing to plot",
			   run->id, suite);
		goto out;
	}
	int found =
		parameter
			? take_parameter(&plot.arena, &plotted, suite, parameter, &values, &count, error)
			: choose_parameter(&plot.arena, &plotted, suite, &parameter, &values, &count, error);
	if (found != 0)
		goto out;
	size_t dropped = drop_lonely(&plot.arena, &plotted, parameter);
	count = distinct_values(&plot.arena, &plotted, parameter, &values);
	for (size_t i = 0; i < plotted.count; i++)
		largest = fmax(largest, plotted.items[i].metric->summary.median);
	const char *unit = bench_text_scale(largest, plotted.items[0].metric->unit, &factor);
	if (add_lines(&plot, &plotted, parameter, factor, error) != 0)
		goto out;
	bool time = strcmp(plotted.items[0].metric->unit, "s") == 0;
	plot.title = bench_arena_format(&plot.arena, "%s, run %s", suite, run->id);
	if (dropped)
		plot.title = bench_arena_format(&plot.arena, "%s (without %zu cases at one %s only)",
						plot.title, dropped, parameter);
	plot.x_label = name_axis(&plot, &plotted, parameter);
	plot.y_label = bench_arena_format(&plot.arena, "%s%s", time ? "time, " : "", unit);
	bench_plot_fit(&plot, true, true);
	add_x_axis(&plot, values, count);
	result = bench_plot_draw(&plot, output, error);
out:
	bench_plot_free(&plot);
	return result;
}

/* SPDX-License-Identifier: MIT */
/* The samples of a metric in its newest run: their distribution, next to the run before, and their order. */
#include <math.h>

#include "report/html/chart.h"
#include "report/render/axis.h"
#include "report/render/words.h"

enum { WIDTH = 900, HEIGHT = 280, LEFT = 100, RIGHT = 12, TOP = 48, BOTTOM = 64, BINS = 60, MOST_DOTS = 600 };

static size_t count_of(const struct bench_metric *metric)
{
	size_t count = 0;
	for (size_t s = 0; s < metric->series_count; s++)
		count += metric->series[s].count;
	return count;
}

/* The middle of the values: 98% of them, at most three interquartile ranges beyond the quartiles. */
static void extend(struct html_axis *axis, const double *sorted, size_t count)
{
	if (count == 0)
		return;
	double low = sorted[count / 4], high = sorted[(3 * count) / 4], reach = 3 * (high - low);
	axis->lo = fmin(axis->lo, fmax(sorted[count / 100], reach > 0 ? low - reach : sorted[0]));
	axis->hi = fmax(axis->hi,
			fmin(sorted[count - 1 - count / 100], reach > 0 ? high + reach : sorted[count - 1]));
}

static void add_bars(const struct html_axis *axis, const double *values, size_t count, const char *kind,
		     double middle, double room, struct bench_text *out)
{
	size_t bins[BINS] = {0}, most = 1;
	for (size_t i = 0; i < count; i++) {
		double share = (values[i] - axis->lo) / (axis->hi - axis->lo);
		bins[share > 0 ? (size_t)fmin(share * BINS, BINS - 1) : 0]++;
	}
	for (size_t i = 0; i < BINS; i++)
		most = bins[i] > most ? bins[i] : most;
	double width = (axis->to - axis->from) / BINS;
	for (size_t i = 0; i < BINS; i++) {
		double height = fabs(room) * (double)bins[i] / (double)most;
		if (bins[i] > 0)
			bench_text_add(
				out,
				"<rect class=\"bar %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"fill=\"currentColor\" fill-opacity=\"0.5\"><title>%zu "
				"sample%s</title></rect>\n",
				kind, axis->from + width * (double)i, room < 0 ? middle - height : middle,
				width - 0.5, height, bins[i], bins[i] == 1 ? "" : "s");
	}
}

static void add_median(struct bench_arena *arena, const struct html_axis *axis,
		       const struct html_samples *samples, double from, double to, double label_y,
		       struct bench_text *out)
{
	double x = html_at(axis, samples->metric->summary.median);
	html_line(out, "line median", x, from, x, to);
	html_label(out, false, x, label_y, x > WIDTH / 2.0 ? "end" : "start",
		   bench_arena_format(arena, "%s, run %s",
				      bench_render_words_quantity(arena, samples->metric->summary.median,
								  samples->metric->unit),
				      samples->run->id));
}

static void add_distribution(struct bench_arena *arena, const struct html_series *series, size_t id,
			     struct bench_text *out)
{
	size_t now_count, before_count;
	const double *now = bench_render_axis_samples(series->now.metric, arena, &now_count);
	const double *before = bench_render_axis_samples(series->before.metric, arena, &before_count);
	struct html_axis x = {.lo = INFINITY, .hi = -INFINITY, .from = LEFT, .to = WIDTH - RIGHT};
	double bottom = HEIGHT - BOTTOM, middle = before_count > 0 ? (TOP + bottom) / 2 : bottom;
	/* Below the axis is the label of the run before. */
	unsigned height = before_count > 0 ? HEIGHT : HEIGHT - BOTTOM / 2;
	extend(&x, now, now_count);
	extend(&x, before, before_count);
	if (!(x.lo <= x.hi))
		return;
	html_widen(&x, 0.05);
	html_chart_begin(out, id, WIDTH, height, "distribution of the samples");
	html_bottom_axis(out, &x, TOP, bottom, series->unit);
	add_bars(&x, now, now_count, "now", middle, TOP - middle, out);
	add_bars(&x, before, before_count, "before", middle, bottom - middle, out);
	add_median(arena, &x, &series->now, TOP, middle, TOP - 16, out);
	if (before_count > 0)
		add_median(arena, &x, &series->before, middle, bottom, bottom + 48, out);
	html_chart_end(out, before_count > 0 ? "Samples of the newest run (up) and of the run before (down), "
					       "with their medians. The "
					       "outermost bars include all values beyond the edges."
					     : "Samples of the newest run, with their median. The outermost "
					       "bars include all values beyond the edges.");
}

static void add_sample(const struct html_axis *x, const struct html_axis *y, size_t at, double value,
		       bool disturbed, struct bench_text *out)
{
	if (isfinite(value))
		bench_text_add(
			out,
			"<circle class=\"point%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"currentColor\"/>\n",
			disturbed ? " disturbed" : "", html_at(x, (double)at), html_at(y, value));
}

static void add_order(struct bench_arena *arena, const struct html_series *series, size_t id,
		      struct bench_text *out)
{
	size_t count, at = 0, all = count_of(series->now.metric), step = all / MOST_DOTS + 1;
	const double *sorted = bench_render_axis_samples(series->now.metric, arena, &count);
	struct html_axis x = {.lo = -1, .hi = (double)all, .from = LEFT, .to = WIDTH - RIGHT};
	struct html_axis y = {.lo = INFINITY, .hi = -INFINITY, .from = HEIGHT - BOTTOM, .to = TOP};
	extend(&y, sorted, count);
	if (!(y.lo <= y.hi))
		return;
	html_widen(&y, 0.1);
	html_chart_begin(out, id, WIDTH, HEIGHT, "samples in the order in which they were taken");
	html_value_axis(out, &y, LEFT, WIDTH - RIGHT, series->unit);
	for (size_t s = 0; s < series->now.metric->series_count; s++) {
		const struct bench_series *one = &series->now.metric->series[s];
		double start = html_at(&x, (double)at - 0.5),
		       end = html_at(&x, (double)at + (double)one->count - 0.5);
		bench_text_add(out,
			       "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" "
			       "stroke=\"currentColor\" stroke-opacity=\"0.3\"/>\n",
			       start, start, TOP, HEIGHT - BOTTOM);
		if (series->now.metric->series_count <= 30)
			html_label(out, s % 2 == 1, (start + end) / 2, HEIGHT - BOTTOM + 16, "middle",
				   bench_arena_format(arena, "%d", one->invocation));
		for (size_t i = 0; i < one->count; i++, at++)
			if (at % step == 0)
				add_sample(&x, &y, at, one->values[i], one->disturbed && one->disturbed[i],
					   out);
	}
	html_label(out, false, (x.from + x.to) / 2, HEIGHT - BOTTOM + 46, "middle", "invocation");
	html_chart_end(
		out, step > 1 ? bench_arena_format(arena,
						   "One in %zu of the %zu samples, by invocation (a fresh "
						   "process each). Hollow: the machine was disturbed.",
						   step, all)
			      : "All samples, by invocation (a fresh process each). Hollow: the machine was "
				"disturbed.");
}

size_t html_samples(struct bench_arena *arena, const struct html_series *series, size_t id,
		    struct bench_text *out)
{
	if (!series->now.metric || count_of(series->now.metric) == 0)
		return id;
	bench_text_add(out, "<h3>Samples</h3>\n");
	add_distribution(arena, series, id++, out);
	add_order(arena, series, id++, out);
	return id;
}

/* SPDX-License-Identifier: MIT */
/* Distribution: the samples of two runs, one row per invocation, and the shift between their medians. */
#include <math.h>
#include <string.h>

#include "report/plot/lines.h"
#include "report/render/words.h"
#include "stats/stats.h"

#define SAMPLES_MOST 2000 /* of one invocation that are drawn */
#define LOWEST_REACH 0.01 /* of the median, that an axis shows on either side at least */

struct drawing {
	struct bench_plot plot;
	struct bench_plot_lines names;
	size_t beyond, thinned; /* samples that no panel shows */
};

/* One metric in both runs. */
struct pair {
	const struct bench_metric *now, *before; /* before: NULL: there is none */
};

static const struct bench_metric *find(const struct bench_run *run, const char *key)
{
	char own[BENCH_KEY_MAX];
	for (size_t i = 0; run && i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++)
			if (bench_record_metric_key(own, sizeof(own), &run->results[i],
						    &run->results[i].metrics[m]) &&
			    strcmp(own, key) == 0)
				return &run->results[i].metrics[m];
	return NULL;
}

/* Tukey's outer fences, and the median's interval; a spike of one sample must not flatten all else. */
static void extend(const struct bench_metric *metric, double *lo, double *hi)
{
	BENCH_SCOPED_ARENA arena = {0};
	size_t count;
	double *values = bench_render_axis_samples(metric, &arena, &count);
	double low = bench_stats_quantile(values, count, 0.25),
	       high = bench_stats_quantile(values, count, 0.75);
	double middle = metric->summary.median, least = LOWEST_REACH * fabs(middle);
	for (size_t i = 0; i < count; i++)
		if (values[i] >= low - 3 * (high - low) && values[i] <= high + 3 * (high - low)) {
			*lo = fmin(*lo, values[i]);
			*hi = fmax(*hi, values[i]);
		}
	*lo = fmin(*lo, middle - least);
	*hi = fmax(*hi, middle + least);
}

/* The same place for a sample in every plot of it, and no pattern. */
static double jitter(size_t index)
{
	return (double)((index * 2654435761U) % 1000) / 1000 - 0.5;
}

/* The samples of one run, in the band of the panel from `base` to base + 0.85; hollow ones were disturbed. */
static void draw_samples(struct drawing *drawing, const struct bench_metric *metric, double base,
			 double factor, size_t hue, bool disturbed, struct bench_plot_panel *panel)
{
	struct bench_plot *plot = &drawing->plot;
	size_t block = bench_plot_page_begin(plot, panel);
	double height = 0.85 / (double)metric->series_count;
	for (size_t s = 0; s < metric->series_count; s++) {
		const struct bench_series *series = &metric->series[s];
		size_t step = series->count / SAMPLES_MOST + 1;
		for (size_t i = 0; i < series->count; i += step) {
			double x = series->values[i] / factor;
			bool marked = series->disturbed && series->disturbed[i];
			if (marked != disturbed || !bench_render_axis_is_usable(x))
				continue;
			drawing->beyond += x < panel->x.min || x > panel->x.max;
			bench_text_add(&panel->data, "%.9g %.6g\n", fmin(fmax(x, panel->x.min), panel->x.max),
				       base + 0.85 - height * ((double)s + 0.5 + 0.7 * jitter(i)));
		}
		drawing->thinned += disturbed ? 0 : series->count - (series->count + step - 1) / step;
	}
	if (!bench_plot_page_end(panel))
		return;
	if (bench_plot_page_is_text(plot))
		bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points pt %d", block, (int)hue + 1);
	else
		bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points lc rgb '#60%s' pt %d ps %g",
					  block,
					  bench_plot_page_color(plot, bench_plot_theme_series(hue)) + 1,
					  disturbed ? 6 : 7, disturbed ? 0.5 : 0.4);
	if (disturbed)
		bench_plot_page_add_entry(
			plot,
			(struct bench_plot_entry){.label = "disturbed", .role = BENCH_PLOT_INK, .shape = 6});
}

/* The median, over the height of its run, with its interval as a bar. */
static void draw_median(struct drawing *drawing, const struct bench_summary *summary, double base,
			double factor, size_t hue, struct bench_plot_panel *panel)
{
	struct bench_plot *plot = &drawing->plot;
	const char *color = bench_plot_page_color(plot, bench_plot_theme_series(hue));
	double x = summary->median / factor, lo = summary->ci_lo / factor, hi = summary->ci_hi / factor;
	if (!bench_render_axis_is_usable(lo) || !bench_render_axis_is_usable(hi) || lo > x || hi < x)
		lo = hi = x;
	size_t block = bench_plot_page_begin(plot, panel);
	bench_text_add(&panel->data, "%.17g %.6g\n%.17g %.6g\n\n%.17g %.6g\n%.17g %.6g\n", x, base, x,
		       base + 0.85, fmax(lo, panel->x.min), base, fmin(hi, panel->x.max), base);
	bench_plot_page_end(panel);
	bench_plot_page_add_layer(panel, "$d%zu using 1:2 with lines lc rgb '%s' lw 2.5", block, color);
}

static void add_run(struct drawing *drawing, const struct bench_metric *metric, double base, double factor,
		    size_t hue, struct bench_plot_panel *panel)
{
	struct bench_plot *plot = &drawing->plot;
	draw_samples(drawing, metric, base, factor, hue, false, panel);
	draw_samples(drawing, metric, base, factor, hue, true, panel);
	draw_median(drawing, &metric->summary, base, factor, hue, panel);
	if (bench_plot_page_is_text(plot))
		return;
	bench_plot_page_add_label(
		plot, panel,
		(struct bench_plot_label){.beside = true,
					  .y = hue ? 1.55 : 0.42,
					  .text = hue ? "base" : "run",
					  .color = bench_plot_page_color(plot, BENCH_PLOT_MUTED)});
}

static void add_panel(struct drawing *drawing, const char *title, const struct pair *pair)
{
	struct bench_plot *plot = &drawing->plot;
	struct bench_plot_panel *panel = bench_plot_page_add_panel(plot, title);
	double lo = INFINITY, hi = -INFINITY, factor;
	extend(pair->now, &lo, &hi);
	if (pair->before)
		extend(pair->before, &lo, &hi);
	if (!(hi > lo))
		hi = lo + 1;
	const char *unit = bench_text_scale(fmax(fabs(lo), fabs(hi)), pair->now->unit, &factor);
	panel->y = (struct bench_plot_axis){.label = bench_render_words_line(&plot->arena, unit),
					    .min = -0.08,
					    .max = pair->before ? 2.1 : 0.95,
					    .bare = true};
	double pad = 0.04 * (hi - lo);
	panel->x = (struct bench_plot_axis){
		.min = (lo - pad) / factor, .max = (hi + pad) / factor, .rows = 1, .grid = true};
	add_run(drawing, pair->now, 0, factor, 0, panel);
	if (!pair->before)
		return;
	add_run(drawing, pair->before, 1.15, factor, 1, panel);
	double ratio = pair->now->summary.median / pair->before->summary.median;
	double low = fmin(pair->now->summary.median, pair->before->summary.median) / factor;
	double high = fmax(pair->now->summary.median, pair->before->summary.median) / factor;
	size_t block = bench_plot_page_begin(plot, panel);
	bench_text_add(&panel->data, "%.17g 1 %.17g 0\n", pair->before->summary.median / factor,
		       (pair->now->summary.median - pair->before->summary.median) / factor);
	bench_plot_page_end(panel);
	if (!bench_plot_page_is_text(plot))
		bench_plot_page_add_layer(panel,
					  "$d%zu using 1:2:3:4 with vectors head filled lw 2 lc rgb '%s'",
					  block, bench_plot_page_color(plot, BENCH_PLOT_INK));
	/* On the side with more room. */
	bool right = low - panel->x.min > panel->x.max - high;
	bench_plot_page_add_label(
		plot, panel,
		(struct bench_plot_label){.x = (right ? low : high) +
					       (right ? -1 : 1) * 0.02 * (panel->x.max - panel->x.min),
					  .y = 1,
					  .right = right,
					  .color = bench_plot_page_color(plot, BENCH_PLOT_INK),
					  .text = bench_render_words_change(&plot->arena, ratio)});
}

/* The metrics that match, and have samples. */
static void collect(struct drawing *drawing, const struct bench_run *run, const struct bench_run *base,
		    const char *pattern, struct pair **pairs, size_t *count)
{
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++) {
			char key[BENCH_KEY_MAX];
			const struct bench_metric *metric = &run->results[i].metrics[m];
			if (!bench_record_metric_key(key, sizeof(key), &run->results[i], metric) ||
			    !bench_text_match(pattern, key) || metric->series_count == 0 ||
			    !bench_render_axis_is_usable(metric->summary.median))
				continue;
			const struct bench_metric *before = find(base, key);
			if (before && (before->series_count == 0 ||
				       !bench_render_axis_is_usable(before->summary.median) ||
				       strcmp(before->unit, metric->unit) != 0))
				before = NULL;
			bench_plot_lines_add_key(&drawing->names, bench_plot_lines_of(&drawing->names, key),
						 key);
			BENCH_PUSH(&drawing->plot.arena, *pairs, *count) = (struct pair){metric, before};
		}
}

static void add_words(struct drawing *drawing, const struct bench_run *run, const struct bench_run *base)
{
	struct bench_plot *plot = &drawing->plot;
	const struct bench_run *const runs[] = {run, base};
	const char *shared = bench_plot_lines_name(&drawing->names, &drawing->names.items[0], true);
	plot->title = bench_arena_format(&plot->arena, "Samples%s%s", *shared ? ":  " : "", shared);
	for (size_t i = 0; i < 2 && runs[i]; i++)
		bench_plot_page_add_entry(
			plot,
			(struct bench_plot_entry){
				.label = bench_arena_format(
					&plot->arena, "%s %s, commit %s", i ? "base" : "run", runs[i]->id,
					bench_render_words_commit(&plot->arena, &runs[i]->git)),
				.role = bench_plot_theme_series(i),
				.shape = 7,
				.dash = BENCH_PLOT_SOLID,
				.letter = (char)('A' + i)});
	bench_plot_page_add_remark(
		plot, "one row per invocation, one dot per sample; lines: medians with their intervals");
	if (drawing->beyond)
		bench_plot_page_add_remark(plot, "%zu sample%s far from the others, drawn at the edge",
					   drawing->beyond, drawing->beyond == 1 ? "" : "s");
	if (drawing->thinned)
		bench_plot_page_add_remark(plot, "%zu samples of long invocations are not drawn",
					   drawing->thinned);
}

int bench_plot_distribution(const struct bench_run *run, const struct bench_run *base, const char *pattern,
			    struct bench_plot_place *place, struct bench_error *error)
{
	struct drawing drawing = {.plot.place = place};
	BENCH_SCOPED_PLOT *plot = &drawing.plot;
	struct pair *pairs = NULL;
	size_t count = 0;

	drawing.names.arena = &plot->arena;
	collect(&drawing, run, base, pattern, &pairs, &count);
	if (count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no metric of run %s that has samples matches '%.200s'", run->id, pattern);
	for (size_t i = 0; i < count; i++)
		add_panel(&drawing, bench_plot_lines_short(&drawing.names, &drawing.names.items[i]),
			  &pairs[i]);
	add_words(&drawing, run, base);
	plot->left = bench_plot_page_is_text(plot) ? 1 : 5;
	plot->rows = bench_plot_page_is_text(plot) ? 10 : count == 1 ? 14 : 8;
	return bench_plot_page_draw(plot, error);
}

/* SPDX-License-Identifier: MIT */
/*
 * Roofline of a device: rates over intensity, below what it allows (report/render/roofline.h).
 */
#include <math.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/html/page.h"
#include "report/render/roofline.h"
#include "report/render/words.h"

enum { WIDTH = 900, HEIGHT = 460, LEFT = 100, RIGHT = 20, TOP = 48, BOTTOM = 36, MOST_POINTS = 1000 };

struct roofline {
	const struct bench_html_site *site;
	const struct html_device *device;
	struct bench_arena *arena; /* of the page */
	struct html_axis x, y;
	struct bench_roofline model;
	size_t points, shown, slopes;
	struct bench_text *out, legend;
};

static bool is_on(const struct html_device *device, const struct bench_run *run,
		  const struct bench_result *result)
{
	return bench_render_roofline_is_on(device->record, result) &&
	       strcmp(bench_record_fact(run, "fingerprint"), device->fingerprint) == 0;
}

bool html_is_under_roof(const struct html_device *device, const struct html_samples *time)
{
	return time->metric && strcmp(time->metric->name, "time") == 0 &&
	       is_on(device, time->run, time->result) && bench_render_roofline_intensity(time->result) > 0;
}

static void extend(struct html_axis *axis, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	axis->lo = fmin(axis->lo, value);
	axis->hi = fmax(axis->hi, value);
}

static void take_result(struct roofline *roofline, const struct bench_run *run,
			const struct bench_result *result)
{
	const double intensity = bench_render_roofline_intensity(result);
	bench_render_roofline_add(&roofline->model, run, result);
	if (intensity > 0) {
		extend(&roofline->x, intensity);
		extend(&roofline->y, bench_render_roofline_rate(result, "flop_rate"));
		roofline->points++;
	}
}

/* What the newest runs have measured on the device. */
static void for_each(struct roofline *roofline,
		     void (*take)(struct roofline *, const struct bench_run *, const struct bench_result *))
{
	const struct bench_html_site *site = roofline->site;
	for (size_t i = 0; i < site->series_count; i++) {
		const struct html_samples *now = &site->series[i].now;
		if (now->metric && strcmp(now->metric->name, "time") == 0 &&
		    is_on(roofline->device, now->run, now->result))
			take(roofline, now->run, now->result);
	}
}

static void collect(struct roofline *roofline)
{
	struct bench_roofline *model = &roofline->model;
	bench_render_roofline_begin(model, roofline->device->record, roofline->arena);
	for_each(roofline, take_result);
	bench_render_roofline_end(model);
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++) {
		if (!(model->roofs[i].flop_rate > 0))
			continue;
		extend(&roofline->y, model->roofs[i].flop_rate);
		for (size_t s = 0; s < model->slope_count; s++)
			extend(&roofline->x, model->roofs[i].flop_rate / model->slopes[s].bandwidth);
	}
	roofline->x.lo /= 2;
	roofline->x.hi *= 2;
	roofline->y.lo /= 2;
	roofline->y.hi *= 2;
}

/* The class of a type's roof and points. */
static const char *type_class(const char *type)
{
	return strcmp(type, "f32") == 0 ? "series-1" : strcmp(type, "f64") == 0 ? "series-2" : "series-3";
}

/* Names stand below the chart, where no point is: a line of that class, and what it is. */
static void add_name(struct roofline *roofline, const char *class, const char *name, double value,
		     const char *unit)
{
	html_format(&roofline->legend, "<li class=\"%s\">%s: %s</li>\n", class, name,
		    bench_render_words_quantity(roofline->arena, value, unit));
}

static void add_roof(struct roofline *roofline, const struct bench_roofline_roof *roof)
{
	const double rate = roof->flop_rate;
	double y = html_at(&roofline->y, rate);
	if (!(rate > 0))
		return;
	html_line(roofline->out, bench_arena_format(roofline->arena, "line roof %s", type_class(roof->type)),
		  LEFT, y, WIDTH - RIGHT, y);
	add_name(roofline, type_class(roof->type), roof->type, rate, "FLOP/s");
}

static void add_slope_line(struct roofline *roofline, const struct bench_roofline_slope *slope)
{
	static const char *const classes[] = {"series-6", "series-4", "series-5"};
	const struct bench_roofline_frame frame = {roofline->x.lo, roofline->x.hi, roofline->y.lo,
						   roofline->y.hi};
	const char *class = classes[roofline->slopes++ % (sizeof(classes) / sizeof(classes[0]))];
	double from, to;
	if (!bench_render_roofline_line(&roofline->model, slope->bandwidth, &frame, &from, &to))
		return;
	html_line(roofline->out, bench_arena_format(roofline->arena, "line slope %s", class),
		  html_at(&roofline->x, from), html_at(&roofline->y, from * slope->bandwidth),
		  html_at(&roofline->x, to), html_at(&roofline->y, to * slope->bandwidth));
	add_name(roofline, class, slope->name, slope->bandwidth, "B/s");
}

static void add_point(struct roofline *roofline, const struct bench_run *run,
		      const struct bench_result *result)
{
	const double intensity = bench_render_roofline_intensity(result);
	(void)run;
	if (!(intensity > 0) || roofline->shown++ % (roofline->points / MOST_POINTS + 1) != 0)
		return;
	double rate = bench_render_roofline_rate(result, "flop_rate");
	bench_text_add(roofline->out,
		       "<circle class=\"point %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"currentColor\">",
		       type_class(bench_record_param(result, "dtype")), html_at(&roofline->x, intensity),
		       html_at(&roofline->y, rate));
	html_format(roofline->out, "<title>%s: %s</title></circle>\n", result->key,
		    bench_render_words_quantity(roofline->arena, rate, "FLOP/s"));
}

static void draw(struct roofline *roofline, size_t id)
{
	struct bench_text *out = roofline->out;
	roofline->x.from = LEFT;
	roofline->x.to = WIDTH - RIGHT;
	roofline->y.from = HEIGHT - BOTTOM;
	roofline->y.to = TOP;
	roofline->x.log = roofline->y.log = true;
	html_chart_begin(out, id, WIDTH, HEIGHT, "roofline");
	html_value_axis(out, &roofline->y, LEFT, WIDTH - RIGHT, "FLOP/s");
	html_bottom_axis(out, &roofline->x, TOP, HEIGHT - BOTTOM, "FLOP/B");
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		add_roof(roofline, &roofline->model.roofs[i]);
	for (size_t i = 0; i < roofline->model.slope_count; i++)
		add_slope_line(roofline, &roofline->model.slopes[i]);
	for_each(roofline, add_point);
	html_chart_end(
		out,
		"Each case of the newest runs: FLOP/s over FLOPs per byte that must move. Slopes: "
		"bandwidth of memory, and of data sizes that suite peak measured. Level lines: the "
		"highest FLOP/s reached, in the color of the points of that type; types other than f32 and "
		"f64 share one.");
	bench_text_add(out, "<ul class=\"legend\">\n%s</ul>\n",
		       roofline->legend.data ? roofline->legend.data : "");
	bench_text_free(&roofline->legend);
}

size_t html_roofline(const struct bench_html_site *site, const struct html_device *device, size_t id,
		     struct bench_text *out)
{
	struct roofline roofline = {
		.arena = site->scratch,
		.site = site,
		.device = device,
		.out = out,
		.x = {.lo = INFINITY, .hi = -INFINITY},
		.y = {.lo = INFINITY, .hi = -INFINITY},
	};
	collect(&roofline);
	if (roofline.points > 0)
		draw(&roofline, id++);
	return id;
}

/*
 * Roofline of a device: rates over intensity, below what it allows (Williams, Waterman and Patterson,
 * Communications of the ACM 52(4), 2009). A slope for memory, and one for each size that suite peak has read;
 * a roof for each type. No roof is below a rate that was checked.
 */
#include <math.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/html/page.h"
#include "report/render/words.h"

enum {
	WIDTH = 900,
	HEIGHT = 460,
	LEFT = 80,
	RIGHT = 20,
	TOP = 28,
	BOTTOM = 44,
	MOST_SLOPES = 8,
	MOST_POINTS = 1000
};

/* Bytes a second that were reached with so much data, "32 KiB". */
struct slope {
	double bandwidth;
	const char *name;
};

struct roofline {
	const struct bench_html_site *site;
	const struct html_device *device;
	struct bench_arena arena;
	struct html_axis x, y;
	struct slope slopes[MOST_SLOPES];
	size_t slope_count;
	double roofs[2]; /* FLOP/s, of f32 and f64 */
	size_t points, shown;
	struct bench_text *out;
};

static bool is_on(const struct html_device *device, const struct bench_run *run,
		  const struct bench_result *result)
{
	const struct bench_device_record *record = device->record;
	return result->status == BENCH_STATUS_OK && strcmp(result->backend, record->backend) == 0 &&
	       strcmp(result->device, record->info.slug) == 0 &&
	       strcmp(bench_record_attribute_get(run->host, run->host_count, "fingerprint"),
		      device->fingerprint) == 0;
}

static double median_of(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	return metric && metric->summary.median > 0 && isfinite(metric->summary.median)
		       ? metric->summary.median
		       : 0;
}

static bool is_f64(const struct bench_result *result)
{
	return strcmp(bench_record_attribute_get(result->params, result->param_count, "dtype"), "f64") == 0;
}

/* Does it have a place in the chart? */
static bool is_point(const struct bench_result *result)
{
	return result->work.flops > 0 && result->work.bytes > 0 && median_of(result, "flop_rate") > 0;
}

bool html_is_under_roof(const struct html_device *device, const struct html_samples *time)
{
	return time->metric && strcmp(time->metric->name, "time") == 0 &&
	       is_on(device, time->run, time->result) && is_point(time->result);
}

static void extend(struct html_axis *axis, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	axis->lo = fmin(axis->lo, value);
	axis->hi = fmax(axis->hi, value);
}

/* Of each size the fastest. */
static void add_slope(struct roofline *roofline, double bandwidth, const char *name)
{
	for (size_t i = 0; i < roofline->slope_count; i++)
		if (strcmp(roofline->slopes[i].name, name) == 0) {
			roofline->slopes[i].bandwidth = fmax(roofline->slopes[i].bandwidth, bandwidth);
			return;
		}
	if (roofline->slope_count < MOST_SLOPES && bandwidth > 0)
		roofline->slopes[roofline->slope_count++] = (struct slope){bandwidth, name};
}

/* How much data suite peak went through, "32 KiB". */
static const char *size_of(struct roofline *roofline, const struct bench_result *result)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double bytes = 0;
	size_t unit = 0;
	bench_text_real(bench_record_attribute_get(result->params, result->param_count, "bytes"), &bytes);
	for (; bytes >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	return bench_arena_format(&roofline->arena, "%.4g %s", bytes, units[unit]);
}

static void take_result(struct roofline *roofline, const struct bench_result *result)
{
	double rate = median_of(result, "flop_rate");
	double *roof = &roofline->roofs[is_f64(result)];
	if (strcmp(result->suite, "peak") == 0)
		add_slope(roofline, median_of(result, "bandwidth"), size_of(roofline, result));
	*roof = fmax(*roof, rate);
	if (is_point(result)) {
		extend(&roofline->x, result->work.flops / result->work.bytes);
		extend(&roofline->y, rate);
		roofline->points++;
	}
}

/* What the newest runs have measured on the device. */
static void for_each(struct roofline *roofline, void (*take)(struct roofline *, const struct bench_result *))
{
	const struct bench_html_site *site = roofline->site;
	for (size_t i = 0; i < site->series_count; i++) {
		const struct html_samples *now = &site->series[i].now;
		if (now->metric && strcmp(now->metric->name, "time") == 0 &&
		    is_on(roofline->device, now->run, now->result))
			take(roofline, now->result);
	}
}

/* What is no faster than memory was measured on a busy machine, or is memory. */
static void keep_caches(struct roofline *roofline)
{
	double memory = roofline->device->record->ceilings.bandwidth;
	size_t kept = 0;
	for (size_t i = 0; i < roofline->slope_count; i++)
		if ((memory > 0 && i == 0) || roofline->slopes[i].bandwidth > 1.1 * memory)
			roofline->slopes[kept++] = roofline->slopes[i];
	roofline->slope_count = kept;
}

static void collect(struct roofline *roofline)
{
	const struct bench_ceilings *ceilings = &roofline->device->record->ceilings;
	roofline->roofs[0] = ceilings->flop_rate_f32;
	roofline->roofs[1] = ceilings->flop_rate_f64;
	if (ceilings->bandwidth > 0)
		add_slope(roofline, ceilings->bandwidth, "memory");
	for_each(roofline, take_result);
	keep_caches(roofline);
	for (size_t i = 0; i < 2; i++) {
		if (!(roofline->roofs[i] > 0))
			continue;
		extend(&roofline->y, roofline->roofs[i]);
		for (size_t s = 0; s < roofline->slope_count; s++)
			extend(&roofline->x, roofline->roofs[i] / roofline->slopes[s].bandwidth);
	}
	roofline->x.lo /= 2;
	roofline->x.hi *= 2;
	roofline->y.lo /= 2;
	roofline->y.hi *= 2;
}

static void add_roof(struct roofline *roofline, double rate, const char *type, struct bench_text *out)
{
	double y = html_at(&roofline->y, rate);
	if (!(rate > 0))
		return;
	bench_text_add(out,
		       "<line class=\"line roof\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
		       "stroke=\"currentColor\"/>\n",
		       LEFT, WIDTH - RIGHT, y, y);
	html_label(out, WIDTH - RIGHT, y - 4, "end",
		   bench_arena_format(&roofline->arena, "%s: %s", type,
				      bench_render_words_quantity(&roofline->arena, rate, "FLOP/s")));
}

/* From the left edge, or where it enters at the bottom, up to the highest roof. The names stand one higher
 * than the other. */
static void add_slope_line(struct roofline *roofline, size_t number, struct bench_text *out)
{
	const struct slope *slope = &roofline->slopes[number];
	double roof = fmax(roofline->roofs[0], roofline->roofs[1]);
	double highest = roof > 0 ? roof : roofline->y.hi;
	double from = fmax(roofline->x.lo, roofline->y.lo / slope->bandwidth);
	double to = fmin(roofline->x.hi, highest / slope->bandwidth);
	if (from >= to)
		return;
	bench_text_add(out,
		       "<line class=\"line slope\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
		       "stroke=\"currentColor\"/>\n",
		       html_at(&roofline->x, from), html_at(&roofline->x, to),
		       html_at(&roofline->y, from * slope->bandwidth),
		       html_at(&roofline->y, to * slope->bandwidth));
	double share = ((double)number + 1) / ((double)roofline->slope_count + 1);
	double at = from * pow(to / from, share);
	html_label(
		out, html_at(&roofline->x, at) + 6, html_at(&roofline->y, at * slope->bandwidth) + 14,
		"start",
		bench_arena_format(&roofline->arena, "%s: %s", slope->name,
				   bench_render_words_quantity(&roofline->arena, slope->bandwidth, "B/s")));
}

static void add_point(struct roofline *roofline, const struct bench_result *result)
{
	if (!is_point(result) || roofline->shown++ % (roofline->points / MOST_POINTS + 1) != 0)
		return;
	double rate = median_of(result, "flop_rate");
	bench_text_add(
		roofline->out,
		"<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"currentColor\"><title>",
		html_at(&roofline->x, result->work.flops / result->work.bytes), html_at(&roofline->y, rate));
	html_add(roofline->out,
		 bench_arena_format(&roofline->arena, "%s: %s", result->key,
				    bench_render_words_quantity(&roofline->arena, rate, "FLOP/s")));
	bench_text_add(roofline->out, "</title></circle>\n");
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
	add_roof(roofline, roofline->roofs[0], "f32", out);
	add_roof(roofline, roofline->roofs[1], "f64", out);
	for (size_t i = 0; i < roofline->slope_count; i++)
		add_slope_line(roofline, i, out);
	for_each(roofline, add_point);
	html_chart_end(
		out,
		"Each case of the newest runs: FLOPs a second over FLOPs per byte that must move. Slopes: "
		"bytes a second, from memory and as suite peak reached with data of a size. Level lines: "
		"the most FLOPs a second that was reached.");
}

size_t html_roofline(const struct bench_html_site *site, const struct html_device *device, size_t id,
		     struct bench_text *out)
{
	struct roofline roofline = {
		.site = site,
		.device = device,
		.out = out,
		.x = {.lo = INFINITY, .hi = -INFINITY},
		.y = {.lo = INFINITY, .hi = -INFINITY},
	};
	collect(&roofline);
	if (roofline.points > 0)
		draw(&roofline, id++);
	bench_arena_free(&roofline.arena);
	return id;
}

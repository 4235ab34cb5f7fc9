/* SPDX-License-Identifier: MIT */
#include "report/html/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "report/html/page.h"
#include "stats/stats.h"

double html_at(const struct html_axis *axis, double value)
{
	double share = axis->log ? log(value / axis->lo) / log(axis->hi / axis->lo)
				 : (value - axis->lo) / (axis->hi - axis->lo);
	share = share > 0 ? fmin(share, 1) : 0; /* NaN: 0 */
	return axis->from + share * (axis->to - axis->from);
}

void html_widen(struct html_axis *axis, double share)
{
	double room = share * (axis->hi - axis->lo), least = 0.01 * fmax(fabs(axis->lo), fabs(axis->hi));
	room = fmax(room, least > 0 ? least : 1);
	axis->lo -= room;
	axis->hi += room;
}

void html_chart_begin(struct bench_text *out, size_t id, unsigned width, unsigned height, const char *title)
{
	bench_text_add(
		out,
		"<figure class=\"chart\"><svg viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" role=\"img\" "
		"aria-labelledby=\"c%zu\" font-size=\"12\" fill=\"currentColor\">\n",
		width, height, width, height, id);
	html_format(out, "<title id=\"c%zu\">%s</title>\n", id, title);
}

void html_chart_end(struct bench_text *out, const char *caption)
{
	html_format(out, "</svg><figcaption>%s</figcaption></figure>\n", caption);
}

void html_label(struct bench_text *out, bool spare, double x, double y, const char *anchor, const char *text)
{
	/* Below its y: letters grow on a phone. */
	bench_text_add(out, "<text class=\"axis%s\" x=\"%.1f\" y=\"%.1f\" dy=\"0.35em\" text-anchor=\"%s\">",
		       spare ? " spare" : "", x, y, anchor);
	html_format(out, "%s</text>\n", text);
}

/* 1, 2 or 5 times a power of ten, so that about five steps fill the span. */
static double round_step(double span)
{
	double raw = span / 5, power = pow(10, floor(log10(raw))), times = raw / power;
	return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

enum { MOST_TICKS = 12, MOST_POWER = 300 };

/* Round values between the ends, ascending; returns how many. */
static size_t find_ticks(const struct html_axis *axis, double factor, double ticks[MOST_TICKS])
{
	size_t count = 0;
	if (axis->log) {
		int first = (int)fmax(ceil(log10(axis->lo / factor) - 1e-9), -MOST_POWER);
		int last = (int)fmin(floor(log10(axis->hi / factor) + 1e-9), MOST_POWER);
		int step = (last - first) / (MOST_TICKS - 1) + 1;
		for (int power = first - 1; power <= last; power += step)
			for (size_t i = 0; i < (last - first < 3 ? 3 : 1); i++) {
				double tick = pow(10, power) * factor * (i == 0 ? 1 : i == 1 ? 2 : 5);
				if (tick >= axis->lo && tick <= axis->hi && count < MOST_TICKS)
					ticks[count++] = tick;
			}
		return count;
	}
	double step = round_step((axis->hi - axis->lo) / factor);
	double first = ceil(axis->lo / factor / step);
	for (; count < MOST_TICKS && (first + (double)count) * step * factor <= axis->hi; count++)
		ticks[count] = (first + (double)count) * step * factor;
	return count;
}

static const char *scale_of(const struct html_axis *axis, const char *unit, double *factor)
{
	const char *name = bench_text_scale(fmax(fabs(axis->lo), fabs(axis->hi)), unit, factor);
	if (!(*factor > 0))
		*factor = 1;
	return name;
}

void html_line(struct bench_text *out, const char *kind, double x1, double y1, double x2, double y2)
{
	bench_text_add(out,
		       "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
		       "stroke=\"currentColor\"%s/>\n",
		       kind, x1, x2, y1, y2, strcmp(kind, "grid") == 0 ? " stroke-opacity=\"0.15\"" : "");
}

/* Lines from `start` to `end` at round values of the axis, with the values; returns the unit's name. */
static const char *add_ticks(struct bench_text *out, const struct html_axis *axis, bool upright, double start,
			     double end, const char *unit)
{
	double factor, ticks[MOST_TICKS];
	const char *name = scale_of(axis, unit, &factor);
	size_t count = find_ticks(axis, factor, ticks);
	double last = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		double at = html_at(axis, ticks[i]), value = ticks[i] / factor;
		char text[32];
		/* A phone has room for fewer. */
		bool spare = fabs(at - last) < (upright ? 28 : 84);
		snprintf(text, sizeof(text), "%.6g", fabs(value) < 1e-12 ? 0.0 : value);
		last = spare ? last : at;
		if (upright) {
			html_line(out, "grid", start, at, end, at);
			html_label(out, spare, start - 8, at, "end", text);
		} else {
			html_line(out, "grid", at, start, at, end);
			html_label(out, spare, at, end + 16, "middle", text);
		}
	}
	return name;
}

void html_value_axis(struct bench_text *out, const struct html_axis *axis, double left, double right,
		     const char *unit)
{
	html_label(out, false, 2, axis->to - 30, "start", add_ticks(out, axis, true, left, right, unit));
}

void html_bottom_axis(struct bench_text *out, const struct html_axis *axis, double top, double bottom,
		      const char *unit)
{
	html_label(out, false, axis->from - 8, bottom + 16, "end",
		   add_ticks(out, axis, false, top, bottom, unit));
}

/* The median of the values around one, up to two on either side: a spike of one run or two is not in it. */
static double around(const double *values, size_t count, size_t at)
{
	double near[5];
	size_t first = at > 2 ? at - 2 : 0, end = at + 3 < count ? at + 3 : count;
	memcpy(near, values + first, (end - first) * sizeof(*near));
	bench_stats_sort(near, end - first);
	return near[(end - first) / 2];
}

/* How far intervals mostly reach to one side. */
static double usual_reach(const struct bench_point *points, size_t count, bool above, double *scratch)
{
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		double reach =
			above ? points[i].ci_hi - points[i].median : points[i].median - points[i].ci_lo;
		if (isfinite(reach))
			scratch[used++] = reach;
	}
	bench_stats_sort(scratch, used);
	return used > 0 ? fmax(scratch[used / 2], 0) : 0;
}

/* The values that count, in their order: those that were not disturbed, if there are some. */
static size_t take_values(const struct bench_point *points, size_t count, double *values)
{
	size_t used = 0;
	for (size_t pass = 0; pass < 2 && used == 0; pass++)
		for (size_t i = 0; i < count; i++)
			if (isfinite(points[i].median) && (pass > 0 || !points[i].disturbed))
				values[used++] = points[i].median;
	return used;
}

void html_trend_range(const struct bench_point *points, size_t count, bool intervals, struct html_axis *axis)
{
	BENCH_SCOPED_MEMORY double *values = bench_memory_alloc(count + 1, sizeof(*values));
	size_t used = take_values(points, count, values);
	axis->lo = INFINITY;
	axis->hi = -INFINITY;
	for (size_t i = 0; i < used; i++) {
		/* The newest value is what people look for. */
		double value = i + 1 == used || used < 5 ? values[i] : around(values, used, i);
		axis->lo = fmin(axis->lo, value);
		axis->hi = fmax(axis->hi, value);
	}
	if (!(axis->lo <= axis->hi))
		axis->lo = axis->hi = 0;
	if (intervals) {
		axis->lo -= usual_reach(points, count, false, values);
		axis->hi += usual_reach(points, count, true, values);
	}
	html_widen(axis, 0.15);
}

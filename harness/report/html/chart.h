/* SPDX-License-Identifier: MIT */
/* Charts as inline SVG: what they share, and each of them. Private to the room. */
#ifndef BENCH_REPORT_HTML_CHART_H
#define BENCH_REPORT_HTML_CHART_H

#include "report/html/site.h"

/* Maps values from lo to hi to pixels from..to; others to the nearer end. */
struct html_axis {
	double lo, hi, from, to;
	bool log; /* lo and hi are above 0 */
};
double html_at(const struct html_axis *axis, double value);

/* lo..hi with room on both sides, and wide enough to be divided where they are equal. */
void html_widen(struct html_axis *axis, double share);

/* <figure> and <svg> with a title for screen readers. `id`: unique on the page. `caption`: below the chart.
 */
void html_chart_begin(struct bench_text *out, size_t id, unsigned width, unsigned height, const char *title);
void html_chart_end(struct bench_text *out, const char *caption);

/* Lines across the chart at round values, with the values, and the unit above. */
void html_value_axis(struct bench_text *out, const struct html_axis *axis, double left, double right,
		     const char *unit);
/* The same for an axis of values that lies at the bottom. */
void html_bottom_axis(struct bench_text *out, const struct html_axis *axis, double top, double bottom,
		      const char *unit);
/* `kind`: its class; one of kind "grid" is faint. */
void html_line(struct bench_text *out, const char *kind, double x1, double y1, double x2, double y2);
/* Its middle is at y. `spare`: a phone leaves it out. */
void html_label(struct bench_text *out, bool spare, double x, double y, const char *anchor, const char *text);

/* A small line of the values, without axes. */
void html_spark(const struct html_series *series, struct bench_text *out);
/* The values over the runs, with intervals, levels and marks; below, the time relative to the anchor where
 * that was measured. Takes ids from `id` on; returns the next. */
size_t html_trend(const struct bench_html_site *site, const struct html_series *series, size_t id,
		  struct bench_text *out);
/* The samples of the newest run: their distribution, against the run before, and their order. */
size_t html_samples(struct bench_arena *arena, const struct html_series *series, size_t id,
		    struct bench_text *out);
/* Rates over intensity, below the device's ceilings. */
size_t html_roofline(const struct bench_html_site *site, const struct html_device *device, size_t id,
		     struct bench_text *out);

/* Does the case, as measured on that device, have a place in the roofline? */
bool html_is_under_roof(const struct html_device *device, const struct html_samples *time);

/* The range of values that a chart shows, with or without the intervals of its points. Isolated spikes, and
 * intervals far above the usual, do not flatten the rest. */
void html_trend_range(const struct bench_point *points, size_t count, bool intervals, struct html_axis *axis);

#endif

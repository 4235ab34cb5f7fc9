/* SPDX-License-Identifier: MIT */
/* The trend of a metric: its values over the runs of a host, and what happened between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metric.h"
#include "report/html/chart.h"
#include "report/html/page.h"
#include "report/render/words.h"
#include "stats/stats.h"

enum {
	WIDTH = 900,
	HEIGHT = 330,
	RATIO_HEIGHT = 210,
	LEFT = 100,
	RIGHT = 12,
	TOP = 60,
	BOTTOM = 36,
	ROW = 16, /* of labels above the chart */
	MOST_ROWS = 3,
	LETTER = 7, /* of a label: wider than most */
	DATE = 100, /* from one date to the next */
	MOST_DOTS = 800
};

/* A value at one of the runs. */
struct dot {
	size_t at; /* the run, as its place among the series' points */
	double value, lo, hi;
	const struct bench_point *point;
	enum bench_standing verdict;
};

/* What stands above a mark. */
struct label {
	double x;
	const char *kind, *text;
};

struct trend {
	struct bench_arena *arena; /* of the page */
	const struct bench_html_site *site;
	const struct html_series *series;
	struct dot *dots;
	size_t count;
	struct html_axis x, y;
	const char *unit;
	struct label *labels;
	size_t label_count;
};

static void open_x(struct trend *trend)
{
	size_t count = trend->series->count;
	/* Half a step of room on both sides, where marks between runs stand. */
	trend->x =
		(struct html_axis){.lo = -0.5, .hi = (double)count - 0.5, .from = LEFT, .to = WIDTH - RIGHT};
}

static bool is_outside(const struct trend *trend, const struct dot *dot)
{
	return dot->value < trend->y.lo || dot->value > trend->y.hi;
}

/* Is it among those that are joined by a line? Spikes would fill the chart. */
static bool is_joined(const struct trend *trend, const struct dot *dot)
{
	return !dot->point->disturbed && !is_outside(trend, dot);
}

static void add_band(const struct trend *trend, struct bench_text *out)
{
	BENCH_SCOPED_TEXT back = {0};
	bench_text_add(out, "<polygon class=\"band\" fill=\"currentColor\" fill-opacity=\"0.15\" points=\"");
	for (size_t i = 0; i < trend->count; i++) {
		const struct dot *dot = &trend->dots[i], *end = &trend->dots[trend->count - 1 - i];
		if (is_joined(trend, dot))
			bench_text_add(out, "%.1f,%.1f ", html_at(&trend->x, (double)dot->at),
				       html_at(&trend->y, dot->hi));
		if (is_joined(trend, end))
			bench_text_add(&back, "%.1f,%.1f ", html_at(&trend->x, (double)end->at),
				       html_at(&trend->y, end->lo));
	}
	bench_text_add(out, "%s\"/>\n", back.data ? back.data : "");
	/* Around one value a band has no width. */
	if (trend->count == 1)
		html_line(out, "line", html_at(&trend->x, 0), html_at(&trend->y, trend->dots[0].lo),
			  html_at(&trend->x, 0), html_at(&trend->y, trend->dots[0].hi));
}

static void add_line(const struct trend *trend, const char *kind, struct bench_text *out)
{
	bench_text_add(out, "<polyline class=\"%s\" fill=\"none\" stroke=\"currentColor\" points=\"", kind);
	for (size_t i = 0; i < trend->count; i++)
		if (is_joined(trend, &trend->dots[i]))
			bench_text_add(out, "%.1f,%.1f ", html_at(&trend->x, (double)trend->dots[i].at),
				       html_at(&trend->y, trend->dots[i].value));
	bench_text_add(out, "\"/>\n");
}

/* What a point says when it is pointed at. */
static void add_dot_title(const struct trend *trend, const struct dot *dot, struct bench_text *out)
{
	const struct bench_point *point = dot->point;
	html_format(out, "<title>%s, %s%s%s%s%s</title>", html_when(trend->arena, point->started),
		    bench_render_words_quantity(trend->arena, dot->value, trend->unit),
		    bench_arena_format(trend->arena, "%s%.12s, run %s", *point->commit ? ", commit " : "",
				       point->commit, point->run),
		    point->disturbed ? ", disturbed" : "", dot->verdict ? ", " : "",
		    bench_compare_standing_name(dot->verdict));
}

static void add_dot(const struct trend *trend, const struct dot *dot, struct bench_text *out)
{
	double x = html_at(&trend->x, (double)dot->at), y = html_at(&trend->y, dot->value);
	bool told = dot->verdict == BENCH_STANDS_SLOWER || dot->verdict == BENCH_STANDS_SUSPECTED ||
		    dot->verdict == BENCH_STANDS_FASTER;
	const char *disturbed = dot->point->disturbed ? " disturbed" : "";
	const char *verdict = told ? bench_compare_standing_name(dot->verdict) : "";
	if (is_outside(trend, dot))
		/* A triangle at the edge points to where the value is. */
		bench_text_add(out,
			       "<path class=\"point outside%s%s%s\" fill=\"currentColor\" d=\"M%.1f %.1fl4 "
			       "%dh-8z\">",
			       disturbed, told ? " " : "", verdict, x, y, dot->value > trend->y.hi ? 7 : -7);
	else
		bench_text_add(out, "<circle class=\"point%s%s%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">",
			       disturbed, told ? " " : "", verdict, x, y, told ? "3.5" : "2.2");
	add_dot_title(trend, dot, out);
	bench_text_add(out, is_outside(trend, dot) ? "</path>\n" : "</circle>\n");
}

static void add_dots(const struct trend *trend, struct bench_text *out)
{
	size_t step = trend->count / MOST_DOTS + 1;
	for (size_t i = 0; i < trend->count; i++)
		if (i % step == 0 || i + 1 == trend->count || trend->dots[i].point->disturbed ||
		    is_outside(trend, &trend->dots[i]))
			add_dot(trend, &trend->dots[i], out);
}

/* The dates below, as many as have room; a phone has room for every other one. */
static void add_dates(const struct trend *trend, double bottom, struct bench_text *out)
{
	size_t count = trend->series->count, shown = 0;
	double last = INFINITY;
	/* From the newest on, which is the one to have. */
	for (size_t i = count; i > 0; i--) {
		bool newest = i == count;
		double x = html_at(&trend->x, (double)i - 1);
		/* At the edge it ends there. */
		bool at_edge = newest && x + DATE / 2.0 > WIDTH - RIGHT;
		x = at_edge ? WIDTH - RIGHT : x;
		if (last - x < DATE)
			continue;
		const char *when = html_when(trend->arena, trend->series->points[i - 1].started);
		html_label(out, shown++ % 2 == 1, x, bottom + 20, at_edge ? "end" : "middle",
			   bench_arena_format(trend->arena, "%.10s", when));
		last = at_edge ? x - DATE / 3.0 : x;
	}
}

static void add_mark(struct trend *trend, const char *kind, size_t at, double bottom, const char *label,
		     const char *title, struct bench_text *out)
{
	double x = html_at(&trend->x, (double)at - 0.5);
	bench_text_add(out,
		       "<g class=\"mark %s\"><line class=\"mark %s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
		       "y2=\"%.1f\" stroke=\"currentColor\">",
		       kind, kind, x, x, (double)TOP, bottom);
	html_format(out, "<title>%s</title></line></g>\n", title);
	if (*label)
		BENCH_PUSH(trend->arena, trend->labels, trend->label_count) =
			(struct label){x, kind, bench_arena_string(trend->arena, label)};
}

static int by_place(const void *a, const void *b)
{
	double x = ((const struct label *)a)->x, y = ((const struct label *)b)->x;
	return (x < y) - (x > y);
}

/* Labels stand above the chart in rows, the newest first; those that find no room are in the list below. A
 * phone shows the newest alone. */
static void add_mark_labels(struct trend *trend, struct bench_text *out)
{
	double free[MOST_ROWS];
	if (trend->label_count == 0)
		return;
	for (size_t r = 0; r < MOST_ROWS; r++)
		free[r] = WIDTH;
	qsort(trend->labels, trend->label_count, sizeof(*trend->labels), by_place);
	for (size_t i = 0; i < trend->label_count; i++) {
		const struct label *label = &trend->labels[i];
		double width = LETTER * (double)strlen(label->text), row = 0;
		double start = fmin(label->x, WIDTH - width);
		while (row < MOST_ROWS && start + width > free[(size_t)row])
			row++;
		if (row == MOST_ROWS)
			continue;
		free[(size_t)row] = start - 2 * LETTER;
		bench_text_add(out, "<g class=\"told mark %s\">", label->kind);
		html_label(out, i > 0, label->x > start ? WIDTH : start, TOP - 14 - row * ROW,
			   label->x > start ? "end" : "start", label->text);
		bench_text_add(out, "</g>\n");
	}
}

/* A level from one change to the next, drawn as a step. */
static void add_level(const struct trend *trend, size_t from, size_t to, double level, struct bench_text *out)
{
	double y = html_at(&trend->y, level);
	html_line(out, "line level", html_at(&trend->x, (double)from - 0.5), y,
		  html_at(&trend->x, (double)to - 0.5), y);
}

/* The level of a stretch that no change tells of: the median of its values. Two runs or fewer have none. */
static void add_other_level(const struct trend *trend, size_t from, size_t to, struct bench_text *out)
{
	double *values = bench_arena_alloc(trend->arena, trend->count, sizeof(*values));
	size_t count = 0;
	for (size_t i = 0; i < trend->count; i++)
		if (trend->dots[i].at >= from && trend->dots[i].at < to)
			values[count++] = trend->dots[i].value;
	if (trend->count > 2 && count > 0)
		add_level(trend, from, to, bench_stats_median(values, count), out);
}

/* How many points began before that. */
static size_t points_before(const struct trend *trend, int64_t start)
{
	size_t count = 0;
	while (count < trend->series->count && trend->series->points[count].started < start)
		count++;
	return count;
}

static void add_changes(struct trend *trend, double bottom, struct bench_text *out)
{
	const struct bench_html_data *data = trend->site->data;
	const struct bench_change *last = NULL;
	size_t from = 0;
	for (size_t i = 0; i < data->change_count; i++) {
		const struct bench_change *change = &data->changes[i];
		if (!html_is_of(trend->series, change))
			continue;
		size_t at = html_place_of(trend->series, change->started, change->first_run);
		/* Its old level may have begun with a shift that is too small to be shown. */
		size_t old = points_before(trend, change->from);
		if (old > from && old < at) {
			add_other_level(trend, from, old, out);
			from = old;
		}
		add_level(trend, from, at, change->before, out);
		const char *size = bench_render_words_change(trend->arena, change->ratio.estimate);
		/* An event with an alarm gets its label from the mark of the alarm. */
		bool labelled =
			!html_find_alarm(trend->site, change->first_run, change->key, change->fingerprint);
		add_mark(trend, "change", at, bottom,
			 labelled ? bench_arena_format(trend->arena, "level %s", size) : "",
			 bench_arena_format(trend->arena, "level shift %s", size), out);
		from = at;
		last = change;
	}
	if (last && last->until >= last->started) {
		size_t end = points_before(trend, last->until + 1);
		add_level(trend, from, end, last->after, out);
		from = end;
	}
	add_other_level(trend, from, trend->series->count, out);
}

/* Its change is this metric's, as the chart is. */
static void add_alarm_mark(struct trend *trend, size_t at, double bottom, const struct bench_alarm *alarm,
			   struct bench_text *out)
{
	const struct bench_alarm_metric *metric = bench_record_alarm_metric(alarm, trend->series->key);
	add_mark(trend, "alarm", at, bottom,
		 bench_render_words_kept(trend->arena, metric->ratio, metric->lo, metric->hi, metric->unit),
		 bench_arena_format(trend->arena, "alarm %s", html_alarm(trend->arena, alarm, metric->key)),
		 out);
}

static void add_marks(struct trend *trend, double bottom, struct bench_text *out)
{
	const struct html_series *series = trend->series;
	for (size_t i = 0; i < series->count; i++) {
		const struct bench_html_run *run = html_find_run(trend->site, series->points[i].run);
		if (*series->points[i].accepted)
			add_mark(trend, "accepted", i, bottom, "", series->points[i].accepted, out);
		if (run && *run->facts)
			add_mark(trend, "environment", i, bottom, "", run->facts, out);
		const struct bench_alarm *alarm =
			html_find_alarm(trend->site, series->points[i].run, series->key, series->fingerprint);
		if (alarm)
			add_alarm_mark(trend, i, bottom, alarm, out);
	}
}

/* The chart of all values. */
static void add_values(struct trend *trend, size_t id, struct bench_text *out)
{
	const struct html_series *series = trend->series;
	double bottom = HEIGHT - BOTTOM;
	html_trend_range(series->points, series->count, true, &trend->y);
	trend->y.from = bottom;
	trend->y.to = TOP;
	html_chart_begin(out, id, WIDTH, HEIGHT,
			 bench_arena_format(trend->arena, "%s over %zu run%s", series->key, series->count,
					    series->count == 1 ? "" : "s"));
	html_value_axis(out, &trend->y, LEFT, WIDTH - RIGHT, trend->unit);
	add_band(trend, out);
	add_marks(trend, bottom, out);
	add_line(trend, "line", out);
	add_changes(trend, bottom, out);
	add_dots(trend, out);
	add_mark_labels(trend, out);
	add_dates(trend, bottom, out);
	html_chart_end(out, "Median of each run, with its interval. Hollow points: the machine was "
			    "disturbed. Triangles: values beyond the edge. Larger points: runs judged "
			    "slower, suspected or faster. Vertical lines: an alarm (with its change), a "
			    "level shift, an accepted shift, or a change of the environment; all are listed "
			    "below.");
}

static void add_value(struct trend *trend, size_t at, const struct bench_point *point, double factor,
		      enum bench_standing verdict)
{
	bool bounded = isfinite(point->ci_lo) && isfinite(point->ci_hi);
	trend->dots[trend->count++] = (struct dot){
		.at = at,
		.value = factor * point->median,
		.lo = factor * (bounded ? point->ci_lo : point->median),
		.hi = factor * (bounded ? point->ci_hi : point->median),
		.point = point,
		.verdict = verdict,
	};
}

/* The time relative to the anchor, at the runs that have one: free of what the machine did. */
static const struct html_series *find_ratio(struct trend *trend)
{
	const struct html_series *series = trend->series, *ratio;
	const char *metric = strrchr(series->key, '/');
	const struct bench_metric_pair *pair = metric ? bench_metric_pair_of(metric + 1) : NULL;
	if (!pair || strcmp(metric + 1, pair->name) != 0)
		return NULL;
	ratio = html_find_series(trend->site,
				 bench_arena_format(trend->arena, "%.*s/%s", (int)(metric - series->key),
						    series->key, pair->ratio),
				 series->fingerprint);
	trend->count = 0;
	for (size_t i = 0, at = 0; ratio && i < ratio->count; i++) {
		const struct bench_point *point = &ratio->points[i];
		while (at < series->count && series->points[at].started < point->started)
			at++;
		double chain = exp(point->level_shift);
		if (at < series->count && strcmp(series->points[at].run, point->run) == 0 && *point->anchor &&
		    isfinite(point->median))
			add_value(trend, at, point, chain, BENCH_STANDS_UNJUDGED);
		/* There is one dot a run at most. */
		at += at < series->count && strcmp(series->points[at].run, point->run) == 0;
	}
	return trend->count > 0 ? ratio : NULL;
}

static void add_ratio(struct trend *trend, size_t id, struct bench_text *out)
{
	double bottom = RATIO_HEIGHT - BOTTOM;
	struct bench_point *shown = bench_arena_alloc(trend->arena, trend->count, sizeof(*shown));
	for (size_t i = 0; i < trend->count; i++) {
		shown[i] = *trend->dots[i].point;
		shown[i].median = trend->dots[i].value;
		shown[i].ci_lo = trend->dots[i].lo;
		shown[i].ci_hi = trend->dots[i].hi;
	}
	html_trend_range(shown, trend->count, true, &trend->y);
	trend->y.from = bottom;
	trend->y.to = TOP;
	trend->unit = "ratio";
	html_chart_begin(out, id, WIDTH, RATIO_HEIGHT, "time relative to the anchor");
	html_value_axis(out, &trend->y, LEFT, WIDTH - RIGHT, "ratio");
	add_band(trend, out);
	add_line(trend, "ratio", out);
	add_dots(trend, out);
	add_dates(trend, bottom, out);
	html_chart_end(out, "Time relative to the anchor, interleaved with it. A change here comes from the "
			    "code; a change above that is missing here comes from the machine.");
}

size_t html_trend(const struct bench_html_site *site, const struct html_series *series, size_t id,
		  struct bench_text *out)
{
	struct trend trend = {.arena = site->scratch, .site = site, .series = series, .unit = series->unit};
	trend.dots = bench_arena_alloc(trend.arena, series->count, sizeof(*trend.dots));
	open_x(&trend);
	for (size_t i = 0; i < series->count; i++)
		if (isfinite(series->points[i].median))
			add_value(&trend, i, &series->points[i], 1, series->verdicts[i]);
	add_values(&trend, id++, out);
	if (find_ratio(&trend))
		add_ratio(&trend, id++, out);
	return id;
}

/* SPDX-License-Identifier: MIT */
/* Trend: metrics over the runs of the history. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "report/plot/lines.h"
#include "report/render/words.h"
#include "stats/stats.h"

#define LABELS       13 /* ticks that can be labeled side by side */
#define TEXT_LABELS  8  /* on a terminal */
#define PANEL_LABELS 4  /* in one of many panels */
#define APART        5  /* lines this factor apart would each be flat on a common axis */

/*
 * The runs that have a point, oldest first, at even steps: runs come in bursts and after pauses, and on an
 * axis of time a day of work would be a single heap of points.
 */
struct run {
	const char *id, *commit;
	int64_t started;
};

struct drawing {
	const struct bench_plot_trend *trend;
	struct bench_plot plot;
	struct bench_plot_lines lines;
	struct run *runs;
	size_t run_count;
	struct bench_kept_comparison *comparisons; /* by run; NULL: there are none */
	double *shift_at; /* one per change: where its new level begins; NaN: its run is not drawn */
};

static int by_start(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return strcmp(x->id, y->id);
}

static void find_runs(struct drawing *drawing)
{
	const struct bench_plot_trend *trend = drawing->trend;
	struct run *all = bench_arena_alloc(&drawing->plot.arena, trend->count, sizeof(*all));
	for (size_t i = 0; i < trend->count; i++)
		all[i] =
			(struct run){trend->points[i].run, trend->points[i].commit, trend->points[i].started};
	qsort(all, trend->count, sizeof(*all), by_start);
	for (size_t i = 0; i < trend->count; i++)
		if (i == 0 || by_start(&all[i], &all[drawing->run_count - 1]) != 0)
			all[drawing->run_count++] = all[i];
	drawing->runs = all;
}

static double position(const struct drawing *drawing, const char *id, int64_t started)
{
	const struct run wanted = {id, "", started};
	const struct run *run = bsearch(&wanted, drawing->runs, drawing->run_count, sizeof(wanted), by_start);
	return run ? (double)(run - drawing->runs) + 1 : NAN;
}

/* Where a run of that start stands, or would. */
static double position_from(const struct drawing *drawing, int64_t started)
{
	size_t i = 0;
	while (i < drawing->run_count && drawing->runs[i].started < started)
		i++;
	return (double)i + 1;
}

/* Those of the trend, by run. */
static void sort_comparisons(struct drawing *drawing)
{
	size_t count = drawing->trend->comparison_count;
	if (count == 0)
		return;
	drawing->comparisons = bench_arena_alloc(&drawing->plot.arena, count, sizeof(*drawing->comparisons));
	memcpy(drawing->comparisons, drawing->trend->comparisons, count * sizeof(*drawing->comparisons));
	qsort(drawing->comparisons, count, sizeof(*drawing->comparisons), bench_text_order);
}

/* The verdict on a metric from all comparisons of a run: slower outranks suspected, and that
 * outranks faster. */
static unsigned judged(const struct drawing *drawing, const struct bench_point *point)
{
	const struct bench_kept_comparison wanted = {.run = point->run};
	const struct bench_verdict_row row = {.key = point->key};
	const struct bench_kept_comparison *end = drawing->comparisons + drawing->trend->comparison_count;
	const struct bench_kept_comparison *one =
		drawing->comparisons
			? bsearch(&wanted, drawing->comparisons, drawing->trend->comparison_count,
				  sizeof(wanted), bench_text_order)
			: NULL;
	unsigned flags = 0;
	while (one && one > drawing->comparisons && bench_text_order(one - 1, &wanted) == 0)
		one--;
	for (; one && one < end && bench_text_order(one, &wanted) == 0; one++) {
		const struct bench_verdict_row *found =
			bsearch(&row, one->rows, one->count, sizeof(row), bench_text_order);
		if (found && strcmp(found->verdict, "slower") == 0)
			return BENCH_PLOT_SLOWER;
		if (found && strcmp(found->verdict, "suspected") == 0)
			flags = BENCH_PLOT_SUSPECTED;
		if (found && strcmp(found->verdict, "faster") == 0 && flags == 0)
			flags = BENCH_PLOT_FASTER;
	}
	return flags;
}

static const char *host_of(const struct bench_point *point)
{
	return point->fingerprint ? point->fingerprint : "";
}

/* What a host is called; two of one name go by their fingerprints, too. */
static char *host_name(const struct bench_plot_trend *trend, struct bench_arena *arena, const char *host)
{
	const char *name = "";
	bool shared = false;
	for (size_t i = 0; i < trend->run_count; i++)
		if (strcmp(trend->runs[i].fingerprint, host) == 0)
			name = trend->runs[i].host;
	for (size_t i = 0; i < trend->run_count; i++)
		shared |= strcmp(trend->runs[i].host, name) == 0 &&
			  strcmp(trend->runs[i].fingerprint, host) != 0;
	if (!*name)
		return bench_arena_format(arena, "host %.8s", host);
	return bench_arena_format(arena, "on %s%s%.8s", name, shared ? " " : "", shared ? host : "");
}

static bool several_hosts(const struct bench_plot_trend *trend)
{
	for (size_t i = 1; i < trend->count; i++)
		if (strcmp(host_of(&trend->points[i]), host_of(&trend->points[0])) != 0)
			return true;
	return false;
}

/* Is it the line of that metric and host? */
static bool is_of(const struct bench_plot_line *line, const char *key, const char *host)
{
	size_t length = strlen(key);
	return strncmp(line->key, key, length) == 0 && line->key[length] == '\n' &&
	       strcmp(line->key + length + 1, host) == 0;
}

/* A line a metric and host. */
static struct bench_plot_line *line_of(struct drawing *drawing, const char *key, const char *host,
				       bool several)
{
	BENCH_SCOPED_ARENA scratch = {0};
	struct bench_plot_lines *lines = &drawing->lines;
	size_t known = lines->count;
	struct bench_plot_line *line =
		bench_plot_lines_of(lines, bench_arena_format(&scratch, "%s\n%s", key, host));
	if (lines->count > known) {
		bench_plot_lines_add_key(lines, line, key);
		const char *part = host_name(drawing->trend, lines->arena, host);
		bench_plot_lines_add_part(lines, line, part, several ? strlen(part) : 0);
	}
	return line;
}

static void add_lines(struct drawing *drawing)
{
	const struct bench_plot_trend *trend = drawing->trend;
	struct bench_plot_lines *lines = &drawing->lines;
	bool several = several_hosts(trend);
	for (size_t i = 0; i < trend->count; i++) {
		const struct bench_point *point = &trend->points[i];
		struct bench_plot_line *line = line_of(drawing, point->key, host_of(point), several);
		line->unit = line->unit ? line->unit : point->unit;
		/* Of a unit that changed only the first kind can be drawn. */
		if (strcmp(point->unit, line->unit) == 0)
			bench_plot_lines_add_point(
				lines, line,
				(struct bench_plot_point){
					position(drawing, point->run, point->started), point->median,
					point->ci_lo, point->ci_hi,
					judged(drawing, point) |
						(point->disturbed ? BENCH_PLOT_DISTURBED : 0)});
	}
}

/* As people count: n=8 before n=16. */
static int by_key(const void *a, const void *b)
{
	return strverscmp(((const struct bench_plot_line *)a)->key, ((const struct bench_plot_line *)b)->key);
}

static void find_shifts(struct drawing *drawing)
{
	const struct bench_plot_trend *trend = drawing->trend;
	drawing->shift_at = bench_arena_alloc(&drawing->plot.arena, trend->change_count + 1, sizeof(double));
	for (size_t c = 0; c < trend->change_count; c++)
		drawing->shift_at[c] =
			position(drawing, trend->changes[c].first_run, trend->changes[c].started);
}

static void push_level(struct drawing *drawing, struct bench_plot_line *line, struct bench_plot_level level)
{
	if (isfinite(level.from) && isfinite(level.to) && bench_render_axis_is_usable(level.y))
		BENCH_PUSH(&drawing->plot.arena, line->levels, line->level_count) = level;
}

/* The level of a stretch that no change tells of: the median of its values. */
static void push_other_level(struct drawing *drawing, struct bench_plot_line *line, double from, double to)
{
	struct bench_arena *arena = &drawing->plot.arena;
	double *values = bench_arena_alloc(arena, line->point_count, sizeof(*values));
	size_t count = 0;
	for (size_t i = 0; i < line->point_count; i++)
		if (line->points[i].x >= from && line->points[i].x <= to)
			values[count++] = line->points[i].y;
	if (count > 0)
		push_level(drawing, line,
			   (struct bench_plot_level){from, to, bench_stats_median(values, count)});
}

/* The levels of one metric on one host, whose changes begin at `first`; returns where the next one's do. */
static size_t add_host_levels(struct drawing *drawing, struct bench_plot_line *line, size_t first)
{
	const struct bench_change *changes = drawing->trend->changes;
	const double *at = drawing->shift_at;
	size_t end = first, count = drawing->trend->change_count;
	while (end < count && strcmp(changes[end].key, changes[first].key) == 0 &&
	       strcmp(changes[end].fingerprint, changes[first].fingerprint) == 0)
		end++;
	double from = line->points[0].x, last = line->points[line->point_count - 1].x;
	for (size_t c = first; c < end; c++) {
		/* Its old level may have begun with a shift that is too small to be shown. */
		double old = position_from(drawing, changes[c].from) - 0.5;
		if (old > from && old < at[c] - 0.5) {
			push_other_level(drawing, line, from, old);
			from = old;
		}
		push_level(drawing, line, (struct bench_plot_level){from, at[c] - 0.5, changes[c].before});
		from = isfinite(at[c]) ? at[c] - 0.5 : from;
	}
	double until = position_from(drawing, changes[end - 1].until + 1) - 0.5;
	if (changes[end - 1].until >= changes[end - 1].started) {
		push_level(drawing, line,
			   (struct bench_plot_level){from, fmin(until, last), changes[end - 1].after});
		from = until;
	}
	push_other_level(drawing, line, from, last);
	return end;
}

/* The median over its runs of a line. */
static double line_median(struct bench_arena *arena, const struct bench_plot_line *line)
{
	double *values = bench_arena_alloc(arena, line->point_count, sizeof(*values));
	for (size_t i = 0; i < line->point_count; i++)
		values[i] = line->points[i].y;
	return bench_stats_median(values, line->point_count);
}

static void add_levels(struct drawing *drawing)
{
	for (size_t c = 0; c < drawing->trend->change_count;) {
		const struct bench_change *change = &drawing->trend->changes[c];
		struct bench_plot_line *line = NULL;
		for (size_t l = 0; l < drawing->lines.count && !line; l++)
			if (is_of(&drawing->lines.items[l], change->key, change->fingerprint))
				line = &drawing->lines.items[l];
		c = line ? add_host_levels(drawing, line, c) : c + 1;
	}
	/* What never shifted is at one level. */
	for (size_t l = 0; l < drawing->lines.count; l++) {
		struct bench_plot_line *line = &drawing->lines.items[l];
		if (line->level_count == 0)
			push_other_level(drawing, line, line->points[0].x,
					 line->points[line->point_count - 1].x);
	}
}

/* Is it drawn in the panel that has the lines first..first + count - 1? */
static bool shows(const struct drawing *drawing, size_t first, size_t count, const char *key,
		  const char *host)
{
	for (size_t i = first; i < first + count; i++)
		if (is_of(&drawing->lines.items[i], key, host))
			return true;
	return false;
}

static void add_mark(struct drawing *drawing, struct bench_plot_panel *panel, double at, const char *label,
		     enum bench_plot_role role, const char *what)
{
	/* One panel has room for words; of many the legend says what the colors mean. */
	bool alone = drawing->plot.panel_count == 1;
	if (!isfinite(at))
		return;
	bench_plot_page_add_mark(
		&drawing->plot, panel,
		(struct bench_plot_mark){at - 0.5, alone ? label : "", role, BENCH_PLOT_DASHED});
	if (!alone)
		bench_plot_page_add_entry(
			&drawing->plot,
			(struct bench_plot_entry){.label = what, .role = role, .dash = BENCH_PLOT_DASHED});
}

/* An event with an alarm gets its label from the mark of the alarm. */
static bool has_alarm(const struct bench_plot_trend *trend, const struct bench_change *change)
{
	return bench_record_alarm_opened(trend->alarms, trend->alarm_count, change->first_run, change->key,
					 change->fingerprint);
}

/* "level +9.8%" at each, of several metrics at one run "3 levels, +4.1% to +9.8%". */
static void add_shift_marks(struct drawing *drawing, struct bench_plot_panel *panel, size_t first,
			    size_t count)
{
	const struct bench_plot_trend *trend = drawing->trend;
	for (size_t c = 0; c < trend->change_count; c++) {
		size_t together = 0;
		double least = INFINITY, most = 0;
		if (has_alarm(trend, &trend->changes[c]) ||
		    !shows(drawing, first, count, trend->changes[c].key, trend->changes[c].fingerprint))
			continue;
		for (size_t o = 0; o < trend->change_count; o++)
			if (drawing->shift_at[o] == drawing->shift_at[c] &&
			    !has_alarm(trend, &trend->changes[o]) &&
			    shows(drawing, first, count, trend->changes[o].key,
				  trend->changes[o].fingerprint)) {
				together++;
				least = fmin(least, trend->changes[o].ratio.estimate);
				most = fmax(most, trend->changes[o].ratio.estimate);
			}
		struct bench_arena *arena = &drawing->plot.arena;
		const char *lowest = bench_render_words_change(arena, least);
		const char *label =
			together > 1 ? bench_arena_format(arena, "%zu levels, %s to %s", together, lowest,
							  bench_render_words_change(arena, most))
				     : bench_arena_format(arena, "level %s", lowest);
		add_mark(drawing, panel, drawing->shift_at[c], label, BENCH_PLOT_MUTED,
			 "a level shifted for good");
	}
}

static void add_accepted(struct drawing *drawing, struct bench_plot_panel *panel, size_t first, size_t count)
{
	const struct bench_plot_trend *trend = drawing->trend;
	for (size_t i = 0; i < trend->count; i++) {
		const struct bench_point *point = &trend->points[i];
		if (*point->accepted && shows(drawing, first, count, point->key, host_of(point)))
			add_mark(drawing, panel, position(drawing, point->run, point->started),
				 bench_arena_format(
					 &drawing->plot.arena, "accepted: %s",
					 bench_render_words_line(&drawing->plot.arena, point->accepted)),
				 BENCH_PLOT_DOUBT, "a shift was accepted");
	}
}

/* "alarm 3: +31.2%, open", with a tint for as long as it was open. */
static void add_alarm(struct drawing *drawing, struct bench_plot_panel *panel,
		      const struct bench_alarm *alarm, const struct bench_alarm_metric *metric)
{
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm);
	double from = position_from(drawing, alarm->since);
	double to = metric->state == BENCH_ALARM_OPEN ? (double)drawing->run_count + 1
						      : position_from(drawing, metric->closed);
	bench_plot_page_add_span(&drawing->plot, panel,
				 (struct bench_plot_span){from - 0.5, to - 0.5, BENCH_PLOT_WORSE});
	add_mark(drawing, panel, from,
		 bench_arena_format(&drawing->plot.arena, "alarm %lld: %s, %s", (long long)alarm->id,
				    bench_render_words_measured(&drawing->plot.arena, largest->ratio,
								largest->lo, largest->hi, largest->ci_level,
								largest->unit),
				    bench_record_alarm_state_name(metric->state)),
		 BENCH_PLOT_WORSE, "an alarm, and while it was open");
}

static void add_alarms(struct drawing *drawing, struct bench_plot_panel *panel, size_t first, size_t count)
{
	const struct bench_plot_trend *trend = drawing->trend;
	for (size_t a = 0; a < trend->alarm_count; a++)
		for (size_t m = 0; m < trend->alarms[a].metric_count; m++)
			if (shows(drawing, first, count, trend->alarms[a].metrics[m].key,
				  trend->alarms[a].fingerprint)) {
				add_alarm(drawing, panel, &trend->alarms[a], &trend->alarms[a].metrics[m]);
				break; /* an alarm is one, whatever the number of its metrics */
			}
}

/*
 * Scales the lines of a panel to what its axis shows, and names that. Lines that are far apart are shown
 * relative to their own medians.
 */
static const char *scale(struct drawing *drawing, size_t first, size_t count)
{
	struct bench_arena *arena = &drawing->plot.arena;
	const char *unit = drawing->lines.items[first].unit;
	double *medians = bench_arena_alloc(arena, count, sizeof(*medians));
	double least = INFINITY, largest = 0, factor;
	for (size_t i = 0; i < count; i++) {
		medians[i] = line_median(arena, &drawing->lines.items[first + i]);
		least = fmin(least, medians[i]);
		largest = fmax(largest, medians[i]);
	}
	bool relative = bench_render_axis_is_positive(least) && largest > APART * least;
	const char *name = bench_text_scale(largest, unit, &factor);
	for (size_t i = 0; i < count; i++) {
		struct bench_plot_line *line = &drawing->lines.items[first + i];
		if (relative)
			line->remark = bench_arena_format(
				arena, "median %s", bench_render_words_quantity(arena, medians[i], unit));
		bench_plot_lines_multiply(line, 1 / (relative ? medians[i] : factor));
	}
	return relative ? "relative to the median of the line"
			: bench_render_words_line(arena, *name ? name : unit);
}

/* Would two neighbors have the same label, `length` characters of the time? */
static bool repeats(const struct drawing *drawing, size_t from, size_t length, size_t step)
{
	char before[32] = "", now[32];
	for (size_t i = (drawing->run_count - 1) % step; i < drawing->run_count; i += step) {
		bench_clock_iso(drawing->runs[i].started, now, sizeof(now));
		if (strncmp(before + from, now + from, length) == 0)
			return true;
		memcpy(before, now, sizeof(before));
	}
	return false;
}

/* "11-20" over "9f3c2a1"; on runs of one day "23:15", or "23:15:03" where that tells them apart. */
static void add_ticks(struct drawing *drawing, struct bench_plot_axis *axis, size_t labels)
{
	size_t count = drawing->run_count, step = (count + labels - 1) / labels;
	struct bench_arena *arena = &drawing->plot.arena;
	char first[32], last[32];
	bench_clock_iso(drawing->runs[0].started, first, sizeof(first));
	bench_clock_iso(drawing->runs[count - 1].started, last, sizeof(last));
	bool one_day = strncmp(first, last, 10) == 0, years = strncmp(first, last, 4) != 0;
	int from = one_day ? 11 : years ? 2 : 5;
	int length = (one_day && repeats(drawing, 11, 5, step)) || years ? 8 : 5;
	for (size_t i = (count - 1) % step; i < count; i += step) {
		char iso[32], commit[8];
		size_t known = 0;
		bench_clock_iso(drawing->runs[i].started, iso, sizeof(iso));
		for (; known < 7 && isalnum((unsigned char)drawing->runs[i].commit[known]); known++)
			commit[known] = drawing->runs[i].commit[known];
		commit[known] = '\0';
		bench_plot_page_add_tick(&drawing->plot, axis, (double)i + 1,
					 bench_arena_format(arena, "%.*s\\n%s", length, iso + from, commit));
	}
	axis->rows = 2;
	axis->min = 0.5;
	axis->max = (double)count + 0.5;
	if (drawing->plot.panel_count == 1)
		axis->label = one_day ? bench_arena_format(arena, "run, on %.10s", first) : "run";
}

static bool one_unit(const struct drawing *drawing)
{
	for (size_t i = 1; i < drawing->lines.count; i++)
		if (strcmp(drawing->lines.items[i].unit, drawing->lines.items[0].unit) != 0)
			return false;
	return true;
}

/* All lines in one panel, or a panel each. */
static void add_panels(struct drawing *drawing)
{
	struct bench_plot_lines *lines = &drawing->lines;
	bool together = lines->count <= BENCH_LINES_MAX && one_unit(drawing);
	size_t count = together ? lines->count : 1, panels = lines->count / count;
	for (size_t i = 0; i < panels; i++)
		bench_plot_page_add_panel(&drawing->plot,
					  together ? "" : bench_plot_lines_short(lines, &lines->items[i]));
	for (size_t i = 0; i < panels; i++) {
		struct bench_plot_panel *panel = &drawing->plot.panels[i];
		size_t first = i * count;
		panel->y.label = scale(drawing, first, count);
		add_ticks(drawing, &panel->x,
			  panels > 1                                ? PANEL_LABELS
			  : bench_plot_page_is_text(&drawing->plot) ? TEXT_LABELS
								    : LABELS);
		bench_plot_lines_fit(lines, first, count, BENCH_PLOT_FIT_LEVEL, &panel->y);
		add_alarms(drawing, panel, first, count);
		add_accepted(drawing, panel, first, count);
		add_shift_marks(drawing, panel, first, count);
		bench_plot_lines_draw(lines, first, count, 0, together, &drawing->plot, panel);
	}
}

static int draw(struct drawing *drawing, struct bench_error *error)
{
	find_runs(drawing);
	sort_comparisons(drawing);
	add_lines(drawing);
	bench_plot_lines_drop_empty(&drawing->lines);
	if (drawing->lines.count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "none of the values is a number: there is nothing to plot");
	qsort(drawing->lines.items, drawing->lines.count, sizeof(*drawing->lines.items), by_key);
	find_shifts(drawing);
	add_levels(drawing);
	const char *shared = bench_plot_lines_name(&drawing->lines, &drawing->lines.items[0], true);
	drawing->plot.title =
		bench_arena_format(&drawing->plot.arena, "Trend%s%s", *shared ? ":  " : "", shared);
	add_panels(drawing);
	return bench_plot_page_draw(&drawing->plot, error);
}

int bench_plot_trend(const struct bench_plot_trend *trend, struct bench_plot_place *place,
		     struct bench_error *error)
{
	struct drawing drawing = {.trend = trend, .plot.place = place};
	BENCH_SCOPED_PLOT *plot = &drawing.plot;

	drawing.lines.arena = &plot->arena;
	if (trend->count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no metric of the history matches, so that there is no trend to plot");
	return draw(&drawing, error);
}

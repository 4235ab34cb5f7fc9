/* SPDX-License-Identifier: MIT */
#include "report/plot/lines.h"

#include <math.h>
#include <string.h>

#include "report/render/words.h"
#include "stats/stats.h"

#define JUDGED_MOST 2   /* a value with a verdict stays inside the axis up to this multiple of the median */
#define MANY_POINTS 120 /* from this count up, points would cover the line: it is drawn alone */

struct bench_plot_line *bench_plot_lines_of(struct bench_plot_lines *lines, const char *key)
{
	for (size_t i = lines->count; i > 0; i--)
		if (strcmp(lines->items[i - 1].key, key) == 0)
			return &lines->items[i - 1];
	struct bench_plot_line *line =
		bench_arena_push(lines->arena, &lines->items, &lines->count, sizeof(*line));
	line->key = bench_arena_string(lines->arena, key);
	return line;
}

void bench_plot_lines_add_part(struct bench_plot_lines *lines, struct bench_plot_line *line, const char *part,
			       size_t length)
{
	if (length == 0)
		return;
	BENCH_PUSH(lines->arena, line->parts, line->part_count) =
		bench_arena_format(lines->arena, "%.*s", (int)length, part);
}

void bench_plot_lines_add_key(struct bench_plot_lines *lines, struct bench_plot_line *line, const char *key)
{
	const char *suite_end = strchrnul(key, '/');
	const char *target = *suite_end ? suite_end + 1 : suite_end;
	const char *target_end = strchrnul(target, '/');
	const char *params = *target_end ? target_end + 1 : target_end;
	const char *metric = strrchr(params, '/');
	const char *params_end = metric ? metric : params;
	bench_plot_lines_add_part(lines, line, key, (size_t)(suite_end - key));
	bench_plot_lines_add_part(lines, line, target, (size_t)(target_end - target));
	while (params < params_end) {
		size_t length = strcspn(params, ",/");
		bench_plot_lines_add_part(lines, line, params, length);
		params += length + 1;
	}
	if (metric)
		bench_plot_lines_add_part(lines, line, metric + 1, strlen(metric + 1));
}

void bench_plot_lines_add_point(struct bench_plot_lines *lines, struct bench_plot_line *line,
				struct bench_plot_point point)
{
	if (!bench_render_axis_is_usable(point.x) || !bench_render_axis_is_usable(point.y))
		return;
	if (!bench_render_axis_is_usable(point.lo) || !bench_render_axis_is_usable(point.hi) ||
	    point.lo > point.y || point.hi < point.y)
		point.lo = point.hi = point.y;
	BENCH_PUSH(lines->arena, line->points, line->point_count) = point;
}

void bench_plot_lines_drop_empty(struct bench_plot_lines *lines)
{
	size_t kept = 0;
	for (size_t i = 0; i < lines->count; i++)
		if (lines->items[i].point_count)
			lines->items[kept++] = lines->items[i];
	lines->count = kept;
}

/* Have all lines the part; or, with `of`, all whose first part is this one's? */
static bool is_shared(const struct bench_plot_lines *lines, const struct bench_plot_line *of,
		      const char *part)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct bench_plot_line *line = &lines->items[i];
		bool asked = !of || (line->part_count && strcmp(line->parts[0], of->parts[0]) == 0);
		if (asked && !BENCH_FIND(line->parts, line->part_count, part))
			return false;
	}
	return true;
}

/* Are both "name=value", of the same value? */
static bool same_value(const char *a, const char *b)
{
	const char *x = strchr(a, '='), *y = strchr(b, '=');
	return x && y && strcmp(x, y) == 0;
}

/* Adds a part behind `last`, the one before it (NULL: none): "m=64", "n=64" as "m=n=64". */
static void join(struct bench_text *text, const char *last, const char *part)
{
	if (last && same_value(last, part)) {
		text->length -= strlen(strchr(last, '='));
		bench_text_add(text, "=%s", part);
	} else {
		bench_text_add(text, "%s%s", last ? "  " : "", part);
	}
}

char *bench_plot_lines_name(const struct bench_plot_lines *lines, const struct bench_plot_line *line,
			    bool shared)
{
	struct bench_text text = {0};
	const char *last = NULL;
	for (size_t i = 0; i < line->part_count; i++)
		if (is_shared(lines, NULL, line->parts[i]) == shared) {
			join(&text, last, line->parts[i]);
			last = line->parts[i];
		}
	return bench_render_words_keep(&text, lines->arena);
}

char *bench_plot_lines_short(const struct bench_plot_lines *lines, const struct bench_plot_line *line)
{
	struct bench_text text = {0};
	const char *last = NULL;
	for (size_t i = 0; i < line->part_count; i++) {
		/* The title has the parts that all lines share; here only those that vary within the suite.
		 */
		bool varies = !is_shared(lines, line, line->parts[i]);
		if ((i == 0 || varies) && !is_shared(lines, NULL, line->parts[i])) {
			join(&text, last, line->parts[i]);
			last = line->parts[i];
		}
	}
	return bench_render_words_keep(&text, lines->arena);
}

void bench_plot_lines_multiply(struct bench_plot_line *line, double by)
{
	for (size_t i = 0; i < line->point_count; i++) {
		line->points[i].y *= by;
		line->points[i].lo *= by;
		line->points[i].hi *= by;
	}
	for (size_t i = 0; i < line->level_count; i++)
		line->levels[i].y *= by;
}

/* The values that a range must hold. */
struct extent {
	double least, smallest, largest; /* least: of the values, without their intervals */
};

static void extend(struct extent *extent, double lo, double y, double hi)
{
	extent->least = fmin(extent->least, y);
	extent->smallest = fmin(extent->smallest, lo);
	extent->largest = fmax(extent->largest, hi);
}

/*
 * Tukey's outer fences (Exploratory Data Analysis, 1977): a value three interquartile ranges out is far from
 * the others; of less than a tenth of the median, nothing is. An interval counts up to three times the usual
 * one.
 */
static void extend_by_line(struct extent *extent, const struct bench_plot_line *line)
{
	BENCH_SCOPED_ARENA arena = {0};
	size_t count = line->point_count;
	double *values = bench_arena_alloc(&arena, count, sizeof(*values));
	double *halves = bench_arena_alloc(&arena, count, sizeof(*halves));
	for (size_t i = 0; i < count; i++) {
		values[i] = line->points[i].y;
		halves[i] =
			fmax(line->points[i].hi - line->points[i].y, line->points[i].y - line->points[i].lo);
	}
	double low = bench_stats_quantile(values, count, 0.25),
	       high = bench_stats_quantile(values, count, 0.75);
	double middle = bench_stats_median(values, count), reach = fmax(3 * (high - low), 0.1 * fabs(middle));
	double usual = 3 * bench_stats_median(halves, count);
	for (size_t i = 0; i < count; i++) {
		const struct bench_plot_point *point = &line->points[i];
		bool near = point->y >= low - reach && point->y <= high + reach;
		bool judged = (point->flags & ~(unsigned)BENCH_PLOT_DISTURBED) &&
			      point->y <= JUDGED_MOST * middle && point->y >= middle / JUDGED_MOST;
		if (near || judged || i + 1 == count)
			extend(extent, fmax(point->lo, point->y - usual), point->y,
			       fmin(point->hi, point->y + usual));
	}
	for (size_t i = 0; i < line->level_count; i++)
		extend(extent, line->levels[i].y, line->levels[i].y, line->levels[i].y);
}

void bench_plot_lines_fit(const struct bench_plot_lines *lines, size_t first, size_t count,
			  enum bench_plot_fit how, struct bench_plot_axis *axis)
{
	struct extent extent = {INFINITY, INFINITY, -INFINITY};
	for (size_t i = first; i < first + count; i++)
		if (how == BENCH_PLOT_FIT_LEVEL)
			extend_by_line(&extent, &lines->items[i]);
		else /* a curve over a parameter has no level that a value could be far from */
			for (size_t p = 0; p < lines->items[i].point_count; p++)
				extend(&extent, lines->items[i].points[p].lo, lines->items[i].points[p].y,
				       lines->items[i].points[p].hi);
	axis->grid = true;
	axis->log = how == BENCH_PLOT_FIT_MAY_LOG && bench_render_axis_is_positive(extent.least) &&
		    extent.largest / extent.least > 100;
	if (axis->log) {
		axis->min =
			fmax(extent.smallest, extent.least / 10) / 1.5; /* an interval may reach down to 0 */
		axis->max = extent.largest * 1.5;
		return;
	}
	/* A span of a tenth at least: noise of a thousandth must not fill the picture. */
	double middle = (extent.smallest + extent.largest) / 2;
	double span = fmax(extent.largest - extent.smallest, 0.1 * fabs(middle));
	if (span == 0)
		span = 1;
	bool from_zero = how == BENCH_PLOT_FIT_MAY_LOG && extent.smallest >= 0;
	axis->min = from_zero ? 0 : middle - 0.58 * span;
	axis->max = from_zero ? 1.08 * extent.largest : middle + 0.58 * span;
	if (axis->max <= axis->min)
		axis->max = axis->min + 1;
}

static double inside(const struct bench_plot_axis *axis, double value)
{
	return fmin(fmax(value, axis->min), axis->max);
}

/* Each level from its first run to its last, joined with the one before it. */
static void draw_levels(const struct bench_plot_line *line, const char *color, struct bench_plot *plot,
			struct bench_plot_panel *panel)
{
	if (line->level_count == 0 || bench_plot_page_is_text(plot))
		return;
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t l = 0; l < line->level_count; l++) {
		const struct bench_plot_level *level = &line->levels[l];
		bench_text_add(&panel->data, "%.17g %.17g\n%.17g %.17g\n", level->from, level->y, level->to,
			       level->y);
	}
	bench_plot_page_end(panel);
	/* Pale, so that the values are seen on it. */
	bench_plot_page_add_layer(panel, "$d%zu using 1:2 with lines lc rgb '#80%s' lw 6", block, color + 1);
}

/* The points with a flag; there is at least one. */
static void draw_flagged(const struct bench_plot_line *line, unsigned flag, const char *style,
			 struct bench_plot *plot, struct bench_plot_panel *panel)
{
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t p = 0; p < line->point_count; p++)
		if (line->points[p].flags & flag)
			bench_text_add(&panel->data, "%.17g %.17g\n", line->points[p].x,
				       inside(&panel->y, line->points[p].y));
	bench_plot_page_end(panel);
	bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points %s", block, style);
}

static void draw_flags(const struct bench_plot_line *line, const char *color, struct bench_plot *plot,
		       struct bench_plot_panel *panel)
{
	static const struct {
		unsigned flag;
		enum bench_plot_role role;
		int shape;
		const char *label;
	} rings[] = {{BENCH_PLOT_SLOWER, BENCH_PLOT_WORSE, 6, "judged slower"},
		     {BENCH_PLOT_SUSPECTED, BENCH_PLOT_WORSE, 4, "suspected"},
		     {BENCH_PLOT_FASTER, BENCH_PLOT_BETTER, 12, "judged faster"}};
	unsigned seen = 0;
	for (size_t p = 0; p < line->point_count; p++)
		seen |= line->points[p].flags;
	if (bench_plot_page_is_text(plot))
		return;
	if (seen & BENCH_PLOT_DISTURBED) {
		/* A hole in the point: paper over it. */
		BENCH_SCOPED_ARENA arena = {0};
		draw_flagged(line, BENCH_PLOT_DISTURBED,
			     bench_arena_format(&arena, "pt 7 ps 0.8 lc rgb '%s'", color), plot, panel);
		draw_flagged(line, BENCH_PLOT_DISTURBED,
			     bench_arena_format(&arena, "pt 7 ps 0.4 lc rgb '%s'",
						bench_plot_page_color(plot, BENCH_PLOT_PAPER)),
			     plot, panel);
		bench_plot_page_add_entry(plot, (struct bench_plot_entry){.label = "disturbed throughout",
									  .role = BENCH_PLOT_INK,
									  .shape = 6});
	}
	for (size_t r = 0; r < sizeof(rings) / sizeof(rings[0]); r++) {
		BENCH_SCOPED_ARENA arena = {0};
		if (seen & rings[r].flag) {
			draw_flagged(line, rings[r].flag,
				     bench_arena_format(&arena, "pt %d ps 1.6 lw 2 lc rgb '%s'",
							rings[r].shape,
							bench_plot_page_color(plot, rings[r].role)),
				     plot, panel);
			bench_plot_page_add_entry(plot, (struct bench_plot_entry){.label = rings[r].label,
										  .role = rings[r].role,
										  .shape = rings[r].shape});
		}
	}
}

/* Triangles at the edge for values that are beyond it. */
static void draw_beyond(const struct bench_plot_line *line, const char *color, struct bench_plot *plot,
			struct bench_plot_panel *panel)
{
	bool text = bench_plot_page_is_text(plot);
	int up = text ? 'X' - '@' : 9, down = text ? up : 11;
	size_t block = bench_plot_page_begin(plot, panel);
	double span = panel->y.max - panel->y.min;
	for (size_t p = 0; p < line->point_count; p++) {
		const struct bench_plot_point *point = &line->points[p];
		if (point->y > panel->y.max)
			bench_text_add(&panel->data, "%.17g %.17g %d\n", point->x, panel->y.max - 0.02 * span,
				       up);
		else if (point->y < panel->y.min)
			bench_text_add(&panel->data, "%.17g %.17g %d\n", point->x, panel->y.min + 0.02 * span,
				       down);
	}
	if (!bench_plot_page_end(panel))
		return;
	bench_plot_page_add_layer(panel, "$d%zu using 1:2:3 with points pt variable ps 1.3 lc rgb '%s'",
				  block, color);
	bench_plot_page_add_entry(
		plot, (struct bench_plot_entry){
			      .label = "beyond the axis", .role = BENCH_PLOT_INK, .shape = 9, .letter = 'X'});
}

/* The interval: a band, or a bar for a line of one point. */
static void draw_interval(const struct bench_plot_line *line, size_t block, const char *color, bool faint,
			  struct bench_plot *plot, struct bench_plot_panel *panel)
{
	if (line->point_count == 1)
		bench_plot_page_add_layer(
			panel, "$d%zu using 1:2:3:4 with yerrorbars lc rgb '%s' lw 1.5 pt 0", block, color);
	else if (!bench_plot_page_is_text(plot))
		bench_plot_page_add_layer(panel,
					  "$d%zu using 1:3:4 with filledcurves fc rgb '%s' fs transparent "
					  "solid %g noborder",
					  block, color, faint ? 0.08 : 0.18);
}

static void draw_line(const struct bench_plot_line *line, size_t block, size_t index, const char *color,
		      struct bench_plot *plot, struct bench_plot_panel *panel)
{
	int shape = bench_plot_page_shape(plot, index);
	if (bench_plot_page_is_text(plot))
		bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points pt %d", block, shape);
	else
		bench_plot_page_add_layer(
			panel, "$d%zu using 1:2 with linespoints lc rgb '%s' lw 2 dt %d pt %d ps %g", block,
			color, index < BENCH_PLOT_HUES ? 1 : 2, shape,
			line->point_count > MANY_POINTS ? 0.3 : 0.8);
}

static size_t add_data(const struct bench_plot_line *line, struct bench_plot *plot,
		       struct bench_plot_panel *panel)
{
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t p = 0; p < line->point_count; p++) {
		const struct bench_plot_point *point = &line->points[p];
		bench_text_add(&panel->data, "%.17g %.17g %.17g %.17g\n", point->x,
			       inside(&panel->y, point->y), inside(&panel->y, point->lo),
			       inside(&panel->y, point->hi));
	}
	bench_plot_page_end(panel);
	return block;
}

static void add_entry(const struct bench_plot_lines *lines, const struct bench_plot_line *line, size_t index,
		      struct bench_plot *plot)
{
	const char *remark = line->remark ? line->remark : "";
	const char *own = bench_plot_lines_name(lines, line, false);
	const char *label =
		bench_arena_format(&plot->arena, "%s%s%s", own, *own && *remark ? ", " : "", remark);
	if (*label)
		bench_plot_page_add_series(plot, index, label);
}

void bench_plot_lines_draw(struct bench_plot_lines *lines, size_t first, size_t count, size_t hue, bool named,
			   struct bench_plot *plot, struct bench_plot_panel *panel)
{
	BENCH_SCOPED_ARENA arena = {0};
	size_t *blocks = bench_arena_alloc(&arena, count + 1, sizeof(*blocks));
	/* Intervals first, so that no line is covered by one. */
	for (size_t i = 0; i < count; i++) {
		const struct bench_plot_line *line = &lines->items[first + i];
		const char *color = bench_plot_page_color(plot, bench_plot_theme_series(hue + i));
		blocks[i] = add_data(line, plot, panel);
		draw_interval(line, blocks[i], color, count > 4, plot, panel);
		draw_levels(line, color, plot, panel);
	}
	for (size_t i = 0; i < count; i++) {
		const struct bench_plot_line *line = &lines->items[first + i];
		const char *color = bench_plot_page_color(plot, bench_plot_theme_series(hue + i));
		if (named)
			add_entry(lines, line, hue + i, plot);
		draw_line(line, blocks[i], hue + i, color, plot, panel);
		draw_beyond(line, color, plot, panel);
		draw_flags(line, color, plot, panel);
	}
}

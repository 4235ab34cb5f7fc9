/* SPDX-License-Identifier: MIT */
#include "report/plot/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/gnuplot.h"
#include "report/render/words.h"
#include "stats/stats.h"

/* Lengths, in pixels of a picture or in characters of a terminal. */
struct medium {
	double width, wide; /* of a picture; of one with panels in three columns */
	double column, row; /* of text */
	double tall, low;   /* height of one panel; of one of many */
	double margin;
	double tick;        /* from the axis to the label of its tick */
	unsigned grid_rows; /* panels above each other on a page */
};
static const struct medium picture = {960, 1260, 7.4, 19, 420, 130, 14, 12, 8};
static const struct medium characters = {0, 0, 1, 1, 16, 8, 1, 1, 20};

#define MARK_MAX  56 /* characters of a mark's label */
#define MARK_ROWS 6
#define SAMPLE    4 /* columns that the sample of an entry takes */

struct bench_plot_panel *bench_plot_page_add_panel(struct bench_plot *plot, const char *title)
{
	BENCH_PUSH(&plot->arena, plot->panels, plot->panel_count) =
		(struct bench_plot_panel){.title = bench_render_words_line(&plot->arena, title)};
	return &plot->panels[plot->panel_count - 1];
}

void bench_plot_page_add_mark(struct bench_plot *plot, struct bench_plot_panel *panel,
			      struct bench_plot_mark mark)
{
	for (size_t i = 0; i < panel->mark_count; i++)
		if (panel->marks[i].x == mark.x && strcmp(panel->marks[i].label, mark.label) == 0)
			return;
	BENCH_PUSH(&plot->arena, panel->marks, panel->mark_count) = mark;
}

void bench_plot_page_add_span(struct bench_plot *plot, struct bench_plot_panel *panel,
			      struct bench_plot_span span)
{
	/* Twice the same would be darker. */
	for (size_t i = 0; i < panel->span_count; i++)
		if (panel->spans[i].from == span.from && panel->spans[i].to == span.to)
			return;
	BENCH_PUSH(&plot->arena, panel->spans, panel->span_count) = span;
}

void bench_plot_page_add_label(struct bench_plot *plot, struct bench_plot_panel *panel,
			       struct bench_plot_label label)
{
	BENCH_PUSH(&plot->arena, panel->labels, panel->label_count) = label;
}

void bench_plot_page_add_entry(struct bench_plot *plot, struct bench_plot_entry entry)
{
	for (size_t i = 0; i < plot->entry_count; i++)
		if (strcmp(plot->entries[i].label, entry.label) == 0)
			return;
	BENCH_PUSH(&plot->arena, plot->entries, plot->entry_count) = entry;
}

void bench_plot_page_add_series(struct bench_plot *plot, size_t index, const char *label)
{
	bench_plot_page_add_entry(plot, (struct bench_plot_entry){.label = label,
								  .role = bench_plot_theme_series(index),
								  .shape = bench_plot_theme_shape(index),
								  .dash = index < BENCH_PLOT_HUES
										  ? BENCH_PLOT_SOLID
										  : BENCH_PLOT_DASHED,
								  .letter = (char)('A' + index % 26)});
}

void bench_plot_page_add_remark(struct bench_plot *plot, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	BENCH_PUSH(&plot->arena, plot->remarks, plot->remark_count) =
		bench_arena_vformat(&plot->arena, format, arguments);
	va_end(arguments);
}

void bench_plot_page_add_tick(struct bench_plot *plot, struct bench_plot_axis *axis, double at,
			      const char *label)
{
	BENCH_PUSH(&plot->arena, axis->ticks, axis->tick_count) = (struct bench_plot_tick){at, label};
}

const char *bench_plot_page_short(struct bench_plot *plot, double value)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{0x1p40, "Ti"}, {0x1p30, "Gi"}, {0x1p20, "Mi"}, {0x1p10, "Ki"},
		     {1e12, "T"},    {1e9, "G"},     {1e6, "M"},     {1e3, "k"}};
	if (fabs(value) >= 10000)
		for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
			double shown = value / units[u].unit;
			/* Of the powers of two the whole ones alone: 65536 is 64 Ki, and 65000 is 65 k. */
			if (fabs(shown) >= 1 && (u >= 4 || shown == rint(shown)))
				return bench_arena_format(&plot->arena, "%.4g %s", shown, units[u].name);
		}
	return bench_arena_format(&plot->arena, "%.6g", value);
}

void bench_plot_page_add_log_ticks(struct bench_plot *plot, struct bench_plot_axis *axis)
{
	/* Of each decade; the fewer decades, the more. */
	static const double steps[] = {1, 2, 5, 1.5, 3, 4, 7};
	double decades = log10(axis->max / axis->min);
	size_t count = decades > 3 ? 1 : decades > 1 ? 3 : sizeof(steps) / sizeof(steps[0]);
	for (int power = (int)floor(log10(axis->min)); pow(10, power) <= axis->max; power++)
		for (size_t s = 0; s < count; s++) {
			double at = steps[s] * pow(10, power);
			if (at >= axis->min && at <= axis->max)
				bench_plot_page_add_tick(plot, axis, at, bench_plot_page_short(plot, at));
		}
}

size_t bench_plot_page_begin(struct bench_plot *plot, struct bench_plot_panel *panel)
{
	bench_text_add(&panel->data, "$d%zu << END_OF_DATA\n", plot->block_count);
	panel->block_start = panel->data.length;
	return plot->block_count++;
}

bool bench_plot_page_end(struct bench_plot_panel *panel)
{
	bool any = panel->data.length > panel->block_start;
	/* A row that nothing plots, in place of none. */
	bench_text_add(&panel->data, "%sEND_OF_DATA\n", any ? "" : "0 0\n");
	return any;
}

void bench_plot_page_add_layer(struct bench_plot_panel *panel, const char *format, ...)
{
	BENCH_SCOPED_ARENA arena = {0};
	va_list arguments;
	va_start(arguments, format);
	bench_text_add(&panel->layers, "%s%s notitle", panel->layers.length ? ", \\\n     " : "",
		       bench_arena_vformat(&arena, format, arguments));
	va_end(arguments);
}

const char *bench_plot_page_color(const struct bench_plot *plot, enum bench_plot_role role)
{
	return bench_plot_theme_color(role, plot->place->dark);
}

bool bench_plot_page_is_text(const struct bench_plot *plot)
{
	return !plot->place->file;
}

int bench_plot_page_shape(const struct bench_plot *plot, size_t index)
{
	/* gnuplot's shapes on a terminal are the letters of the alphabet. */
	return bench_plot_page_is_text(plot) ? (int)(index % 26) + 1 : bench_plot_theme_shape(index);
}

/* The layout of a page. */
struct sheet {
	const struct medium *medium;
	double width, height;
	size_t columns, rows; /* of panels */
	size_t first, count;  /* the panels */
	double cell_width, cell_height, panel_height;
	double left, right, above, below; /* around each panel, in its cell */
	double top;                       /* of the page, above the first cell */
	size_t legend_columns, legend_rows;
	double legend_width; /* of a column */
};

static double longest_entry(const struct bench_plot *plot)
{
	size_t longest = 0;
	for (size_t i = 0; i < plot->entry_count; i++) {
		size_t columns = bench_render_words_columns(plot->entries[i].label);
		longest = columns > longest ? columns : longest;
	}
	return (double)(longest + SAMPLE + 3);
}

static void lay_out_legend(const struct bench_plot *plot, struct sheet *sheet)
{
	double room = sheet->width - 2 * sheet->medium->margin;
	sheet->legend_width = fmin(longest_entry(plot) * sheet->medium->column, room);
	sheet->legend_columns = (size_t)fmax(1, floor(room / sheet->legend_width));
	sheet->legend_rows = (plot->entry_count + sheet->legend_columns - 1) / sheet->legend_columns;
}

static size_t panel_columns(const struct bench_plot *plot)
{
	if (bench_plot_page_is_text(plot) || plot->stacked || plot->panel_count == 1)
		return 1;
	return plot->panel_count <= 4 ? 2 : 3;
}

static unsigned x_rows(const struct bench_plot *plot)
{
	unsigned rows = 0;
	for (size_t i = 0; i < plot->panel_count; i++) {
		const struct bench_plot_axis *x = &plot->panels[i].x;
		unsigned own = (x->bare ? 0 : x->rows) + (x->label != NULL);
		rows = own > rows ? own : rows;
	}
	return rows;
}

static bool any_title(const struct bench_plot *plot)
{
	for (size_t i = 0; i < plot->panel_count; i++)
		if (*plot->panels[i].title || plot->panels[i].y.label)
			return true;
	return false;
}

/* Remarks in lines that fit. */
static void break_remarks(struct bench_plot *plot, const struct sheet *sheet)
{
	const char **remarks = plot->remarks;
	size_t count = plot->remark_count;
	double columns = floor((sheet->width - 2 * sheet->medium->margin) / sheet->medium->column);
	plot->remarks = NULL;
	plot->remark_count = 0;
	for (size_t i = 0; i < count; i++)
		for (const char *rest = bench_render_words_line(&plot->arena, remarks[i]); *rest;) {
			size_t length = strlen(rest), at = 0;
			while (length > (size_t)columns && at + 1 < (size_t)columns) {
				size_t word = strcspn(rest + at + 1, " ") + 1;
				if (at && at + word > (size_t)columns)
					break;
				at += word;
			}
			length = at ? at : length;
			bench_plot_page_add_remark(plot, "%.*s", (int)length, rest);
			rest += length;
			rest += strspn(rest, " ");
		}
}

static void lay_out(struct bench_plot *plot, struct sheet *sheet)
{
	bool text = bench_plot_page_is_text(plot);
	const struct medium *medium = text ? &characters : &picture;
	sheet->medium = medium;
	sheet->columns = panel_columns(plot);
	sheet->width = text ? plot->place->columns : sheet->columns == 3 ? medium->wide : medium->width;
	bool many = plot->panel_count > 4;
	double usual = many ? medium->low : plot->panel_count > 1 ? 0.6 * medium->tall : medium->tall;
	sheet->panel_height = plot->rows ? plot->rows * medium->row : usual;
	sheet->left = (plot->left ? plot->left : 8) * medium->column + medium->tick;
	sheet->right = fmax(medium->margin, 3 * medium->column); /* half a tick's label */
	sheet->above = any_title(plot) ? 1.2 * medium->row : 0.4 * medium->row;
	sheet->below = x_rows(plot) * medium->row + medium->tick;
	sheet->cell_width = (sheet->width - medium->margin) / (double)sheet->columns;
	sheet->cell_height = sheet->above + sheet->panel_height + sheet->below;
	sheet->top = 2 * medium->row;
	lay_out_legend(plot, sheet);
	break_remarks(plot, sheet);
}

/* As many panels as keep the page about as high as a screen. */
static size_t panels_of_page(const struct sheet *sheet)
{
	double rows =
		sheet->medium->grid_rows * (sheet->medium->low + 3 * sheet->medium->row) / sheet->cell_height;
	return sheet->columns * (size_t)fmax(1, floor(rows));
}

static void set_page(const struct bench_plot *plot, struct sheet *sheet, size_t first)
{
	size_t most = panels_of_page(sheet), left = plot->panel_count - first;
	sheet->first = first;
	sheet->count = left < most ? left : most;
	sheet->rows = (sheet->count + sheet->columns - 1) / sheet->columns;
	if (first > 0 && bench_plot_gnuplot_has_pages(plot->place))
		return; /* the pages of a file are of one size */
	sheet->height = sheet->top + (double)sheet->rows * sheet->cell_height +
			(double)(sheet->legend_rows + plot->remark_count) * sheet->medium->row +
			sheet->medium->margin;
}

/* Screen coordinates, from lengths counted from the left and from the top. */
static double across(const struct sheet *sheet, double x)
{
	return x / sheet->width;
}

static double up(const struct sheet *sheet, double y)
{
	return 1 - y / sheet->height;
}

static void add_text(struct bench_text *script, const struct sheet *sheet, double x, double y,
		     const char *text, const char *color, const char *more)
{
	bench_text_add(script, "set label ");
	bench_plot_gnuplot_add_string(script, text);
	bench_text_add(script, " at screen %.5f, screen %.5f tc rgb '%s'%s\n", across(sheet, x), up(sheet, y),
		       color, more);
}

/* A name without what does not fit near its beginning: the parameters at its end tell it from the others. */
static const char *fitting_name(struct bench_plot *plot, const struct sheet *sheet, double room,
				const char *name)
{
	double columns = floor(room / sheet->medium->column);
	const char *end = name;
	double over = (double)bench_render_words_columns(name) + 3 - columns;
	if (over <= 3)
		return name;
	/* The middle of the first word, the suite, if that is enough: its ends say more than one of them. */
	size_t word = strcspn(name, " "), kept = over < (double)word ? word - (size_t)over : 0;
	if (kept >= 6 && bench_render_words_columns(name) == strlen(name))
		return bench_arena_format(&plot->arena, "%.*s...%s", (int)(kept - kept / 2), name,
					  name + word - kept / 2);
	while (*end && (double)bench_render_words_columns(end) + 3 > columns)
		for (end++; ((unsigned char)*end & 0xc0) == 0x80; end++)
			;
	return bench_arena_format(&plot->arena, "...%s", end);
}

/* `text` cut to what fits from `x` to the right edge. */
static const char *fitting(struct bench_plot *plot, const struct sheet *sheet, double room, const char *text)
{
	double columns = floor(room / sheet->medium->column);
	return bench_render_words_cut(&plot->arena, text, columns > 1 ? (size_t)columns : 1);
}

static void add_entry(struct bench_plot *plot, const struct sheet *sheet,
		      const struct bench_plot_entry *entry, double x, double y, struct bench_text *script)
{
	const struct medium *medium = sheet->medium;
	const char *color = entry->color ? entry->color : bench_plot_page_color(plot, entry->role);
	const char *label = entry->label;
	double sample = SAMPLE * medium->column;
	if (bench_plot_page_is_text(plot)) {
		char mark = entry->letter ? entry->letter : entry->dash ? '-' : ' ';
		add_text(script, sheet, x, y,
			 fitting(plot, sheet, sheet->legend_width - 1,
				 bench_arena_format(&plot->arena, "%c  %s", mark, label)),
			 color, "");
		return;
	}
	if (entry->dash)
		bench_text_add(
			script,
			"set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead lc rgb "
			"'%s' lw 2 dt %d\n",
			across(sheet, x), up(sheet, y), across(sheet, x + sample), up(sheet, y), color,
			entry->dash == BENCH_PLOT_DASHED ? 2 : 1);
	if (entry->shape)
		bench_text_add(script,
			       "set label '' at screen %.5f, screen %.5f point lc rgb '%s' pt %d ps 0.8\n",
			       across(sheet, x + sample / 2), up(sheet, y), color, entry->shape);
	add_text(script, sheet, x + sample + medium->column, y,
		 fitting(plot, sheet, sheet->legend_width - sample - 2 * medium->column, label),
		 bench_plot_page_color(plot, BENCH_PLOT_INK), "");
}

static void add_legend(struct bench_plot *plot, const struct sheet *sheet, struct bench_text *script)
{
	const struct medium *medium = sheet->medium;
	const char *ink = bench_plot_page_color(plot, BENCH_PLOT_INK);
	double y = sheet->top + (double)sheet->rows * sheet->cell_height + 0.5 * medium->row;
	for (size_t i = 0; i < plot->entry_count; i++) {
		size_t column = i / sheet->legend_rows, row = i % sheet->legend_rows;
		add_entry(plot, sheet, &plot->entries[i],
			  medium->margin + (double)column * sheet->legend_width,
			  y + (double)row * medium->row, script);
	}
	y += (double)sheet->legend_rows * medium->row;
	for (size_t i = 0; i < plot->remark_count; i++)
		add_text(script, sheet, medium->margin, y + (double)i * medium->row,
			 fitting(plot, sheet, sheet->width - 2 * medium->margin, plot->remarks[i]), ink, "");
}

static void add_page_title(struct bench_plot *plot, const struct sheet *sheet, struct bench_text *script)
{
	const char *title = bench_render_words_line(&plot->arena, plot->title);
	if (sheet->count == 1 && plot->panel_count > 1)
		title = bench_arena_format(&plot->arena, "%s (%zu of %zu)", title, sheet->first + 1,
					   plot->panel_count);
	else if (sheet->count < plot->panel_count)
		title = bench_arena_format(&plot->arena, "%s (%zu to %zu of %zu)", title, sheet->first + 1,
					   sheet->first + sheet->count, plot->panel_count);
	double room = sheet->width - 2 * sheet->medium->margin;
	bool text = bench_plot_page_is_text(plot);
	add_text(script, sheet, sheet->medium->margin, 0.9 * sheet->medium->row,
		 fitting(plot, sheet, text ? room : room / 1.1, title),
		 bench_plot_page_color(plot, BENCH_PLOT_INK), bench_plot_gnuplot_large(plot->place));
}

static void add_ticks(const struct bench_plot *plot, const struct bench_plot_axis *axis, char name,
		      struct bench_text *script)
{
	if (axis->grid && !bench_plot_page_is_text(plot))
		bench_text_add(script, "set grid %ctics lt 1 dt solid lc rgb '%s' lw 1\n", name,
			       bench_plot_page_color(plot, BENCH_PLOT_GRID));
	if (axis->log)
		bench_text_add(script, "set logscale %c\n", name);
	else
		bench_text_add(script, "unset logscale %c\n", name);
	bench_text_add(script, "set %crange [%.17g:%.17g]\n", name, axis->min, axis->max);
	if (axis->bare) {
		bench_text_add(script, "unset %ctics\n", name);
		return;
	}
	bench_text_add(script, "set %ctics nomirror out scale 0.5 textcolor rgb '%s'", name,
		       bench_plot_page_color(plot, BENCH_PLOT_INK));
	if (axis->tick_count == 0) {
		bench_text_add(script, " autofreq\nset format %c '%%.6g'\n", name);
		return;
	}
	bench_text_add(script, " (");
	for (size_t i = 0; i < axis->tick_count; i++)
		bench_text_add(script, "%s\"%s\" %.17g", i ? ", " : "", axis->ticks[i].label,
			       axis->ticks[i].at);
	bench_text_add(script, ")\n");
}

/* The share of a panel's width that a label takes beside its mark. */
static double label_share(const struct sheet *sheet, const struct bench_plot_mark *mark)
{
	double columns = fmin((double)bench_render_words_columns(mark->label), MARK_MAX) + 2;
	return columns * sheet->medium->column / (sheet->cell_width - sheet->left - sheet->right);
}

/* Where a mark stands, as a share of the panel's width. */
static double mark_share(const struct bench_plot_panel *panel, const struct bench_plot_mark *mark)
{
	const struct bench_plot_axis *x = &panel->x;
	return x->log ? log(mark->x / x->min) / log(x->max / x->min) : (mark->x - x->min) / (x->max - x->min);
}

/* Of marks first.. in their order: so many have their labels at their right, so that all fit. The others have
 * them at their left, where no mark with one at its right may be. */
static size_t split_marks(const struct sheet *sheet, const struct bench_plot_panel *panel, size_t first)
{
	const struct bench_plot_mark *marks = panel->marks;
	size_t best = first;
	for (size_t split = first; split <= panel->mark_count; split++) {
		double before = split > first ? mark_share(panel, &marks[split - 1]) : 0;
		bool fits = true;
		for (size_t i = first; i < panel->mark_count; i++)
			fits &= i < split ? mark_share(panel, &marks[i]) + label_share(sheet, &marks[i]) <= 1
					  : mark_share(panel, &marks[i]) - label_share(sheet, &marks[i]) >=
						    before;
		if (fits)
			return split;
		/* Else those in the left half. */
		best = before < 0.5 ? split : best;
	}
	return best;
}

/* Only the newest marks have labels, as many as there are rows. */
static size_t first_labelled(const struct bench_plot_panel *panel)
{
	size_t first = panel->mark_count, rows = 0;
	while (first > 0 && rows < MARK_ROWS) {
		first--;
		rows += *panel->marks[first].label != '\0';
	}
	return first;
}

static void make_room_for_marks(const struct sheet *sheet, struct bench_plot_panel *panel)
{
	size_t rows = 0;
	if (panel->mark_count > 0)
		qsort(panel->marks, panel->mark_count, sizeof(*panel->marks), bench_stats_order);
	for (size_t i = first_labelled(panel); i < panel->mark_count; i++)
		rows += *panel->marks[i].label != '\0';
	/* Of the panel as it then is, and not of what the values take. */
	double share =
		fmin(((double)rows + (rows > 0 ? 0.5 : 0)) * sheet->medium->row / sheet->panel_height, 0.4);
	double more = share / (1 - share);
	if (panel->y.log)
		panel->y.max *= pow(panel->y.max / panel->y.min, more);
	else
		panel->y.max += more * (panel->y.max - panel->y.min);
}

/* A line up to its label in that row. */
static void add_mark(struct bench_plot *plot, const struct sheet *sheet, const struct bench_plot_mark *mark,
		     size_t row, bool left, struct bench_text *script)
{
	const char *color = bench_plot_page_color(plot, mark->role);
	double height = 1 - ((double)row + 0.5) * sheet->medium->row / sheet->panel_height;
	bench_text_add(script,
		       "set arrow from first %.17g, graph 0 to first %.17g, graph %.4f nohead back dt %d lc "
		       "rgb '%s' lw 1.5\n",
		       mark->x, mark->x, height, mark->dash == BENCH_PLOT_DASHED ? 2 : 1, color);
	if (!*mark->label)
		return;
	bench_text_add(script, "set label ");
	bench_plot_gnuplot_add_string(script, bench_render_words_cut(&plot->arena, mark->label, MARK_MAX));
	bench_text_add(script, " at first %.17g, graph %.4f %s offset character %s,0 front tc rgb '%s'\n",
		       mark->x, height, left ? "right" : "left", left ? "-0.8" : "0.8", color);
}

/*
 * Labels stand above the values, a row each. Those at the right of their marks come first, from the left on,
 * and those at the left below them, from the right on: a line that ends at its label's row crosses no other
 * label.
 */
static void add_marks(struct bench_plot *plot, const struct sheet *sheet,
		      const struct bench_plot_panel *panel, struct bench_text *script)
{
	size_t first = first_labelled(panel), split = split_marks(sheet, panel, first), row = 0;
	for (size_t i = first; i < split; i++) {
		add_mark(plot, sheet, &panel->marks[i], row, false, script);
		row += *panel->marks[i].label != '\0';
	}
	for (size_t i = panel->mark_count; i > split; i--) {
		add_mark(plot, sheet, &panel->marks[i - 1], row, true, script);
		row += *panel->marks[i - 1].label != '\0';
	}
	/* Without labels, below all rows. */
	for (size_t i = 0; i < first; i++) {
		struct bench_plot_mark mark = panel->marks[i];
		mark.label = "";
		add_mark(plot, sheet, &mark, row, false, script);
	}
}

static void add_spans(const struct bench_plot *plot, const struct bench_plot_panel *panel,
		      struct bench_text *script)
{
	for (size_t i = 0; i < panel->span_count && !bench_plot_page_is_text(plot); i++)
		bench_text_add(
			script,
			"set object rectangle from first %.17g, graph 0 to first %.17g, graph 1 behind "
			"fc rgb '%s' fs transparent solid 0.13 noborder\n",
			fmax(panel->spans[i].from, panel->x.min), fmin(panel->spans[i].to, panel->x.max),
			bench_plot_page_color(plot, panel->spans[i].role));
}

static void add_labels(struct bench_plot *plot, const struct sheet *sheet,
		       const struct bench_plot_panel *panel, struct bench_text *script)
{
	for (size_t i = 0; i < panel->label_count; i++) {
		const struct bench_plot_label *label = &panel->labels[i];
		const char *text = bench_render_words_line(&plot->arena, label->text);
		if (label->beside)
			text = fitting_name(plot, sheet, sheet->left - sheet->medium->tick, text);
		bench_text_add(script, "set label ");
		bench_plot_gnuplot_add_string(script, text);
		if (label->beside)
			bench_text_add(script, " at graph 0, first %.17g right offset character -1,0",
				       label->y);
		else
			bench_text_add(script, " at first %.17g, first %.17g %s", label->x, label->y,
				       label->right      ? "right"
				       : label->centered ? "center"
							 : "left");
		bench_text_add(script, " front tc rgb '%s'\n", label->color);
	}
}

/* The title of the panel and, muted, the label of its y axis; below, that of its x axis. */
static void add_names(struct bench_plot *plot, const struct sheet *sheet,
		      const struct bench_plot_panel *panel, double x, double y, struct bench_text *script)
{
	const struct medium *medium = sheet->medium;
	const char *muted = bench_plot_page_color(plot, BENCH_PLOT_MUTED);
	const char *unit = panel->y.label ? panel->y.label : "";
	double width = sheet->cell_width - sheet->left - sheet->right;
	double start = *panel->title ? x + medium->margin
				     : x + fmax(sheet->left - 4 * medium->column, medium->margin);
	double room = x + sheet->cell_width - start;
	const char *title = fitting_name(
		plot, sheet, room - (double)(bench_render_words_columns(unit) + 3) * medium->column,
		panel->title);
	if (*panel->title || *unit)
		add_text(script, sheet, start, y + 0.6 * medium->row,
			 bench_arena_format(&plot->arena, "%s%s%s%s", title, *title && *unit ? "  [" : "",
					    unit, *title && *unit ? "]" : ""),
			 *panel->title ? bench_plot_page_color(plot, BENCH_PLOT_INK) : muted, "");
	if (panel->x.label)
		add_text(script, sheet, x + sheet->left + width / 2,
			 y + sheet->cell_height - 0.5 * medium->row,
			 fitting(plot, sheet, width, panel->x.label), muted, " center");
}

static void add_panel(struct bench_plot *plot, const struct sheet *sheet, size_t index,
		      struct bench_text *script)
{
	struct bench_plot_panel *panel = &plot->panels[index];
	size_t column = (index - sheet->first) % sheet->columns,
	       row = (index - sheet->first) / sheet->columns;
	double x = (double)column * sheet->cell_width;
	double y = sheet->top + (double)row * sheet->cell_height;
	make_room_for_marks(sheet, panel);
	bench_text_add(script,
		       "unset grid\nset lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at "
		       "screen %.5f\n"
		       "set bmargin at screen %.5f\n",
		       across(sheet, x + sheet->left), across(sheet, x + sheet->cell_width - sheet->right),
		       up(sheet, y + sheet->above), up(sheet, y + sheet->above + sheet->panel_height));
	add_ticks(plot, &panel->x, 'x', script);
	add_ticks(plot, &panel->y, 'y', script);
	add_names(plot, sheet, panel, x, y, script);
	add_marks(plot, sheet, panel, script);
	add_spans(plot, panel, script);
	add_labels(plot, sheet, panel, script);
	bench_text_add(script, "plot %s\nunset label\nunset arrow\nunset object\n",
		       panel->layers.length ? panel->layers.data : "NaN notitle");
}

static void add_page(struct bench_plot *plot, const struct sheet *sheet, struct bench_text *script)
{
	for (size_t i = sheet->first; i < sheet->first + sheet->count; i++)
		bench_text_add_bytes(script, plot->panels[i].data.data, plot->panels[i].data.length);
	bench_text_add(script, "set multiplot\nunset key\nset border 3 lc rgb '%s'\n",
		       bench_plot_page_color(plot, BENCH_PLOT_MUTED));
	add_page_title(plot, sheet, script);
	add_legend(plot, sheet, script);
	for (size_t i = 0; i < sheet->count; i++)
		add_panel(plot, sheet, sheet->first + i, script);
	bench_text_add(script, "unset multiplot\n");
}

static int start(const struct bench_plot *plot, const struct sheet *sheet, struct bench_text *script,
		 struct bench_error *error)
{
	bench_text_free(script);
	return bench_plot_gnuplot_start(script, plot->place, (unsigned)ceil(sheet->width),
					(unsigned)ceil(sheet->height), error);
}

int bench_plot_page_draw(struct bench_plot *plot, struct bench_error *error)
{
	BENCH_SCOPED_TEXT script = {0};
	struct sheet sheet = {0};
	int result = 0;
	bool joined = bench_plot_gnuplot_has_pages(plot->place);
	lay_out(plot, &sheet);
	for (size_t first = 0; result == 0 && first < plot->panel_count; first += sheet.count) {
		set_page(plot, &sheet, first);
		if (!joined || first == 0)
			result = start(plot, &sheet, &script, error);
		if (result == 0)
			add_page(plot, &sheet, &script);
		if (result == 0 && (!joined || first + sheet.count == plot->panel_count))
			result = bench_plot_gnuplot_run(&script, plot->place, error);
	}
	return result;
}

void bench_plot_page_free(struct bench_plot *plot)
{
	for (size_t i = 0; i < plot->panel_count; i++) {
		bench_text_free(&plot->panels[i].layers);
		bench_text_free(&plot->panels[i].data);
	}
	bench_arena_free(&plot->arena);
	*plot = (struct bench_plot){0};
}

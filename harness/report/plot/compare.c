/* SPDX-License-Identifier: MIT */
/* Compare: the ratios of a comparison with their intervals, the slowest first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/lines.h"
#include "report/render/words.h"
#include "stats/stats.h"

#define ROWS      40   /* verdicts of a panel */
#define NAME_MOST 58   /* characters of a verdict's name */
#define TICK_ROOM 0.07 /* of the axis, between two ticks; */
#define TEXT_ROOM 0.16 /* and on a terminal */

/* A verdict with its ratio as a slowdown: of a rate, upside down. */
struct row {
	const struct bench_verdict *verdict;
	double ratio, lo, hi;
	const char *name;
};

struct drawing {
	struct bench_plot plot;
	struct bench_plot_lines names;
	struct row *rows;
	size_t count;
	double min, max; /* of the x axis */
};

/* How each kind of verdict looks. Kinds without a ratio are not drawn. */
static const struct {
	enum bench_verdict_kind kind;
	enum bench_plot_role role;
	int shape;
	char letter;
} looks[] = {{BENCH_SLOWER, BENCH_PLOT_WORSE, 9, 'S'},
	     {BENCH_FASTER, BENCH_PLOT_BETTER, 11, 'F'},
	     {BENCH_UNCLEAR, BENCH_PLOT_DOUBT, 6, 'U'},
	     {BENCH_SAME, BENCH_PLOT_MUTED, 7, 'O'}};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

/* What is suspected is drawn as what it is so far. */
static enum bench_verdict_kind kind_of(const struct bench_verdict *verdict)
{
	return verdict->kind == BENCH_SUSPECTED ? BENCH_UNCLEAR : verdict->kind;
}

static int slowest_first(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	if (a->ratio != b->ratio)
		return a->ratio < b->ratio ? 1 : -1;
	return strcmp(a->verdict->key, b->verdict->key);
}

static void collect(struct drawing *drawing, const struct bench_comparison *comparison)
{
	struct bench_arena *arena = &drawing->plot.arena;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		struct row row = {verdict, verdict->ratio, verdict->lo, verdict->hi, ""};
		if (!bench_render_axis_is_positive(row.ratio))
			continue;
		if (verdict->better == BENCH_BETTER_HIGHER)
			row = (struct row){verdict, 1 / row.ratio, 1 / row.hi, 1 / row.lo, ""};
		if (!bench_render_axis_is_positive(row.lo) || !bench_render_axis_is_positive(row.hi) ||
		    row.lo > row.ratio || row.hi < row.ratio)
			row.lo = row.hi = row.ratio;
		BENCH_PUSH(arena, drawing->rows, drawing->count) = row;
	}
	if (drawing->count > 1)
		qsort(drawing->rows, drawing->count, sizeof(*drawing->rows), slowest_first);
	for (size_t i = 0; i < drawing->count; i++) {
		const char *key = drawing->rows[i].verdict->key;
		bench_plot_lines_add_key(&drawing->names, bench_plot_lines_of(&drawing->names, key), key);
	}
	for (size_t i = 0; i < drawing->count; i++)
		drawing->rows[i].name = bench_plot_lines_short(&drawing->names, &drawing->names.items[i]);
}

/* All ratios, and of the intervals so much that a few wide ones do not flatten the others. */
static void find_range(struct drawing *drawing, double threshold)
{
	double *reach = bench_arena_alloc(&drawing->plot.arena, drawing->count, sizeof(*reach));
	for (size_t i = 0; i < drawing->count; i++)
		reach[i] = log(drawing->rows[i].hi / drawing->rows[i].lo);
	bench_stats_sort(reach, drawing->count);
	double usual = exp(2 * reach[drawing->count / 2]);
	drawing->min = 1 / (1 + 1.5 * threshold);
	drawing->max = 1 + 1.5 * threshold;
	for (size_t i = 0; i < drawing->count; i++) {
		const struct row *row = &drawing->rows[i];
		drawing->min = fmin(drawing->min, fmax(row->lo, row->ratio / usual));
		drawing->max = fmax(drawing->max, fmin(row->hi, row->ratio * usual));
	}
	double pad = pow(drawing->max / drawing->min, 0.03);
	drawing->min /= pad;
	drawing->max *= pad;
}

/* "-20%", "+5%", "3x", of those that have room. */
static void add_ticks(struct drawing *drawing, struct bench_plot_axis *axis)
{
	static const double places[] = {1,    1.01, 1.02, 1.05, 1.1,  1.2,  1.5,  2,    3,    5,
					10,   20,   50,   100,  1000, 0.99, 0.98, 0.95, 0.9,  0.8,
					0.67, 0.5,  0.33, 0.2,  0.1,  0.05, 0.02, 0.01, 0.001};
	double room_asked = bench_plot_page_is_text(&drawing->plot) ? TEXT_ROOM : TICK_ROOM;
	double span = log(drawing->max / drawing->min);
	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
		bool room = places[p] >= drawing->min && places[p] <= drawing->max;
		for (size_t t = 0; t < axis->tick_count; t++)
			room &= fabs(log(axis->ticks[t].at / places[p])) >= room_asked * span;
		/* Two signs, of which gnuplot shows one. */
		if (room)
			bench_plot_page_add_tick(
				&drawing->plot, axis, places[p],
				places[p] == 1 ? "same"
				: places[p] >= 2 || places[p] < 0.3
					? bench_arena_format(&drawing->plot.arena, "%.3gx", places[p])
					: bench_arena_format(&drawing->plot.arena, "%+.3g%%%%",
							     100 * (places[p] - 1)));
	}
}

static void draw_kind(struct drawing *drawing, size_t look, size_t first, size_t count,
		      struct bench_plot_panel *panel)
{
	struct bench_plot *plot = &drawing->plot;
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t i = first; i < first + count; i++) {
		const struct row *row = &drawing->rows[i];
		if (kind_of(row->verdict) == looks[look].kind)
			bench_text_add(&panel->data, "%.17g %.17g %.17g %.17g\n", row->ratio,
				       (double)(first + count - i), fmax(row->lo, drawing->min),
				       fmin(row->hi, drawing->max));
	}
	if (!bench_plot_page_end(panel))
		return;
	bool text = bench_plot_page_is_text(plot);
	const char *color = bench_plot_page_color(plot, looks[look].role);
	int shape = text ? looks[look].letter - '@' : looks[look].shape;
	if (text)
		bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points pt %d", block, shape);
	else
		bench_plot_page_add_layer(panel,
					  "$d%zu using 1:2:3:4 with xerrorbars lc rgb '%s' lw 1.6 pt %d ps 1",
					  block, color, shape);
	bench_plot_page_add_entry(
		plot, (struct bench_plot_entry){.label = bench_compare_verdict_name(looks[look].kind),
						.role = looks[look].role,
						.shape = looks[look].shape,
						.letter = looks[look].letter});
}

static void add_panel(struct drawing *drawing, size_t first, size_t count, double threshold)
{
	struct bench_plot *plot = &drawing->plot;
	struct bench_plot_panel *panel = bench_plot_page_add_panel(plot, "");
	panel->x = (struct bench_plot_axis){.label = "slower than the baseline by (rates: inverted)",
					    .min = drawing->min,
					    .max = drawing->max,
					    .log = true,
					    .grid = true,
					    .rows = 1};
	panel->y = (struct bench_plot_axis){.min = 0.4, .max = (double)count + 0.6, .bare = true};
	add_ticks(drawing, &panel->x);
	const struct bench_plot_mark marks[] = {
		{1, "", BENCH_PLOT_MUTED, BENCH_PLOT_SOLID},
		{1 + threshold, "", BENCH_PLOT_MUTED, BENCH_PLOT_DASHED},
		{1 / (1 + threshold), "", BENCH_PLOT_MUTED, BENCH_PLOT_DASHED}};
	for (size_t i = 0; i < 3; i++)
		bench_plot_page_add_mark(plot, panel, marks[i]);
	for (size_t i = first; i < first + count; i++)
		bench_plot_page_add_label(
			plot, panel,
			(struct bench_plot_label){.beside = true,
						  .y = (double)(first + count - i),
						  .color = bench_plot_page_color(plot, BENCH_PLOT_INK),
						  .text = drawing->rows[i].name});
	for (size_t look = 0; look < LOOKS; look++)
		draw_kind(drawing, look, first, count, panel);
}

static void add_words(struct drawing *drawing, const struct bench_comparison *comparison)
{
	struct bench_plot *plot = &drawing->plot;
	const char *shared = bench_plot_lines_name(&drawing->names, &drawing->names.items[0], true);
	plot->title = bench_arena_format(&plot->arena, "Run %s against %s%s%s", comparison->candidate_id,
					 comparison->baseline_name, *shared ? ":  " : "", shared);
	bench_plot_page_add_remark(plot, "%s", bench_render_words_summary(&plot->arena, comparison));
	if (drawing->count < comparison->verdict_count)
		bench_plot_page_add_remark(plot, "not shown, having no ratio: %zu",
					   comparison->verdict_count - drawing->count);
}

int bench_plot_compare(const struct bench_comparison *comparison, struct bench_plot_place *place,
		       struct bench_error *error)
{
	struct drawing drawing = {.plot.place = place, .plot.stacked = true};
	BENCH_SCOPED_PLOT *plot = &drawing.plot;
	size_t longest = 12;

	drawing.names.arena = &plot->arena;
	collect(&drawing, comparison);
	if (drawing.count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no metric of run %s has a ratio to %s: there is nothing to plot",
				  comparison->candidate_id, comparison->baseline_name);
	find_range(&drawing, comparison->options.threshold);
	for (size_t i = 0; i < drawing.count; i++) {
		size_t columns = bench_render_words_columns(drawing.rows[i].name);
		longest = columns > longest ? columns : longest;
	}
	size_t most = bench_plot_page_is_text(plot) ? place->columns / 2 : NAME_MOST;
	plot->left = (unsigned)(longest + 1 < most ? longest + 1 : most);
	for (size_t first = 0; first < drawing.count; first += ROWS) {
		size_t rest = drawing.count - first;
		add_panel(&drawing, first, rest < ROWS ? rest : ROWS, comparison->options.threshold);
	}
	plot->rows = (unsigned)(drawing.count < ROWS ? drawing.count + 2 : ROWS + 2);
	add_words(&drawing, comparison);
	return bench_plot_page_draw(plot, error);
}

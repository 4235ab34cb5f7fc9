/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "report/render/block.h"
#include "report/render/comparison.h"
#include "report/render/words.h"

/* A rate in the unit that its column's title names. */
static char *scaled(struct bench_arena *arena, double value, double factor)
{
	double shown = value / factor;
	if (!isfinite(shown))
		return bench_arena_string(arena, "-");
	if (shown != 0 && fabs(shown) < 0.01)
		return bench_arena_format(arena, "%.1e", shown);
	return bench_arena_format(arena, "%.*f",
				  shown < 0.09995  ? 4
				  : shown < 9.9995 ? 3
				  : shown < 99.995 ? 2
						   : 1,
				  shown);
}

/* Metrics of the harness that few look for. */
static const struct {
	const char *metric, *title;
	unsigned rank;
} extras[] = {{"device_time", "on device", 6},
	      {"launch_overhead", "overhead", 7},
	      {"latency", "latency", 7},
	      {"first_call", "first call", 5},
	      {"first_call_compile", "compiling", 5}};
#define EXTRAS (sizeof(extras) / sizeof(extras[0]))

struct columns {
	size_t target, time, spread, rate, share, relative, versus, extra[EXTRAS], other, verdict;
	const char **others;
	size_t other_count;
	double rate_factor;
};

static void add_name(struct bench_arena *arena, const char *name, const char ***names, size_t *count)
{
	for (size_t n = 0; n < *count; n++)
		if (strcmp(name, (*names)[n]) == 0)
			return;
	BENCH_PUSH(arena, *names, *count) = name;
}

/* The metrics that have columns by their names: the suite's own, and what else was asked for. */
static size_t other_metrics(struct bench_arena *arena, const struct bench_block *block,
			    const struct bench_block_view *view, const char ***names)
{
	size_t count = 0;
	*names = NULL;
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_result *result = block->rows[i].result;
		for (size_t m = 0; m < result->metric_count; m++)
			if (bench_render_block_is_own(&result->metrics[m]))
				add_name(arena, result->metrics[m].name, names, &count);
	}
	for (const char *const *name = view->columns; name && *name; name++)
		if (!BENCH_FIND(extras, EXTRAS, *name))
			add_name(arena, *name, names, &count);
	return count;
}

/* A column for a metric that is shown where it is asked for, and its place; SIZE_MAX: it has none. */
static size_t add_extra(const struct bench_block_view *view, struct bench_grid *grid, const char *title,
			unsigned rank, const char *metric)
{
	bool shown = view->wide;
	for (const char *const *name = view->columns; name && *name; name++)
		shown |= strcmp(*name, metric) == 0;
	return shown ? bench_render_grid_column(grid, title, true, rank) : SIZE_MAX;
}

static void add_columns(const struct bench_block *block, const struct bench_block_view *view,
			const struct bench_block_layout *layout, struct bench_grid *grid,
			struct columns *columns)
{
	double largest = 0;
	for (size_t i = 0; i < block->row_count; i++) {
		if (block->rows[i].rate && block->rows[i].rate->summary.median > largest)
			largest = block->rows[i].rate->summary.median;
	}
	const char *rate = bench_text_scale(largest, block->rate_unit, &columns->rate_factor);
	for (size_t v = 0; v < block->varying_count; v++)
		if (!layout->grouped[v])
			bench_render_grid_column(grid, block->titles[v],
						 bench_render_block_is_number(block, block->varying[v]), 0);
	columns->target = bench_render_grid_column(grid, view->wide ? "backend:device" : "backend", false, 0);
	columns->time = bench_render_grid_column(grid, "time", true, 0);
	columns->spread = bench_render_grid_column(grid, "+/-", true, 3);
	columns->rate = bench_render_grid_column(grid, *rate ? rate : "rate", true, 1);
	columns->share = bench_render_grid_column(grid, "of peak", true, 4);
	columns->relative = bench_render_grid_column(
		grid, bench_arena_format(&grid->arena, "vs %s", *block->relative ? block->relative : "base"),
		true, 1);
	columns->versus = bench_render_grid_column(
		grid, bench_arena_format(&grid->arena, "vs %s", block->versus), true, 2);
	for (size_t e = 0; e < EXTRAS; e++)
		columns->extra[e] = add_extra(view, grid, extras[e].title, extras[e].rank, extras[e].metric);
	columns->other_count = other_metrics(&grid->arena, block, view, &columns->others);
	columns->other = grid->column_count;
	for (size_t n = 0; n < columns->other_count; n++)
		bench_render_grid_column(grid, columns->others[n], true, 4);
	columns->verdict = bench_render_grid_column(grid, "verdict", false, 0);
}

/*
 * What is known of a device time. "<= 2.2 us": it may as well be half of what it is said to be, or nothing;
 * then only its upper end is worth saying.
 */
static char *device_time(struct bench_arena *arena, const struct bench_result *result,
			 const struct bench_metric *metric)
{
	const struct bench_metric *within = bench_record_metric(result, "device_time_within");
	double median = metric->summary.median, half = within ? within->summary.median : 0;
	return median < 2 * half
		       ? bench_arena_format(arena, "<= %s",
					    bench_render_words_quantity(arena, median + half, metric->unit))
		       : bench_render_words_quantity(arena, median, metric->unit);
}

static void set_metric(struct bench_grid *grid, size_t row, size_t column, const struct bench_result *result,
		       const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	if (!metric || column == SIZE_MAX)
		return;
	struct bench_arena *arena = &grid->arena;
	bench_render_grid_put(
		grid, row, column,
		strcmp(name, "device_time") == 0
			? device_time(arena, result, metric)
			: bench_render_words_quantity(arena, metric->summary.median, metric->unit));
}

/* The row of a case that is not ok: what it is, and where the lines below the table do not say it, why. */
static void set_failed(const struct bench_block_row *row, bool wide, struct bench_grid *grid, size_t at,
		       size_t column)
{
	struct bench_arena *arena = &grid->arena;
	const struct bench_result *result = row->result;
	bool bad = result->status == BENCH_STATUS_FAILED || result->status == BENCH_STATUS_INCORRECT;
	const char *status = bench_record_status_name(result->status);
	if (row->verdict)
		status = bench_arena_format(arena, "%s [%s]", status,
					    bench_compare_verdict_name(row->verdict->kind));
	if (wide)
		status = bench_arena_format(
			arena, "%s: %s", status,
			bench_render_words_cut(
				arena, bench_render_words_line(arena, bench_render_words_reason(result)),
				100));
	bench_render_grid_across(grid, at, column, bad ? BENCH_TONE_BAD : BENCH_TONE_DOUBT, status);
}

static void set_ratio(const struct bench_block_row *row, bool wide, struct bench_grid *grid, size_t at,
		      size_t column)
{
	struct bench_arena *arena = &grid->arena;
	if (isnan(row->ratio))
		return;
	const char *text = bench_render_words_times(arena, row->ratio);
	if (row->versus.ratio.count && !wide)
		text = bench_render_words_versus(arena, &row->versus, row->ratio);
	else if (!wide && row->ratio == 1)
		text = "best";
	bench_render_grid_put(grid, at, column, text);
}

static void set_measured(const struct bench_block_row *row, const struct columns *columns, bool wide,
			 struct bench_grid *grid, size_t at)
{
	struct bench_arena *arena = &grid->arena;
	const struct bench_result *result = row->result;
	if (row->time)
		bench_render_grid_put(grid, at, columns->spread,
				      (wide ? bench_render_words_spread
					    : bench_render_words_precision)(arena, &row->time->summary));
	set_metric(grid, at, columns->time, result, "time");
	if (row->rate)
		bench_render_grid_put(grid, at, columns->rate,
				      scaled(arena, row->rate->summary.median, columns->rate_factor));
	else
		set_metric(grid, at, columns->rate, result, "bandwidth");
	const struct bench_metric *relative = bench_record_metric(result, "relative_time");
	if (relative)
		bench_render_grid_put(
			grid, at, columns->relative,
			(wide ? bench_render_words_relative
			      : bench_render_words_verdict_of_relative)(arena, &relative->summary));
	set_ratio(row, wide, grid, at, columns->versus);
	const struct bench_metric *share = bench_record_metric(result, "peak_share");
	if (share)
		bench_render_grid_put(grid, at, columns->share,
				      bench_render_words_percent(arena, share->summary.median));
	for (size_t e = 0; e < EXTRAS; e++)
		set_metric(grid, at, columns->extra[e], result, extras[e].metric);
	for (size_t n = 0; n < columns->other_count; n++)
		set_metric(grid, at, columns->other + n, result, columns->others[n]);
	if (row->verdict) {
		const struct bench_verdict *verdict = row->verdict;
		char *word = bench_render_words_verdict(arena, verdict);
		bool named = verdict->kind != BENCH_SAME && strcmp(verdict->metric, "time") != 0;
		bench_render_grid_set(grid, at, columns->verdict, bench_render_comparison_tone(verdict),
				      named ? bench_arena_format(arena, "%s (%s)", word, verdict->metric)
					    : word);
	}
}

void bench_render_block_grid(const struct bench_block *block, const struct bench_block_view *view,
			     struct bench_grid *grid)
{
	struct columns columns;
	struct bench_arena *arena = &grid->arena;
	const struct bench_block_layout layout = bench_render_block_layout(
		arena, block, view->wide ? BENCH_BLOCK_NO_GROUPS : BENCH_BLOCK_BY_WORDS);
	add_columns(block, view, &layout, grid, &columns);
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_block_row *row = &block->rows[layout.order[i]];
		bench_render_block_add_group(&layout, i, grid);
		size_t at = bench_render_grid_row(grid), column = 0;
		for (size_t v = 0; v < block->varying_count; v++)
			if (!layout.grouped[v])
				bench_render_grid_put(
					grid, at, column++,
					bench_render_block_shown(row->result, block->varying[v]));
		if (block->target_varies)
			bench_render_grid_put(
				grid, at, columns.target,
				view->wide ? bench_render_block_target(arena, row->result)
					   : bench_render_block_target_name(arena, block, row->result));
		if (row->result->status == BENCH_STATUS_OK)
			set_measured(row, &columns, view->wide, grid, at);
		else
			set_failed(row, view->wide, grid, at, columns.time);
		if (view->repeat && *row->result->repeat)
			bench_render_grid_under(grid, at, row->result->repeat);
	}
}

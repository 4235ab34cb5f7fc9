/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "report/render/block.h"
#include "report/render/comparison.h"
#include "report/render/words.h"

/* The suite's own metrics, by name, over all rows. */
static size_t own_metrics(struct bench_arena *arena, const struct bench_block *block, const char ***names)
{
	size_t count = 0;
	*names = NULL;
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_result *result = block->rows[i].result;
		for (size_t m = 0; m < result->metric_count; m++) {
			const struct bench_metric *metric = &result->metrics[m];
			bool shown = !bench_render_block_is_own(metric);
			for (size_t n = 0; n < count; n++)
				shown |= strcmp(metric->name, (*names)[n]) == 0;
			if (shown)
				continue;
			const char **name = bench_arena_push(arena, names, &count, sizeof(*name));
			*name = metric->name;
		}
	}
	return count;
}

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

struct columns {
	size_t param, target, time, spread, rate, share, relative, versus, device, overhead, first, compile,
		other, verdict;
	const char **others;
	size_t other_count;
	double rate_factor;
};

static bool all_numbers(const struct bench_block *block, const char *name)
{
	double value;
	for (size_t i = 0; i < block->row_count; i++) {
		if (!bench_text_real(bench_render_block_param(block->rows[i].result, name), &value))
			return false;
	}
	return true;
}

static void add_columns(const struct bench_block *block, struct bench_grid *grid, struct columns *columns)
{
	double largest = 0;
	for (size_t i = 0; i < block->row_count; i++) {
		if (block->rows[i].rate && block->rows[i].rate->summary.median > largest)
			largest = block->rows[i].rate->summary.median;
	}
	const char *rate = bench_text_scale(largest, block->rate_unit, &columns->rate_factor);
	columns->param = grid->column_count;
	for (size_t v = 0; v < block->varying_count; v++)
		bench_render_grid_column(grid, block->titles[v], all_numbers(block, block->varying[v]), 0);
	columns->target = bench_render_grid_column(grid, "backend:device", false, 0);
	columns->time = bench_render_grid_column(grid, "time", true, 0);
	columns->spread = bench_render_grid_column(grid, "+/-", true, 3);
	columns->rate = bench_render_grid_column(grid, *rate ? rate : "rate", true, 1);
	columns->share = bench_render_grid_column(grid, "of peak", true, 4);
	columns->relative = bench_render_grid_column(
		grid, bench_arena_format(&grid->arena, "vs %s", *block->relative ? block->relative : "base"),
		true, 1);
	columns->versus = bench_render_grid_column(
		grid, bench_arena_format(&grid->arena, "vs %s", block->versus), true, 2);
	columns->device = bench_render_grid_column(grid, "on device", true, 6);
	columns->overhead = bench_render_grid_column(grid, "overhead", true, 7);
	columns->first = bench_render_grid_column(grid, "first call", true, 5);
	columns->compile = bench_render_grid_column(grid, "compiling", true, 5);
	columns->other_count = own_metrics(&grid->arena, block, &columns->others);
	columns->other = grid->column_count;
	for (size_t n = 0; n < columns->other_count; n++)
		bench_render_grid_column(grid, columns->others[n], true, 4);
	columns->verdict = bench_render_grid_column(grid, "verdict", false, 0);
}

static void set_metric(struct bench_grid *grid, size_t row, size_t column, const struct bench_result *result,
		       const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	if (metric)
		bench_render_grid_put(
			grid, row, column,
			bench_render_words_quantity(&grid->arena, metric->summary.median, metric->unit));
}

/* The row of a case that is not ok: what it is and why, in place of every number. */
static void set_failed(const struct bench_block_row *row, struct bench_grid *grid, size_t at, size_t column)
{
	const struct bench_result *result = row->result;
	bool bad = result->status == BENCH_STATUS_FAILED || result->status == BENCH_STATUS_INCORRECT;
	const char *verdict = row->verdict
				      ? bench_arena_format(&grid->arena, " [%s]",
							   bench_compare_verdict_name(row->verdict->kind))
				      : "";
	const char *reason = bench_render_words_line(&grid->arena, bench_render_words_reason(result));
	bench_render_grid_across(grid, at, column, bad ? BENCH_TONE_BAD : BENCH_TONE_DOUBT,
				 bench_arena_format(&grid->arena, "%s%s: %s",
						    bench_record_status_name(result->status), verdict,
						    bench_render_words_cut(&grid->arena, reason, 100)));
}

static void set_measured(const struct bench_block_row *row, const struct columns *columns,
			 struct bench_grid *grid, size_t at)
{
	struct bench_arena *arena = &grid->arena;
	const struct bench_result *result = row->result;
	if (row->time)
		bench_render_grid_put(grid, at, columns->spread,
				      bench_render_words_spread(arena, &row->time->summary));
	set_metric(grid, at, columns->time, result, "time");
	if (row->rate)
		bench_render_grid_put(grid, at, columns->rate,
				      scaled(arena, row->rate->summary.median, columns->rate_factor));
	else
		set_metric(grid, at, columns->rate, result, "bandwidth");
	const struct bench_metric *relative = bench_record_metric(result, "relative_time");
	if (relative)
		bench_render_grid_put(grid, at, columns->relative,
				      bench_render_words_relative(arena, &relative->summary));
	if (!isnan(row->ratio))
		bench_render_grid_put(grid, at, columns->versus, bench_render_words_times(arena, row->ratio));
	const struct bench_metric *share = bench_record_metric(result, "peak_share");
	if (share)
		bench_render_grid_put(grid, at, columns->share,
				      bench_render_words_percent(arena, share->summary.median));
	set_metric(grid, at, columns->device, result, "device_time");
	set_metric(grid, at, columns->overhead, result, "launch_overhead");
	set_metric(grid, at, columns->first, result, "first_call");
	set_metric(grid, at, columns->compile, result, "first_call_compile");
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

void bench_render_block_grid(const struct bench_block *block, bool repeat, struct bench_grid *grid)
{
	struct columns columns;
	add_columns(block, grid, &columns);
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_block_row *row = &block->rows[i];
		size_t at = bench_render_grid_row(grid);
		for (size_t v = 0; v < block->varying_count; v++)
			bench_render_grid_put(grid, at, columns.param + v,
					      bench_render_block_param(row->result, block->varying[v]));
		if (block->target_varies)
			bench_render_grid_put(grid, at, columns.target,
					      bench_render_block_target(&grid->arena, row->result));
		if (row->result->status == BENCH_STATUS_OK)
			set_measured(row, &columns, grid, at);
		else
			set_failed(row, grid, at, columns.time);
		if (repeat && *row->result->repeat)
			bench_render_grid_under(grid, at, row->result->repeat);
	}
}

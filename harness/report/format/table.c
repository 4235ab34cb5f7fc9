/* SPDX-License-Identifier: MIT */
/* Tables for a terminal. */
#include <string.h>

#include "report/format/format.h"
#include "report/render/answer.h"
#include "report/render/block.h"
#include "report/render/changes.h"
#include "report/render/columns.h"
#include "report/render/commands.h"
#include "report/render/comparison.h"
#include "report/render/outline.h"
#include "report/render/power.h"
#include "report/render/stats.h"
#include "report/render/words.h"

static void add_head(struct bench_arena *arena, const struct bench_run *run,
		     const struct bench_report_options *options, struct bench_text *out)
{
	const size_t indent = 8; /* of the texts behind their labels */
	struct bench_outline head = bench_render_outline_head(arena, run);
	for (size_t i = 0; i < head.count; i++) {
		struct bench_text text = {0};
		bench_render_words_add_wrapped(&text, head.lines[i].text, indent, indent, options->width);
		bench_text_add(out, "%-*s", (int)indent, head.lines[i].label);
		bench_render_tone_add(out, options->color, head.lines[i].tone, bench_text_keep(&text, arena));
		bench_text_add(out, "\n");
	}
}

static void add_wrapped(struct bench_arena *arena, const char *text,
			const struct bench_report_options *options, enum bench_tone tone,
			struct bench_text *out)
{
	struct bench_text wrapped = {0};
	bench_render_words_add_wrapped(&wrapped, text, 0, 2, options->width);
	bench_render_tone_add(out, options->color, tone, bench_text_keep(&wrapped, arena));
	bench_text_add(out, "\n");
}

static void add_foot(struct bench_arena *arena, const struct bench_outline *foot,
		     const struct bench_report_options *options, struct bench_text *out)
{
	for (size_t i = 0; i < foot->count; i++) {
		const struct bench_outline_line *line = &foot->lines[i];
		add_wrapped(arena,
			    bench_arena_format(arena, "%s%s%s", line->label, *line->label ? ": " : "",
					       line->text),
			    options, line->tone, out);
	}
}

static void add_block(struct bench_arena *arena, const struct bench_block *block,
		      const struct bench_report_options *options, const struct bench_block_view *view,
		      struct bench_text *out)
{
	BENCH_SCOPED_GRID grid = {0};
	bench_text_add(out, "\n");
	bench_render_tone_add(out, options->color, BENCH_TONE_STRONG,
			      options->wide ? bench_arena_format(arena, "%s%s%s", block->suite,
								 *block->shared ? "  " : "", block->shared)
					    : bench_render_block_heading(arena, block));
	bench_text_add(out, "\n");
	if (!bench_render_block_sides(block, view, &grid))
		bench_render_block_grid(block, view, &grid);
	bench_render_grid_render(&grid, view->width, options->color, out);
}

static void render_run(const struct bench_run *run, const struct bench_comparison *comparison,
		       const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_block *blocks;
	size_t count;
	const struct bench_block_view view = {.wide = options->wide,
					      .repeat = options->repeat,
					      .columns = options->columns,
					      .width = options->wide ? 0 : options->width};
	add_head(&arena, run, options, out);
	bench_render_blocks(&arena, run, comparison, &blocks, &count);
	for (size_t i = 0; i < count; i++)
		add_block(&arena, &blocks[i], options, &view, out);
	bench_text_add(out, "\n");
	struct bench_outline foot = bench_render_outline_foot(&arena, run, comparison, blocks, count, &view);
	add_foot(&arena, &foot, options, out);
	bench_render_commands(run, out);
	if (options->stats)
		bench_render_stats(run, out);
}

static void add_changes(struct bench_arena *arena, const struct bench_report_options *options,
			struct bench_text *out)
{
	BENCH_SCOPED_GRID grid = {0};
	if (!options->changes || options->changes->count == 0)
		return;
	bench_render_tone_add(out, options->color, BENCH_TONE_STRONG,
			      bench_render_changes_heading(arena, options->changes));
	bench_text_add(out, "\n");
	bench_render_changes_terminal(options->changes->items, options->changes->count, &grid);
	bench_render_grid_render(&grid, options->width, options->color, out);
	bench_text_add(out, "\n");
}

/* "to accept it:", and the command on a line of its own. */
static void add_next(struct bench_arena *arena, const struct bench_comparison *comparison,
		     const struct bench_report_options *options, struct bench_text *out)
{
	struct bench_next *next;
	size_t count = bench_format_next(arena, comparison, options, &next);
	if (count && strcmp(out->data + out->length - 2, "\n\n") != 0)
		bench_text_add(out, "\n");
	for (size_t i = 0; i < count; i++)
		bench_text_add(out, "%s:\n  %s\n", next[i].what,
			       bench_render_words_line(arena, next[i].command));
}

/* What is not in the rows: why metrics are unclear, those that are the same, alarms, remarks. */
static void add_closing(struct bench_arena *arena, const struct bench_comparison *comparison,
			const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_TEXT foot = {0};
	char *rest = NULL, *line;
	bench_render_comparison_add_unclear(arena, comparison, "", &foot);
	if (!options->all && comparison->counts[BENCH_SAME] < comparison->verdict_count)
		bench_render_comparison_add_same(arena, comparison, &foot);
	bench_render_comparison_add_alarms(arena, comparison, "", &foot);
	bench_render_comparison_add_remarks(arena, comparison, "", &foot);
	if (options->gate)
		bench_render_gate_add_remarks(arena, comparison, options->gate, "", &foot);
	if (options->explain)
		bench_render_comparison_add_method(arena, comparison, "", &foot);
	rest = bench_arena_string(arena, foot.data ? foot.data : "");
	while ((line = bench_text_next(&rest, '\n')))
		if (*line)
			add_wrapped(arena, line, options, BENCH_TONE_PLAIN, out);
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_GRID grid = {0};
	const struct bench_answer answer =
		bench_render_answer(&arena, comparison, options->gate, options->failing);
	add_wrapped(&arena, answer.line, options, answer.tone, out);
	add_wrapped(&arena, bench_render_answer_context(&arena, comparison, options->gate), options,
		    BENCH_TONE_PLAIN, out);
	bench_render_comparison_grid(comparison, options->width, options->all || options->only,
				     options->explain, &grid);
	if (grid.row_count) {
		bench_text_add(out, "\n");
		bench_render_grid_render(&grid, options->width, options->color, out);
		bench_text_add(out, "\n");
	}
	add_closing(&arena, comparison, options, out);
	add_changes(&arena, options, out);
	add_next(&arena, comparison, options, out);
}

static void add_lines(struct bench_arena *arena, struct bench_text *lines,
		      const struct bench_report_options *options, struct bench_text *out)
{
	char *rest = bench_text_keep(lines, arena), *line;
	while ((line = bench_text_next(&rest, '\n')))
		if (*line)
			add_wrapped(arena, line, options, BENCH_TONE_PLAIN, out);
}

static void add_grid(struct bench_grid *grid, const struct bench_report_options *options,
		     struct bench_text *out)
{
	if (grid->row_count) {
		bench_text_add(out, "\n");
		bench_render_grid_render(grid, options->width, options->color, out);
	}
	bench_render_grid_free(grid);
}

static void render_columns(const struct bench_columns *columns, const struct bench_report_options *options,
			   struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_grid grid = {0}, means = {0};
	struct bench_text head = {0}, foot = {0};
	enum bench_columns_detail detail = bench_render_columns_detail(columns, options->width);
	bench_render_columns_add_head(&arena, columns, detail, options->failing, &head);
	add_lines(&arena, &head, options, out);
	bench_render_columns_grid(columns, options->only, detail, &grid);
	add_grid(&grid, options, out);
	bench_render_columns_means(columns, detail, &means);
	add_grid(&means, options, out);
	bench_text_add(out, "\n");
	if (detail == BENCH_COLUMNS_INTERVAL)
		bench_text_add(&foot,
			       "[lo, hi]: the interval, in percent; --format csv has its confidence\n");
	if (detail == BENCH_COLUMNS_VERDICT || detail == BENCH_COLUMNS_LETTERS)
		bench_text_add(&foot, "a wider terminal shows the intervals, as does --format csv\n");
	bench_render_columns_add_foot(&arena, columns, options->explain, "", &foot);
	add_lines(&arena, &foot, options, out);
}

static void render_grid(struct bench_grid *grid, const struct bench_report_options *options,
			struct bench_text *out)
{
	if (grid->row_count)
		bench_render_grid_render(grid, options->width, options->color, out);
	else
		bench_text_add(out, "none\n");
}

static void render_power(const struct bench_power *power, const struct bench_report_options *options,
			 struct bench_text *out)
{
	bench_render_power(power, "", render_grid, options, out);
}

const struct bench_format bench_format_table = {
	.name = "table",
	.terminal = true,
	.run = render_run,
	.comparison = render_comparison,
	.columns = render_columns,
	.grid = render_grid,
	.power = render_power,
};

/* SPDX-License-Identifier: MIT */
/* Markdown: GitHub tables, everything from outside escaped. */
#include "report/format/format.h"
#include "report/render/answer.h"
#include "report/render/block.h"
#include "report/render/changes.h"
#include "report/render/columns.h"
#include "report/render/comparison.h"
#include "report/render/outline.h"
#include "report/render/power.h"
#include "report/render/words.h"

static void add_outline(const struct bench_outline *outline, struct bench_text *out)
{
	for (size_t i = 0; i < outline->count; i++) {
		const struct bench_outline_line *line = &outline->lines[i];
		bench_text_add(out, "- %s%s", line->label, *line->label ? ": " : "");
		bench_render_words_markdown(out, "%s\n", line->text);
	}
}

static const struct bench_block_view view = {.wide = true};

static void add_block(const struct bench_block *block, struct bench_text *out)
{
	BENCH_SCOPED_GRID grid = {0};
	bench_render_words_markdown(out, "\n## %s\n\n", block->suite);
	if (*block->shared)
		bench_render_words_markdown(out, "%s\n\n", block->shared);
	bench_render_block_grid(block, &view, &grid);
	bench_render_grid_markdown(&grid, out);
}

static void render_run(const struct bench_run *run, const struct bench_comparison *comparison,
		       const struct bench_report_options *options, struct bench_text *out)
{
	(void)options;
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_block *blocks;
	size_t count;
	bench_render_words_markdown(out, "# Run %s\n\n", run->id);
	struct bench_outline head = bench_render_outline_head(&arena, run);
	add_outline(&head, out);
	bench_render_blocks(&arena, run, comparison, &blocks, &count);
	for (size_t i = 0; i < count; i++)
		add_block(&blocks[i], out);
	bench_text_add(out, "\n");
	struct bench_outline foot = bench_render_outline_foot(&arena, run, comparison, blocks, count, &view);
	add_outline(&foot, out);
}

static void add_changes(struct bench_arena *arena, const struct bench_changes *changes,
			struct bench_text *out)
{
	BENCH_SCOPED_GRID grid = {0};
	if (!changes || changes->count == 0)
		return;
	bench_text_add(out, "\n## %s\n\n", bench_render_changes_heading(arena, changes));
	bench_render_changes_grid(changes->items, changes->count, false, &grid);
	bench_render_grid_markdown(&grid, out);
}

static void add_next(struct bench_arena *arena, const struct bench_comparison *comparison,
		     const struct bench_report_options *options, struct bench_text *out)
{
	struct bench_next *next;
	size_t count = bench_format_next(arena, comparison, options, &next);
	bench_render_next_markdown(next, count, out);
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_TEXT remarks = {0};
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_GRID grid = {0};
	bench_render_words_markdown(
		out, "# %s\n\n%s\n\n",
		bench_render_answer(&arena, comparison, options->gate, options->failing).line,
		bench_render_answer_context(&arena, comparison, options->gate));
	bench_render_comparison_grid_all(comparison, options->explain, &grid);
	if (grid.row_count)
		bench_render_grid_markdown(&grid, out);
	bench_render_comparison_add_alarms(&arena, comparison, "- ", &remarks);
	bench_render_comparison_add_remarks(&arena, comparison, "- ", &remarks);
	if (options->gate)
		bench_render_gate_add_remarks(&arena, comparison, options->gate, "- ", &remarks);
	if (options->explain)
		bench_render_comparison_add_method(&arena, comparison, "- ", &remarks);
	if (remarks.length)
		bench_text_add(out, "\n%s", remarks.data);
	add_changes(&arena, options->changes, out);
	add_next(&arena, comparison, options, out);
}

/* Lines from outside, as a list. */
static void add_lines(struct bench_text *lines, struct bench_text *out)
{
	char *rest = lines->data, *line;
	while ((line = bench_text_next(&rest, '\n')))
		if (*line)
			bench_render_words_markdown(out, "- %s\n", line);
	bench_text_free(lines);
}

static void render_columns(const struct bench_columns *columns, const struct bench_report_options *options,
			   struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_GRID grid = {0}, means = {0};
	struct bench_text head = {0}, foot = {0};
	bench_text_add(out, "# Comparison\n\n");
	bench_render_columns_add_head(&arena, columns, BENCH_COLUMNS_FULL, options->failing, &head);
	add_lines(&head, out);
	bench_text_add(out, "\n");
	bench_render_columns_grid(columns, options->only, BENCH_COLUMNS_FULL, &grid);
	bench_render_grid_markdown(&grid, out);
	bench_render_columns_means(columns, BENCH_COLUMNS_FULL, &means);
	bench_text_add(out, "\n");
	if (means.row_count) {
		bench_render_grid_markdown(&means, out);
		bench_text_add(out, "\n");
	}
	bench_render_columns_add_foot(&arena, columns, options->explain, "", &foot);
	add_lines(&foot, out);
}

static void render_grid(struct bench_grid *grid, const struct bench_report_options *options,
			struct bench_text *out)
{
	(void)options;
	bench_render_grid_markdown(grid, out);
}

static void render_power(const struct bench_power *power, const struct bench_report_options *options,
			 struct bench_text *out)
{
	bench_text_add(out, "# Power\n\n");
	bench_render_power(power, "- ", render_grid, options, out);
}

const struct bench_format bench_format_markdown = {
	.name = "markdown",
	.run = render_run,
	.comparison = render_comparison,
	.columns = render_columns,
	.grid = render_grid,
	.power = render_power,
};

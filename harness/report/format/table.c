/* SPDX-License-Identifier: MIT */
/* Tables for a terminal. */
#include "report/format/format.h"
#include "report/render/block.h"
#include "report/render/changes.h"
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
		const char *text = head.lines[i].text;
		if (options->width > indent)
			text = bench_render_words_cut(arena, text, options->width - indent);
		bench_text_add(out, "%-*s", (int)indent, head.lines[i].label);
		bench_render_tone_add(out, options->color, head.lines[i].tone, text);
		bench_text_add(out, "\n");
	}
}

static void add_block(struct bench_arena *arena, const struct bench_block *block,
		      const struct bench_report_options *options, struct bench_text *out)
{
	struct bench_grid grid = {0};
	const char *heading =
		bench_arena_format(arena, "%s%s%s", block->suite, *block->shared ? "  " : "", block->shared);
	if (options->width)
		heading = bench_render_words_cut(arena, heading, options->width);
	bench_text_add(out, "\n");
	bench_render_tone_add(out, options->color, BENCH_TONE_STRONG, heading);
	bench_text_add(out, "\n");
	bench_render_block_grid(block, options->repeat, &grid);
	bench_render_grid_render(&grid, options->width, options->color, out);
	bench_render_grid_free(&grid);
}

static void render_run(const struct bench_run *run, const struct bench_comparison *comparison,
		       const struct bench_report_options *options, struct bench_text *out)
{
	struct bench_arena arena = {0};
	struct bench_block *blocks;
	size_t count;
	add_head(&arena, run, options, out);
	bench_render_blocks(&arena, run, comparison, &blocks, &count);
	for (size_t i = 0; i < count; i++)
		add_block(&arena, &blocks[i], options, out);
	bench_text_add(out, "\n");
	struct bench_outline foot = bench_render_outline_foot(&arena, run, comparison);
	for (size_t i = 0; i < foot.count; i++) {
		const struct bench_outline_line *line = &foot.lines[i];
		bench_render_tone_add(out, options->color, line->tone,
				      bench_arena_format(&arena, "%s%s%s", line->label,
							 *line->label ? ": " : "", line->text));
		bench_text_add(out, "\n");
	}
	bench_render_commands(run, out);
	if (options->stats)
		bench_render_stats(run, out);
	bench_arena_free(&arena);
}

static void add_changes(struct bench_arena *arena, const struct bench_report_options *options,
			struct bench_text *out)
{
	struct bench_grid grid = {0};
	if (!options->changes || options->changes->count == 0)
		return;
	bench_render_tone_add(out, options->color, BENCH_TONE_STRONG,
			      bench_render_changes_heading(arena, options->changes));
	bench_text_add(out, "\n");
	bench_render_changes_grid(options->changes->items, options->changes->count, false, &grid);
	bench_render_grid_render(&grid, options->width, options->color, out);
	bench_text_add(out, "\n");
	bench_render_grid_free(&grid);
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	struct bench_arena arena = {0};
	struct bench_grid grid = {0};
	bool unclear;
	bench_text_add(out, "%s: ", bench_render_words_line(&arena, comparison->candidate_id));
	bench_render_tone_add(out, options->color, BENCH_TONE_STRONG,
			      bench_render_words_summary(&arena, comparison));
	bench_text_add(out, "\n");
	bench_render_comparison_grid(comparison, options->width, options->failing,
				     options->all || options->only, &grid, &unclear);
	if (grid.row_count) {
		bench_text_add(out, "\n");
		bench_render_grid_render(&grid, options->width, options->color, out);
		bench_text_add(out, "\n");
	}
	if (unclear)
		bench_render_comparison_add_unclear(&arena, comparison, "", out);
	if (!options->all)
		bench_render_comparison_add_same(&arena, comparison, out);
	bench_render_comparison_add_alarms(&arena, comparison, "", out);
	bench_render_comparison_add_remarks(&arena, comparison, "", out);
	add_changes(&arena, options, out);
	if (options->gate)
		bench_text_add(out, "%s\n",
			       bench_render_gate_line(&arena, comparison, options->gate, options->failing));
	bench_render_grid_free(&grid);
	bench_arena_free(&arena);
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
	.grid = render_grid,
	.power = render_power,
};

/* A run as Markdown: GitHub tables, everything from outside escaped. */
#include "report/block.h"
#include "report/formats.h"
#include "report/grid.h"
#include "report/outline.h"
#include "report/words.h"

static void add_outline(const struct bench_outline *outline, struct bench_text *out)
{
	for (size_t i = 0; i < outline->count; i++) {
		const struct bench_outline_line *line = &outline->lines[i];
		bench_text_add(out, "- %s%s", line->label, *line->label ? ": " : "");
		bench_words_add_markdown(out, line->text);
		bench_text_add(out, "\n");
	}
}

static void add_block(const struct bench_block *block, struct bench_text *out)
{
	struct bench_grid grid = {0};
	bench_text_add(out, "\n## ");
	bench_words_add_markdown(out, block->suite);
	bench_text_add(out, "\n\n");
	if (*block->shared) {
		bench_words_add_markdown(out, block->shared);
		bench_text_add(out, "\n\n");
	}
	bench_block_grid(block, false, &grid);
	bench_grid_markdown(&grid, out);
	bench_grid_free(&grid);
}

void bench_markdown_run(const struct bench_run *run, const struct bench_comparison *comparison,
			struct bench_text *out)
{
	struct bench_arena arena = {0};
	struct bench_block *blocks;
	size_t count;
	bench_text_add(out, "# Run ");
	bench_words_add_markdown(out, run->id);
	bench_text_add(out, "\n\n");
	struct bench_outline head = bench_outline_head(&arena, run);
	add_outline(&head, out);
	bench_blocks_make(&arena, run, comparison, &blocks, &count);
	for (size_t i = 0; i < count; i++)
		add_block(&blocks[i], out);
	bench_text_add(out, "\n");
	struct bench_outline foot = bench_outline_foot(&arena, run, comparison);
	add_outline(&foot, out);
	bench_arena_free(&arena);
}

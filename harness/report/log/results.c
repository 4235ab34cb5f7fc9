/* SPDX-License-Identifier: MIT */
/* The numbers of the runs of an entry. */
#include <math.h>
#include <string.h>

#include "report/log/entry.h"
#include "report/render/block.h"
#include "report/render/words.h"

static void add_measured(struct bench_arena *arena, const struct bench_block *block,
			 const struct bench_block_row *row, struct bench_text *out)
{
	const char *separator = "";
	if (row->time) {
		bench_text_add(out, "%s +/-%s",
			       bench_render_words_quantity(arena, row->time->summary.median, row->time->unit),
			       bench_render_words_spread(arena, &row->time->summary));
		separator = ", ";
	}
	if (row->rate) {
		bench_text_add(
			out, "%s%s", separator,
			bench_render_words_quantity(arena, row->rate->summary.median, row->rate->unit));
		separator = ", ";
	}
	if (!isnan(row->ratio)) {
		bench_text_add(out, "%s%s ", separator, bench_render_words_times(arena, row->ratio));
		bench_render_words_add_markdown(out, block->versus);
		separator = ", ";
	}
	const struct bench_metric *relative = bench_record_metric(row->result, "relative_time");
	if (relative) {
		bench_text_add(out, "%s%s against ", separator,
			       bench_render_words_relative(arena, &relative->summary));
		bench_render_words_add_markdown(out, *block->relative ? block->relative : "the base");
		separator = ", ";
	}
	for (size_t m = 0; m < row->result->metric_count; m++) {
		const struct bench_metric *metric = &row->result->metrics[m];
		if (!bench_render_block_is_own(metric))
			continue;
		bench_text_add(out, "%s", separator);
		bench_render_words_add_markdown(out, metric->name);
		bench_text_add(out, " %s",
			       bench_render_words_quantity(arena, metric->summary.median, metric->unit));
		separator = ", ";
	}
}

static void add_row(struct bench_arena *arena, const struct bench_block *block,
		    const struct bench_block_row *row, struct bench_text *out)
{
	bench_text_add(out, "- ");
	bench_render_words_add_markdown(out, bench_render_block_label(arena, block, row));
	bench_text_add(out, ": ");
	add_measured(arena, block, row, out);
	bench_text_add(out, "\n");
}

static bool same_end(const struct bench_result *a, const struct bench_result *b)
{
	return a->status == b->status && strcmp(a->reason, b->reason) == 0;
}

/* Cases without numbers: those with the same outcome share the line of the first. */
static void add_failed(struct bench_arena *arena, const struct bench_block *block, size_t at,
		       struct bench_text *out)
{
	const struct bench_result *result = block->rows[at].result;
	size_t alike = 0;
	for (size_t i = 0; i < block->row_count; i++) {
		if (!same_end(block->rows[i].result, result))
			continue;
		if (i < at)
			return;
		alike++;
	}
	bench_text_add(out, "- ");
	if (alike == 1)
		bench_render_words_add_markdown(out,
						bench_render_block_label(arena, block, &block->rows[at]));
	else
		bench_text_add(out, "%zu cases", alike);
	bench_text_add(out, ": **%s**: ", bench_record_status_name(result->status));
	bench_render_words_add_markdown(out, bench_render_words_reason(result));
	bench_text_add(out, "\n");
}

/* "**gemm** (dtype=f32)", with the run; "" if the entry has only one. */
static void add_block(struct bench_arena *arena, const struct bench_block *block, const char *run,
		      struct bench_text *out)
{
	const char *both = *block->shared && *run ? ", " : "";
	bench_text_add(out, "\n**");
	bench_render_words_add_markdown(out, block->suite);
	bench_text_add(out, "**%s", *block->shared || *run ? " (" : "");
	bench_render_words_add_markdown(out, block->shared);
	bench_text_add(out, "%s%s", both, *run ? "run " : "");
	bench_render_words_add_markdown(out, run);
	bench_text_add(out, "%s\n\n", *block->shared || *run ? ")" : "");
	for (size_t i = 0; i < block->row_count; i++)
		if (block->rows[i].result->status == BENCH_STATUS_OK)
			add_row(arena, block, &block->rows[i], out);
		else
			add_failed(arena, block, i, out);
}

void bench_log_add_results(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	struct bench_arena arena = {0};
	size_t measured = 0;
	bench_text_add(out, "\n### Key Results\n");
	for (size_t r = 0; r < count; r++) {
		struct bench_block *blocks;
		size_t block_count;
		bench_render_blocks(&arena, runs[r].run, runs[r].comparison, &blocks, &block_count);
		for (size_t b = 0; b < block_count; b++)
			add_block(&arena, &blocks[b], count > 1 ? runs[r].run->id : "", out);
		measured += block_count;
	}
	if (measured == 0)
		bench_text_add(out, "\nNothing was measured.\n");
	bench_arena_free(&arena);
}

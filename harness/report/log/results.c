/* SPDX-License-Identifier: MIT */
/* The numbers of the runs of an entry. */
#include <math.h>
#include <string.h>

#include "report/log/entry.h"
#include "report/render/block.h"
#include "report/render/words.h"

#define MOST_CASES 10 /* of a run that are listed */

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

/* A case with its numbers, and how it moved. */
static void add_row(struct bench_arena *arena, const struct bench_block *block,
		    const struct bench_block_row *row, struct bench_text *out)
{
	bench_render_words_markdown(out, "- %s: ", bench_render_block_label(arena, block, row));
	add_measured(arena, block, row, out);
	if (bench_log_moved(row->verdict))
		bench_text_add(out, ", **%s**", bench_render_words_verdict(arena, row->verdict));
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
	bench_render_words_markdown(out, "- %s: **%s**: %s\n",
				    alike == 1 ? bench_render_block_label(arena, block, &block->rows[at])
					       : bench_arena_format(arena, "%zu cases", alike),
				    bench_record_status_name(result->status),
				    bench_render_words_reason(result));
}

/* What of a run is listed: the cases that moved, or without a comparison those that took longest. */
struct choice {
	const struct bench_result *results[MOST_CASES];
	double sizes[MOST_CASES];
	size_t count;
	size_t moved; /* in all */
};

static void choose(struct choice *choice, const struct bench_result *result, double size)
{
	size_t at = choice->count;
	while (at > 0 && size > choice->sizes[at - 1])
		at--;
	if (at == MOST_CASES)
		return;
	choice->count += choice->count < MOST_CASES;
	for (size_t i = choice->count - 1; i > at; i--) {
		choice->results[i] = choice->results[i - 1];
		choice->sizes[i] = choice->sizes[i - 1];
	}
	choice->results[at] = result;
	choice->sizes[at] = size;
}

static void choose_cases(const struct bench_block *blocks, size_t count, struct choice *choice)
{
	for (size_t b = 0; b < count; b++)
		for (size_t i = 0; i < blocks[b].row_count; i++)
			if (bench_log_moved(blocks[b].rows[i].verdict)) {
				choice->moved++;
				choose(choice, blocks[b].rows[i].result,
				       fabs(bench_compare_size(blocks[b].rows[i].verdict)));
			}
	for (size_t b = 0; choice->moved == 0 && b < count; b++)
		for (size_t i = 0; i < blocks[b].row_count; i++)
			if (blocks[b].rows[i].time)
				choose(choice, blocks[b].rows[i].result,
				       blocks[b].rows[i].time->summary.median);
}

static bool is_chosen(const struct choice *choice, const struct bench_result *result)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->results[i] == result)
			return true;
	return false;
}

/*
 * "**gemm** (dtype=f32)", with the run ("" if the entry has only one), and its cases. One of which nothing is
 * listed is left out, unless it is the `first` of its suite. Returns how many measured cases are not listed.
 */
static size_t add_block(struct bench_arena *arena, const struct bench_block *block, const char *run,
			const struct choice *choice, bool first, struct bench_text *out)
{
	const char *both = *block->shared && *run ? ", " : "", *named = *run ? "run " : "";
	size_t left = 0;
	for (size_t i = 0; i < block->row_count; i++)
		left += block->rows[i].result->status == BENCH_STATUS_OK &&
			!is_chosen(choice, block->rows[i].result);
	if (left == block->row_count && !first)
		return left;
	bench_render_words_markdown(out, "\n**%s**", block->suite);
	if (*block->shared || *run)
		bench_render_words_markdown(out, " (%s%s%s%s)", block->shared, both, named, run);
	bench_text_add(out, "\n\n");
	for (size_t i = 0; i < block->row_count; i++)
		if (block->rows[i].result->status != BENCH_STATUS_OK)
			add_failed(arena, block, i, out);
		else if (is_chosen(choice, block->rows[i].result))
			add_row(arena, block, &block->rows[i], out);
	if (left > 0)
		bench_text_add(out, "- %zu %scase%s not listed\n", left,
			       left < block->row_count ? "more " : "", bench_text_plural(left));
	return left;
}

static void add_run(struct bench_arena *arena, const struct bench_log_run *run, bool named,
		    struct bench_text *out)
{
	struct bench_block *blocks;
	struct choice choice = {0};
	size_t count, left = 0;
	bench_render_blocks(arena, run->run, run->comparison, &blocks, &count);
	choose_cases(blocks, count, &choice);
	if (run->comparison && choice.moved == 0 && choice.count > 0)
		bench_text_add(out, "\nNo case was shown to move%s\n",
			       choice.count < MOST_CASES ? "." : "; these take longest:");
	for (size_t b = 0; b < count; b++)
		left += add_block(arena, &blocks[b], named ? run->run->id : "", &choice,
				  b == 0 || strcmp(blocks[b].suite, blocks[b - 1].suite) != 0, out);
	if (count == 0)
		bench_text_add(out, "\nNothing was measured.\n");
	if (left > 0) {
		bench_text_add(out, "\nThe other %zu: ", left);
		bench_render_words_add_code(out, bench_arena_format(arena, "bench show %s", run->run->id));
		bench_text_add(out, "\n");
	}
}

void bench_log_add_results(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	bench_text_add(out, "\n### Key Results\n");
	for (size_t r = 0; r < count; r++)
		add_run(&arena, &runs[r], count > 1, out);
}

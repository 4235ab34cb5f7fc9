/* SPDX-License-Identifier: MIT */
/*
 * A comment for a pull request: Markdown that begins with a marker, by which the next comment finds and
 * replaces this one. Then come the verdict, the metrics that changed, and the rest folded away. It stays
 * within the length that such a comment may have.
 */
#include "report/format/format.h"
#include "report/render/answer.h"
#include "report/render/comparison.h"
#include "report/render/words.h"

#define MARKER "<!-- bench-comment -->\n"
/* GitHub takes 65,536 characters, GitLab and Gitea more; who posts it may add a few words. */
#define MOST_BYTES 60000

/* The rows of unchanged metrics, or of the others. */
static struct bench_grid pick(const struct bench_grid *grid, const struct bench_comparison *comparison,
			      bool same, struct bench_arena *arena)
{
	struct bench_grid picked = *grid;
	picked.rows = NULL;
	picked.row_count = 0;
	for (size_t i = 0; i < grid->row_count; i++)
		if ((comparison->verdicts[i].kind == BENCH_SAME) == same)
			BENCH_PUSH(arena, picked.rows, picked.row_count) = grid->rows[i];
	return picked;
}

/* The first rows, as many as fit. */
static void add_rows(struct bench_grid grid, size_t most, struct bench_text *out)
{
	const size_t all = grid.row_count, before = out->length;
	struct bench_text table = {0};
	while (grid.row_count > 0) {
		bench_render_grid_markdown(&grid, &table);
		if (before + table.length <= most)
			break;
		grid.row_count = before < most ? (grid.row_count - 1) * (most - before) / table.length : 0;
		bench_text_free(&table);
	}
	if (table.length)
		bench_text_add_bytes(out, table.data, table.length);
	if (grid.row_count < all)
		bench_text_add(out, "\n%zu more %s not shown here.\n", all - grid.row_count,
			       all - grid.row_count == 1 ? "is" : "are");
	bench_text_free(&table);
}

/* Unless it is too long for what is left. */
static void add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
			const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_TEXT remarks = {0};
	bench_render_comparison_add_alarms(arena, comparison, "- ", &remarks);
	bench_render_comparison_add_remarks(arena, comparison, "- ", &remarks);
	if (options->gate)
		bench_render_gate_add_remarks(arena, comparison, options->gate, "- ", &remarks);
	if (remarks.length && out->length + remarks.length < MOST_BYTES / 2)
		bench_text_add(out, "\n%s", remarks.data);
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_GRID grid = {0};
	struct bench_next *next;
	bench_render_words_markdown(
		out, MARKER "### %s\n\n%s\n\n",
		bench_render_answer(&arena, comparison, options->gate, options->failing).line,
		bench_render_answer_context(&arena, comparison, options->gate));
	bench_render_comparison_grid_all(comparison, options->explain, &grid);
	struct bench_grid noted = pick(&grid, comparison, false, &arena),
			  same = pick(&grid, comparison, true, &arena);
	add_rows(noted, MOST_BYTES / 2, out);
	add_remarks(&arena, comparison, options, out);
	size_t count = bench_format_next(&arena, comparison, options, &next);
	bench_render_next_markdown(next, count, out);
	if (same.row_count) {
		bench_text_add(out, "\n<details><summary>%zu metric%s the same</summary>\n\n", same.row_count,
			       same.row_count == 1 ? " is" : "s are");
		add_rows(same, MOST_BYTES, out);
		bench_text_add(out, "\n</details>\n");
	}
	bench_render_words_markdown(out, "\nRun %s", comparison->candidate_id);
	if (options->candidate)
		bench_render_words_markdown(out, ", commit %s",
					    bench_render_words_commit(&arena, &options->candidate->git));
	bench_text_add(out, "\n");
}

static void render_refusal(const char *verb, const char *why, struct bench_text *out)
{
	bench_render_words_markdown(out, MARKER "### bench %s: no verdict\n\n%s\n", verb, why);
}

const struct bench_format bench_format_comment = {
	.name = "comment",
	.step_summary = &bench_format_markdown,
	.comparison = render_comparison,
	.refusal = render_refusal,
};

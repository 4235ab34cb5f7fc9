/* SPDX-License-Identifier: MIT */
/* The verdicts of a comparison, as people read them. */
#ifndef BENCH_REPORT_RENDER_COMPARISON_H
#define BENCH_REPORT_RENDER_COMPARISON_H

#include "compare/compare.h"
#include "core/arena.h"
#include "core/text.h"
#include "report/render/grid.h"

enum bench_tone bench_render_comparison_tone(const struct bench_verdict *verdict);
/* For qsort, of pointers to verdicts of one array: the largest change first, else as they stand there. */
int bench_render_comparison_by_size(const void *a, const void *b);

/*
 * Fills an empty grid with all that is not `same`, for a terminal of `width` columns (0: not limited): the
 * worst first, the largest changes first among those that changed, long lists cut, reasons under their rows.
 * Names are short (names.h), and never cut: where they do not fit beside the numbers, they stand above them.
 * `all`: nothing is cut, and unchanged metrics are listed as well. `explain`: full names, statistics and full
 * reasons under the rows.
 */
void bench_render_comparison_grid(const struct bench_comparison *comparison, unsigned width, bool all,
				  bool explain, struct bench_grid *grid);
/* Fills an empty grid with all verdicts and their full names, the reason in a column; with `explain` the
 * statistics, too. */
void bench_render_comparison_grid_all(const struct bench_comparison *comparison, bool explain,
				      struct bench_grid *grid);

/* The smallest change that would have been seen in each of the unchanged metrics; NaN: it is not known. */
double bench_render_comparison_seen(const struct bench_comparison *comparison);
/* The unchanged metrics in one line: how many, and that smallest change. */
void bench_render_comparison_add_same(struct bench_arena *arena, const struct bench_comparison *comparison,
				      struct bench_text *out);
/*
 * Why metrics are unclear, a line each cause. Reasons that differ only in their numbers appear once, with how
 * many metrics have them. Behind a `prefix` ("- ", in Markdown) a line before them says how many are unclear,
 * and how large a change they may hide.
 */
void bench_render_comparison_add_unclear(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out);
/* The alarms, a line each behind `prefix`. */
void bench_render_comparison_add_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
					const char *prefix, struct bench_text *out);
/*
 * Shifts that were accepted, the line of history and how the environments differ, a line each behind
 * `prefix`, which is "" in a terminal and "- " in Markdown. Remarks are these and what was not compared; the
 * method is how the verdicts were made.
 */
void bench_render_comparison_add_context(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out);
void bench_render_comparison_add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out);
void bench_render_comparison_add_method(struct bench_arena *arena, const struct bench_comparison *comparison,
					const char *prefix, struct bench_text *out);

#endif

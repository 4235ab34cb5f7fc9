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
 * Fills an empty grid with what changed, for a terminal of `width` columns (0: not limited): the worst first,
 * the largest changes first among slower and faster, long lists cut, reasons under their rows. Of unclear
 * metrics it lists those that fail (`failing`: bits of enum bench_failing), or all if they are few; *unclear:
 * some are left out. `all`: everything, including unchanged metrics.
 */
void bench_render_comparison_grid(const struct bench_comparison *comparison, unsigned width, unsigned failing,
				  bool all, struct bench_grid *grid, bool *unclear);
/* Fills an empty grid with all verdicts, the reason in a column. */
void bench_render_comparison_grid_all(const struct bench_comparison *comparison, struct bench_grid *grid);

/* The unchanged metrics in one line: how many, and the largest MDE among them. */
void bench_render_comparison_add_same(struct bench_arena *arena, const struct bench_comparison *comparison,
				      struct bench_text *out);
/*
 * The unclear metrics in a few lines behind `prefix`: how many, how large a change they may hide, and why.
 * Reasons that differ only in their numbers appear once.
 */
void bench_render_comparison_add_unclear(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out);
/* The alarms, a line each behind `prefix`. */
void bench_render_comparison_add_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
					const char *prefix, struct bench_text *out);
/*
 * Shifts that were accepted, the line of history and how the environments differ, a line each behind
 * `prefix`, which is "" in a terminal and "- " in Markdown. Remarks are these and how the verdicts were made.
 */
void bench_render_comparison_add_context(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out);
void bench_render_comparison_add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out);

#endif

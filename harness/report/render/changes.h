/* SPDX-License-Identifier: MIT */
/* Level shifts, as grids and as lines. */
#ifndef BENCH_REPORT_RENDER_CHANGES_H
#define BENCH_REPORT_RENDER_CHANGES_H

#include <stdbool.h>

#include "compare/changes.h"
#include "report/render/grid.h"

/* Fills an empty grid with changes of the history. exact: SI units, every digit, and ratios. */
void bench_render_changes_grid(const struct bench_change *changes, size_t count, bool exact,
			       struct bench_grid *grid);
/* The same with changes of the series of a file. */
void bench_render_changes_series_grid(const struct bench_change *changes, size_t count, bool exact,
				      struct bench_grid *grid);

/* The heading of a report's block: "Level shifts in the history, of the last 20 runs", in `arena`. */
char *bench_render_changes_heading(struct bench_arena *arena, const struct bench_changes *changes);

/*
 * For those who read nothing else: "+31.2% (4.091 ms, was 3.118 ms) from run 20261120-231503 on, 2 more
 * shifted with it; cause: machine (kernel: A, now B)", in `arena`.
 */
char *bench_render_changes_told(struct bench_arena *arena, const struct bench_change *change);

#endif

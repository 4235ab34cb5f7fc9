/* SPDX-License-Identifier: MIT */
/* Two runs side by side: plan, commit, machine and results. Nothing is judged. */
#ifndef BENCH_REPORT_RENDER_DIFF_H
#define BENCH_REPORT_RENDER_DIFF_H

#include <stdbool.h>

#include "record/record.h"
#include "report/render/grid.h"

struct bench_diff_options {
	bool all;       /* also what is the same */
	bool exact;     /* SI units, every digit, and ratios */
	unsigned width; /* of the terminal: long texts stand under their rows; 0: not limited */
};

/*
 * Fills an empty grid with a row for each fact and each measured metric in which the runs differ: of results,
 * those whose intervals lie apart, that are in one of the runs, or did not end alike, the largest change
 * first. Returns how many are the same and left out.
 */
size_t bench_render_diff_grid(const struct bench_run *first, const struct bench_run *second,
			      const struct bench_diff_options *options, struct bench_grid *grid);

#endif

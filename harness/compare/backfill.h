/* SPDX-License-Identifier: MIT */
/*
 * Which commit of a history to measure next, when there is no time for all: one in the gap that is most
 * likely to hold a change. Pure, like this whole room.
 */
#ifndef BENCH_COMPARE_BACKFILL_H
#define BENCH_COMPARE_BACKFILL_H

#include <stdbool.h>
#include <stddef.h>

/* Two builds of the same code differ by their layout: no smaller difference says anything. */
#define BENCH_COMPARE_BACKFILL_FLOOR 0.005

struct bench_backfill_history {
	size_t commit_count, key_count;
	const bool *wanted; /* of each commit, oldest first: may it be measured, and has it not been? */
	/* Logarithms of its time over the anchor's, and their standard errors, at [commit * key_count + key];
	 * NaN: not measured. */
	const double *shifts, *errors;
};

/*
 * First the newest and the oldest commit, then the middle of the gap with the largest n * z^2. n is the
 * number of wanted commits in the gap. z is the largest difference between the two measured commits that
 * enclose it, over its standard error, taken as 1 to 8. So measurements are spread evenly where nothing
 * changes, and close in on a change from both sides. false: no commit is wanted.
 */
bool bench_compare_backfill_next(const struct bench_backfill_history *history, size_t *next);

#endif

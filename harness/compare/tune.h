/* SPDX-License-Identifier: MIT */
/*
 * The search for the best value of a tunable (struct bench_tunable), starting at the current value: which
 * candidate value is measured next, and whether it won its duel with the current one (compare/duel.h). Pure,
 * as all of this room.
 */
#ifndef BENCH_COMPARE_TUNE_H
#define BENCH_COMPARE_TUNE_H

#include "compare/compare.h"

/* To become current, a candidate's mean ratio over all cases must be below this. */
#define BENCH_TUNE_LEAST_RATIO 0.99
/* Beyond a candidate that is slower than this, no others are measured. */
#define BENCH_TUNE_GIVE_UP_RATIO 1.05

/* A ratio of times (below 1: faster) with its 95% interval; NaN without one. */
struct bench_tune_ratio {
	double ratio, lo, hi;
};

/* A candidate that was measured. */
struct bench_tune_tried {
	uint64_t value;
	double ratio; /* over the value that was current; NaN: it failed or gave a wrong result */
};

struct bench_tune_search {
	const uint64_t *values; /* ascending */
	size_t count;
	uint64_t fallback, current; /* the default and the current value: among `values`, and not measured */
	const struct bench_tune_tried *tried;
	size_t tried_count;
};

/*
 * How many candidates are left to measure; *next is the first of them. Those next to the current value come
 * before those further off, the larger first. The values above or below the current one are given up once one
 * of them was slower by more than BENCH_TUNE_GIVE_UP_RATIO.
 */
size_t bench_compare_tune_left(const struct bench_tune_search *search, uint64_t *next);

struct bench_tune_outcome {
	struct bench_tune_ratio all; /* the geometric mean over the cases */
	size_t cases;                /* over which it is taken */
	bool wins;
	bool too_few;       /* invocations to tell: nothing was decided */
	const char *reason; /* why it does not win; "" if it does. Static, or owned by run or comparison */
};

/*
 * Judges the duel of a candidate (the head) with the current value (the base). `run` is its record,
 * `comparison` what bench_compare_duel made of it, and `unsupported` the number of its cases that were known
 * beforehand to be impossible on the device. The candidate wins if every other case was right with both
 * values and none is slower. The geometric mean over the cases must also be below BENCH_TUNE_LEAST_RATIO,
 * with an interval that ends below 1.
 */
void bench_compare_tune_judge(const struct bench_run *run, const struct bench_comparison *comparison,
			      size_t unsupported, struct bench_tune_outcome *outcome);

/*
 * The ratio over the default of a value whose ratio over another one is `step`, and that one's ratio over the
 * default is `before`: their product. The two were measured independently, so the widths of their intervals
 * add as the root of the sum of squares, on logarithms.
 */
struct bench_tune_ratio bench_compare_tune_chain(const struct bench_tune_ratio *before,
						 const struct bench_tune_ratio *step);

#endif

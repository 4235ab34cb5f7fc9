/*
 * The search for the best value of a tunable (struct bench_tunable), from the value that is current on: which
 * candidate is measured next, and what its contest with the current value (compare/duel.h) came to. Pure, as
 * all of this room.
 */
#ifndef BENCH_COMPARE_TUNE_H
#define BENCH_COMPARE_TUNE_H

#include "compare/compare.h"

/* What a candidate must be to become current: this much faster, over all cases. */
#define BENCH_TUNE_LEAST_RATIO 0.99
/* A candidate that is slower than this says that those beyond it are worth no time. */
#define BENCH_TUNE_GIVE_UP_RATIO 1.05

/* A ratio of times, below 1: faster, with its interval of 95%. NaN: there is none. */
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
	uint64_t fallback, current; /* both are among them; neither is measured again */
	const struct bench_tune_tried *tried;
	size_t tried_count;
};

/*
 * How many candidates are left to measure, and into *next the first of them: those beside the current value
 * before those further off, the larger first. The values on one side of the current one are given up once one
 * of them was slower by more than BENCH_TUNE_GIVE_UP_RATIO.
 */
size_t bench_compare_tune_left(const struct bench_tune_search *search, uint64_t *next);

struct bench_tune_outcome {
	struct bench_tune_ratio all; /* the geometric mean over the cases */
	size_t cases;                /* that it is of */
	bool wins;
	const char *reason; /* why it does not; "" where it wins. Static, or of the run or the comparison */
};

/*
 * What a contest of a candidate (the head) with the current value (the base) came to: `run` is its record,
 * `comparison` what bench_compare_duel made of it, and `unsupported` how many of its cases the device was
 * known to be unable to do before anything ran. The candidate wins where every other case was right on both
 * sides, none is slower, and the geometric mean over the cases is below BENCH_TUNE_LEAST_RATIO, with an
 * interval that ends below 1.
 */
void bench_compare_tune_judge(const struct bench_run *run, const struct bench_comparison *comparison,
			      size_t unsupported, struct bench_tune_outcome *outcome);

/*
 * The ratio over the default of a value that is `step` over another one, which itself is `before` over the
 * default: their product. The two were measured apart, so that the ends of the interval are as far off as the
 * root of the sum of their squares, on the logarithm.
 */
struct bench_tune_ratio bench_compare_tune_chain(const struct bench_tune_ratio *before,
						 const struct bench_tune_ratio *step);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which combinations of a kernel's tunables are measured next: pure, as all of this room. The first ones are
 * random, and differ in many tunables. The others have the largest expected improvement over the best so far
 * (Jones, Schonlau and Welch, "Efficient global optimization of expensive black-box functions", 1998), by a
 * Gaussian process of the logarithms of times: the correlation of two combinations is a product of a factor
 * for each tunable in which they differ, found by maximum likelihood. In a batch each is chosen as if those
 * before it had the times that were predicted (Ginsbourger et al., "Kriging is well-suited to parallelize
 * optimization", 2010).
 */
#ifndef BENCH_COMPARE_TUNE_SPACE_H
#define BENCH_COMPARE_TUNE_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "kit/rng.h"

struct bench_tune_space {
	const size_t
		*sizes; /* values of each tunable; the last varies the fastest in a combination's number */
	size_t tunables;
	size_t count;         /* of combinations */
	const bool *allowed;  /* by combination */
	const double *ratios; /* likewise: over the default; NaN: not measured, infinite: it failed */
};

/* Those that are allowed and not measured. */
size_t bench_compare_tune_space_left(const struct bench_tune_space *space);

/* Up to `wanted` of these, each once, into `batch`; how many. */
size_t bench_compare_tune_space_next(const struct bench_tune_space *space, size_t wanted,
				     struct bench_rng *rng, size_t *batch);

/* Up to `wanted` of those that were measured, the best first, into `best`; how many. */
size_t bench_compare_tune_space_best(const struct bench_tune_space *space, size_t wanted, size_t *best);

#endif

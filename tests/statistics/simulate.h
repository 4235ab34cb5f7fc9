/* SPDX-License-Identifier: MIT */
/*
 * Simulated comparisons: pairs of runs whose noise and whose change are known, judged by
 * bench_compare_runs, and the rates at which it is right. Seeds are fixed, so that a rate is
 * the same at every run.
 */
#ifndef TESTS_STATISTICS_SIMULATE_H
#define TESTS_STATISTICS_SIMULATE_H

#include <stddef.h>

#include "compare/compare.h"
#include "kit/rng.h"

/* What the median of one invocation is multiplied with. */
enum noise {
	NOISE_LOGNORMAL, /* 1% between invocations */
	NOISE_HEAVY,     /* the same, and one process in twenty is 87% slower */
	NOISE_TWO_PEAKS, /* the same, about 0.93 or 1.39 with equal chance */
	NOISE_SHARED,    /* heavy, and the disturbance hits all metrics of the invocation at once */
	NOISE_LOUD,      /* lognormal, 5% between invocations */
	NOISE_SKEWED,    /* 1 + 4% times a lognormal of 0.5 */
	NOISE_STUDENT,   /* 1% times Student's t with three degrees of freedom */
	NOISE_FOLLOWS,   /* lognormal 2%, each correlated by 0.5 with the invocation before it */
	NOISE_CLINGS,    /* the same, by 0.8 */
	NOISE_FINE,      /* lognormal 1%, written in steps of 0.5% */
	NOISE_STEPS,     /* lognormal 1%, in steps of 2% */
	NOISE_QUIET,     /* lognormal 1%, in steps of 5% */
	NOISE_COARSE,    /* lognormal 5%, in steps of 10% */
	NOISE_CLOCK,     /* lognormal 1%, at one of two clock rates that are 5% apart, with equal chance */
	NOISES
};
extern const char *const noise_names[NOISES];

enum { MOST_RUNS = 20 };

/* Runs of `metrics` metrics: those of a baseline and one to be judged, of the same number of invocations
 * each. */
struct simulation {
	struct bench_run *base[MOST_RUNS], *candidate;
	size_t runs, metrics;
	/*
	 * Runs before these, which are on neither side: `earlier` of them, of `codes` executables in turn,
	 * of which each is 10% slower than the one before.
	 */
	struct bench_run *history[MOST_RUNS];
	size_t earlier, codes;
	/*
	 * Every run is slower or faster as a whole by this deviation, to one half (of its variance) with
	 * all its metrics alike.
	 */
	double run_deviation;
	/* As in the options of a comparison. */
	double assumed_spread;
	size_t newest;
	const struct bench_accepted *accepted; /* NULL: none; else one */
	struct bench_rng rng;
};

/* One run in the baseline; or `runs` of them. */
void simulation_start(struct simulation *simulation, size_t metrics, size_t base_invocations,
		      size_t invocations, uint64_t stream);
void simulation_start_pooled(struct simulation *simulation, size_t metrics, size_t runs,
			     size_t base_invocations, size_t invocations, uint64_t stream);
/* With earlier runs, of as many invocations as the one to be judged. Before anything is drawn. */
void simulation_add_earlier(struct simulation *simulation, size_t earlier, size_t codes, size_t invocations);
void simulation_end(struct simulation *simulation);

/*
 * Draws a run anew: metric m is 1 ms times the noise times ratios[m] (NULL: 1). Where values are written in
 * steps, the metrics start from places spread over one step.
 */
void simulation_draw(struct simulation *simulation, struct bench_run *run, enum noise noise,
		     const double *ratios);

/* Draws all of the baseline anew, and all earlier runs. */
void simulation_draw_base(struct simulation *simulation, enum noise noise);

/* The verdicts; metric m is found by simulation_verdict. The caller frees them. */
struct bench_comparison *simulation_compare(const struct simulation *simulation, double threshold);
const struct bench_verdict *simulation_verdict(const struct bench_comparison *comparison, size_t metric);

/*
 * Promises on a probability of which `hits` of `trials` were seen: print the rate and its
 * exact bound (Clopper & Pearson 1934); 0 if the promise is kept, else 1.
 */

/* "what  12 of 2000 = 0.600% (<= 0.970% at 95%)": kept if the bound is. */
int rate_at_most(const char *what, size_t hits, size_t trials, double limit);
int rate_at_least(const char *what, size_t hits, size_t trials, double limit);
/* Kept unless it is certain, at 99.9% a side, that the probability is not within [low, high]. */
int rate_within(const char *what, size_t hits, size_t trials, double low, double high);

#endif

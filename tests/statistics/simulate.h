/*
 * Simulated comparisons: pairs of runs whose noise and whose change are known, judged by
 * bench_compare, and the rates at which it is right. Seeds are fixed, so that a rate is
 * the same at every run.
 */
#ifndef TESTS_STATISTICS_SIMULATE_H
#define TESTS_STATISTICS_SIMULATE_H

#include <stddef.h>

#include "compare/compare.h"
#include "core/rng.h"

/* What the median of one invocation is multiplied with. */
enum noise {
	NOISE_LOGNORMAL, /* 1% between invocations */
	NOISE_HEAVY,     /* the same, and one process in twenty is 87% slower */
	NOISE_TWO_PEAKS, /* the same, about 0.93 or 1.39 with equal chance */
	NOISE_SHARED,    /* heavy, and the disturbance hits all metrics of the invocation at once */
	NOISES
};
extern const char *const noise_names[NOISES];

/* Two runs of `metrics` metrics and the same number of invocations. */
struct simulation {
	struct bench_run *base, *candidate;
	size_t metrics, base_invocations, invocations;
	struct bench_rng rng;
};

void simulation_start(struct simulation *simulation, size_t metrics, size_t base_invocations,
		      size_t invocations, uint64_t stream);
void simulation_end(struct simulation *simulation);

/* Draws a run anew: metric m is 1 ms times the noise times ratios[m] (NULL: 1). */
void simulation_draw(struct simulation *simulation, struct bench_run *run, enum noise noise,
		     const double *ratios);

/* The verdicts; metric m is found by simulation_verdict. The caller frees them. */
struct bench_comparison *simulation_compare(const struct simulation *simulation, double threshold);
const struct bench_verdict *simulation_verdict(const struct bench_comparison *comparison, size_t metric);

/*
 * The exact one-sided bounds at 95% on a probability of which `hits` of `trials` were seen
 * (Clopper & Pearson 1934).
 */
double rate_upper_bound(size_t hits, size_t trials);
double rate_lower_bound(size_t hits, size_t trials);

/* Prints "what: 12 of 2000 = 0.60% (<= 0.97% at 95%)" and says whether the bound keeps the promise. */
int rate_at_most(const char *what, size_t hits, size_t trials, double limit);
int rate_at_least(const char *what, size_t hits, size_t trials, double limit);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Simulated duels: how often is unchanged code called changed, and is a slowdown found that is there? Noise
 * between invocations of the ratio: lognormal, of 0.3%; heavy tail, the same and one in ten off by up to 30%
 * to either side; two peaks, the same about 0.99 or 1/0.99 with equal chance; AR(1), normal, each correlated
 * with the one before it; steps, two lognormal times of half a step, as a clock reads them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/duel.h"
#include "statistics/simulate.h"
#include "unit/made_run.h"

enum { METRICS = 20, DUELS = 1000, TRIALS = 80, SHAPES = 6 };

static const char *const shapes[] = {"lognormal 0.3%", "heavy tail",  "two peaks",
				     "AR(1) 0.8",      "steps of 2%", "steps of 10%"};
enum { SHAPE_CLINGING = 3, SHAPE_STEPS = 4 };

/* `last` is that of the invocation before; 0 of the first. */
static double draw(struct bench_rng *rng, int shape, double last)
{
	double log_ratio = 0.003 * bench_rng_normal(rng);

	if (shape == SHAPE_CLINGING && last != 0)
		log_ratio = 0.8 * last + 0.6 * log_ratio;

	if (shape == 1 && bench_rng_uniform(rng) < 0.1)
		log_ratio += 0.3 * (2 * bench_rng_uniform(rng) - 1);
	if (shape == 2)
		log_ratio += bench_rng_uniform(rng) < 0.5 ? log(0.99) : -log(0.99);
	return log_ratio;
}

/* Times with a noise of half a step, from places that are spread over one. */
static double in_steps(struct bench_rng *rng, int shape, size_t metric, double ratio)
{
	double step = shape == SHAPE_STEPS ? 0.02 : 0.1, place = 1 + step * (double)metric / METRICS;
	double base = place * exp(0.5 * step * bench_rng_normal(rng)),
	       now = place * ratio * exp(0.5 * step * bench_rng_normal(rng));

	return round(now / step) / round(base / step);
}

static struct bench_run *blank_run(size_t invocations)
{
	struct bench_run *run = made_run("duel");
	double *ones = calloc(invocations, sizeof(*ones));

	for (unsigned m = 0; m < METRICS; m++)
		made_metric(run, made_case(run, m), "relative_time", BENCH_BETTER_LOWER, ones, invocations);
	free(ones);
	return run;
}

/* Metric m is as `noise` has it, times ratios[m] (NULL: 1). */
static struct bench_comparison *simulate_duel(struct bench_run *run, struct bench_rng *rng, int shape,
					      const double *ratios, double threshold)
{
	struct bench_duel_options options = {.base_name = "base", .threshold = threshold, .alpha = 0.01};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	for (size_t m = 0; m < METRICS; m++) {
		const struct bench_metric *metric = &run->results[m].metrics[0];

		double last = 0;

		for (size_t i = 0; i < metric->series_count; i++) {
			last = draw(rng, shape, last);
			metric->series[i].values[0] = exp(last) * (ratios ? ratios[m] : 1);
			if (shape >= SHAPE_STEPS)
				metric->series[i].values[0] = in_steps(rng, shape, m, ratios ? ratios[m] : 1);
			metric->series[i].count = 1;
		}
	}
	if (bench_compare_duel(run, &options, &comparison, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return comparison;
}

static int false_alarms(int shape, size_t invocations)
{
	struct bench_run *run = blank_run(invocations);
	struct bench_rng rng;
	size_t slower = 0;
	char what[96];

	bench_rng_start(&rng, 20261120, 500 + (unsigned)shape);
	for (int i = 0; i < DUELS; i++) {
		struct bench_comparison *comparison = simulate_duel(run, &rng, shape, NULL, 0);

		slower += comparison->counts[BENCH_SLOWER] > 0;
		bench_compare_free(comparison);
	}
	bench_record_free(run);
	snprintf(what, sizeof(what), "%s, %zu invocations: a false slower", shapes[shape], invocations);
	/* By construction half of alpha; a thousand duels cannot show it within 1% if it is just that. */
	return rate_within(what, slower, DUELS, 0, 0.01);
}

/* A slowdown of the MDE that a duel of unchanged code has stated, in fresh invocations. */
static int finds_mde(int shape, size_t invocations, double least)
{
	struct bench_run *run = blank_run(invocations);
	struct bench_rng rng;
	size_t found = 0, looked = 0;
	double sum = 0;
	char what[96];

	bench_rng_start(&rng, 20261120, 600 + (unsigned)shape);
	for (int i = 0; i < TRIALS; i++) {
		struct bench_comparison *before = simulate_duel(run, &rng, shape, NULL, 0.01), *after;
		double ratios[METRICS];
		char key[64];

		for (unsigned m = 0; m < METRICS; m++) {
			snprintf(key, sizeof(key), "gemm/openblas:cpu/n=%u/time", m);
			ratios[m] = 1 + bench_compare_find(before, key)->mde;
			if (isnan(ratios[m])) {
				ratios[m] = 1;
				continue;
			}
			sum += ratios[m] - 1;
			looked++;
		}
		after = simulate_duel(run, &rng, shape, ratios, 0.01);
		found += after->counts[BENCH_SLOWER];
		bench_compare_free(before);
		bench_compare_free(after);
	}
	bench_record_free(run);
	snprintf(what, sizeof(what), "%s, %zu invocations: the MDE, %.1f%%, found", shapes[shape],
		 invocations, 100 * sum / (double)looked);
	return rate_at_least(what, found, looked, least);
}

/* Of two per cent, at the default threshold: what the promise of a duel is about. */
static int finds_two_per_cent(void)
{
	struct bench_run *run = blank_run(16);
	struct bench_rng rng;
	double ratios[METRICS];
	size_t found = 0, looked = 0;

	bench_rng_start(&rng, 20261120, 700);
	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = 1.02;
	for (int i = 0; i < 50; i++) {
		struct bench_comparison *comparison = simulate_duel(run, &rng, 0, ratios, 0.01);

		found += comparison->counts[BENCH_SLOWER];
		looked += METRICS;
		bench_compare_free(comparison);
	}
	bench_record_free(run);
	return rate_at_least("lognormal 0.3%, 16 invocations: 2% found", found, looked, 0.95);
}

int main(void)
{
	int failed = finds_two_per_cent();

	for (int shape = 0; shape < SHAPES; shape++)
		failed += false_alarms(shape, 16);
	failed += false_alarms(0, 12);
	failed += false_alarms(SHAPE_CLINGING, 32);
	failed += finds_mde(0, 12, 0.95);
	failed += finds_mde(0, 16, 0.95);
	failed += finds_mde(0, 30, 0.95);
	failed += finds_mde(2, 16, 0.95);
	failed += finds_mde(4, 16, 0.95);
	failed += finds_mde(4, 32, 0.95);
	failed += finds_mde(5, 16, 0.95);
	failed += finds_mde(5, 32, 0.95);
	/* A straggler that has not been seen yet is not in the MDE: no promise of 95% here (docs/duel.md). */
	failed += finds_mde(1, 16, 0.85);
	failed += finds_mde(1, 30, 0.95);
	return failed ? 1 : 0;
}

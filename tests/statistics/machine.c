/* SPDX-License-Identifier: MIT */
/*
 * A machine that is faster or slower for a whole run, which its canary sees. What does taking
 * the canary's shift away save in false alarms, and what does its noise cost in power?
 */
#include <math.h>
#include <stdio.h>

#include "statistics/simulate.h"

enum { METRICS = 20, INVOCATIONS = 10 };

/* Gives every case of a run a canary for each invocation, to be set by draw_run. */
static void watch(struct bench_run *run)
{
	for (size_t m = 0; m < METRICS; m++) {
		struct bench_result *result = &run->results[m];

		result->watched = bench_arena_alloc(&run->arena, INVOCATIONS, sizeof(*result->watched));
		result->watched_count = INVOCATIONS;
		for (int i = 0; i < INVOCATIONS; i++)
			result->watched[i].invocation = i;
	}
}

/* A run on a machine that is `speed` times as slow, its metrics by `ratios` besides. */
static void draw_run(struct simulation *simulation, struct bench_run *run, double speed, double canary_noise,
		     const double *ratios)
{
	double slowed[METRICS];

	for (size_t m = 0; m < METRICS; m++)
		slowed[m] = speed * (ratios ? ratios[m] : 1);
	simulation_draw(simulation, run, NOISE_LOGNORMAL, slowed);
	for (size_t m = 0; m < METRICS; m++)
		for (size_t i = 0; i < INVOCATIONS; i++)
			run->results[m].watched[i].canary =
				speed * exp(canary_noise * bench_rng_normal(&simulation->rng));
}

static void start(struct simulation *simulation, uint64_t stream, bool watched)
{
	simulation_start(simulation, METRICS, INVOCATIONS, INVOCATIONS, stream);
	watch(simulation->base[0]);
	watch(simulation->candidate);
	for (size_t m = 0; m < METRICS && !watched; m++)
		simulation->base[0]->results[m].watched_count = 0;
}

/* Unchanged code, on a machine whose speed differs by 4% between runs. */
static int false_alarms(bool watched)
{
	const size_t comparisons = 600;
	struct simulation simulation;
	size_t slower = 0;
	int failed = 0;

	start(&simulation, 800, watched);
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		draw_run(&simulation, simulation.base[0], exp(0.04 * bench_rng_normal(&simulation.rng)), 0.01,
			 NULL);
		draw_run(&simulation, simulation.candidate, exp(0.04 * bench_rng_normal(&simulation.rng)),
			 0.01, NULL);
		comparison = simulation_compare(&simulation, 0.05);
		slower += comparison->counts[BENCH_SLOWER] > 0;
		bench_compare_free(comparison);
	}
	if (watched)
		failed = rate_at_most("machine 4%, with its canary: a false slower", slower, comparisons,
				      0.01);
	else
		failed = rate_at_least("machine 4%, without: a false slower (as it must)", slower,
				       comparisons, 0.1);
	simulation_end(&simulation);
	return failed;
}

/* Two of 20 metrics are slower on a machine that is as fast as before: what does the canary's noise cost? */
static int slowdowns_found(double ratio, double canary_noise, double least)
{
	const size_t comparisons = 200, slowed = 2;
	struct simulation simulation;
	double ratios[METRICS];
	size_t found = 0;
	char what[96];
	int failed;

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = m < slowed ? ratio : 1;
	start(&simulation, 810, true);
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		draw_run(&simulation, simulation.base[0], 1, canary_noise, NULL);
		draw_run(&simulation, simulation.candidate, 1, canary_noise, ratios);
		comparison = simulation_compare(&simulation, 0.05);
		found += comparison->counts[BENCH_SLOWER];
		bench_compare_free(comparison);
	}
	snprintf(what, sizeof(what), "canary noise %.0f%%: %.0f%% slower is found", 100 * canary_noise,
		 100 * (ratio - 1));
	failed = rate_at_least(what, found, slowed * comparisons, least);
	simulation_end(&simulation);
	return failed;
}

int main(void)
{
	int failed = 0;

	failed += false_alarms(false);
	failed += false_alarms(true);
	failed += slowdowns_found(1.07, 0, 0.95);
	failed += slowdowns_found(1.07, 0.01, 0.9);
	failed += slowdowns_found(1.07, 0.03, 0.7);
	failed += slowdowns_found(1.10, 0.01, 0.95);
	failed += slowdowns_found(1.10, 0.03, 0.95);
	return failed ? 1 : 0;
}

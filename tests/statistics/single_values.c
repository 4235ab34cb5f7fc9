/* SPDX-License-Identifier: MIT */
/*
 * Runs of one value a metric, as other tools leave them, with noise of many shapes. How often is unchanged
 * code called slower, anywhere in a run of 20 metrics; how often is a slowdown found; how often is a change
 * of the threshold called the same?
 *
 * single_values [COMPARISONS]. Without arguments: some, which are quick.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/simulate.h"

enum { METRICS = 20, QUICK = 400, DAY = 86400 };

enum shape { GAUSSIAN, SKEWED, HEAVY, SPIKES, PEAKS, QUANTISED, SHAPES };
static const char *const shape_names[SHAPES] = {"gaussian 2%",  "lognormal tail", "Student's t of 3",
						"3% of spikes", "two peaks",      "steps of 2%"};

static double draw(struct bench_rng *rng, enum shape shape, double ratio)
{
	double normal = bench_rng_normal(rng), scale = 1, a, b, c;

	switch (shape) {
	case SKEWED:
		return ratio * (1 + 0.04 * exp(0.5 * normal));
	case HEAVY:
		a = bench_rng_normal(rng);
		b = bench_rng_normal(rng);
		c = bench_rng_normal(rng);
		return ratio * exp(0.01 * normal / sqrt((a * a + b * b + c * c) / 3));
	case SPIKES:
		scale = bench_rng_uniform(rng) < 0.03 ? 1.2 + bench_rng_uniform(rng) : 1;
		return ratio * scale * exp(0.01 * normal);
	case PEAKS:
		scale = bench_rng_uniform(rng) < 0.5 ? 0.93 : 1.39;
		return ratio * scale * exp(0.01 * normal);
	case QUANTISED:
		return 0.02 * round(ratio * exp(0.01 * normal) / 0.02);
	default:
		return ratio * exp(0.02 * normal);
	}
}

static void draw_run(struct simulation *simulation, struct bench_run *run, enum shape shape, double ratio)
{
	for (size_t m = 0; m < METRICS; m++) {
		struct bench_series *series = &run->results[m].metrics[0].series[0];

		/* In seconds with three or four digits where they are rounded. */
		series->values[0] = 1e-6 * draw(&simulation->rng, shape, ratio);
		series->count = 1;
	}
}

/* Of second nights: runs with a false or true slower, metrics that are slower. Of first nights: runs with a
 * suspicion, metrics that are suspected, and that are the same. */
struct counts {
	size_t runs, slower, suspicious, suspected, same;
};

/* The run is judged against those before it, and the next one against them and it. */
static void judge_two_nights(struct simulation *simulation, enum shape shape, double ratio,
			     struct counts *counts)
{
	struct bench_comparison *comparison;
	struct bench_run *oldest = simulation->base[simulation->runs - 1];

	draw_run(simulation, simulation->candidate, shape, ratio);
	comparison = simulation_compare(simulation, 0.05);
	counts->suspicious += comparison->counts[BENCH_SUSPECTED] > 0;
	counts->suspected += comparison->counts[BENCH_SUSPECTED];
	counts->same += comparison->counts[BENCH_SAME];
	counts->runs += comparison->counts[BENCH_SLOWER] > 0;
	bench_compare_free(comparison);
	/* The newest is the first. */
	memmove(simulation->base + 1, simulation->base, (simulation->runs - 1) * sizeof(*simulation->base));
	simulation->base[0] = simulation->candidate;
	simulation->candidate = oldest;
	for (size_t r = 0; r < simulation->runs; r++)
		simulation->base[r]->started = DAY * (int64_t)(simulation->runs - r);
	simulation->candidate->started = DAY * (int64_t)(simulation->runs + 1);
	draw_run(simulation, simulation->candidate, shape, ratio);
	comparison = simulation_compare(simulation, 0.05);
	counts->runs += comparison->counts[BENCH_SLOWER] > 0;
	counts->slower += comparison->counts[BENCH_SLOWER];
	bench_compare_free(comparison);
}

static struct counts compare(struct simulation *simulation, enum shape shape, double ratio,
			     size_t comparisons)
{
	struct counts counts = {0};

	for (size_t i = 0; i < comparisons; i++) {
		for (size_t r = 0; r < simulation->runs; r++)
			draw_run(simulation, simulation->base[r], shape, 1);
		judge_two_nights(simulation, shape, ratio, &counts);
	}
	return counts;
}

static int simulate(enum shape shape, size_t runs, size_t comparisons)
{
	static const double slowdowns[] = {1.1, 1.2, 1.5, 3};
	struct simulation simulation;
	struct counts counts;
	char what[96];
	int failed;

	simulation_start_pooled(&simulation, METRICS, runs, 1, 1, 970 + runs * SHAPES + shape);
	simulation.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD;
	simulation.newest = runs;
	counts = compare(&simulation, shape, 1, comparisons);
	snprintf(what, sizeof(what), "%s, %zu runs: a false slower", shape_names[shape], runs);
	failed = rate_within(what, counts.runs, 2 * comparisons, 0, 0.01);
	printf("  %.1f%% of runs have a suspicion\n", 100 * (double)counts.suspicious / (double)comparisons);
	counts = compare(&simulation, shape, 1.05, comparisons / 4);
	snprintf(what, sizeof(what), "%s, %zu runs: 5%% is same", shape_names[shape], runs);
	failed += rate_within(what, counts.same, METRICS * (comparisons / 4), 0, 0.05);
	for (size_t s = 0; s < sizeof(slowdowns) / sizeof(slowdowns[0]); s++) {
		counts = compare(&simulation, shape, slowdowns[s], comparisons / 20);
		printf("  x%.1f is suspected in %.1f%%, and slower on the second night in %.1f%%\n",
		       slowdowns[s], 100 * (double)counts.suspected / (double)(METRICS * (comparisons / 20)),
		       100 * (double)counts.slower / (double)(METRICS * (comparisons / 20)));
	}
	simulation_end(&simulation);
	return failed;
}

int main(int argc, char **argv)
{
	static const size_t runs[] = {10, 15, 20};
	size_t comparisons = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : QUICK;
	int failed = 0;

	for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++)
		for (int shape = 0; shape < SHAPES; shape++)
			failed += simulate((enum shape)shape, runs[r], comparisons);
	return failed ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
#include "statistics/simulate.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "unit/made_run.h"

const char *const noise_names[NOISES] = {"lognormal 1%",      "heavy tail",        "two peaks",
					 "shared heavy tail", "lognormal 5%",      "skewed",
					 "Student's t",       "AR(1) 0.5",         "AR(1) 0.8",
					 "steps of 0.5%",     "1% in steps of 2%", "1% in steps of 5%",
					 "steps of 10%",      "two clock rates"};

static const double deviations[NOISES] = {0.01, 0.01, 0.01, 0.01, 0.05, 0.5,  0.01,
					  0.02, 0.02, 0.01, 0.01, 0.01, 0.05, 0.01};
/* The correlation of an invocation with the one before it. */
static const double follows[NOISES] = {[NOISE_FOLLOWS] = 0.5, [NOISE_CLINGS] = 0.8};
/* Of a millisecond, to which values are rounded; 0: they are not. */
static const double steps[NOISES] = {
	[NOISE_FINE] = 0.005, [NOISE_STEPS] = 0.02, [NOISE_QUIET] = 0.05, [NOISE_COARSE] = 0.1};

static struct bench_run *blank_run(const char *id, size_t metrics, size_t invocations)
{
	struct bench_run *run = made_run(id);
	double *ones = calloc(invocations, sizeof(*ones));

	for (size_t m = 0; m < metrics; m++)
		made_metric(run, made_case(run, (unsigned)m), "time", BENCH_BETTER_LOWER, ones, invocations);
	free(ones);
	return run;
}

void simulation_start_pooled(struct simulation *simulation, size_t metrics, size_t runs,
			     size_t base_invocations, size_t invocations, uint64_t stream)
{
	char id[32];

	*simulation = (struct simulation){.runs = runs, .metrics = metrics};
	for (size_t i = 0; i < runs; i++) {
		snprintf(id, sizeof(id), "base-%zu", i);
		simulation->base[i] = blank_run(id, metrics, base_invocations);
	}
	simulation->candidate = blank_run("candidate", metrics, invocations);
	bench_rng_start(&simulation->rng, 20261120, stream);
}

void simulation_start(struct simulation *simulation, size_t metrics, size_t base_invocations,
		      size_t invocations, uint64_t stream)
{
	simulation_start_pooled(simulation, metrics, 1, base_invocations, invocations, stream);
}

void simulation_add_earlier(struct simulation *simulation, size_t earlier, size_t codes, size_t invocations)
{
	char id[32], executable[32];

	simulation->earlier = earlier;
	simulation->codes = codes;
	for (size_t i = 0; i < simulation->runs; i++)
		made_host(simulation->base[i], "executable", "0");
	for (size_t i = 0; i < earlier; i++) {
		snprintf(id, sizeof(id), "earlier-%zu", i);
		snprintf(executable, sizeof(executable), "%zu", i % codes);
		simulation->history[i] = blank_run(id, simulation->metrics, invocations);
		made_host(simulation->history[i], "executable", executable);
	}
}

void simulation_end(struct simulation *simulation)
{
	for (size_t i = 0; i < simulation->earlier; i++)
		bench_record_free(simulation->history[i]);
	for (size_t i = 0; i < simulation->runs; i++)
		bench_record_free(simulation->base[i]);
	bench_record_free(simulation->candidate);
}

/* Of one invocation, whose `normal` is a standard normal variable. */
static double draw(struct bench_rng *rng, enum noise noise, double normal, bool disturbed)
{
	double value = exp(deviations[noise] * normal), squares = 0;

	if (noise == NOISE_SKEWED)
		value = 1 + 0.04 * value;
	for (int i = 0; noise == NOISE_STUDENT && i < 3; i++)
		squares += pow(bench_rng_normal(rng), 2);
	if (noise == NOISE_STUDENT)
		value = pow(value, 1 / sqrt(squares / 3));
	if (noise == NOISE_TWO_PEAKS)
		value *= bench_rng_uniform(rng) < 0.5 ? 0.93 : 1.39;
	if (noise == NOISE_CLOCK)
		value *= bench_rng_uniform(rng) < 0.5 ? 1 : 1.05;
	if (noise == NOISE_SHARED ? disturbed : noise == NOISE_HEAVY && bench_rng_uniform(rng) < 0.05)
		value *= 1.87;
	return value;
}

/* How much slower each metric of the run is as a whole. */
static void draw_effects(struct simulation *simulation, double *effects)
{
	double each = simulation->run_deviation * sqrt(0.5), shared = 0;

	if (simulation->run_deviation > 0)
		shared = each * bench_rng_normal(&simulation->rng);
	for (size_t m = 0; m < simulation->metrics; m++)
		effects[m] = simulation->run_deviation > 0
				     ? exp(shared + each * bench_rng_normal(&simulation->rng))
				     : 1;
}

void simulation_draw(struct simulation *simulation, struct bench_run *run, enum noise noise,
		     const double *ratios)
{
	size_t invocations = run->results[0].metrics[0].series_count;
	double effects[100], normals[100], step = 1e-3 * steps[noise];

	draw_effects(simulation, effects);
	for (size_t i = 0; i < invocations; i++) {
		bool disturbed = bench_rng_uniform(&simulation->rng) < 0.05;
		double kept = i > 0 ? follows[noise] : 0;

		for (size_t m = 0; m < simulation->metrics; m++) {
			struct bench_series *series = &run->results[m].metrics[0].series[i];
			double place = 1e-3 + step * (double)m / (double)simulation->metrics, value;

			normals[m] = (i > 0 ? kept * normals[m] : 0) +
				     sqrt(1 - kept * kept) * bench_rng_normal(&simulation->rng);
			value = place * draw(&simulation->rng, noise, normals[m], disturbed) * effects[m] *
				(ratios ? ratios[m] : 1);
			series->values[0] = step > 0 ? step * round(value / step) : value;
			series->count = 1;
		}
	}
}

void simulation_draw_base(struct simulation *simulation, enum noise noise)
{
	for (size_t i = 0; i < simulation->runs; i++)
		simulation_draw(simulation, simulation->base[i], noise, NULL);
	for (size_t i = 0; i < simulation->earlier; i++) {
		double ratios[100];

		for (size_t m = 0; m < simulation->metrics; m++)
			ratios[m] = pow(1.1, (double)(i % simulation->codes));
		simulation_draw(simulation, simulation->history[i], noise, ratios);
	}
}

struct bench_comparison *simulation_compare(const struct simulation *simulation, double threshold)
{
	const struct bench_run *history[2 * MOST_RUNS];
	struct bench_compare_options options = {.threshold = threshold,
						.alpha = 0.01,
						.assumed_spread = simulation->assumed_spread,
						.newest = simulation->newest,
						.accepted = simulation->accepted,
						.accepted_count = simulation->accepted != NULL,
						.history = history};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	for (size_t i = 0; i < simulation->earlier; i++)
		history[options.history_count++] = simulation->history[i];
	for (size_t i = 0; simulation->earlier > 0 && i < simulation->runs; i++)
		history[options.history_count++] = simulation->base[i];
	if (bench_compare_runs((const struct bench_run *const *)simulation->base, simulation->runs, "base",
			       simulation->candidate, &options, &comparison, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return comparison;
}

const struct bench_verdict *simulation_verdict(const struct bench_comparison *comparison, size_t metric)
{
	char key[64];

	snprintf(key, sizeof(key), "gemm/openblas:cpu/n=%zu/time", metric);
	return bench_compare_find(comparison, key);
}

static int report(const char *what, size_t hits, size_t trials, const char *sign, double bound, bool kept)
{
	printf("%-58s %6zu of %6zu = %7.3f%%  (%s %.3f%% at 95%%)%s\n", what, hits, trials,
	       100 * (double)hits / (double)trials, sign, 100 * bound, kept ? "" : "  NOT KEPT");
	return kept ? 0 : 1;
}

int rate_at_most(const char *what, size_t hits, size_t trials, double limit)
{
	double bound = bench_stats_proportion_upper(hits, trials, 0.05);

	return report(what, hits, trials, "<=", bound, bound <= limit);
}

int rate_within(const char *what, size_t hits, size_t trials, double low, double high)
{
	bool kept = bench_stats_proportion_upper(hits, trials, 0.001) >= low &&
		    bench_stats_proportion_lower(hits, trials, 0.001) <= high;

	printf("%-58s %6zu of %6zu = %7.3f%%  (stated: %.3f..%.3f%%)%s\n", what, hits, trials,
	       100 * (double)hits / (double)trials, 100 * low, 100 * high, kept ? "" : "  NOT KEPT");
	return kept ? 0 : 1;
}

int rate_at_least(const char *what, size_t hits, size_t trials, double limit)
{
	double bound = bench_stats_proportion_lower(hits, trials, 0.05);

	return report(what, hits, trials, ">=", bound, bound >= limit);
}

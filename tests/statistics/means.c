/* SPDX-License-Identifier: MIT */
/*
 * Does the interval of a geometric mean cover the truth at its stated level? Twenty cases, each with a change
 * of its own, with noise that cases of one invocation share or not, runs that differ as runs, and invocations
 * that lack cases. Beside it: what intervals cover that take the cases for independent.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/duel.h"
#include "statistics/simulate.h"
#include "stats/stats.h"
#include "unit/made_run.h"

enum { CASES = 20, TRIALS = 400, INVOCATIONS = 12 };

static char key_texts[CASES][64];
static const char *keys[CASES];
static double ratios[CASES];
#define TRUTH 0.03

static void make_cases(void)
{
	for (int m = 0; m < CASES; m++) {
		snprintf(key_texts[m], sizeof(key_texts[m]), "gemm/openblas:cpu/n=%d/time", m);
		keys[m] = key_texts[m];
		ratios[m] = exp(TRUTH + 0.01 * (m - 0.5 * (CASES - 1)));
	}
}

struct tally {
	size_t covered, independent;
	double level, width; /* means over the trials */
};

static void count(const struct bench_comparison *comparison, struct tally *tally)
{
	const struct bench_verdict *mean = bench_compare_find(comparison->means, "all/time");
	double sum = 0, variance = 0, level = mean->level, z = bench_stats_normal_quantile(0.5 + 0.5 * level);

	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		double error = log(verdict->hi / verdict->lo) / 2 /
			       bench_stats_normal_quantile(0.5 + 0.5 * verdict->level);

		sum += log(verdict->ratio) / CASES;
		variance += error * error / CASES / CASES;
	}
	tally->covered += log(mean->lo) <= TRUTH && TRUTH <= log(mean->hi);
	tally->independent += fabs(sum - TRUTH) <= z * sqrt(variance);
	tally->level += level / TRIALS;
	tally->width += log(mean->hi / mean->lo) / 2 / TRIALS;
}

/* One in `one_in` of the cases' invocations is disturbed; 0: none is. */
static void disturb(struct simulation *simulation, struct bench_run *run, unsigned one_in)
{
	static bool all[] = {true, true, true};

	for (size_t m = 0; one_in && m < CASES; m++)
		for (size_t i = 0; i < run->results[m].metrics[0].series_count; i++)
			run->results[m].metrics[0].series[i].disturbed =
				bench_rng_uniform(&simulation->rng) < 1.0 / one_in ? all : NULL;
}

static int told(const char *what, const struct tally *tally)
{
	char text[128];

	snprintf(text, sizeof(text), "%s: %.0f%% interval, +-%.2f%%, covers", what, 100 * tally->level,
		 100 * tally->width);
	printf("(cases taken for independent: %.1f%%) ", 100.0 * (double)tally->independent / TRIALS);
	return rate_within(text, tally->covered, TRIALS, 0.9, 1);
}

static int runs_covered(const char *what, enum noise noise, double deviation, double assumed, unsigned one_in)
{
	struct bench_compare_options options = {.threshold = 0.05,
						.alpha = 0.01,
						.assumed_spread = assumed,
						.mean_of = keys,
						.mean_count = CASES};
	struct simulation simulation;
	struct tally tally = {0};
	struct bench_error error;

	simulation_start(&simulation, CASES, INVOCATIONS, INVOCATIONS, 900 + (unsigned)noise);
	simulation.run_deviation = deviation;
	for (int i = 0; i < TRIALS; i++) {
		struct bench_comparison *comparison = NULL;
		const struct bench_run *base[] = {simulation.base[0]};

		simulation_draw_base(&simulation, noise);
		simulation_draw(&simulation, simulation.candidate, noise, ratios);
		disturb(&simulation, simulation.base[0], one_in);
		disturb(&simulation, simulation.candidate, one_in);
		if (bench_compare_runs(base, 1, "base", simulation.candidate, &options, &comparison,
				       &error) != 0 ||
		    !comparison->means) {
			fprintf(stderr, "no means: %s\n", error.text);
			return 1;
		}
		count(comparison, &tally);
		bench_compare_free(comparison);
	}
	simulation_end(&simulation);
	return told(what, &tally);
}

/* Pairs whose ratios share `shared` of their variance with the other cases of the invocation. */
static int pairs_covered(double shared)
{
	struct bench_duel_options options = {
		.base_name = "base", .threshold = 0.02, .alpha = 0.01, .mean_of = keys, .mean_count = CASES};
	struct bench_run *run = made_run("pairs");
	const double ones[INVOCATIONS] = {0};
	struct tally tally = {0};
	struct bench_rng rng;
	struct bench_error error;
	char what[64];

	for (unsigned m = 0; m < CASES; m++) {
		struct bench_result *result = made_case(run, m);

		made_metric(run, result, "relative_time", BENCH_BETTER_LOWER, ones, INVOCATIONS);
		made_metric(run, result, "time", BENCH_BETTER_LOWER, ones, INVOCATIONS);
		made_metric(run, result, "base_time", BENCH_BETTER_LOWER, ones, INVOCATIONS);
	}
	bench_rng_start(&rng, 20261120, 950 + (unsigned)(10 * shared));
	for (int i = 0; i < TRIALS; i++) {
		struct bench_comparison *comparison = NULL;

		for (int k = 0; k < INVOCATIONS; k++) {
			double together = 0.01 * sqrt(shared) * bench_rng_normal(&rng);

			for (int m = 0; m < CASES; m++) {
				double alone = 0.01 * sqrt(1 - shared) * bench_rng_normal(&rng);
				const double values[] = {ratios[m] * exp(together + alone), ratios[m], 1};

				for (int n = 0; n < 3; n++) {
					struct bench_series *series = &run->results[m].metrics[n].series[k];
					series->values[0] = values[n];
					series->count = 1;
				}
			}
		}
		if (bench_compare_duel(run, &options, &comparison, &error) != 0 || !comparison->means) {
			fprintf(stderr, "no means\n");
			return 1;
		}
		count(comparison, &tally);
		bench_compare_free(comparison);
	}
	bench_record_free(run);
	snprintf(what, sizeof(what), "pairs, %.0f%% of the variance shared", 100 * shared);
	return told(what, &tally);
}

int main(void)
{
	int broken = 0;

	make_cases();
	broken += runs_covered("runs, lognormal", NOISE_LOGNORMAL, 0, 0, 0);
	broken += runs_covered("runs, shared disturbance", NOISE_SHARED, 0, 0, 0);
	broken += runs_covered("runs, one case in ten disturbed", NOISE_LOGNORMAL, 0, 0, 10);
	broken += runs_covered("runs that differ by 2%", NOISE_LOGNORMAL, 0.02, 0.05, 0);
	broken += runs_covered("runs that differ by 5%", NOISE_LOGNORMAL, 0.05, 0.05, 0);
	broken += pairs_covered(0);
	broken += pairs_covered(0.5);
	broken += pairs_covered(0.9);
	return broken != 0;
}

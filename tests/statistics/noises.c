/* SPDX-License-Identifier: MIT */
/*
 * Every promise of a comparison against noise of every shape: against one run, against several, and in pairs.
 *
 * noises [COMPARISONS [SEED [SETTING]]]: the table for the note; by default of a few comparisons, which are
 * quick. SETTING, counted from 1: of that one alone.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/duel.h"
#include "statistics/simulate.h"
#include "stats/stats.h"
#include "unit/made_run.h"

enum { METRICS = 20, QUICK = 20 };

struct setting {
	size_t runs; /* of the baseline; 0: the invocations are measured in pairs */
	size_t invocations;
	double threshold;
};

/* One setting with one noise; `pairs` has the ratios of the candidate's invocations over the baseline's. */
struct trial {
	const struct setting *setting;
	enum noise noise;
	struct simulation simulation;
	struct bench_run *pairs;
};

struct rates {
	size_t slower_runs, comparisons, covered, intervals, wrongly_same, found, stated;
	double width, mde;
};

static struct bench_run *blank_pairs(size_t invocations)
{
	struct bench_run *run = made_run("pairs");
	double *ones = calloc(invocations, sizeof(*ones));

	for (unsigned m = 0; m < METRICS; m++)
		made_metric(run, made_case(run, m), "relative_time", BENCH_BETTER_LOWER, ones, invocations);
	for (unsigned m = 0; m < METRICS; m++) {
		made_metric(run, &run->results[m], "time", BENCH_BETTER_LOWER, ones, 1);
		made_metric(run, &run->results[m], "base_time", BENCH_BETTER_LOWER, ones, 1);
	}
	free(ones);
	return run;
}

static double middle_of(const struct bench_series *series, size_t count)
{
	double *values = calloc(count + 1, sizeof(*values)), median;

	for (size_t i = 0; i < count; i++)
		values[i] = series[i].values[0];
	median = bench_stats_median(values, count);
	free(values);
	return median;
}

static struct bench_comparison *compare_pairs(struct trial *trial)
{
	struct bench_duel_options options = {
		.base_name = "base", .threshold = trial->setting->threshold, .alpha = 0.01};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	for (size_t m = 0; m < METRICS; m++) {
		const struct bench_series *base = trial->simulation.base[0]->results[m].metrics[0].series,
					  *now = trial->simulation.candidate->results[m].metrics[0].series;
		struct bench_series *series = trial->pairs->results[m].metrics[0].series;

		for (size_t i = 0; i < trial->setting->invocations; i++) {
			series[i].values[0] = now[i].values[0] / base[i].values[0];
			series[i].count = 1;
		}
		trial->pairs->results[m].metrics[1].summary.median =
			middle_of(now, trial->setting->invocations);
		trial->pairs->results[m].metrics[2].summary.median =
			middle_of(base, trial->setting->invocations);
	}
	if (bench_compare_duel(trial->pairs, &options, &comparison, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return comparison;
}

/* A new run, each metric so much slower, against the baseline as it is. Of pairs, both sides are new. */
static struct bench_comparison *compare(struct trial *trial, const double *ratios)
{
	struct simulation *simulation = &trial->simulation;

	simulation_draw(simulation, simulation->candidate, trial->noise, ratios);
	if (trial->setting->runs > 0)
		return simulation_compare(simulation, trial->setting->threshold);
	simulation_draw_base(simulation, trial->noise);
	return compare_pairs(trial);
}

/* As if the metric were the only one that changed: with others, Holm's correction would be milder. */
static bool found_alone(const struct bench_verdict *verdict, double threshold)
{
	return verdict->p * METRICS <= 0.01 && verdict->ratio >= 1 + fmax(threshold, verdict->threshold);
}

static void unchanged(struct trial *trial, struct rates *rates, double *mdes)
{
	struct bench_comparison *comparison = compare(trial, NULL);

	rates->slower_runs += comparison->counts[BENCH_SLOWER] > 0;
	rates->comparisons++;
	for (size_t m = 0; m < METRICS; m++) {
		const struct bench_verdict *verdict = simulation_verdict(comparison, m);

		mdes[m] = 1 + verdict->mde;
		if (isnan(verdict->lo))
			continue;
		rates->intervals++;
		rates->covered += verdict->lo <= 1 && 1 <= verdict->hi;
		rates->width += log(verdict->hi / verdict->lo);
	}
	bench_compare_free(comparison);
}

static void changed_by_threshold(struct trial *trial, struct rates *rates)
{
	double ratios[METRICS];
	struct bench_comparison *comparison;

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = 1 + trial->setting->threshold;
	comparison = compare(trial, ratios);
	rates->wrongly_same += comparison->counts[BENCH_SAME];
	bench_compare_free(comparison);
}

static void changed_by_mde(struct trial *trial, struct rates *rates, const double *mdes)
{
	struct bench_comparison *comparison = compare(trial, mdes);

	for (size_t m = 0; m < METRICS; m++) {
		if (isnan(mdes[m]))
			continue;
		rates->stated++;
		rates->mde += mdes[m] - 1;
		rates->found += found_alone(simulation_verdict(comparison, m), trial->setting->threshold);
	}
	bench_compare_free(comparison);
}

static struct rates rates_of(const struct setting *setting, enum noise noise, double run_deviation,
			     size_t comparisons, uint64_t seed)
{
	struct trial trial = {.setting = setting, .noise = noise};
	struct rates rates = {0};
	size_t runs = setting->runs > 0 ? setting->runs : 1;
	double mdes[METRICS];

	simulation_start_pooled(&trial.simulation, METRICS, runs, setting->invocations, setting->invocations,
				seed + noise);
	trial.simulation.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD;
	trial.simulation.run_deviation = run_deviation;
	trial.pairs = blank_pairs(setting->invocations);
	for (size_t i = 0; i < comparisons; i++) {
		simulation_draw_base(&trial.simulation, noise);
		unchanged(&trial, &rates, mdes);
		changed_by_threshold(&trial, &rates);
		changed_by_mde(&trial, &rates, mdes);
	}
	bench_record_free(trial.pairs);
	simulation_end(&trial.simulation);
	return rates;
}

static double share(size_t hits, size_t trials)
{
	return trials > 0 ? 100 * (double)hits / (double)trials : NAN;
}

static void simulate(const struct setting *setting, enum noise noise, double run_deviation,
		     size_t comparisons, uint64_t seed)
{
	struct rates rates = rates_of(setting, noise, run_deviation, comparisons, seed);
	char name[48];

	snprintf(name, sizeof(name), "%s%s", noise_names[noise], run_deviation > 0 ? ", runs 2%" : "");
	if (setting->runs > 0)
		printf("| %s | %zu x %zu ", name, setting->runs, setting->invocations);
	else
		printf("| %s | %zu pairs ", name, setting->invocations);
	printf("| %.2f%% of %zu | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% of %zu |\n",
	       share(rates.slower_runs, rates.comparisons), rates.comparisons,
	       share(rates.covered, rates.intervals), 100 * rates.width / (double)rates.intervals,
	       share(rates.wrongly_same, METRICS * rates.comparisons), 100 * rates.mde / (double)rates.stated,
	       share(rates.found, rates.stated), rates.stated);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct setting settings[] = {{1, 10, 0.05}, {5, 10, 0.05}, {10, 8, 0.05},
						  {0, 12, 0.01}, {0, 20, 0.01}, {0, 32, 0.01}};
	size_t comparisons = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : QUICK;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	size_t only = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 0;

	for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++) {
		if (only > 0 && s + 1 != only)
			continue;
		for (int noise = 0; noise < NOISES; noise++)
			simulate(&settings[s], (enum noise)noise, 0, comparisons, seed);
		if (settings[s].runs > 0)
			simulate(&settings[s], NOISE_LOGNORMAL, 0.02, comparisons, seed);
	}
	return 0;
}

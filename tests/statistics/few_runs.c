/*
 * Baselines of few runs and of runs of one value, where runs differ as runs by more or less. How often is
 * unchanged code called slower, anywhere in a whole run? How often is a change of just the threshold, or of
 * more, called `same`? And is what is three times as slow found?
 *
 * few_runs [I]: all settings, or the I-th.
 */
#include <stdio.h>
#include <stdlib.h>

#include "statistics/simulate.h"

enum { METRICS = 20 };

struct setting {
	enum noise noise;
	size_t runs, invocations, comparisons;
};

static const double effects[] = {0, 0.01, 0.02, 0.05};
static const double thresholds[] = {0.02, 0.05};

struct counts {
	size_t slower, same, metrics;
};

/* Comparisons with a run each metric of which is `ratio` times as slow. */
static struct counts compare(const struct setting *setting, struct simulation *simulation, double threshold,
			     double ratio, size_t comparisons)
{
	struct counts counts = {0};
	double ratios[METRICS];

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = ratio;
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(simulation, setting->noise);
		simulation_draw(simulation, simulation->candidate, setting->noise, ratios);
		comparison = simulation_compare(simulation, threshold);
		counts.slower +=
			ratio > 1 ? comparison->counts[BENCH_SLOWER] : comparison->counts[BENCH_SLOWER] > 0;
		counts.same += comparison->counts[BENCH_SAME];
		counts.metrics += METRICS;
		bench_compare_free(comparison);
	}
	return counts;
}

static int simulate(const struct setting *setting, struct simulation *simulation, double effect)
{
	int failed = 0;
	char name[96], what[128];

	simulation->run_deviation = effect;
	snprintf(name, sizeof(name), "%s, runs %.0f%%, %zu x %zu", noise_names[setting->noise], 100 * effect,
		 setting->runs, setting->invocations);
	for (size_t t = 0; t < sizeof(thresholds) / sizeof(thresholds[0]); t++) {
		double threshold = thresholds[t];
		struct counts counts = compare(setting, simulation, threshold, 1, setting->comparisons);

		printf("%s, %.0f%%: unchanged is same: %zu of %zu\n", name, 100 * threshold, counts.same,
		       counts.metrics);
		snprintf(what, sizeof(what), "%s, %.0f%%: a false slower", name, 100 * threshold);
		failed += rate_within(what, counts.slower, setting->comparisons, 0, 0.01);
		counts = compare(setting, simulation, threshold, 1 + threshold, setting->comparisons / 4);
		snprintf(what, sizeof(what), "%s, %.0f%%: +%.0f%% is same", name, 100 * threshold,
			 100 * threshold);
		failed += rate_within(what, counts.same, counts.metrics, 0, 0.05);
	}
	struct counts counts = compare(setting, simulation, 0.05, 3, 20);

	snprintf(what, sizeof(what), "%s: x3 is found", name);
	return failed + rate_at_least(what, counts.slower, counts.metrics, 0.95);
}

int main(int argc, char **argv)
{
	static const struct setting settings[] = {
		{NOISE_LOGNORMAL, 1, 10, 400}, {NOISE_LOGNORMAL, 2, 10, 400},  {NOISE_LOGNORMAL, 3, 10, 400},
		{NOISE_LOGNORMAL, 5, 10, 400}, {NOISE_LOGNORMAL, 10, 10, 400}, {NOISE_TWO_PEAKS, 1, 10, 400},
		{NOISE_TWO_PEAKS, 3, 10, 400}, {NOISE_TWO_PEAKS, 5, 10, 400},  {NOISE_LOGNORMAL, 8, 1, 400},
		{NOISE_LOGNORMAL, 10, 1, 400}, {NOISE_LOGNORMAL, 20, 1, 400},  {NOISE_LOGNORMAL, 10, 3, 400},
	};
	const size_t count = sizeof(settings) / sizeof(settings[0]);
	size_t only = argc >= 2 ? (size_t)strtoul(argv[1], NULL, 10) : count;
	int failed = 0;

	for (size_t i = 0; i < count; i++) {
		struct setting setting = settings[i];
		struct simulation simulation;

		if (only != count && only != i)
			continue;
		if (argc == 3)
			setting.comparisons = (size_t)strtoul(argv[2], NULL, 10);
		simulation_start_pooled(&simulation, METRICS, setting.runs, setting.invocations,
					setting.invocations, 900 + i);
		simulation.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD;
		for (size_t e = 0; e < sizeof(effects) / sizeof(effects[0]); e++)
			failed += simulate(&setting, &simulation, effects[e]);
		simulation_end(&simulation);
	}
	return failed ? 1 : 0;
}

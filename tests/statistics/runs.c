/* SPDX-License-Identifier: MIT */
/*
 * Runs of unchanged code that differ as runs: a baseline of several, whose invocations are
 * more like each other than like those of another run. How often is one more run called slower, what
 * threshold is learned, and is a slowdown of the MDE still found? Or a baseline of one run, with earlier ones
 * that say how far runs of the same code differ. And do the intervals hold the truth?
 *
 * runs [I]: all settings, or the I-th.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "statistics/simulate.h"

enum { METRICS = 20 };

struct setting {
	enum noise noise;
	double run_deviation;
	size_t runs, invocations;
	double threshold;
	size_t comparisons;
	size_t earlier, codes; /* runs before the baseline; of so many executables */
};

/* What becomes of unchanged code. */
static int false_alarms(const struct setting *setting, struct simulation *simulation, const char *name)
{
	size_t slower = 0, same = 0, right = 0, intervals = 0, metrics = METRICS * setting->comparisons;
	double thresholds = 0;
	int failed = 0;
	char what[160];

	for (size_t i = 0; i < setting->comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(simulation, setting->noise);
		simulation_draw(simulation, simulation->candidate, setting->noise, NULL);
		comparison = simulation_compare(simulation, setting->threshold);
		slower += comparison->counts[BENCH_SLOWER] > 0;
		same += comparison->counts[BENCH_SAME];
		for (size_t m = 0; m < METRICS; m++) {
			const struct bench_verdict *verdict = simulation_verdict(comparison, m);

			thresholds += verdict->threshold;
			if (verdict->kind != BENCH_SAME && verdict->kind != BENCH_UNCLEAR)
				continue;
			intervals++;
			right += verdict->lo <= 1 && verdict->hi >= 1;
		}
		bench_compare_free(comparison);
	}
	snprintf(what, sizeof(what), "%s: 90%% intervals are right", name);
	/* The metrics of a run go up and down together: so many are worth far fewer. */
	failed += rate_at_least(what, right, intervals, 0.88);
	snprintf(what, sizeof(what), "%s: a false slower", name);
	printf("%-58s %6zu of %6zu, threshold %.1f%% in the mean\n", "  unchanged is same", same, metrics,
	       100 * thresholds / (double)metrics);
	return failed + rate_within(what, slower, setting->comparisons, 0, 0.01);
}

/* A slowdown of the MDE that was stated for unchanged code, in one more run against the same baseline. */
static int mde_found(const struct setting *setting, struct simulation *simulation, const char *name)
{
	size_t found = 0, stated = 0;
	double total = 0, ratios[METRICS];
	char what[160];

	for (size_t i = 0; i < 100; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(simulation, setting->noise);
		simulation_draw(simulation, simulation->candidate, setting->noise, NULL);
		comparison = simulation_compare(simulation, setting->threshold);
		for (size_t m = 0; m < METRICS; m++) {
			ratios[m] = 1 + simulation_verdict(comparison, m)->mde;
			total += ratios[m] - 1;
			stated++;
		}
		bench_compare_free(comparison);
		simulation_draw(simulation, simulation->candidate, setting->noise, ratios);
		comparison = simulation_compare(simulation, setting->threshold);
		for (size_t m = 0; m < METRICS; m++)
			found += simulation_verdict(comparison, m)->kind == BENCH_SLOWER;
		bench_compare_free(comparison);
	}
	snprintf(what, sizeof(what), "%s: the MDE (mean %.1f%%) is found", name,
		 100 * total / (double)stated);
	return rate_at_least(what, found, stated, 0.95);
}

int main(int argc, char **argv)
{
	static const struct setting settings[] = {
		{NOISE_LOGNORMAL, 0, 5, 5, 0.05, 400, 0, 0},
		{NOISE_LOGNORMAL, 0.01, 5, 5, 0.05, 400, 0, 0},
		{NOISE_LOGNORMAL, 0.03, 5, 5, 0.05, 1600, 0, 0},
		{NOISE_LOGNORMAL, 0, 5, 10, 0.05, 400, 0, 0},
		{NOISE_LOGNORMAL, 0.01, 5, 10, 0.05, 400, 0, 0},
		{NOISE_LOGNORMAL, 0.03, 5, 10, 0.05, 1600, 0, 0},
		{NOISE_HEAVY, 0.01, 5, 10, 0, 1600, 0, 0},
		{NOISE_TWO_PEAKS, 0.01, 5, 10, 0.05, 1200, 0, 0},
		{NOISE_LOUD, 0.01, 5, 10, 0.05, 400, 0, 0},
		{NOISE_LOGNORMAL, 0.03, 10, 8, 0.05, 2400, 0, 0},
		{NOISE_LOGNORMAL, 0, 1, 10, 0.05, 400, 10, 1},
		{NOISE_LOGNORMAL, 0.01, 1, 10, 0.05, 1600, 10, 1},
		{NOISE_LOGNORMAL, 0.03, 1, 8, 0.05, 1600, 12, 3},
		{NOISE_HEAVY, 0.01, 1, 10, 0, 1600, 10, 2},
		{NOISE_TWO_PEAKS, 0.01, 3, 10, 0.05, 1200, 10, 1},
		{NOISE_TWO_PEAKS, 0.01, 10, 10, 0.05, 1200, 0, 0},
	};
	const size_t count = sizeof(settings) / sizeof(settings[0]);
	size_t only = argc == 2 ? (size_t)strtoul(argv[1], NULL, 10) : count;
	int failed = 0;

	for (size_t i = 0; i < count; i++) {
		const struct setting *setting = &settings[i];
		struct simulation simulation;
		char name[64];

		if (only != count && only != i)
			continue;
		snprintf(name, sizeof(name), "%s, runs %.0f%%, %zu x %zu%s", noise_names[setting->noise],
			 100 * setting->run_deviation, setting->runs, setting->invocations,
			 setting->earlier ? " and earlier ones" : "");
		simulation_start_pooled(&simulation, METRICS, setting->runs, setting->invocations,
					setting->invocations, 700 + i);
		simulation.run_deviation = setting->run_deviation;
		if (setting->earlier)
			simulation_add_earlier(&simulation, setting->earlier, setting->codes,
					       setting->invocations);
		failed += false_alarms(setting, &simulation, name);
		failed += mde_found(setting, &simulation, name);
		simulation_end(&simulation);
	}
	return failed ? 1 : 0;
}

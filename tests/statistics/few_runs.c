/* SPDX-License-Identifier: MIT */
/*
 * Baselines of few runs and of runs of one value, where runs differ as runs by more or less. How often is
 * unchanged code called slower, anywhere in a whole run? How often is a change of just the threshold called
 * `same`? And is what is three times as slow found?
 *
 * few_runs [COMPARISONS [I]]: of each setting, or of the I-th; with all run effects. Without arguments: some,
 * which are quick.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "statistics/simulate.h"

enum { METRICS = 20, QUICK = 40 };

struct setting {
	enum noise noise;
	size_t runs, invocations;
	bool blind; /* five runs of two peaks: the centers jump, and Student's t of four degrees allows for it
		     */
};

static const double effects[] = {0.01, 0.05, 0, 0.02}; /* the quick ones first */
static const double thresholds[] = {0.02, 0.05};

struct counts {
	size_t slower_runs, slower, same, metrics;
};

/* Comparisons with a run each metric of which is `ratio` times as slow. */
static struct counts compare(const struct setting *setting, struct simulation *simulation, double threshold,
			     double ratio, size_t comparisons)
{
	struct counts counts = {.metrics = METRICS * comparisons};
	double ratios[METRICS];

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = ratio;
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(simulation, setting->noise);
		simulation_draw(simulation, simulation->candidate, setting->noise, ratios);
		comparison = simulation_compare(simulation, threshold);
		counts.slower_runs += comparison->counts[BENCH_SLOWER] > 0;
		/* Of single values the first night is a suspicion. */
		counts.slower += comparison->counts[BENCH_SLOWER] + comparison->counts[BENCH_SUSPECTED];
		counts.same += comparison->counts[BENCH_SAME];
		bench_compare_free(comparison);
	}
	return counts;
}

static int simulate_threshold(const struct setting *setting, struct simulation *simulation, double threshold,
			      size_t comparisons, const char *name)
{
	struct counts counts = compare(setting, simulation, threshold, 1, comparisons);
	char what[128];
	int failed;

	snprintf(what, sizeof(what), "%s, threshold %.0f%%: a false slower", name, 100 * threshold);
	failed = rate_within(what, counts.slower_runs, comparisons, 0, 0.01);
	printf("%-58s %6zu of %6zu\n", "  unchanged is same", counts.same, counts.metrics);
	counts = compare(setting, simulation, threshold, 1 + threshold, comparisons / 2);
	printf("%-58s %6zu of %6zu\n", "  a change of the threshold is same", counts.same, counts.metrics);
	snprintf(what, sizeof(what), "%s, threshold %.0f%%: that is same", name, 100 * threshold);
	/* The metrics of a run go up and down together: all of them count as one. */
	return failed + rate_within(what, counts.same / METRICS, comparisons / 2, 0, 0.05);
}

static int simulate(const struct setting *setting, struct simulation *simulation, double effect,
		    size_t comparisons)
{
	struct counts counts;
	char name[96], what[128];
	int failed = 0;

	simulation->run_deviation = effect;
	snprintf(name, sizeof(name), "%s, runs %.0f%%, %zu x %zu", noise_names[setting->noise], 100 * effect,
		 setting->runs, setting->invocations);
	for (size_t t = 0; t < sizeof(thresholds) / sizeof(thresholds[0]); t++)
		failed += simulate_threshold(setting, simulation, thresholds[t], comparisons, name);
	counts = compare(setting, simulation, 0.05, 3, 10);
	snprintf(what, sizeof(what), "%s: x3 is found", name);
	return failed + rate_within(what, counts.slower, counts.metrics, setting->blind ? 0 : 0.95, 1);
}

/*
 * Ten nights, of which the last `after` are on a level that was accepted. What the nights before have taught
 * is not lost: is the next night judged as well as any?
 */
static int simulate_accepted(double effect, size_t after, size_t comparisons)
{
	const struct bench_accepted accepted = {"*", 1900 - 100 * (int64_t)(after - 1), "checked for NaN",
						false};
	struct simulation simulation;
	double ratios[METRICS];
	size_t slower = 0, same = 0;
	char what[96];

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = 1.3;
	simulation_start_pooled(&simulation, METRICS, 10, 10, 10, 950 + after);
	simulation.run_deviation = effect;
	simulation.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD;
	simulation.accepted = &accepted;
	for (size_t r = 0; r < 10; r++)
		simulation.base[r]->started = 1000 + 100 * (int64_t)r;
	simulation.candidate->started = 2000;
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(&simulation, NOISE_LOGNORMAL);
		for (size_t r = 10 - after; r < 10; r++)
			simulation_draw(&simulation, simulation.base[r], NOISE_LOGNORMAL, ratios);
		simulation_draw(&simulation, simulation.candidate, NOISE_LOGNORMAL, ratios);
		comparison = simulation_compare(&simulation, 0.05);
		slower += comparison->counts[BENCH_SLOWER] > 0;
		same += comparison->counts[BENCH_SAME];
		bench_compare_free(comparison);
	}
	simulation_end(&simulation);
	snprintf(what, sizeof(what), "runs %.0f%%, %zu nights after an accepted shift: a false slower",
		 100 * effect, after);
	printf("%-58s %6zu of %6zu\n", "  unchanged is same", same, METRICS * comparisons);
	return rate_within(what, slower, comparisons, 0, 0.01);
}

int main(int argc, char **argv)
{
	static const struct setting settings[] = {
		{NOISE_LOGNORMAL, 1, 10, false},  {NOISE_LOGNORMAL, 2, 10, false},
		{NOISE_LOGNORMAL, 3, 10, false},  {NOISE_LOGNORMAL, 5, 10, false},
		{NOISE_LOGNORMAL, 10, 10, false}, {NOISE_HEAVY, 1, 10, false},
		{NOISE_TWO_PEAKS, 1, 10, false},  {NOISE_TWO_PEAKS, 3, 10, false},
		{NOISE_TWO_PEAKS, 5, 10, true},   {NOISE_LOGNORMAL, 15, 1, false},
		{NOISE_LOGNORMAL, 10, 1, false},  {NOISE_LOGNORMAL, 20, 1, false},
		{NOISE_LOGNORMAL, 10, 3, false},  {NOISE_TWO_PEAKS, 10, 10, true},
		{NOISE_STEPS, 10, 10, false},     {NOISE_STEPS, 5, 10, false},
	};
	const size_t count = sizeof(settings) / sizeof(settings[0]);
	size_t only = argc == 3 ? (size_t)strtoul(argv[2], NULL, 10) : count;
	size_t comparisons = argc >= 2 ? (size_t)strtoul(argv[1], NULL, 10) : QUICK;
	size_t kinds = argc >= 2 ? sizeof(effects) / sizeof(effects[0]) : 2;
	int failed = 0;

	for (size_t after = 1; only == count && after <= 6; after += 2)
		failed += simulate_accepted(0.01, after, comparisons) +
			  simulate_accepted(0.03, after, comparisons);
	for (size_t i = 0; i < count; i++) {
		struct simulation simulation;

		if (only != count && only != i)
			continue;
		simulation_start_pooled(&simulation, METRICS, settings[i].runs, settings[i].invocations,
					settings[i].invocations, 900 + i);
		simulation.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD;
		for (size_t e = 0; e < kinds; e++)
			failed += simulate(&settings[i], &simulation, effects[e], comparisons);
		simulation_end(&simulation);
	}
	return failed ? 1 : 0;
}

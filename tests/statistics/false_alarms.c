/* SPDX-License-Identifier: MIT */
/*
 * How often does a comparison of unchanged code cry wolf? Whole runs of 20 metrics; one
 * metric called slower makes the comparison a false alarm. The threshold is 0 here, so that
 * the significance test stands alone: any other threshold only takes alarms away.
 *
 * false_alarms [I]: all settings, or the I-th.
 */
#include <stdio.h>
#include <stdlib.h>

#include "statistics/simulate.h"

enum { METRICS = 20, COMPARISONS = 3000 };

static int false_alarms(enum noise noise, size_t base_invocations, size_t invocations)
{
	struct simulation simulation;
	size_t slower = 0, changed = 0;
	char what[96];
	int failed;

	simulation_start(&simulation, METRICS, base_invocations, invocations, 100 + noise);
	for (int i = 0; i < COMPARISONS; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(&simulation, noise);
		simulation_draw(&simulation, simulation.candidate, noise, NULL);
		comparison = simulation_compare(&simulation, 0);
		slower += comparison->counts[BENCH_SLOWER] > 0;
		changed += comparison->counts[BENCH_SLOWER] + comparison->counts[BENCH_FASTER] > 0;
		bench_compare_free(comparison);
	}
	snprintf(what, sizeof(what), "%s, %zu against %zu: a false slower", noise_names[noise],
		 base_invocations, invocations);
	failed = rate_at_most(what, slower, COMPARISONS, 0.01);
	printf("%-58s %6zu of %6d\n", "  a false slower or faster", changed, COMPARISONS);
	simulation_end(&simulation);
	return failed;
}

int main(int argc, char **argv)
{
	static const struct {
		enum noise noise;
		size_t base_invocations, invocations;
	} settings[] = {{NOISE_LOGNORMAL, 10, 10},
			{NOISE_HEAVY, 10, 10},
			{NOISE_TWO_PEAKS, 10, 10},
			{NOISE_SHARED, 10, 10},
			{NOISE_HEAVY, 30, 8}};
	const size_t count = sizeof(settings) / sizeof(settings[0]);
	size_t only = argc == 2 ? (size_t)strtoul(argv[1], NULL, 10) : count;
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		if (only == count || only == i)
			failed += false_alarms(settings[i].noise, settings[i].base_invocations,
					       settings[i].invocations);
	return failed ? 1 : 0;
}

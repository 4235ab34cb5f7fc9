/* SPDX-License-Identifier: MIT */
/*
 * How often is a slowdown found that is there? Whole runs of 20 metrics, two of which are
 * slower by a given amount, or by the MDE that a comparison of unchanged code had stated.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "statistics/simulate.h"

enum { METRICS = 20 };

/* Slowdowns of a given size, and what becomes of the metrics beside them. */
static int slowdowns_found(enum noise noise, size_t invocations, double ratio, size_t comparisons)
{
	struct simulation simulation;
	double ratios[METRICS];
	size_t found = 0, same = 0, wrong = 0, slowed = 2;
	char what[96];
	int failed = 0;

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = m < slowed ? ratio : 1;
	simulation_start(&simulation, METRICS, invocations, invocations, 200 + noise);
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(&simulation, noise);
		simulation_draw(&simulation, simulation.candidate, noise, ratios);
		comparison = simulation_compare(&simulation, 0.05);
		for (size_t m = 0; m < METRICS; m++) {
			enum bench_verdict_kind kind = simulation_verdict(comparison, m)->kind;

			found += m < slowed && kind == BENCH_SLOWER;
			same += m >= slowed && kind == BENCH_SAME;
			wrong += m >= slowed && kind == BENCH_SLOWER;
		}
		bench_compare_free(comparison);
	}
	snprintf(what, sizeof(what), "%s, %zu a side: %.0f%% slower is found", noise_names[noise],
		 invocations, 100 * (ratio - 1));
	failed += rate_at_least(what, found, slowed * comparisons, 0.95);
	printf("%-58s %6zu of %6zu, %zu slower\n", "  unchanged beside it is same", same,
	       (METRICS - slowed) * comparisons, wrong);
	simulation_end(&simulation);
	return failed;
}

/* As if it were the only one that changed: with others, Holm's correction would be milder. */
static bool found_alone(const struct bench_verdict *verdict)
{
	return verdict->p * METRICS <= 0.01 && verdict->ratio >= 1 + verdict->threshold;
}

/*
 * The baseline stays, as it does in practice: a comparison with unchanged code states an
 * MDE for each metric; then fresh invocations of the candidate are slower by just that.
 */
static int mde_found(enum noise noise, size_t invocations, size_t comparisons)
{
	struct simulation simulation;
	size_t found = 0, stated = 0;
	double total = 0, ratios[METRICS];
	char what[96];
	int failed;

	simulation_start(&simulation, METRICS, invocations, invocations, 300 + noise);
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(&simulation, noise);
		simulation_draw(&simulation, simulation.candidate, noise, NULL);
		comparison = simulation_compare(&simulation, 0.05);
		for (size_t m = 0; m < METRICS; m++) {
			ratios[m] = 1 + simulation_verdict(comparison, m)->mde;
			if (isnan(ratios[m]))
				continue;
			total += ratios[m] - 1;
			stated++;
		}
		bench_compare_free(comparison);
		simulation_draw(&simulation, simulation.candidate, noise, ratios);
		comparison = simulation_compare(&simulation, 0.05);
		for (size_t m = 0; m < METRICS; m++)
			found += found_alone(simulation_verdict(comparison, m));
		bench_compare_free(comparison);
	}
	snprintf(what, sizeof(what), "%s, %zu a side: the MDE (mean %.1f%%) is found", noise_names[noise],
		 invocations, 100 * total / (double)stated);
	failed = rate_at_least(what, found, stated, 0.95);
	simulation_end(&simulation);
	return failed;
}

int main(void)
{
	int failed = 0;

	failed += slowdowns_found(NOISE_LOGNORMAL, 10, 1.10, 250);
	failed += slowdowns_found(NOISE_LOGNORMAL, 10, 1.30, 250);
	failed += slowdowns_found(NOISE_HEAVY, 20, 1.30, 150);
	failed += mde_found(NOISE_LOGNORMAL, 8, 250);
	failed += mde_found(NOISE_LOGNORMAL, 10, 250);
	failed += mde_found(NOISE_LOUD, 8, 250);
	failed += mde_found(NOISE_LOUD, 10, 250);
	failed += mde_found(NOISE_LOUD, 30, 250);
	failed += mde_found(NOISE_HEAVY, 10, 250);
	failed += mde_found(NOISE_HEAVY, 20, 250);
	failed += mde_found(NOISE_TWO_PEAKS, 10, 250);
	failed += mde_found(NOISE_TWO_PEAKS, 20, 250);
	failed += mde_found(NOISE_STEPS, 10, 250);
	failed += mde_found(NOISE_STEPS, 20, 250);
	failed += mde_found(NOISE_COARSE, 10, 250);
	failed += mde_found(NOISE_COARSE, 20, 250);
	return failed ? 1 : 0;
}

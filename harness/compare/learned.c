/*
 * Thresholds that a metric's own history teaches.
 *
 * The rank test takes the invocations of several runs as exchangeable. They are not where
 * runs of the same code differ, by the memory that they got, the temperature, the neighbours of
 * that night: then a new run's invocations all lie off to one side, and a test of them
 * finds what is no change. A change must therefore also be larger than what a new run of the same
 * code goes by itself, by its history: a prediction interval for the center of one more run, at
 * the same corrected level as the test. With N runs it has N - 1 degrees of freedom, and is wide
 * where N is 5; ten runs halve it.
 */
#include <math.h>

#include "compare/parts.h"

enum { FEWEST_RUNS = 5 };

struct bench_learned bench_compare_learn(struct bench_judge *judge, const struct bench_pairing *pairing)
{
	struct bench_components components;
	double runs = (double)pairing->run_count;

	if (pairing->run_count < FEWEST_RUNS)
		return (struct bench_learned){0};
	components = bench_stats_components(pairing->base.medians, pairing->run_sizes, pairing->run_count,
					    pairing->candidate.count);
	if (isnan(components.ahead))
		return (struct bench_learned){0};
	if (judge->freedom != components.freedom) {
		double alpha = judge->comparison->options.alpha / judge->tests;

		judge->freedom = components.freedom;
		judge->quantile = bench_stats_student_quantile(1 - 0.5 * alpha, judge->freedom);
		judge->power_quantile = bench_stats_student_quantile(BENCH_AIMED_POWER, judge->freedom);
	}
	return (struct bench_learned){.edge = judge->quantile * components.ahead,
				      .drift =
					      judge->power_quantile * components.between * sqrt(1 + 1 / runs),
				      .runs = pairing->run_count};
}

/* SPDX-License-Identifier: MIT */
/*
 * Do intervals hold what they state, and is `same` as seldom wrong as it says? An interval
 * is to cover the truth at its own stated level: less would be a lie, much more a waste.
 */
#include <math.h>
#include <stdio.h>

#include "statistics/simulate.h"
#include "stats/stats.h"

enum { MOST = 40 };

enum shape { NORMAL, TWO_PEAKS, STRAGGLERS };
static const char *const shape_names[] = {"normal", "two peaks", "stragglers"};

static void draw(struct bench_rng *rng, enum shape shape, double center, double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = center + 0.01 * bench_rng_normal(rng);

		if (shape == TWO_PEAKS)
			value += bench_rng_uniform(rng) < 0.5 ? -0.07 : 0.33;
		if (shape == STRAGGLERS && bench_rng_uniform(rng) < 0.05)
			value += 0.63;
		values[i] = value;
	}
}

static int shift_covered(enum shape shape, size_t a_count, size_t b_count, double level)
{
	const size_t trials = 4000;
	const double truth = 0.05;
	struct bench_rng rng;
	double a[MOST], b[MOST], stated = 0;
	size_t covered = 0;
	char what[96];

	bench_rng_start(&rng, 20261120, 400 + shape);
	for (size_t i = 0; i < trials; i++) {
		struct bench_interval shift;

		draw(&rng, shape, 1, a, a_count);
		draw(&rng, shape, 1 + truth, b, b_count);
		shift = bench_stats_shift(a, a_count, b, b_count, level);
		covered += shift.lo <= truth && truth <= shift.hi;
		stated = shift.level;
	}
	snprintf(what, sizeof(what), "%s, %zu against %zu: shift interval covers", shape_names[shape],
		 a_count, b_count);
	return rate_within(what, covered, trials, stated, stated);
}

static int median_covered(size_t count, double level)
{
	const size_t trials = 4000;
	struct bench_rng rng;
	double values[MOST], stated = 0;
	size_t covered = 0;
	char what[96];

	bench_rng_start(&rng, 20261120, 500 + count);
	for (size_t i = 0; i < trials; i++) {
		struct bench_interval median;

		draw(&rng, NORMAL, 1, values, count);
		median = bench_stats_median_interval(values, count, level);
		covered += median.lo <= 1 && 1 <= median.hi;
		stated = median.level;
	}
	snprintf(what, sizeof(what), "%zu values: median interval covers", count);
	return rate_within(what, covered, trials, stated, stated);
}

/* Of values that each resemble the one before: the promise is two points less than the level. */
static int series_covered(size_t count, double correlation)
{
	const size_t trials = 3000;
	struct bench_rng rng;
	double values[100], last = 0, width = 0;
	size_t covered = 0;
	char what[96];

	bench_rng_start(&rng, 20261120, 550 + count);
	for (size_t i = 0; i < trials; i++) {
		struct bench_interval median;

		for (size_t j = 0; j < count; j++) {
			double normal = bench_rng_normal(&rng);

			last = j == 0 ? normal
				      : correlation * last + sqrt(1 - correlation * correlation) * normal;
			values[j] = last;
		}
		median = bench_stats_series_interval(values, count, 0.9);
		covered += median.lo <= 0 && 0 <= median.hi;
		width += (median.hi - median.lo) / (double)trials;
	}
	snprintf(what, sizeof(what), "%zu values, AR(1) %.1f: 90%% interval, %.2f wide, covers", count,
		 correlation, width);
	return rate_within(what, covered, trials, 0.88, 1);
}

/* A change of exactly the threshold is the hardest that must not pass as same. */
static int wrongly_same(size_t invocations)
{
	enum { METRICS = 20 };
	const size_t comparisons = 150;
	struct simulation simulation;
	double ratios[METRICS];
	size_t same = 0;
	char what[96];

	for (size_t m = 0; m < METRICS; m++)
		ratios[m] = 1.05;
	simulation_start(&simulation, METRICS, invocations, invocations, 600);
	for (size_t i = 0; i < comparisons; i++) {
		struct bench_comparison *comparison;

		simulation_draw_base(&simulation, NOISE_LOGNORMAL);
		simulation_draw(&simulation, simulation.candidate, NOISE_LOGNORMAL, ratios);
		comparison = simulation_compare(&simulation, 0.05);
		same += comparison->counts[BENCH_SAME];
		bench_compare_free(comparison);
	}
	simulation_end(&simulation);
	snprintf(what, sizeof(what), "lognormal 1%%, %zu a side: 5%% slower passes as same", invocations);
	return rate_within(what, same, METRICS * comparisons, 0, 0.05);
}

/* Distributions with one peak, from the flattest to the most skewed: how often is a second one seen? */
static int false_peaks(size_t count)
{
	static const char *const names[] = {"uniform", "normal", "exponential"};
	const size_t trials = 3000;
	struct bench_rng rng;
	double values[MOST];
	char what[96];
	int failed = 0;

	bench_rng_start(&rng, 20261120, 650);
	for (int shape = 0; shape < 3; shape++) {
		size_t called = 0;

		for (size_t i = 0; i < trials; i++) {
			struct bench_peaks peaks;

			for (size_t j = 0; j < count; j++)
				values[j] = shape == 1 ? bench_rng_normal(&rng) : bench_rng_uniform(&rng);
			for (size_t j = 0; shape == 2 && j < count; j++)
				values[j] = -log1p(-values[j]);
			called += bench_stats_two_peaks(values, count, &peaks);
		}
		snprintf(what, sizeof(what), "%s, %zu values: called two peaks", names[shape], count);
		failed += rate_within(what, called, trials, 0, 0.01);
	}
	return failed;
}

/* Two peaks, each with 1% of noise and 10% apart, 4 to 6: how often are they seen? */
static int peaks_found(size_t count)
{
	const size_t trials = 2000;
	struct bench_rng rng;
	double values[MOST];
	size_t found = 0;
	char what[96];

	bench_rng_start(&rng, 20261120, 660);
	for (size_t i = 0; i < trials; i++) {
		struct bench_peaks peaks;

		for (size_t j = 0; j < count; j++)
			values[j] = 0.01 * bench_rng_normal(&rng) + (j % 5 < 2 ? 0.1 : 0);
		found += bench_stats_two_peaks(values, count, &peaks);
	}
	snprintf(what, sizeof(what), "two peaks 10%% apart, %zu values: seen", count);
	return rate_at_least(what, found, trials, 0.95);
}

int main(void)
{
	int failed = 0;

	for (size_t count = 8; count <= MOST; count = count * 3 / 2) {
		failed += false_peaks(count);
		/* Of eight, half a dozen may lie together by chance. */
		failed += count < 12 ? 0 : peaks_found(count);
	}
	for (int shape = NORMAL; shape <= STRAGGLERS; shape++) {
		failed += shift_covered((enum shape)shape, 10, 10, 0.9);
		failed += shift_covered((enum shape)shape, 10, 10, 0.9995);
		failed += shift_covered((enum shape)shape, 30, 5, 0.95);
		failed += shift_covered((enum shape)shape, 40, 40, 0.99);
		failed += shift_covered((enum shape)shape, 3, 3, 0.9);
	}
	for (size_t count = 5; count <= MOST; count += 7)
		failed += median_covered(count, 0.95);
	for (int tenths = 0; tenths <= 8; tenths += tenths ? 3 : 5) {
		failed += series_covered(20, 0.1 * tenths);
		failed += series_covered(32, 0.1 * tenths);
		failed += series_covered(100, 0.1 * tenths);
	}
	failed += wrongly_same(4);
	failed += wrongly_same(10);
	return failed ? 1 : 0;
}

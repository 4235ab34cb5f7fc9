#include "statistics/simulate.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/made_run.h"

const char *const noise_names[NOISES] = {"lognormal 1%", "heavy tail", "two peaks", "shared heavy tail",
					 "lognormal 5%"};

static struct bench_run *blank_run(const char *id, size_t metrics, size_t invocations)
{
	struct bench_run *run = made_run(id);
	double *ones = calloc(invocations, sizeof(*ones));

	for (size_t m = 0; m < metrics; m++)
		made_metric(run, made_case(run, (unsigned)m), "time", BENCH_BETTER_LOWER, ones, invocations);
	free(ones);
	return run;
}

void simulation_start(struct simulation *simulation, size_t metrics, size_t base_invocations,
		      size_t invocations, uint64_t stream)
{
	simulation->metrics = metrics;
	simulation->base_invocations = base_invocations;
	simulation->invocations = invocations;
	simulation->base = blank_run("base", metrics, base_invocations);
	simulation->candidate = blank_run("candidate", metrics, invocations);
	bench_rng_start(&simulation->rng, 20261120, stream);
}

void simulation_end(struct simulation *simulation)
{
	bench_run_free(simulation->base);
	bench_run_free(simulation->candidate);
}

static double draw(struct bench_rng *rng, enum noise noise, bool disturbed)
{
	double value = 1e-3 * exp((noise == NOISE_LOUD ? 0.05 : 0.01) * bench_rng_normal(rng));

	if (noise == NOISE_TWO_PEAKS)
		value *= bench_rng_uniform(rng) < 0.5 ? 0.93 : 1.39;
	if (noise == NOISE_SHARED ? disturbed : noise == NOISE_HEAVY && bench_rng_uniform(rng) < 0.05)
		value *= 1.87;
	return value;
}

void simulation_draw(struct simulation *simulation, struct bench_run *run, enum noise noise,
		     const double *ratios)
{
	size_t invocations = run->results[0].metrics[0].series_count;

	for (size_t i = 0; i < invocations; i++) {
		bool disturbed = bench_rng_uniform(&simulation->rng) < 0.05;

		for (size_t m = 0; m < simulation->metrics; m++) {
			struct bench_series *series = &run->results[m].metrics[0].series[i];

			series->values[0] =
				draw(&simulation->rng, noise, disturbed) * (ratios ? ratios[m] : 1);
			series->count = 1;
		}
	}
}

struct bench_comparison *simulation_compare(const struct simulation *simulation, double threshold)
{
	const struct bench_run *base[] = {simulation->base};
	struct bench_compare_options options = {.threshold = threshold, .alpha = 0.01};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	if (bench_compare(base, 1, "base", simulation->candidate, &options, &comparison, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return comparison;
}

const struct bench_verdict *simulation_verdict(const struct bench_comparison *comparison, size_t metric)
{
	char key[64];

	snprintf(key, sizeof(key), "gemm/openblas:cpu/n=%zu/time", metric);
	return bench_comparison_find(comparison, key);
}

/* P(at most `hits` of `trials`) where each has probability p. */
static double binomial_cdf(size_t hits, size_t trials, double p)
{
	double sum = 0, n = (double)trials;

	for (size_t k = 0; k <= hits; k++) {
		double x = (double)k;

		sum += exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(p) +
			   (n - x) * log1p(-p));
	}
	return sum;
}

/* The probability above which at most so many hits have less than `error` of a chance. */
static double upper_bound(size_t hits, size_t trials, double error)
{
	double lo = 0, hi = 1;

	if (hits >= trials)
		return 1;
	for (int i = 0; i < 50; i++) {
		double middle = 0.5 * (lo + hi);

		if (binomial_cdf(hits, trials, middle) > error)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

static double lower_bound(size_t hits, size_t trials, double error)
{
	return 1 - upper_bound(trials - hits, trials, error);
}

static int report(const char *what, size_t hits, size_t trials, const char *sign, double bound, bool kept)
{
	printf("%-58s %6zu of %6zu = %7.3f%%  (%s %.3f%% at 95%%)%s\n", what, hits, trials,
	       100 * (double)hits / (double)trials, sign, 100 * bound, kept ? "" : "  NOT KEPT");
	return kept ? 0 : 1;
}

int rate_at_most(const char *what, size_t hits, size_t trials, double limit)
{
	double bound = upper_bound(hits, trials, 0.05);

	return report(what, hits, trials, "<=", bound, bound <= limit);
}

int rate_within(const char *what, size_t hits, size_t trials, double low, double high)
{
	bool kept = upper_bound(hits, trials, 0.001) >= low && lower_bound(hits, trials, 0.001) <= high;

	printf("%-58s %6zu of %6zu = %7.3f%%  (stated: %.3f..%.3f%%)%s\n", what, hits, trials,
	       100 * (double)hits / (double)trials, 100 * low, 100 * high, kept ? "" : "  NOT KEPT");
	return kept ? 0 : 1;
}

int rate_at_least(const char *what, size_t hits, size_t trials, double limit)
{
	double bound = lower_bound(hits, trials, 0.05);

	return report(what, hits, trials, ">=", bound, bound >= limit);
}

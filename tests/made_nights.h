/* SPDX-License-Identifier: MIT */
/* Nights of a gate, made up, for what reads long histories: make_history and measure_scale. */
#ifndef TESTS_MADE_NIGHTS_H
#define TESTS_MADE_NIGHTS_H

#include <math.h>

#include "kit/rng.h"
#include "record/record.h"
#include "unit/made_run.h"

/* What each run has: a case of suite gemm a metric, with its time, of which two rates are derived. */
struct made_nights {
	unsigned metrics, nights, invocations;
	unsigned least_samples, most_samples; /* of an invocation */
	bool first_call;                      /* and the time of the first call */
	struct bench_rng rng;
};

/* As the sampler has it: whole nanoseconds over the iterations of a sample. */
static inline double made_sample(double seconds, double iterations)
{
	return (double)llround(seconds * iterations * 1e9) * 1e-9 / iterations;
}

/* Facts of a host and of its libraries, as many as a run records. */
static inline void made_facts(struct bench_run *run)
{
	char name[24];

	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "fact_%d", i);
		made_host(run, name, "a value as long as most of them are");
	}
	made_host(run, "executable", run->id);
}

/* A machine on which little else runs. */
static inline void made_watched(struct made_nights *nights, struct bench_run *run,
				struct bench_result *result)
{
	struct bench_rng *rng = &nights->rng;

	/* The watch tells four digits. */
	result->watched = bench_arena_alloc(&run->arena, nights->invocations, sizeof(*result->watched));
	result->watched_count = result->watched_room = nights->invocations;
	for (unsigned i = 0; i < nights->invocations; i++)
		result->watched[i] = (struct bench_watched){
			.invocation = (int)i,
			.canary = made_sample(1e-4 * exp(0.01 * bench_rng_normal(rng)), 1),
			.canary_worst = round(1e4 + 1e3 * bench_rng_uniform(rng)) / 1e4,
			.others = round(2e2 * bench_rng_uniform(rng)) / 1e4,
			.frequency = 3e9,
			.device = bench_arena_string(&run->arena, ""),
		};
}

/* Lognormal noise of 2% between invocations, and 0.5% between samples, which last two milliseconds or more.
 */
static inline void made_series(struct made_nights *nights, struct bench_run *run, struct bench_series *series,
			       double level)
{
	struct bench_rng *rng = &nights->rng;
	double middle = level * exp(0.02 * bench_rng_normal(rng)), iterations = ceil(2.2e-3 / middle);

	series->count = nights->least_samples +
			(size_t)bench_rng_below(rng, nights->most_samples + 1 - nights->least_samples);
	series->values = bench_arena_alloc(&run->arena, series->count, sizeof(double));
	for (size_t s = 0; s < series->count; s++)
		series->values[s] = made_sample(middle * exp(0.005 * bench_rng_normal(rng)), iterations);
}

/* Metric m on a night; every tenth has a step of 10% at a night of its own. */
static inline void made_timed_case(struct made_nights *nights, struct bench_run *run, unsigned m,
				   unsigned night)
{
	struct bench_result *result = made_case(run, m);
	double *first = bench_arena_alloc(&run->arena, nights->invocations, sizeof(*first));
	double level = 1e-3 * (1 + m % 7) / (1 + 100 * (m % 3));
	struct bench_metric *metric;

	if (m % 10 == 0 && night >= (m * 37 + 20) % nights->nights)
		level *= 1.1;
	result->work = (struct bench_work){.flops = 1e9, .bytes = 1e6};
	result->repeat = bench_arena_format(&run->arena, "bench run --suite gemm --set n=%u", m);
	result->stopped = bench_arena_string(&run->arena, "precision");
	made_watched(nights, run, result);
	for (unsigned i = 0; i < nights->invocations; i++)
		first[i] = made_sample(3 * level * exp(0.1 * bench_rng_normal(&nights->rng)), 1);
	if (nights->first_call) {
		metric =
			made_metric(run, result, "first_call", BENCH_BETTER_NONE, first, nights->invocations);
		for (unsigned i = 0; i < nights->invocations; i++) {
			metric->series[i].values = &first[i];
			metric->series[i].count = 1;
		}
	}
	metric = made_metric(run, result, "time", BENCH_BETTER_LOWER, first, nights->invocations);
	for (unsigned i = 0; i < nights->invocations; i++)
		made_series(nights, run, &metric->series[i], level);
}

/* A night, to be freed with bench_record_free. Call it for one night after the other. */
static inline struct bench_run *made_night(struct made_nights *nights, unsigned night)
{
	enum { NIGHT_SECONDS = 86400, FIRST_NIGHT = 1735693200 };
	char id[32];

	snprintf(id, sizeof(id), "night-%04u", night);
	struct bench_run *run = made_run(id);
	run->started = FIRST_NIGHT + (int64_t)night * NIGHT_SECONDS;
	run->finished = run->started + 600;
	run->invocations = nights->invocations;
	run->git.present = true;
	run->git.commit = bench_arena_format(&run->arena, "%040u", night);
	made_facts(run);
	for (unsigned m = 0; m < nights->metrics; m++)
		made_timed_case(nights, run, m, night);
	bench_record_finalise(run);
	return run;
}

#endif

/*
 * Makes a history of a year, to time what reads it (scripts/evaluate_history):
 *
 *     make_history DB [METRICS [RUNS]]       500 and 366 take a minute or two, and 2 GB
 *
 * A run a night, of METRICS cases with a time each, of 8 invocations with 10 samples; every tenth metric has
 * a step of 10% at a night of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"
#include "kit/rng.h"
#include "record/record.h"
#include "store/store.h"
#include "unit/made_run.h"

enum { INVOCATIONS = 8, SAMPLES = 10, NIGHT_SECONDS = 86400, FIRST_NIGHT = 1735693200 };

/* Facts of a host and of its libraries, as many as a run records. */
static void add_facts(struct bench_run *run)
{
	char name[24];

	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "fact_%d", i);
		made_host(run, name, "a value as long as most of them are");
	}
	made_host(run, "executable", run->id);
}

static void add_watched(struct bench_run *run, struct bench_result *result)
{
	result->watched = bench_arena_alloc(&run->arena, INVOCATIONS, sizeof(*result->watched));
	result->watched_count = result->watched_room = INVOCATIONS;
	for (int i = 0; i < INVOCATIONS; i++)
		result->watched[i] = (struct bench_watched){
			.invocation = i, .canary = 1e-3, .canary_worst = 1, .frequency = 3e9};
}

/* Metric m on a night: lognormal noise of 2% between invocations, and 0.5% between samples. */
static void add_case(struct bench_run *run, unsigned m, unsigned night, unsigned nights,
		     struct bench_rng *rng)
{
	struct bench_result *result = made_case(run, m);
	double medians[INVOCATIONS] = {0}, level = 1e-3 * (1 + m % 7);
	struct bench_metric *metric;

	if (m % 10 == 0 && night >= (m * 37 + 20) % nights)
		level *= 1.1;
	result->work = (struct bench_work){.flops = 1e9, .bytes = 1e6};
	result->repeat = bench_arena_format(&run->arena, "bench run --suite gemm --set n=%u", m);
	add_watched(run, result);
	metric = made_metric(run, result, "time", BENCH_BETTER_LOWER, medians, INVOCATIONS);
	for (size_t i = 0; i < INVOCATIONS; i++) {
		double middle = level * exp(0.02 * bench_rng_normal(rng));

		metric->series[i].values = bench_arena_alloc(&run->arena, SAMPLES, sizeof(double));
		metric->series[i].count = SAMPLES;
		for (size_t s = 0; s < SAMPLES; s++)
			metric->series[i].values[s] = middle * exp(0.005 * bench_rng_normal(rng));
	}
}

static struct bench_run *make_night(unsigned night, unsigned nights, unsigned metrics, struct bench_rng *rng)
{
	char id[32];

	snprintf(id, sizeof(id), "night-%04u", night);
	struct bench_run *run = made_run(id);
	run->started = FIRST_NIGHT + (int64_t)night * NIGHT_SECONDS;
	run->finished = run->started + 600;
	run->invocations = INVOCATIONS;
	run->git.present = true;
	run->git.commit = bench_arena_format(&run->arena, "%040u", night);
	add_facts(run);
	for (unsigned m = 0; m < metrics; m++)
		add_case(run, m, night, nights, rng);
	bench_record_finalise(run);
	return run;
}

int main(int argc, char **argv)
{
	unsigned metrics = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 500;
	unsigned nights = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 366;
	struct bench_store *store = NULL;
	struct bench_error error;
	struct bench_rng rng;
	int result = -1;

	if (argc < 2 || metrics == 0 || nights == 0) {
		fprintf(stderr, "usage: make_history DB [METRICS [RUNS]]\n");
		return 2;
	}
	bench_rng_start(&rng, 20261123, 1);
	if (bench_store_open(argv[1], BENCH_STORE_WRITE, &store, &error) == 0)
		result = 0;
	for (unsigned night = 0; result == 0 && night < nights; night++) {
		struct bench_run *run = make_night(night, nights, metrics, &rng);
		bool added;

		result = bench_store_ingest(store, run, &added, &error);
		bench_record_free(run);
	}
	if (result != 0)
		fprintf(stderr, "make_history: %s\n", error.text);
	bench_store_close(store);
	return result == 0 ? 0 : 1;
}

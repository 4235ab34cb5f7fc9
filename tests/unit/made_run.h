/* SPDX-License-Identifier: MIT */
/* Runs built by hand, for tests of what is made of them. */
#ifndef TESTS_UNIT_MADE_RUN_H
#define TESTS_UNIT_MADE_RUN_H

#include <stdio.h>
#include <stdlib.h>

#include "record/record.h"

static inline void made_word(struct bench_run *run, char ***words, size_t *count, const char *word)
{
	char **slot = bench_arena_push(&run->arena, words, count, sizeof(*slot));

	*slot = bench_arena_string(&run->arena, word);
}

static inline void made_host(struct bench_run *run, const char *name, const char *value)
{
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, name, value);
}

/* A device, also among the selection's targets. Valid until the next one. */
static inline struct bench_device_record *made_device(struct bench_run *run, const char *backend,
						      const char *slug)
{
	struct bench_device_record *device =
		bench_arena_push(&run->arena, &run->devices, &run->device_count, sizeof(*device));

	device->backend = bench_arena_string(&run->arena, backend);
	snprintf(device->info.slug, sizeof(device->info.slug), "%s", slug);
	snprintf(device->info.driver, sizeof(device->info.driver), "3.1");
	made_word(run, &run->selection.targets, &run->selection.target_count,
		  bench_arena_format(&run->arena, "%s:%s", backend, slug));
	return device;
}

/*
 * A finished run of suite "gemm" on openblas:cpu with preset nightly, in a plausible
 * environment, without results. The caller frees it with bench_record_free.
 */
static inline struct bench_run *made_run(const char *id)
{
	struct bench_run *run = bench_record_new();

	run->id = bench_arena_string(&run->arena, id);
	run->preset = bench_arena_string(&run->arena, "nightly");
	run->selection.backends = bench_arena_string(&run->arena, "");
	run->started = 1000;
	run->finished = 2000;
	made_word(run, &run->selection.suites, &run->selection.suite_count, "gemm");
	made_device(run, "openblas", "cpu");
	made_host(run, "fingerprint", "0123456789abcdef");
	made_host(run, "threads", "2");
	made_host(run, "build_type", "Release");
	made_host(run, "compiler", "GNU 12.2.0");
	return run;
}

/* A case with parameter n. What is not ok has "some reason". Valid until the next one. */
static inline struct bench_result *made_result(struct bench_run *run, const char *suite, const char *backend,
					       const char *device, unsigned n, enum bench_status status)
{
	char name[] = "n", value[16];
	const struct bench_attribute param = {name, value};
	struct bench_error cause;
	struct bench_result *result;

	snprintf(value, sizeof(value), "%u", n);
	result = bench_record_add_case(run, suite, backend, device, &param, 1, &cause);
	if (!result) {
		fprintf(stderr, "%s\n", cause.text);
		abort();
	}
	result->status = status;
	if (status != BENCH_STATUS_OK)
		result->reason = bench_arena_string(&run->arena, "some reason");
	return result;
}

/* One that is ok, of gemm on openblas:cpu. */
static inline struct bench_result *made_case(struct bench_run *run, unsigned n)
{
	return made_result(run, "gemm", "openblas", "cpu", n, BENCH_STATUS_OK);
}

/*
 * A metric with a series for each of `medians`: three samples of which that is the median
 * (values[1]). Unit s, or B/s where higher is better. Valid until the next one of the result.
 */
static inline struct bench_metric *made_metric(struct bench_run *run, struct bench_result *result,
					       const char *name, enum bench_better better,
					       const double *medians, size_t count)
{
	struct bench_metric *metric =
		bench_arena_push(&run->arena, &result->metrics, &result->metric_count, sizeof(*metric));

	metric->name = bench_arena_string(&run->arena, name);
	metric->unit = bench_arena_string(&run->arena, better == BENCH_BETTER_HIGHER ? "B/s" : "s");
	metric->derived_from = bench_arena_string(&run->arena, "");
	metric->better = better;
	metric->series = bench_arena_alloc(&run->arena, count + 1, sizeof(*metric->series));
	metric->series_count = count;
	for (size_t i = 0; i < count; i++) {
		double *values = bench_arena_alloc(&run->arena, 3, sizeof(*values));

		values[0] = medians[i] * 9; /* far off: the median does not see it */
		values[1] = medians[i];
		values[2] = medians[i] * 0.5;
		metric->series[i] = (struct bench_series){.invocation = (int)i, .values = values, .count = 3};
	}
	return metric;
}

#endif

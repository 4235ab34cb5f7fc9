/* SPDX-License-Identifier: MIT */
/*
 * The job: everything that a worker needs to know, and its only source. It travels as JSON, on the worker's
 * standard input.
 */
#ifndef BENCH_MEASURE_WORKER_JOB_H
#define BENCH_MEASURE_WORKER_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "bench/suite.h"
#include "core/arena.h"
#include "measure/worker/slowdown.h"
#include "plan/plan.h"

/*
 * Deliberate deviations from the defaults: values of tunables (tuning.h) and a slowdown (slowdown.h), as the
 * text that the user has in BENCH_TUNING and BENCH_SLOWDOWN. NULL: not given; "": the defaults, no slowdown.
 */
struct bench_overrides {
	const char *tuning, *slowdown;
};

struct bench_job {
	unsigned invocation;
	uint64_t seed;
	unsigned threads;   /* 0: all */
	bool names_threads; /* as do the keys of its cases */
	double precision, slice_seconds;
	double until_seconds;   /* of the machine's monotonic clock: sampling ends, slice or not; 0: no matter
				 */
	double canary_fastest;  /* seconds, of the fastest canary in the run so far; 0: none yet */
	unsigned least_samples; /* of each case; 0: as many as the slice holds */
	bool brief;             /* samples are as short as the slice asks for */
	bool cold;              /* caches are flushed before each sample */
	bool in_order;          /* rounds are not shuffled */
	bool paired;            /* a duel: it takes samples on command (segments.h), not by itself */
	bool observed;          /* beside a duel's times, what may explain them is observed (segments.h) */
	bool counters;          /* counters of the processor are read around each sample */
	bool energy;            /* measured in a window after the samples (window.h) */
	bool unwatched;         /* nothing watches whether the machine is disturbed */
	bool builds;            /* it makes the first calls alone, for the driver to keep their programs */
	bool stays;             /* the worker keeps its devices open, and waits for another job (serve.c) */
	const char
		*folder; /* of the run, for a worker that stays from one run to the next; NULL: it does not */
	const struct bench_suite *suite;
	struct bench_job_case {
		size_t index; /* of the case in the record */
		const struct bench_value *values;
		size_t value_count;
		size_t reference; /* index in `cases` of the one that it is a variant of; BENCH_NO_REFERENCE
				   */
		const struct bench_backend *backend; /* NULL: the host */
		size_t device;                       /* index in the backend's order */
		char slug[64];
		bool on_gpu; /* the driver's: in no text */
	} * cases;
	size_t case_count;
	struct bench_overrides overrides;
	const char *const *extensions; /* texts (extend/extend.h) */
	size_t extension_count;
	/* The overrides, parsed: bench_worker_job_from_json fills these in, and to_json ignores them. */
	struct bench_slowdown slowdown;
	struct bench_tuned *tuned;
	size_t tuned_count;
};

/* malloc'd text. */
char *bench_worker_job_to_json(const struct bench_job *job);
/* Adds the extensions of a job, without which its suite may not be known. Before it is read. */
int bench_worker_job_extend(const char *data, size_t length, struct bench_error *error);
/*
 * Everything lives in `arena`. Suites and backends are found by name in the tables. `unsaid` (may be NULL)
 * has the overrides for a job without any, as older versions write it.
 */
int bench_worker_job_from_json(const char *data, size_t length, const struct bench_suite *const *suites,
			       const struct bench_backend *const *backends,
			       const struct bench_overrides *unsaid, struct bench_arena *arena,
			       struct bench_job *job, struct bench_error *error);

#endif

/*
 * The worker: one invocation of one group of cases, in a process of its own. It opens the
 * targets, sets the cases up, checks them, samples them interleaved and checks them again,
 * and appends every event to samples.jsonl itself, so that nothing is lost if it, or the
 * process that started it, is killed.
 */
#ifndef BENCH_MEASURE_WORKER_WORKER_H
#define BENCH_MEASURE_WORKER_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "bench/suite.h"
#include "measure/worker/slowdown.h"
#include "plan/plan.h"

/* In shared memory: written by the worker, read by its parent. */
struct bench_pulse {
	atomic_long current; /* index in the record of the case at work; -1: none */
	atomic_ulong beats;  /* grows whenever something was done */
};

/* Descriptors that a worker finds open; the last only where it fights a duel (turns.h). */
enum { BENCH_WORKER_EVENTS = 3, BENCH_WORKER_PULSE = 4, BENCH_WORKER_TURNS = 5 };

#define BENCH_WORKER_DISK_FULL 5 /* exit status of one that cannot write its events */

/* What one worker is told. Travels as JSON between the processes (to_json, from_json). */
struct bench_job {
	unsigned invocation;
	uint64_t seed;
	unsigned threads; /* 0: all */
	double precision, slice_seconds;
	double canary_fastest; /* seconds, the fastest that the run has seen; 0: none yet */
	bool cold;             /* caches are flushed before each sample */
	bool in_order;         /* rounds are not shuffled */
	bool turns;            /* it takes its samples when it is told to (turns.h), not by itself */
	bool unwatched;        /* nothing looks whether the machine is disturbed */
	const struct bench_suite *suite;
	struct bench_job_case {
		size_t index; /* of the case in the record */
		const struct bench_value *values;
		size_t value_count;
		size_t base; /* index in `cases` of the one that it is a variant of; BENCH_NO_BASE */
		const struct bench_backend *backend; /* NULL: the host */
		size_t device;                       /* index in the backend's order */
		char slug[64];
	} * cases;
	size_t case_count;
	/* Of the worker's own environment: they do not travel. */
	struct bench_slowdown slowdown;
	struct bench_tuned *tuned;
	size_t tuned_count;
};

/* malloc'd text. */
char *bench_job_to_json(const struct bench_job *job);
/* Everything lives in `arena`. Suites and backends are found by name in the tables. */
int bench_job_from_json(const char *data, size_t length, const struct bench_suite *const *suites,
			const struct bench_backend *const *backends, struct bench_arena *arena,
			struct bench_job *job, struct bench_error *error);

struct bench_pin;

/*
 * Measures the job and appends its events to the file `events` (a descriptor opened with
 * O_APPEND), and its signs of life to `pulse`. What goes wrong with a case is an event of that case; -1 only
 * where events cannot be written. `pin`
 * was released before a backend was loaded, and is held while samples are taken.
 */
int bench_worker_run(const struct bench_job *job, const struct bench_pin *pin, int events,
		     struct bench_pulse *pulse, struct bench_error *error);

/* The main function of a worker process, as bench_session_run starts it. Returns the exit status. */
int bench_worker_main(const struct bench_suite *const *suites, const struct bench_backend *const *backends);

#endif

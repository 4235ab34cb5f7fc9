/*
 * The worker: one invocation of one group of cases, in a process of its own. It opens the
 * targets, sets the cases up, checks them, samples them interleaved and checks them again,
 * and appends every event to samples.jsonl itself, so that nothing is lost if it, or the
 * process that started it, is killed.
 */
#ifndef BENCH_MEASURE_WORKER_WORKER_H
#define BENCH_MEASURE_WORKER_WORKER_H

#include <stdatomic.h>

#include "bench/error.h"
#include "measure/worker/job.h"

/* In shared memory: written by the worker, read by its parent. */
struct bench_heartbeat {
	atomic_long current; /* index in the record of the case at work; -1: none */
	atomic_ulong beats;  /* grows whenever something has been done */
};

/* Descriptors that a worker finds open; the last only in a duel (segments.h). */
enum { BENCH_WORKER_EVENTS = 3, BENCH_WORKER_HEARTBEAT = 4, BENCH_WORKER_CHANNEL = 5 };

#define BENCH_WORKER_DISK_FULL 5 /* exit status of one that cannot write its events */

struct bench_pin;

/*
 * Measures the job and appends its events to the file `events` (a descriptor opened with
 * O_APPEND), and beats in `heartbeat`. What goes wrong with a case is an event of that case; -1 only if
 * events cannot be written. `pin` was released before a backend was loaded, and is held while samples are
 * taken.
 */
int bench_worker_run(const struct bench_job *job, const struct bench_pin *pin, int events,
		     struct bench_heartbeat *heartbeat, struct bench_error *error);

/*
 * All that a worker process does, as bench_session_run starts it: reads the job and runs it. `unsaid`: see
 * bench_worker_job_from_json. BENCH_USAGE if it was not started as a worker, or cannot understand the job;
 * BENCH_ENVIRONMENT if events cannot be written: the process should then exit with BENCH_WORKER_DISK_FULL.
 */
int bench_worker_serve(const struct bench_suite *const *suites, const struct bench_backend *const *backends,
		       const struct bench_overrides *unsaid, struct bench_error *error);

#endif

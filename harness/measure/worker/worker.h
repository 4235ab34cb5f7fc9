/* SPDX-License-Identifier: MIT */
/*
 * The worker: one invocation of one group of cases, in a fresh process or, if the job before says so, in that
 * of other groups. It opens the targets, sets the cases up, checks them, samples them interleaved and checks
 * them again. It appends every event to samples.jsonl itself, so that nothing is lost if it, or the process
 * that started it, is killed.
 */
#ifndef BENCH_MEASURE_WORKER_WORKER_H
#define BENCH_MEASURE_WORKER_WORKER_H

#include <stdatomic.h>

#include "bench/error.h"
#include "measure/worker/job.h"

/* What a worker is doing with the case that it is at. */
enum bench_phase {
	BENCH_PHASE_STARTING, /* no case has been reached; or the version is too old to tell */
	BENCH_PHASE_OPEN,
	BENCH_PHASE_SET_UP,
	BENCH_PHASE_PREPARE,
	BENCH_PHASE_FIRST_CALL,
	BENCH_PHASE_CHECK,
	BENCH_PHASE_FLUSH,
	BENCH_PHASE_SAMPLES,
	BENCH_PHASE_LAST_CHECK,
	BENCH_PHASE_REPORT,
	BENCH_PHASE_TEARDOWN,
	BENCH_PHASE_LEAVING, /* all cases have ended, and their events are written */
	BENCH_PHASES
};

/* "in its first call", ...; "" where it is not known. */
const char *bench_worker_phase_words(enum bench_phase phase);

/*
 * In shared memory, zeroed at first. The other program of a duel may be an older one, which knows the first
 * two members alone.
 */
struct bench_heartbeat {
	atomic_long current;  /* by the worker: index in the record of the case at work; -1: none */
	atomic_ulong beats;   /* by the worker: grows at the start and the end of every step */
	atomic_int phase;     /* by the worker: enum bench_phase */
	atomic_int unwritten; /* by the worker: errno of an event that could not be written; 0: all were */
	atomic_int parent;    /* by the parent: its process id; 0: not told */
};

/* Descriptors that a worker finds open; the last only in a duel (segments.h), or if it stays. */
enum { BENCH_WORKER_EVENTS = 3, BENCH_WORKER_HEARTBEAT = 4, BENCH_WORKER_CHANNEL = 5 };

/*
 * What a worker that stays and its parent say over the channel once a job is done. The next job is then the
 * worker's standard input. The worker leaves when the parent closes the channel.
 */
#define BENCH_WORKER_DONE "done"
#define BENCH_WORKER_NEXT "next"

/* The devices that a worker has listed and opened. {0} at first. */
struct bench_worker_devices {
	struct bench_arena arena;
	struct bench_worker_list { /* of a backend, once for all jobs: a driver takes milliseconds to tell */
		const struct bench_backend *backend;
		struct bench_device_info *infos;
		size_t count; /* 0: it has none */
	} * lists;
	size_t list_count;
	struct bench_worker_device {
		const struct bench_backend *backend;
		size_t index;                /* in the backend's order */
		struct bench_device *device; /* NULL: it could not be opened */
	} * all;
	size_t count;
	bool reused; /* they were opened for an earlier job */
};

struct bench_pin;

/*
 * Measures the job and appends its events to the file `events` (a descriptor opened with
 * O_APPEND), and beats in `heartbeat`. A case's failure is an event of that case; -1 only if events cannot be
 * written. `pin` was released before a backend was loaded, and is held while samples are taken. `devices`
 * stay open after a job that stays, without the memory that its cases took; else they are closed.
 */
int bench_worker_run(const struct bench_job *job, struct bench_worker_devices *devices,
		     const struct bench_pin *pin, int events, struct bench_heartbeat *heartbeat,
		     struct bench_error *error);
/* Closes them, and leaves {0}. */
void bench_worker_devices_close(struct bench_worker_devices *devices);

/*
 * All that a worker process does, as bench_session_run starts it: reads the job and runs it, then those that
 * follow a job that stays. `unsaid`: see bench_worker_job_from_json. BENCH_USAGE if it was not started as a
 * worker, or cannot understand the job; BENCH_ENVIRONMENT if events cannot be written, or the parent has
 * gone.
 */
int bench_worker_serve(const struct bench_suite *const *suites, const struct bench_backend *const *backends,
		       const struct bench_overrides *unsaid, struct bench_error *error);

/* Exit status of one that has no memory, for its own work or for the samples. */
#define BENCH_WORKER_NO_MEMORY 8

#endif

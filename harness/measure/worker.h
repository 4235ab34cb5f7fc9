/*
 * The worker: one invocation of one group of cases, in a process of its own. It opens the
 * targets, sets the cases up, checks them, samples them interleaved and checks them again,
 * and appends every event to samples.jsonl itself, so that nothing is lost if it, or the
 * process that started it, is killed.
 */
#ifndef BENCH_MEASURE_WORKER_H
#define BENCH_MEASURE_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "bench/suite.h"
#include "measure/plan.h"
#include "measure/process.h"

/* What one worker is told. Travels as JSON between the processes (to_json, from_json). */
struct bench_job {
	unsigned invocation;
	uint64_t seed;
	unsigned threads; /* 0: all */
	double precision, slice_seconds;
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
};

/* malloc'd text. */
char *bench_job_to_json(const struct bench_job *job);
/* Everything lives in `arena`. Suites and backends are found by name in the tables. */
int bench_job_from_json(const char *data, size_t length, const struct bench_suite *const *suites,
			const struct bench_backend *const *backends, struct bench_arena *arena,
			struct bench_job *job, struct bench_error *error);

/*
 * Measures the job and appends its events to the file `events` (a descriptor opened with
 * O_APPEND), and its signs of life to `pulse`. What goes wrong with a case is an event of that case; -1 only
 * where events cannot be written.
 */
int bench_worker_run(const struct bench_job *job, int events, struct bench_pulse *pulse,
		     struct bench_error *error);

#endif

/*
 * The rule for times, wherever they come from: a time that cannot be is not published. What is refused, and
 * whether it costs a sample or the case, is said in docs/measuring.md ("Times that cannot be").
 */
#ifndef BENCH_MEASURE_WORKER_TIMES_H
#define BENCH_MEASURE_WORKER_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/error.h"

/* A device's clock may run a little faster than the host's, and ticks more coarsely. */
#define BENCH_TIMES_DRIFT               0.01 /* of the time around it */
#define BENCH_TIMES_DEVICE_TICK_SECONDS 1e-6

/* Seconds between two readings of one clock; BENCH_FAILED where it went back. */
int bench_worker_times_between(uint64_t start_ns, uint64_t end_ns, double *seconds,
			       struct bench_error *error);

/* Is it a time that work may have taken: finite, and more than 0? */
bool bench_worker_times_is_possible(double seconds);

/* May a device have worked for `device_seconds` in a call that took `seconds`, end to end? */
bool bench_worker_times_is_within(double device_seconds, double seconds);

#endif

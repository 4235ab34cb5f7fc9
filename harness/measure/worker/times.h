/* SPDX-License-Identifier: MIT */
/*
 * The rule for times, wherever they come from: a time that cannot be is not published. docs/measuring.md
 * ("Times that cannot be") lists what is refused, and whether it costs a sample or the case.
 */
#ifndef BENCH_MEASURE_WORKER_TIMES_H
#define BENCH_MEASURE_WORKER_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/error.h"

/* A device's clock may run a little faster than the host's, and ticks more coarsely. */
#define BENCH_TIMES_DRIFT               0.01 /* of the time around it */
#define BENCH_TIMES_DEVICE_TICK_SECONDS 1e-6

/* Two clocks of one machine may differ by this much, since they are slewed; beyond it, one has leapt. */
#define BENCH_TIMES_SLEW          0.2
#define BENCH_TIMES_LEAST_SECONDS 1e-3

/* Seconds of another clock than the one that measures: CLOCK_MONOTONIC, which the kernel itself is asked for.
 */
double bench_worker_times_witness(void);

/*
 * Seconds between two readings of one clock. BENCH_FAILED where it went back, or leapt: by more than the
 * witness saw, which was asked before the first reading and after the second. INFINITY: there was none.
 */
int bench_worker_times_between(uint64_t start_ns, uint64_t end_ns, double witnessed_seconds, double *seconds,
			       struct bench_error *error);

/* Is it a time that work may have taken: finite, and more than 0? */
bool bench_worker_times_is_possible(double seconds);

/* May a device have worked for `device_seconds` in a call that took `seconds`, end to end? */
bool bench_worker_times_is_within(double device_seconds, double seconds);

#endif

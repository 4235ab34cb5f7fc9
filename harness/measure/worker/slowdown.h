/* SPDX-License-Identifier: MIT */
/*
 * A known, injected slowdown. With BENCH_SLOWDOWN=3% in the user's environment each timed call of a worker
 * takes 3% longer; with BENCH_SLOWDOWN=3%:gemm/openblas* only the calls of cases whose keys match. It shows
 * whether a comparison would find such a change. Such measurements are labeled and do not count as results.
 */
#ifndef BENCH_MEASURE_WORKER_SLOWDOWN_H
#define BENCH_MEASURE_WORKER_SLOWDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/clock.h"

#define BENCH_SLOWDOWN_VARIABLE "BENCH_SLOWDOWN"
#define BENCH_SLOWDOWN_MAX      256 /* bytes of its value */

struct bench_slowdown {
	double fraction;                  /* 0.03: 3% longer; 0: none */
	char pattern[BENCH_SLOWDOWN_MAX]; /* of keys, as bench_text_match reads it; "": all cases */
};

/* "3%", "0.03" or "3%:PATTERN"; more than 0%, at most 1000%. BENCH_USAGE. */
int bench_worker_slowdown_parse(const char *text, struct bench_slowdown *slowdown, struct bench_error *error);
/* The same; none for NULL and "". */
int bench_worker_slowdown_read(const char *text, struct bench_slowdown *slowdown, struct bench_error *error);

/* The fraction for the case of that key; 0 if the key does not match. */
double bench_worker_slowdown_of(const struct bench_slowdown *slowdown, const char *key);

/*
 * Prolongs a call that began at `start_ns` and has just ended: returns once it has taken 1 + fraction times
 * as long. It spins on the clock and does not sleep.
 */
void bench_worker_slowdown_spin(const struct bench_clock *clock, uint64_t start_ns, double fraction);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The window: a case is iterated back to back, beside what is judged, while a counter of energy goes on and a
 * device counts what it does. Counters of energy move in steps (NVML's each 100 ms), so a window begins and
 * ends where one was seen, and is many of them long. It consists of spans, each of which is a sample: their
 * spread tells what steps and clocks add.
 *
 * It knows no device and no file: it is given callbacks and a clock.
 */
#ifndef BENCH_MEASURE_WORKER_WINDOW_H
#define BENCH_MEASURE_WORKER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"

enum { BENCH_WINDOW_SPANS = 4 };

#define BENCH_WINDOW_STEPS   20  /* of the counter, over all spans */
#define BENCH_WINDOW_SPAN    0.5 /* seconds that a span lasts at least */
#define BENCH_WINDOW_LEAD    0.2 /* seconds of the same work before it: what is read may be of 0.1 s ago */
#define BENCH_WINDOW_SECONDS 3.0 /* what the whole takes, with steps of 0.1 s */

struct bench_window_options {
	/* Begins the work, `iterations` times; it may be under way when this returns. */
	int (*start)(void *context, uint64_t iterations, struct bench_error *error);
	/* Returns when all of it is done. */
	int (*finish)(void *context, struct bench_error *error);
	/* Joules up to now; with is_power, watts. NULL: nothing counts them. */
	int (*energy)(void *context, double *value, struct bench_error *error);
	/* Span `index` begins, where the one before it ends; the last call ends the last. NULL: nobody asks.
	 */
	void (*mark)(void *context, size_t index);
	double (*now)(void *context); /* seconds */
	void *context;
	bool is_power;
	double step_seconds; /* between two values of the counter, as a rule */
	uint64_t batch;      /* iterations between two readings: some milliseconds of them; more if to read
				takes long */
	double seconds;      /* that it may take */
};

struct bench_window_span {
	double seconds, joules; /* joules NaN: not known */
	uint64_t iterations;
};

struct bench_window {
	struct bench_window_span spans[BENCH_WINDOW_SPANS];
	size_t span_count; /* those that ended */
	uint64_t iterations;
	double seconds; /* over all spans */
	size_t steps;   /* of the counter */
	double half;    /* of the interval that the unseen moments of first and last step leave, as a fraction
			   of the energy; NaN with is_power */
	char why[512];  /* no joules are known: the reason; else "" */
};

/*
 * 0, or -1 if the work failed. Where the counter fails, stands still, or gives what cannot be, the spans have
 * no joules; spans as such are few, or none, where the time was too short.
 */
int bench_worker_window_run(const struct bench_window_options *options, struct bench_window *window,
			    struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Clocks. Everything that measures takes a struct bench_clock, so that it can be tested on
 * a fake one.
 */
#ifndef BENCH_CORE_CLOCK_H
#define BENCH_CORE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct bench_clock {
	uint64_t (*now_ns)(void *context); /* monotonic; the origin is arbitrary */
	void *context;
};

/* CLOCK_MONOTONIC_RAW: not slewed by NTP. */
extern const struct bench_clock bench_clock_real;
/* Its time in seconds. */
double bench_clock_seconds(void);

struct bench_clock_quality {
	double tick_ns; /* smallest non-zero difference seen between two readings */
	double cost_ns; /* median time of one reading */
};

/* Reads the clock some thousands of times. Takes about a millisecond. */
void bench_clock_calibrate(const struct bench_clock *clock, struct bench_clock_quality *quality);

/* Wall time as "2026-11-20T23:15:03+01:00" into out (size >= 32). */
void bench_clock_iso(int64_t unix_seconds, char *out, size_t size);
/* The same for people: "2026-11-20 23:15". */
void bench_clock_minute(int64_t unix_seconds, char *out, size_t size);

#endif

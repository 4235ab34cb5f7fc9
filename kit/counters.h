/* SPDX-License-Identifier: MIT */
/* Counters of the processor (perf_event_open(2)): of what is done in user space. */
#ifndef KIT_COUNTERS_H
#define KIT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"

enum { BENCH_COUNTERS_MOST = 4 };

/* As struct perf_event_attr has them. */
struct bench_counter {
	uint32_t type;
	uint64_t config;
};

/* Instructions, cycles and cache misses, in this order. */
enum { BENCH_COUNTER_INSTRUCTIONS, BENCH_COUNTER_CYCLES, BENCH_COUNTER_CACHE_MISSES, BENCH_COUNTERS_CPU };
extern const struct bench_counter bench_counters_cpu[BENCH_COUNTERS_CPU];

struct bench_counters {
	int fds[BENCH_COUNTERS_MOST];
	size_t count; /* {0} is closed */
};

/* What is counted. */
enum bench_counted {
	BENCH_COUNTED_OWN,     /* the calling thread, and the threads that it makes from now on */
	BENCH_COUNTED_STARTED, /* the programs that it starts, and all that they start in turn; nothing else
				*/
};

/* BENCH_UNSUPPORTED with the reason where one of them cannot be had. */
int bench_counters_open(struct bench_counters *counters, enum bench_counted counted,
			const struct bench_counter *wanted, size_t count, struct bench_error *error);
/*
 * What has been counted since they were opened; of programs, those that have ended. NaN once the processor
 * had to share its counters among more events than it has: an estimate is not a count.
 */
void bench_counters_read(const struct bench_counters *counters, double *values);
void bench_counters_close(struct bench_counters *counters);

#endif

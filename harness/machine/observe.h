/* SPDX-License-Identifier: MIT */
/*
 * What the kernel and the C library say of this process and of the programs that it started and that have
 * ended (core/observed.h): getrusage(2), perf_event_open(2), mallinfo2(3), /proc/self/smaps_rollup.
 */
#ifndef BENCH_MACHINE_OBSERVE_H
#define BENCH_MACHINE_OBSERVE_H

#include "core/observed.h"
#include "core/text.h"

enum { BENCH_OBSERVE_EVENTS = 7 };

struct bench_observe {
	int fds[BENCH_OBSERVE_EVENTS]; /* of perf_event_open; -1: cannot be had, for the reason (errno): */
	int causes[BENCH_OBSERVE_EVENTS];
};

/* Before there are threads, which inherit the counters. */
void bench_machine_observe_open(struct bench_observe *observe);
/*
 * What has been counted up to now, of those that are counted in iterations; NaN: cannot be read. Of the
 * calling thread, what its own time is. Quick.
 */
void bench_machine_observe_read(const struct bench_observe *observe, double values[BENCH_OBSERVED_KINDS]);
/* How much memory there is, and how much of it is in huge pages. Takes up to milliseconds. */
void bench_machine_observe_memory(double *resident, double *huge);
/*
 * Calls tell(context, source, text) for each source that cannot be read: the reason, and the command that
 * would enable it, which nobody runs here.
 */
void bench_machine_observe_unread(const struct bench_observe *observe,
				  void (*tell)(void *context, const char *source, const char *text),
				  void *context);
void bench_machine_observe_close(struct bench_observe *observe);

#endif

/* SPDX-License-Identifier: MIT */
/* What a search of a kernel's candidates keeps from run to run: the worker that measures, and builders. */
#ifndef BENCH_MEASURE_SESSION_KEPT_H
#define BENCH_MEASURE_SESSION_KEPT_H

#include "measure/session/process.h"

#define BENCH_SESSION_BUILDERS 8 /* more open a device for longer than they save in a short search */

/* {.worker.events = -1} at first. */
struct bench_session_kept {
	struct bench_session_worker worker; /* waits; it does the first job of the next run */
	/*
	 * Workers that make the first calls of a job's variants at the same time, before it starts. It then
	 * finds the programs in the cache of the driver, whose compiler takes one processor of a process.
	 */
	struct bench_session_worker builders[BENCH_SESSION_BUILDERS];
	size_t builds;        /* how many of them the next run may use; 0: none */
	double build_seconds; /* that they took in the last run */
};

/* Ends all workers that wait. */
void bench_session_end_kept(struct bench_session_kept *kept);

#endif

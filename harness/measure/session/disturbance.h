/* SPDX-License-Identifier: MIT */
/* How much of a run was disturbed, from the events of its workers. */
#ifndef BENCH_MEASURE_SESSION_DISTURBANCE_H
#define BENCH_MEASURE_SESSION_DISTURBANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/event.h"

/* {0} before the first worker. */
struct bench_disturbance {
	double fastest;            /* seconds of the canary, in this run; 0: not known */
	size_t workers, disturbed; /* invocations of groups */
	bool now;                  /* the worker that is running has been disturbed */
	char reason[160];
	double others, steal, canary; /* the worst among disturbed workers (cores, cores, times the fastest);
					 0: not known */
	double share_sum;             /* of disturbed visits, summed over cases and invocations */
	size_t watched;
};

/* Takes note of a worker's event: of kind DISTURBED or WATCHED; others say nothing of this. */
void bench_session_disturbance_note(struct bench_disturbance *disturbance, const struct bench_event *event);
/* The worker has ended. Was it disturbed? Then `reason` says by what, until the next event. */
bool bench_session_disturbance_end_worker(struct bench_disturbance *disturbance);
/* "7 of 60 invocations of groups were disturbed, 4% of the measurements: ..."; false if none was. */
bool bench_session_disturbance_words(const struct bench_disturbance *disturbance, char *out, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Disturbance flags: which samples of a case were taken while the machine was disturbed, on their way into
 * samples.jsonl.
 */
#ifndef BENCH_MEASURE_WORKER_FLAGS_H
#define BENCH_MEASURE_WORKER_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/worker/sampler.h"
#include "measure/worker/watch.h"
#include "record/event.h"

/* Of one case in one invocation; {0} at its start. */
struct bench_disturbance_flags {
	size_t taken[BENCH_SAMPLE_KINDS];      /* samples of each kind */
	size_t judged[BENCH_SAMPLE_KINDS];     /* of them, those in windows that have been judged */
	size_t seen;                           /* samples of time up to the last visit */
	size_t open_visits, visits, disturbed; /* visits in the open window, judged, and found disturbed */
};

/* After a visit of any case, before it is judged. */
void bench_worker_flags_visited(struct bench_disturbance_flags *flags);

/*
 * The window has been judged; if only the host was disturbed, device times are fine. True if it was disturbed
 * and the case has samples in it: the event gets their ranges. The caller flags relative times itself,
 * because it writes them later.
 */
bool bench_worker_flags_judge(struct bench_disturbance_flags *flags, enum bench_visits visits,
			      struct bench_event_disturbed *event);

/* Fills the event with what the watch has seen of the machine, and the case's share of disturbed visits. */
void bench_worker_flags_summarize(const struct bench_disturbance_flags *flags, struct bench_watch *watch,
				  struct bench_event_watched *event);

#endif

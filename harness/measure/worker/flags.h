/*
 * Flags: which samples of a case were taken while the machine was disturbed, on their way into samples.jsonl.
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
	size_t judged[BENCH_SAMPLE_KINDS];     /* of them, those of windows that are over */
	size_t seen;                           /* samples of time up to the last visit */
	size_t open_visits, visits, disturbed; /* visits of the window at hand, judged, and found disturbed */
};

/* After a visit of any case, before it is judged. */
void bench_worker_flags_visited(struct bench_disturbance_flags *flags);

/*
 * The window is over. True where it was disturbed and the case has samples in it: the event gets their
 * ranges. Relative times are the caller's: they are written later.
 */
bool bench_worker_flags_judge(struct bench_disturbance_flags *flags, bool disturbed,
			      struct bench_event_disturbed *event);

/* What the worker has seen, and of the case's own visits. */
void bench_worker_flags_summarize(const struct bench_disturbance_flags *flags, struct bench_watch *watch,
				  struct bench_event_watched *event);

#endif

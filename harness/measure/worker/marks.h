/*
 * Marks: which samples of a case were taken while the machine was disturbed, on their way into samples.jsonl.
 */
#ifndef BENCH_MEASURE_WORKER_MARKS_H
#define BENCH_MEASURE_WORKER_MARKS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "measure/worker/sampler.h"
#include "measure/worker/watch.h"

/* Of one case in one invocation; {0} at its start. */
struct bench_marks {
	size_t taken[BENCH_SAMPLE_RELATIVE + 1];  /* samples of each kind */
	size_t judged[BENCH_SAMPLE_RELATIVE + 1]; /* of them, those of windows that are over */
	size_t seen;                              /* samples of time up to the last visit */
	size_t open_visits, visits, disturbed; /* visits of the window at hand, judged, and found disturbed */
};

/* After a visit of any case, before it is judged. */
void bench_marks_visited(struct bench_marks *marks);

/*
 * The window is over. Where it was disturbed and the case has samples in it, true, and `event` gets the
 * member "samples": for each metric [first, behind the last] of those marked. Relative times are the
 * caller's: they are written later.
 */
bool bench_marks_judge(struct bench_marks *marks, bool disturbed, cJSON *event);

/* The members of the event "watched", of what the worker has seen and of the case's own visits. */
void bench_marks_add_watched(const struct bench_marks *marks, struct bench_watch *watch, cJSON *event);

#endif

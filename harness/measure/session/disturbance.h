/* How much of a run was disturbed: what its workers' events say of it, worker by worker. */
#ifndef BENCH_MEASURE_SESSION_DISTURBANCE_H
#define BENCH_MEASURE_SESSION_DISTURBANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/event.h"

/* {0} before the first worker. */
struct bench_disturbance {
	double fastest; /* seconds of the canary, in this run; 0: not known */
	size_t workers, disturbed;
	bool now; /* the worker at hand has been disturbed */
	char reason[160];
	double others, steal, canary; /* the worst of those that were disturbed; 0: not known */
	double share_sum;             /* of the visits, over the cases and invocations watched */
	size_t watched;
};

/* An event of a worker: DISTURBED and WATCHED tell something. */
void bench_session_disturbance_note(struct bench_disturbance *disturbance, const struct bench_event *event);
/* The worker has ended: was it disturbed? Then `reason` says what by, until the next event. */
bool bench_session_disturbance_end_worker(struct bench_disturbance *disturbance);
/* "7 of 60 workers were disturbed, 4% of the visits: ..."; false where none was. */
bool bench_session_disturbance_words(const struct bench_disturbance *disturbance, char *out, size_t size);

#endif

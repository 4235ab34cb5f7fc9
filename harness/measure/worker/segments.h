/*
 * Segments: how the workers of a duel are told to measure. Two workers, one of each executable, live side by
 * side; the driver (duel.h) says over a socket which of them runs what, and how often, so that their
 * samples alternate. The one that does not have its segment waits for the next order, and does nothing.
 *
 * The socket is of type SOCK_SEQPACKET; a message is a line of text without its end.
 *
 *   worker: bench-segments/5           it understands this, and has found its devices
 *   driver: set up                  make the data: both workers at the same time
 *   worker: set up
 *   driver: call                    for the first time: one worker after the other
 *   worker: called
 *   driver: check                   first checks: both workers at the same time
 *   worker: case I FIXED            each case (index in the record) that is set up and right, with the number
 *   worker: ready                   of samples that it must have (0: any)
 *   driver: run I PARTS N           PARTS times N iterations, each part timed by itself
 *   worker: took SECONDS ...        for an iteration, in each part; once no thread of the process runs any
 *                                   more. Or: failed TEXT
 *   driver: end precision|budget    that was all: last checks, both workers at the same time
 *   worker: checked                 all the cases that are not right have ended
 *   driver: drop I TEXT             the case ends as skipped, for that reason; no answer
 *   driver: leave                   report, and out
 */
#ifndef BENCH_MEASURE_WORKER_SEGMENTS_H
#define BENCH_MEASURE_WORKER_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/worker/sampler.h"

#define BENCH_SEGMENTS_GREETING "bench-turns/5"
#define BENCH_SEGMENTS_MESSAGE  1200 /* bytes of a message with its NUL, at most */
#define BENCH_SEGMENTS_PARTS    48   /* of a segment, at most: a message holds their times */

/* Sends one message, cut to its longest; false where nobody listens any more. */
bool bench_worker_segments_send(int socket, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Waits for the next message; false where there will be none. */
bool bench_worker_segments_receive(int socket, char message[BENCH_SEGMENTS_MESSAGE]);

/* The worker's side: one of its first steps. Says what is done, and waits for the one thing that can be next;
 * false where it does not come. */
bool bench_worker_segments_step(int socket, const char *done, const char *next);
/*
 * Offers the items (cases[i]: the index of items[i] in the record) and follows orders to
 * the end. An item that fails is marked as failed, with its error; where the orders end without an end, all
 * are. quiesce() waits until the process is idle, or for as long as it waits at all.
 */
void bench_worker_segments_serve(int socket, struct bench_sampler_item *items, const size_t *cases,
				 size_t count, bool (*quiesce)(void));
/* Says that the last checks are made, and waits to leave. An item that is dropped meanwhile is marked as
 * failed; where nobody says to leave, all are. */
void bench_worker_segments_leave(int socket, struct bench_sampler_item *items, const size_t *cases,
				 size_t count);

#endif

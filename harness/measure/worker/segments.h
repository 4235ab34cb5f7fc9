/* SPDX-License-Identifier: MIT */
/*
 * Segments: the protocol between the driver of a duel (measure/session/duel.h) and its two workers, one of
 * each executable. The driver says over a socket which worker runs which case, and how often, so that the
 * segments of the two alternate. A worker without an order waits for its next one and does nothing.
 *
 * The socket is of type SOCK_SEQPACKET; a message is a line of text without its end.
 *
 *   worker: bench-turns/5           it knows this protocol, and has found its devices
 *   driver: set up                  make the data; both workers at the same time
 *   worker: set up
 *   driver: call                    make the first calls; one worker after the other
 *   worker: called
 *   driver: check                   check the first calls; both workers at the same time
 *   worker: case I FIXED            one message for each case (index in the record) that is set up and
 *                                   correct, with the number of samples that it must have (0: any)
 *   worker: case I FIXED rows       likewise, of a case that takes the order `row`
 *   worker: ready                   there are no more cases
 *   driver: run I PARTS N           a segment: PARTS times N iterations, each part timed by itself
 *   worker: took SECONDS ...        of an iteration, for each part; sent once no other thread of the process
 *                                   is running. Or: failed TEXT
 *   driver: row I N                 N iterations in a row, by the device's own clock
 *   worker: took SECONDS            of an iteration. Or: gaps, if the device waited. Or: failed TEXT
 *   driver: observe I N             only to a worker that greeted as one that observes: N iterations more,
 *                                   untimed, to see in which functions they are (0: none)
 *   worker: saw NAME VALUE          what was observed beside the segments of the case: a name of
 *                                   core/observed.h, a finite number
 *   worker: function SECONDS NAME FILE  an iteration is so long in it; NAME has no blank, FILE may have
 *   worker: kernel NAME TEXT        what the compiler made of a kernel: "registers 32, local memory 0"
 *   worker: mix NAME TEXT           its instructions by class: "ld.global 4, fma.f32 16"
 *   worker: unread SOURCE: TEXT     what could not be read, why, and how it could
 *   worker: observed                that was all. Or: failed TEXT
 *   driver: end precision|budget    sampling is over: make the last checks; both workers at the same time
 *   worker: checked                 the cases whose check failed have ended
 *   driver: drop I TEXT             end the case as skipped, for that reason; no answer
 *   driver: leave                   report and exit
 */
#ifndef BENCH_MEASURE_WORKER_SEGMENTS_H
#define BENCH_MEASURE_WORKER_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/worker/sampler.h"

#define BENCH_SEGMENTS_GREETING "bench-turns/5"
#define BENCH_SEGMENTS_OBSERVES "bench-turns/5 observes" /* the greeting of a worker that observes */
#define BENCH_SEGMENTS_MESSAGE  1200                     /* bytes of a message with its NUL, at most */
#define BENCH_SEGMENTS_PARTS    48 /* of a segment, at most: a message holds their times */

/* Of an item; each gets its context. */
struct bench_segments_observer {
	void (*begin)(void *context);
	/* Its segment of so many iterations is over; before other threads have come to rest. */
	void (*end)(void *context, uint64_t iterations);
	/* Makes those iterations, and sends what was observed. */
	int (*tell)(void *context, uint64_t iterations, int socket, struct bench_error *error);
};

/* Sends one message, cut to BENCH_SEGMENTS_MESSAGE; false if the other end is closed. */
bool bench_worker_segments_send(int socket, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Waits for the next message; false if there will be none. */
bool bench_worker_segments_receive(int socket, char message[BENCH_SEGMENTS_MESSAGE]);

/* The worker's end: one of its first steps. Reports what is done, and waits for the one order that may
 * follow; false if it does not come. */
bool bench_worker_segments_step(int socket, const char *done, const char *next);
/*
 * Offers the items (cases[i]: the index of items[i] in the record) and follows orders until "end". An item
 * that fails is marked as failed, with its error; if the orders stop without "end", all are. quiesce() waits
 * until no other thread of the process is running, or until it gives up.
 */
void bench_worker_segments_serve(int socket, struct bench_sampler_item *items, const size_t *cases,
				 size_t count, bool (*quiesce)(void));
/* Reports that the last checks are made and waits for "leave". An item that is dropped meanwhile is marked as
 * failed; if "leave" never comes, all are. */
void bench_worker_segments_leave(int socket, struct bench_sampler_item *items, const size_t *cases,
				 size_t count);

#endif

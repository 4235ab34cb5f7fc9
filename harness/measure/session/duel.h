/* SPDX-License-Identifier: MIT */
/*
 * A duel: a paired comparison of two executables of bench, the base and the head. They measure the same cases
 * in alternating segments of a few milliseconds, A B B A and then B A A B. A disturbance of the machine hits
 * neighboring segments of both, and cancels in their ratio. A block is one invocation of one group of cases
 * by both executables: it starts a fresh worker of each, and both stay alive until its end. On a GPU they
 * stay for the other groups of the invocation (session.h).
 *
 * The workers run without address-space randomization, so that equal executables have equal layouts. The one
 * that makes its first calls first alternates from block to block. While one runs, the other waits.
 * docs/duel.md says how and why.
 */
#ifndef BENCH_MEASURE_SESSION_DUEL_H
#define BENCH_MEASURE_SESSION_DUEL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/error.h"
#include "measure/session/observed.h"
#include "measure/session/process.h"
#include "measure/session/program.h"
#include "measure/worker/worker.h"
#include "record/folder.h"

struct bench_duel {
	struct bench_session_program base, head;
	bool observed; /* what may explain a difference is observed as well: metrics of core/observed.h */
};

/* The length of a case's segments, [0] of the base and [1] of the head; all 0: not known yet. */
struct bench_segment_length {
	unsigned parts[2];
	uint64_t iterations[2]; /* of a part */
	bool wakes[2];          /* an untimed iteration precedes it */
};

enum { DUEL_BASE, DUEL_HEAD, DUEL_EXECUTABLES };

struct bench_block_options {
	const char *const *arguments; /* of a worker, from argv[0] on */
	/* Of the base and the head: both wait for a job, or none does. A block leaves them likewise. */
	struct bench_session_worker *workers;
	struct bench_segment_length *lengths; /* by the case's index in the record; a block fills in those
						 that are not known, for the blocks that follow */
	struct bench_observed_functions *functions; /* likewise, of an observed duel */
	struct bench_process_limits limits;         /* of a worker, while the driver waits for it */
	void (*started)(void *context); /* called once both workers are there, before they set up */
	void *context;
};

/* How it ended. */
struct bench_block_end {
	enum bench_process_end outcome;
	bool by_base;           /* all this is of the base's worker, not of the head's */
	bool reused;            /* the worker had measured other groups before */
	long current;           /* the case that the worker was at; -1: none */
	enum bench_phase phase; /* and what it did with it */
	int unwritten;          /* errno of an event that it could not write; 0: it wrote all */
	char what[256];         /* how it ended, in words */
};

/*
 * Measures one block of the job: for job->slice_seconds, or until the median ratio of each case (of two
 * segments of the head over two of the base) is known within job->precision: its 95% interval is at most
 * twice as wide. The head's worker appends its events to the folder's samples.jsonl. This function appends
 * the samples, between the segments: `time` (the head's) and `base_time`, each the mean of the faster half of
 * a segment's parts. At the end it appends one `relative_time`: the mean of the faster half of all the head's
 * parts over the base's. A case that the base fails ends as skipped, with the reason. -1 if samples cannot be
 * written, a worker cannot be started, or one does not know the protocol (BENCH_NOTHING).
 */
int bench_session_measure_block(const struct bench_duel *duel, const struct bench_job *job,
				struct bench_folder *folder, const struct bench_block_options *options,
				struct bench_block_end *end, struct bench_error *error);

#endif

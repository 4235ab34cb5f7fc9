/*
 * A duel: two executables of bench measure the same cases in segments, A B B A and then B A A B, in samples
 * of a few milliseconds. What disturbs the machine disturbs neighbouring samples of both, and falls out of
 * their ratio. One block is one invocation of one group of cases: a fresh worker of each, program by program.
 *
 * The workers have the same address-space layout (no randomisation), as far as their executables are the
 * same; who starts first alternates from block to block. While one runs, the other waits.
 */
#ifndef BENCH_MEASURE_SESSION_DUEL_H
#define BENCH_MEASURE_SESSION_DUEL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/error.h"
#include "measure/session/process.h"
#include "measure/session/program.h"
#include "measure/worker/worker.h"
#include "record/folder.h"

struct bench_duel {
	struct bench_session_program base, head;
};

/* How long the segments of a case are, for the base and for the head; all 0: not known yet. */
struct bench_segment_length {
	unsigned parts[2];
	uint64_t iterations[2]; /* of a part */
};

struct bench_block_options {
	const char *const *arguments;         /* of a worker, from argv[0] on */
	struct bench_segment_length *lengths; /* by the cases' index in the record: each block fills in what
					      is not known, for those that follow */
	double time_limit_seconds;            /* without a sign of life of the one whose segment it is */
	double tick_seconds;                  /* how often tick(context) is called; 0: never */
	void (*tick)(void *context);
	void *context;
	const volatile sig_atomic_t *stop; /* NULL: nothing stops it */
};

/* How it ended. */
struct bench_block_end {
	enum bench_process_end outcome;
	bool by_base;    /* it was the base's worker that did not end well */
	long current;    /* the case that this worker was at; -1: none */
	int exit_status; /* of that worker, if it exited by itself; else -1 */
	char what[256];  /* in words, where it did not end well */
};

/*
 * Measures the job for job->slice_seconds, or until the 95% interval of the median of each case's ratios, of
 * two segments over two, reaches no further than job->precision to either program. The head's worker appends
 * its events to the folder's samples.jsonl, and this, between the segments, the samples: `time` of the head
 * and `base_time`, the means of the faster halves of segments, and at the end one `relative_time`: the mean
 * of the faster half of all parts of the head over that of the base's. A case that the base fails ends as
 * skipped, with the reason. -1 where samples could not be written, no worker be started, or one of them does
 * not know how to take segments (BENCH_NOTHING).
 */
int bench_session_measure_block(const struct bench_duel *duel, const struct bench_job *job,
				struct bench_folder *folder, const struct bench_block_options *options,
				struct bench_block_end *end, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A block of a duel, shared by its files: duel.c (the steps of a block, and what is observed), duel_workers.c
 * (the two workers: starting, orders, answers, ends) and duel_samples.c (how long segments are, and their
 * samples).
 */
#ifndef BENCH_MEASURE_SESSION_DUEL_INTERNAL_H
#define BENCH_MEASURE_SESSION_DUEL_INTERNAL_H

#include "core/arena.h"
#include "measure/session/duel.h"
#include "measure/session/process.h"
#include "measure/worker/segments.h"
#include "record/event.h"

/* What both executables measured of a case, by the host's clock or by the device's. */
struct duel_times {
	double *times[DUEL_EXECUTABLES]; /* seconds of an iteration, in each part of all segments, or row */
	size_t time_count[DUEL_EXECUTABLES];
	double *ratios; /* of quadruples, head over base: for the precision */
	size_t ratio_count;
};

/* A case, as both executables measure it. */
struct duel_case {
	size_t index; /* in the record */
	bool on_gpu;  /* in one of the executables, or both */
	bool set_up[DUEL_EXECUTABLES];
	size_t fixed; /* samples of each executable that the suite asks for; 0: as many as it takes */
	struct bench_segment_length *length; /* the caller's */
	struct bench_observed_functions *functions;
	bool failed;       /* in one of the workers, which reports it, or: */
	char refused[128]; /* what the driver has against its times; "": nothing */
	bool backwards;    /* the next quadruple is B A A B */
	size_t taken;      /* samples of each executable */
	struct duel_times host, device;
	bool has_rows[DUEL_EXECUTABLES];
	unsigned gaps;           /* rows with gaps, since the last without */
	uint64_t row_iterations; /* of a row; 0: not known yet */
};

struct duel_block {
	const struct bench_job *job;
	struct bench_folder *folder;
	const struct bench_block_options *options;
	struct bench_block_end *end;
	struct bench_error *error;
	struct bench_arena arena;
	const struct bench_session_program *programs[DUEL_EXECUTABLES];
	struct bench_session_worker *workers; /* the caller's, likewise */
	bool observed;
	struct duel_case *paired_cases; /* one for each case of the job */
	double start;
};

/* The result of a step of the block. DUEL_ERROR: `error` is filled; DUEL_OVER: `end` is filled. */
enum duel_step { DUEL_GOES_ON, DUEL_OVER, DUEL_ERROR };

/* duel.c */
bool session_duel_is_live(const struct duel_case *paired_case); /* set up on both sides, and not failed */
enum duel_step session_duel_write_event(struct duel_block *block, const struct bench_event *event);

/* duel_workers.c */
/* Starts both workers, which find their devices at the same time. */
enum duel_step session_duel_start_both(struct duel_block *block);
enum duel_step session_duel_set_up_both(struct duel_block *block);
enum duel_step session_duel_check_first(struct duel_block *block);
enum duel_step session_duel_check_both(struct duel_block *block, bool precise);
/* Tells both to leave, and waits until they have done so, or wait for another job. */
enum duel_step session_duel_dismiss_both(struct duel_block *block);
/* Waits for the next message of the worker `who`, while its heartbeat goes on. */
enum duel_step session_duel_receive(struct duel_block *block, int who, double limit_seconds,
				    char message[BENCH_SEGMENTS_MESSAGE]);

/* duel_samples.c */
/* Visits all cases in turn, over and over. *precise: it ended because every ratio is known well enough. */
enum duel_step session_duel_sample_all(struct duel_block *block, bool *precise);
/* At the end of a block: the next one calibrates such a case again (calibrate says why). */
void session_duel_discard_unequal_lengths(struct bench_segment_length *length);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files of a session share: its state, from its first worker to its last. */
#ifndef BENCH_MEASURE_SESSION_SESSION_INTERNAL_H
#define BENCH_MEASURE_SESSION_SESSION_INTERNAL_H

#include "kit/rng.h"
#include "machine/settings.h"
#include "measure/session/disturbance.h"
#include "measure/session/duel.h"
#include "measure/session/journal.h"
#include "measure/session/session.h"

#define SESSION_APART "apart" /* the note of a case that has a separate process */
#define SESSION_LEAVE_SECONDS                                                                                \
	10.0 /* for closing devices, once all is reported; the first time that they hang */

/* Cases that share a worker. */
struct group {
	size_t *cases; /* of the plan */
	size_t case_count;
	double overhead; /* seconds that its last worker took beside its slice */
	bool known;      /* it has had one */
	unsigned left;   /* invocations to come */
	unsigned owed;   /* invocations that it wants beside those asked for */
	bool finished;   /* its cases were shown as finished */
};

struct session {
	struct bench_run *run;
	const struct bench_plan *plan;
	struct bench_folder *folder;
	const struct bench_session_options *options;
	struct bench_rng rng;
	struct bench_arena arena;
	struct bench_arena worker_arena; /* of the worker that is running: its job, and `current` */
	struct bench_settings settings;
	struct bench_journal journal;
	bool *dropped; /* by case: it has failed, and is not measured again */
	bool *ended;   /* by case: it has ended in the present invocation */
	bool *apart;   /* by case: it gets a separate process, since it died in a shared one */
	struct group *groups;
	double *needs;  /* by group: what its invocations need of the budget; NaN: not known */
	double *shares; /* by group: of the budget, 1 being an equal one */
	double start;
	double until;          /* when all ends, whatever it is at; 0: never */
	double again;          /* of a group's first invocation, what a later one takes, or a guess of it */
	double lost_seconds;   /* spent in workers that died: the budget of what they held is still there */
	double leave_seconds;  /* that a worker has to close its devices, once all is reported */
	unsigned false_starts; /* in a row */
	bool left_badly;       /* a worker died after all was reported, which has been said */
	size_t refused;        /* events of workers that the record did not take */
	struct bench_segment_length *lengths;                  /* by case: of its segments in a duel */
	struct bench_observed_functions *functions;            /* one for each case of the plan */
	struct bench_session_worker workers[DUEL_EXECUTABLES]; /* a run without duel uses the first */
	struct bench_session_worker leaving[DUEL_EXECUTABLES]; /* they have been told to leave */
	bool spoiled;     /* a case has not ended well, and may have left the device of its worker unusable */
	size_t processes; /* of workers, so far */
	size_t done, total; /* groups, in each invocation */
	struct bench_disturbance disturbance;
	const char *current;
};

/* By a signal, or at the end of its time. */
bool session_stopped(const struct session *session);
void session_warn(struct session *session, const char *text);
struct bench_process_limits session_limits(struct session *session);
/* Compiles what the job needs beforehand, as session->options->kept says. */
void session_build_ahead(struct session *session, const struct bench_job *job);
/* Shows how far the run is; `context`: the session. */
void session_tick(void *context);
/* Is a case still to be measured in the present invocation? */
bool session_is_left(const struct session *session, size_t index);

/* Takes the worker that an earlier run has kept, if there is one, and keeps it for a later one, or ends all.
 */
void session_begin_workers(struct session *session);
void session_end_workers(struct session *session);

/* The next job of a group in an invocation: the cases that are left, or one of those that get a separate
 * process. It gets their part of the slice. No cases: none is left. */
struct bench_job session_make_job(struct session *session, const struct group *group, unsigned invocation,
				  double slice);
/* What is measured, in words. */
const char *session_describe_job(struct session *session, const struct bench_job *job);
/* Runs one worker, or the two of a duel, on the rest of a group, and records the outcome of its cases. */
int session_run_worker(struct session *session, const struct bench_job *job, struct bench_error *error);

/* A worker ended badly after all was reported: what it measured stays, and what failed is no case's. `of`:
 * the worker's group. */
void session_leave_badly(struct session *session, const char *of, const struct bench_block_end *end);
/*
 * A worker, or the two of a duel, has ended, or waits for another job, after `seconds`: notes it, and records
 * the outcome of the job's cases. -1 if the run cannot go on.
 */
int session_settle_worker(struct session *session, const struct bench_job *job, struct bench_block_end *end,
			  double seconds, struct bench_error *error);

#endif

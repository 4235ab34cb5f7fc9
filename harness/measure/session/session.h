/* SPDX-License-Identifier: MIT */
/*
 * The session: measures a plan. Each group of cases is measured in a fresh worker process for each
 * invocation. The groups are shuffled anew every time, so that a drift of the machine spreads over all of
 * them. A crash or a hang costs the case that it happened in; the rest of its group is measured in another
 * process.
 *
 * Groups on GPUs alone share the processes of an invocation, since opening a GPU takes longer than measuring
 * a case on it: a worker stays until another group needs a fresh one, a case has not ended well, or the
 * invocation is over. On a processor each group has a process of its own: threads, caches and memory that one
 * group leaves behind would change the times of the next.
 */
#ifndef BENCH_MEASURE_SESSION_SESSION_H
#define BENCH_MEASURE_SESSION_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "measure/session/duel.h"
#include "measure/session/kept.h"
#include "plan/plan.h"
#include "record/folder.h"
#include "record/record.h"

struct bench_session_progress {
	size_t done, total;                  /* groups, in each invocation */
	double elapsed;                      /* seconds since the first worker started */
	double left;                         /* seconds left, as far as is known; negative: not known */
	const char *current;                 /* what is being measured: suite and parameters */
	const struct bench_result *finished; /* a case whose last invocation has just ended, else NULL */
};

/* A budget that does not hold what a result needs. */
struct bench_session_shortage {
	double needed_seconds; /* by the command, about; 0: it is not short */
	unsigned fits;         /* whole invocations that the budget holds, about */
	size_t measured;       /* cases whose first invocation was made when all of it was used; 0: before */
};

struct bench_session_options {
	const char *executable;        /* the program to start as a worker: it must call bench_worker_serve */
	const char *const *arguments;  /* its arguments, NULL-terminated, from argv[0] on */
	const struct bench_duel *duel; /* NULL: a run; else its two executables take the place of that one */
	unsigned threads;              /* 0: all */
	struct bench_overrides overrides;
	const char *const *extensions; /* of the suites of the plan */
	size_t extension_count;
	bool dated;                 /* its start is another date than today's: it ends as long after that as
				       it took */
	double used_seconds;        /* of the budget, before: by the command, or by a run that is now
				       resumed */
	unsigned least_invocations; /* whatever the budget; 0: three, or one with a shortage */
	unsigned least_samples;     /* of each case in an invocation, whatever the budget; 0: 1 */
	bool brief;                 /* samples are as short as the budget asks for */
	struct bench_session_kept *kept; /* from the run before, for the next one; NULL: nothing is */
	/*
	 * NULL: the budget only says how many invocations are made beyond the least. Else it is the
	 * command's: nothing is measured past BENCH_BUDGET_REACH times it, and where it does not hold
	 * the least, the session ends with -1 and *shortage as soon as that is clear.
	 */
	struct bench_session_shortage *shortage;
	double share;              /* of the command's budget, which texts name; 0: all of it */
	const char *budget_option; /* that gives it; NULL: budget */
	double time_limit_seconds; /* a worker without a sign of life for so long is killed */
	bool shows_noise; /* the caller shows how much was disturbed: run.log has it, and no warning */
	const volatile sig_atomic_t *stop; /* set by a signal handler: end, keeping what was measured */
	double tick_seconds; /* how often `progress` is called while nothing happens; 0: never */
	void (*progress)(void *context, const struct bench_session_progress *progress);
	void (*warn)(void *context, const char *text); /* NULL: run.log alone has it */
	void *context;
};

/*
 * Measures `plan` into `run` and adds its results. The run's invocations, precision, budget_seconds and seed
 * say how; pinning, caches and order are as run->host says (machine/settings.h). Everything is in the
 * folder's samples.jsonl before it is in the record. The record is final at the end, also if a signal ended
 * the run early (run->interrupted).
 *
 * A run that already has results was cut short and is resumed: the results are those of the plan's cases, in
 * its order, and the invocations that they lack are measured. -1: events could not be written, no worker
 * could be started, or the budget is short.
 */
int bench_session_run(struct bench_run *run, const struct bench_plan *plan, struct bench_folder *folder,
		      const struct bench_session_options *options, struct bench_error *error);

#endif

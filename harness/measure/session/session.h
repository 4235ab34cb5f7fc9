/*
 * The session: measures a plan. Each group of cases is measured in fresh worker processes,
 * once an invocation; the groups are shuffled anew in every invocation, so that a drift of
 * the machine is spread over all. A crash, a hang or a leak costs the case that it happened
 * in; the rest of its group is measured again in another process.
 */
#ifndef BENCH_MEASURE_SESSION_SESSION_H
#define BENCH_MEASURE_SESSION_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "measure/session/duel.h"
#include "plan/plan.h"
#include "record/folder.h"
#include "record/record.h"

struct bench_session_progress {
	size_t done, total;                  /* worker processes */
	double elapsed;                      /* seconds since the first worker started */
	double left;                         /* seconds left, as far as is known; negative: not known */
	const char *current;                 /* what is being measured: suite and parameters */
	const struct bench_result *finished; /* a case whose last invocation has just ended, else NULL */
};

struct bench_session_options {
	const char *executable;        /* the program to start as a worker: it must call bench_worker_serve */
	const char *const *arguments;  /* its arguments, NULL-terminated, from argv[0] on */
	const struct bench_duel *duel; /* NULL: a run; else its two executables take the place of that one */
	unsigned threads;              /* 0: all */
	struct bench_overrides overrides;
	double used_seconds;       /* of the budget, before a run that was cut short is taken up again */
	double time_limit_seconds; /* a case that gives no sign of life for so long is ended */
	const volatile sig_atomic_t *stop; /* set by a signal handler: end, keeping what was measured */
	double tick_seconds; /* how often `progress` is called while nothing happens; 0: never */
	void (*progress)(void *context, const struct bench_session_progress *progress);
	void (*warn)(void *context, const char *text); /* NULL: run.log alone has it */
	void *context;
};

/*
 * Measures `plan` into `run`, whose invocations, precision, budget_seconds and seed say
 * how, and whose results it adds. Everything is in the folder's samples.jsonl before it is
 * in the record. The record is final at the end, also when a signal ended it early
 * (run->interrupted). Pinning, caches and order are as
 * run->host says (machine/settings.h).
 *
 * A run that has results already was cut short: they are those of the plan's cases, in its order, and
 * the invocations that they lack are measured. -1: events could not be written, or no worker could be
 * started.
 */
int bench_session_run(struct bench_run *run, const struct bench_plan *plan, struct bench_folder *folder,
		      const struct bench_session_options *options, struct bench_error *error);

#endif

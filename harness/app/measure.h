/* SPDX-License-Identifier: MIT */
/*
 * How all verbs measure: a request becomes a plan, and a record without results. The run is measured into a
 * new folder, and stored in the history.
 */
#ifndef BENCH_APP_MEASURE_H
#define BENCH_APP_MEASURE_H

#include "app/host.h"
#include "app/line.h"
#include "app/plan.h"
#include "core/outcome.h"
#include "machine/settings.h"
#include "measure/session/duel.h"
#include "record/folder.h"
#include "store/store.h"

/* Where runs are, and which of the history count. */
struct bench_app_places {
	const char *runs_dir; /* the folder of the run folders */
	const char *db;       /* the history */
	struct bench_app_line_request line;
};

/* What is to be measured, and how. Nothing of it is owned. */
struct bench_app_request {
	struct bench_app_cases cases;
	const char *command;        /* for the record: what repeats the run */
	const char *project_preset; /* of a project file, which chose all of this; NULL: none */
	struct bench_app_places places;
	bool no_store;             /* the history is left alone */
	const char *id;            /* of the run; NULL: its start */
	const char *source;        /* the work tree of what is measured; NULL: of this program */
	const char *const *labels; /* "key=value" */
	size_t label_count;
	struct bench_settings settings;
	struct bench_overrides overrides;
	double precision, budget_seconds; /* 0: not given, the preset's */
	unsigned invocations;             /* the same */
	unsigned threads;                 /* 0: all */
	uint64_t seed;
	double time_limit;
	double wait_seconds; /* for others that measure here, or BENCH_APP_NO_TURN; as in turn.h */
};

/* A budget from here on is a bound of the command's time; a smaller one asks for the shortest run there is.
 */
#define BENCH_APP_BOUNDED_SECONDS 5.0

struct bench_app_measure {
	const struct bench_app_request *request;
	const struct bench_app_host *host;
	const struct bench_app_preset *preset;
	struct bench_plan *plan;
	struct bench_store *store; /* NULL: not opened, or not to be kept */
	struct bench_run *run;
	struct bench_folder folder;
	struct bench_overrides overrides; /* those in force */
	struct bench_slowdown slowdown;   /* the slowdown of these */
	const struct bench_duel *duel;    /* NULL: a run; else who is measured. Set between plan and run */
	double started; /* by bench_clock_seconds: when the planning began, which the budget counts from,
			   without what it waited for its turn */
	double share;   /* of the command's budget, which the run's is; 0: all of it */
	const char *budget_option; /* that gives it; NULL: budget */
	bool bounded; /* the budget is a bound of the command's time; set by plan, may be unset before run */
	unsigned least_invocations; /* that a result needs: a bound that holds fewer is refused; 0: 1 */
	unsigned least_samples; /* of each case in an invocation, of which one is enough then; 0: no matter */
	bool brief;             /* samples are as short as the budget asks for */
	bool insists;           /* on least_invocations, also past a budget that is no bound */
	struct bench_session_kept *kept; /* as in measure/session/session.h */
	const char *purpose;             /* what they are needed for; NULL: the least of any run */
	unsigned threads;                /* 0: all */
	double used_seconds;  /* of the budget, before a run that was cut short is taken up again */
	double preset_budget; /* seconds that the preset gives to these suites; 0: no end */
	bool dated;           /* run->started is another date than today's: set between plan and run */
	bool quiet;           /* no lines of progress: the verb has its own */
	bool shows_noise;     /* the verb shows how much was disturbed: no warning repeats it */
};

/* Labels as --label has them, "key=value". BENCH_USAGE. */
int bench_app_add_labels(const char *const *labels, size_t count, struct bench_run *run,
			 struct bench_error *error);

/*
 * In order; -1 with the error, after which bench_app_measure_free alone may follow. Request and host must
 * outlive the rest.
 * plan: the cases, and the record's head: command, host, selection. `only` (keys of cases, or
 *   NULL: all) leaves the other cases of the plan out.
 * open: tries the runs' folder and, if it is used, the history before time is spent;
 *   recalls ceilings, and applies the values of 'bench tune' (tuning.h).
 * run: measures, and finishes the folder. Ended by a signal, it is 0 and run->interrupted. BENCH_USAGE where
 *   the budget is a bound and too short, with the one that is needed; nothing of the run is left then.
 */
int bench_app_measure_plan(struct bench_app_measure *measure, const struct bench_app_request *request,
			   const struct bench_app_host *host, const char *const *only,
			   struct bench_error *error);
int bench_app_measure_open(struct bench_app_measure *measure, struct bench_error *error);
int bench_app_measure_run(struct bench_app_measure *measure, struct bench_error *error);
/* Adds the run to the history, if any, and reports problems with it to the host. */
enum bench_outcome bench_app_measure_keep(struct bench_app_measure *measure);
void bench_app_measure_free(struct bench_app_measure *measure);
/* As BENCH_SCOPED_ARENA (core/arena.h). */
#define BENCH_SCOPED_MEASURE __attribute__((cleanup(bench_app_measure_free))) struct bench_app_measure

#endif

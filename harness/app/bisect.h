/* SPDX-License-Identifier: MIT */
/*
 * 'bench bisect': which commit between a good and a bad one slowed the cases that were asked for? Commits are
 * built in a work tree (worktree.h), set against each other in duels (duel.h), and chosen by
 * compare/bisect.h. All that was found out is in the state folder, a line of state.jsonl each
 * (bisect_state.h): the same call again goes on where it stopped.
 */
#ifndef BENCH_APP_BISECT_H
#define BENCH_APP_BISECT_H

#include "app/bisect_code.h"
#include "app/measure.h"
#include "app/worktree.h"
#include "compare/bisect.h"

#define BENCH_APP_BISECT_PROGRAM  "build/bench"
#define BENCH_APP_BISECT_INTERVAL 1.96 /* standard errors of a logarithm: 95% */

/* Nothing of it is owned. */
struct bench_app_bisect_request {
	struct bench_app_request measure;  /* its budget is for the whole search; 0: no end */
	const char *repository;            /* a folder of it */
	const char *good, *bad;            /* revisions; NULL: those of the alarm */
	const char *build;                 /* the command */
	const char *program;               /* the bench that it makes, below the work tree; NULL: this one */
	struct bench_app_bisect_code code; /* of the commits, which the bench measures */
	const char *const *keep; /* what else of the build is needed; none, with code: the whole work tree */
	size_t keep_count;
	const char *state;       /* the folder; NULL: one below the runs' folder, named after the commits */
	double threshold, alpha; /* of the duel of the good and the bad commit */
	double error;            /* the chance of a wrong answer */
	double build_limit;      /* seconds */
	bool faster;             /* what became faster is looked for */
	int64_t alarm;           /* gives commits, and gets the answer; 0: none */
	bool alarm_cases;        /* gives the cases, too */
};

struct bench_app_bisect_commit {
	struct bench_app_commit commit;
	bool built;    /* what is kept of it is in the state folder */
	char *skipped; /* why it cannot be measured; NULL: it can, as far as is known */
};

struct bench_app_bisect {
	const struct bench_app_bisect_request *request;
	const struct bench_app_host *host;
	struct bench_arena arena;
	char *self;                        /* this executable, as a side is written */
	char *good, *bad;                  /* full names of the commits */
	struct bench_app_bisect_code code; /* the request's, below the work tree */
	const char *const *suites;         /* of the code; NULL: this process does not have it yet */
	size_t suite_count;
	char *state;                             /* the folder, an absolute path */
	struct bench_app_bisect_commit *commits; /* the good one first, the bad one last */
	size_t count;
	bool *skipped; /* as the search takes it */
	struct bench_bisect_case *cases;
	size_t case_count;
	size_t invocations; /* of the first duel */
	size_t attempts;    /* duels of good and bad that did not decide whether they differ */
	struct bench_bisect_look *looks;
	size_t look_count;
	struct bench_app_worktree tree;
	int log;                         /* state.jsonl, for appending */
	double started;                  /* of the clock */
	struct bench_bisect_state found; /* what the duels say */
	struct bench_bisect_look whole;  /* of the bad commit over the good one */
	struct bench_bisect_look step;   /* of found.head over found.base; NaN: no duel of the two */
	const char **only;               /* keys of the alarm's cases; NULL: all that are selected */
	const char *culprit;             /* that the request's alarm named before; "": none */
	int64_t told;                    /* the request's alarm, if it names the commit found now */
	int64_t alarm;                   /* that is open about the commit found, and was not told; 0: none */
	char *why;                       /* the command that says why, of what was found; NULL: none */
	bool exhausted;                  /* the budget ended the search */
	enum bench_outcome outcome;      /* good: found; unclear: not decided; or interrupted */
};

/*
 * Searches. -1 with the error: BENCH_NOTHING where good and bad do not differ by the threshold, or nothing
 * can be measured; BENCH_ENVIRONMENT where one of them cannot be built; BENCH_USAGE. bench_app_bisect_free in
 * any case. Signals end it like the budget, and what is known by then is kept.
 */
int bench_app_bisect(struct bench_app_bisect *bisect, const struct bench_app_bisect_request *request,
		     const struct bench_app_host *host, struct bench_error *error);
void bench_app_bisect_free(struct bench_app_bisect *bisect);

#endif

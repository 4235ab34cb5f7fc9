/* SPDX-License-Identifier: MIT */
/*
 * 'bench backfill': the history of commits that nobody measured at the time. Commits are built in a work tree
 * (worktree.h), and each is measured interleaved with the same executable, the anchor, in a duel (duel.h). It
 * becomes a run of the history that bears the commit and its date. Its relative_time is the commit's time
 * over the anchor's, which does not depend on the state of the machine on that day.
 *
 * The history holds the state: a commit that has a run with this anchor is not measured again. The state
 * folder holds the anchor's files, build logs and skipped.jsonl, the commits that could not be measured.
 */
#ifndef BENCH_APP_BACKFILL_H
#define BENCH_APP_BACKFILL_H

#include "app/bisect_code.h"
#include "app/measure.h"
#include "app/worktree.h"
#include "compare/changes.h"

/* Nothing of it is owned. */
struct bench_app_backfill_request {
	struct bench_app_request measure; /* its budget is for the whole command; 0: no end */
	const char *repository;           /* a folder of it */
	const char *range;                /* "A..B" */
	const char *anchor;               /* a revision; NULL: that of earlier calls, else B */
	const char *build;                /* the command */
	const char
		*program; /* the bench that it makes, below the work tree; NULL: this one measures the code */
	struct bench_app_bisect_code code; /* of the commits; the working tree's has been loaded, and plans */
	const char *const *keep; /* what else of the build is needed; none, with code: the whole work tree */
	size_t keep_count;
	const char *state;       /* the folder; NULL: one below the runs' folder */
	double build_limit;      /* seconds */
	double run_budget;       /* seconds of a commit's run; 0: as long as a duel takes */
	size_t every;            /* only every Nth commit, counted from B; 0: each */
	size_t steps;            /* at most this many commits of the range; 0: no matter */
	bool missing;            /* only commits of which the history has no run */
	double threshold, alpha; /* of the changes that are reported */
};

struct bench_app_backfill_commit {
	struct bench_app_commit commit;
	bool wanted;         /* may be measured, and has not been */
	bool measured;       /* has a run with this anchor */
	const char *skipped; /* why it cannot be measured; NULL: it can, as far as is known */
};

struct bench_app_backfill {
	const struct bench_app_backfill_request *request;
	const struct bench_app_host *host;
	struct bench_arena arena;
	struct bench_app_bisect_code code;         /* the request's, below the work tree */
	struct bench_app_backfill_commit *commits; /* A first, B last */
	size_t count;
	char *branch;      /* that B is, or is on; "": none */
	char *anchor;      /* its full name */
	char *label;       /* the label that runs with this anchor have */
	char *fingerprint; /* of this host */
	char *makes,
		*cases; /* what a build makes, and what is measured against what, as skipped.jsonl says */
	char **keys;    /* of the cases' relative_time */
	size_t key_count;
	double *shifts, *errors; /* [commit * key_count + key], as compare/backfill.h has them */
	char *self;              /* this executable, as a side of a duel is written */
	char *state;             /* the folder, an absolute path */
	int log;                 /* skipped.jsonl, for appending */
	struct bench_app_worktree tree;
	double started;               /* of the clock */
	struct bench_change *changes; /* in the times relative to the anchor */
	size_t change_count;
	bool exhausted; /* the budget ended it */
	enum bench_outcome outcome;
};

/*
 * Measures what is wanted. -1 with the error: BENCH_USAGE for a range or options that make no sense,
 * BENCH_NOTHING where A is no ancestor of B, BENCH_ENVIRONMENT where the anchor cannot be built or measured,
 * or git or storage fails. bench_app_backfill_free in any case. A signal ends it like the budget. The outcome
 * is BENCH_OUTCOME_NOTHING where no commit of the range has been measured.
 */
int bench_app_backfill(struct bench_app_backfill *backfill, const struct bench_app_backfill_request *request,
		       const struct bench_app_host *host, struct bench_error *error);
void bench_app_backfill_free(struct bench_app_backfill *backfill);

/*
 * The commits of skipped.jsonl that this build command did not build, or of which these cases could not be
 * measured against this anchor: fills in `skipped`. A line that cannot be read is passed over, and its commit
 * is tried again.
 */
void bench_app_backfill_read_skipped(struct bench_app_backfill *backfill, char *data, size_t length);

#endif

/* SPDX-License-Identifier: MIT */
/* Comparing a run with what the user names, and keeping the verdicts. */
#ifndef BENCH_APP_COMPARE_H
#define BENCH_APP_COMPARE_H

#include "app/measure.h"
#include "compare/compare.h"

/* What the user has named as the baseline, and how to compare with it. */
struct bench_app_baseline {
	const char *name;
	struct bench_run **runs;
	size_t count;
	struct bench_run **earlier; /* the options' history */
	size_t earlier_count;
	struct bench_compare_options options;
	const struct bench_app_line *line; /* not owned; NULL: all runs count */
	bool strayed;                      /* nothing was on it: this is the last run off it */
	struct bench_app_line_tally tally; /* of the runs that were looked at */
	struct bench_arena arena; /* of the lists of runs, and what the options have of shifts and alarms */
};

/*
 * Loads the runs of a baseline, a run or rolling:N. text NULL: the run before `candidate`; if its line of
 * history has none and no branch was asked for, that of another line. The candidate may be unmeasured: host,
 * preset and selection suffice. `options` get the history, the shifts that were accepted, and what alarms
 * exclude; with rolling:N each metric gets up to N runs that are not excluded. Of the runs of a named
 * baseline those on the line of history count, which must outlive the baseline; all of them where none is.
 * `store` may be NULL: run folders alone. BENCH_USAGE, or BENCH_NOTHING where there is no such run.
 */
int bench_app_baseline_load(const struct bench_app_places *places, struct bench_store *store,
			    const struct bench_app_line *line, const struct bench_run *candidate,
			    const char *text, const struct bench_compare_options *options,
			    struct bench_app_baseline *baseline, struct bench_error *error);
/* One without runs, which the caller adds: the shifts that were accepted where the candidate was measured,
 * and what alarms exclude there. */
int bench_app_baseline_begin(struct bench_store *store, const struct bench_app_line *line,
			     const struct bench_run *candidate, const char *name,
			     const struct bench_compare_options *options, struct bench_app_baseline *baseline,
			     struct bench_error *error);
int bench_app_baseline_compare(const struct bench_app_baseline *baseline, const struct bench_run *candidate,
			       struct bench_comparison **comparison, struct bench_error *error);
/*
 * Leaves out the runs of a rolling baseline from before the last change of the environment, and notes it.
 * Where the newest run is of another environment than the candidate, all stay.
 */
void bench_app_baseline_end_at_change(struct bench_app_baseline *baseline, const struct bench_run *candidate,
				      const struct bench_app_host *host);
void bench_app_baseline_free(struct bench_app_baseline *baseline);

/*
 * All of the above at once, by the line of history of the candidate; the verdicts say which alarms they are
 * under. Where one run is named, it is compared with even if it was under an alarm.
 */
int bench_app_compare(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_run *candidate, const char *text,
		      const struct bench_compare_options *options, struct bench_comparison **comparison,
		      struct bench_error *error);

/* A verdict as it is kept; its texts stay the verdict's. */
struct bench_verdict_row bench_app_verdict_row(const struct bench_verdict *verdict);

/* Keeps the verdicts in the history `db`, for the year after. */
int bench_app_keep_verdicts(const char *db, const struct bench_comparison *comparison,
			    struct bench_error *error);

#endif

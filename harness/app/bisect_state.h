/* SPDX-License-Identifier: MIT */
/*
 * What a bisection has found out, in its state folder: state.jsonl, a line an event, appended and synced at
 * once, so that a kill at any moment loses at most the build or the duel in flight.
 *
 *   search   what is asked: commits, build command, cases, threshold. The first line
 *   built    a commit, and that what it needs is kept in commits/HASH
 *   skipped  a commit that cannot be measured, and why
 *   cases    which of them decide, with their weights, from the duel of the good and the bad commit
 *   duel     two commits, the logarithm of their ratio, its standard error, and the run's id
 */
#ifndef BENCH_APP_BISECT_STATE_H
#define BENCH_APP_BISECT_STATE_H

#include "app/bisect.h"

/*
 * Makes the folder, reads what is there into commits, cases and looks, and opens it for appending. `measure`
 * says which cases are measured. BENCH_USAGE where it is the state of another search, BENCH_ENVIRONMENT where
 * it cannot be read or written. A last line that was cut is passed over.
 */
int bench_app_bisect_open(struct bench_app_bisect *bisect, const char *measure, struct bench_error *error);

/* Each notes it in memory and in the file. BENCH_ENVIRONMENT. */
int bench_app_bisect_note_built(struct bench_app_bisect *bisect, size_t position, double seconds,
				struct bench_error *error);
int bench_app_bisect_note_skipped(struct bench_app_bisect *bisect, size_t position, const char *why,
				  struct bench_error *error);
int bench_app_bisect_note_cases(struct bench_app_bisect *bisect, const struct bench_bisect_case *cases,
				size_t count, size_t invocations, struct bench_error *error);
int bench_app_bisect_note_duel(struct bench_app_bisect *bisect, const struct bench_bisect_look *look,
			       const char *run, double seconds, struct bench_error *error);

#endif

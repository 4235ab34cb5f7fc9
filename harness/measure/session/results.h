/* SPDX-License-Identifier: MIT */
/* The cases of a plan as results of a record, before anything is measured. */
#ifndef BENCH_MEASURE_SESSION_RESULTS_H
#define BENCH_MEASURE_SESSION_RESULTS_H

#include "plan/plan.h"
#include "record/record.h"

/* Adds a result for each case, in the plan's order. `threads` is for the command that repeats a case; 0: all.
 */
int bench_session_add_results(struct bench_run *run, const struct bench_plan *plan, unsigned threads,
			      struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Replicates: what the invocations made so far say about those to come. It counts them, their differences,
 * and the disturbed ones that need a remeasurement. The disturbed ones stay in the record, flagged.
 */
#ifndef BENCH_MEASURE_SESSION_REPLICATES_H
#define BENCH_MEASURE_SESSION_REPLICATES_H

#include "record/record.h"

/* An invocation is disturbed if more than this share of its visits were. */
#define BENCH_SESSION_DISTURBED_SHARE 0.5

/* Has the case completed this invocation, with samples? */
bool bench_session_replicates_has(const struct bench_result *result, int invocation);

/* bench_session_budget_need of one of the case's metrics; NaN if it lacks that metric. */
double bench_session_replicates_need(const struct bench_result *result, const char *metric, double precision);

/*
 * How many more invocations the case needs for `asked` undisturbed ones: at most as many as were disturbed,
 * and none if it is not ok.
 */
unsigned bench_session_replicates_wanted(const struct bench_result *result, unsigned asked);

#endif

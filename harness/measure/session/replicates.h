/*
 * What the invocations that were made say of those to come: which are there, how much they differ, and
 * how many were disturbed and are measured again. Nothing is dropped for it; the disturbed ones stay
 * in the record, marked.
 */
#ifndef BENCH_MEASURE_SESSION_REPLICATES_H
#define BENCH_MEASURE_SESSION_REPLICATES_H

#include "record/record.h"

/* An invocation is disturbed that was so in more than this part of its visits. */
#define BENCH_SESSION_DISTURBED_SHARE 0.5

/* Has this invocation of the case come to its end, and given samples? */
bool bench_session_replicates_has(const struct bench_result *result, int invocation);

/* bench_session_budget_need of one of the case's metrics; NaN where it has not got that. */
double bench_session_replicates_need(const struct bench_result *result, const char *metric, double precision);

/*
 * How many invocations more the result wants, so that `asked` of them are undisturbed: none where it is
 * not ok, or where none of those that it has was disturbed.
 */
unsigned bench_session_replicates_wanted(const struct bench_result *result, unsigned asked);

#endif

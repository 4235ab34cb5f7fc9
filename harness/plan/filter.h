/* Which cases --filter leaves. */
#ifndef BENCH_PLAN_FILTER_H
#define BENCH_PLAN_FILTER_H

#include "plan/plan.h"

/*
 * --filter: terms separated by commas, all of which must hold. "k=v", "k!=v", "k<v",
 * "k<=v", "k>v", "k>=v" over the parameters, and suite, backend, device; a bare word is a
 * pattern (*, ?, [..]) that some part of the case's key matches.
 */
int bench_plan_filter_check(const char *filter, const struct bench_suite *const *suites,
			    struct bench_error *error);
bool bench_plan_filter_matches(const char *filter, const struct bench_planned *planned,
			       const struct bench_target *target);

#endif

/* SPDX-License-Identifier: MIT */
/* Which cases --filter leaves. */
#ifndef BENCH_PLAN_FILTER_H
#define BENCH_PLAN_FILTER_H

#include "plan/plan.h"

/*
 * --filter: alternatives separated by '|', each of terms separated by ',', all of which must hold. "k=v",
 * "k!=v", "k<v", "k<=v", "k>v", "k>=v" over the parameters, and suite, backend, device. A value is a number,
 * a range (range.h), or a pattern (*, ?, [..]). "k~r", "k!~r": a POSIX extended regular expression that some
 * part of the value matches; "~r" and "!~r": of the case's key. A bare word is a pattern that some part of
 * the key matches. Characters in (), [] or {} do not separate.
 */
struct bench_filter;

/* The caller frees *filter. *filter NULL: `text` is. BENCH_USAGE with what is wrong, and the nearest name. */
int bench_plan_filter_read(const char *text, const struct bench_suite *const *suites,
			   struct bench_filter **filter, struct bench_error *error);
bool bench_plan_filter_matches(const struct bench_filter *filter, const struct bench_planned *planned,
			       const struct bench_target *target); /* NULL: every case does */
void bench_plan_filter_free(struct bench_filter *filter);          /* NULL is allowed */

#endif

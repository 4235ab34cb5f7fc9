/* SPDX-License-Identifier: MIT */
/* What the arguments of --set name: parameters of suites, lists of shapes, or threads. */
#ifndef BENCH_PLAN_SETS_H
#define BENCH_PLAN_SETS_H

#include "plan/plan.h"

/* The index of a suite's parameter, or -1. */
int bench_plan_find_param(const struct bench_suite *suite, const char *name);
/* "key=v1,v2": splits `text` at '=', and gives the values. NULL without one. */
char *bench_plan_set_split(char *text);
/*
 * Is key=list for this suite? Most suites mean their inputs' values by `data`, and some what they learn from.
 * A value is for those that know it; one that none knows is for all, which refuse it.
 */
bool bench_plan_set_is_meant(const struct bench_plan_options *options, const struct bench_suite *suite,
			     const char *key, const char *list);
/*
 * Does this suite take `--set shapes=NAME,@FILE` as lists? Not where it has a parameter of that name. Any
 * suite takes files.
 */
bool bench_plan_set_takes_shapes(const struct bench_suite *suite, const char *key, const char *list);
/* BENCH_USAGE, with the known names and the nearest, where a key or a list of shapes is no suite's. */
int bench_plan_sets_check(const struct bench_plan_options *options, struct bench_error *error);

#endif

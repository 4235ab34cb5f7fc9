/* SPDX-License-Identifier: MIT */
/*
 * The values that 'bench tune' found, put in force: workers receive a list "name=value,.." of
 * those of a backend's tunables (struct bench_tunable) that are not at their defaults.
 */
#ifndef BENCH_APP_TUNING_H
#define BENCH_APP_TUNING_H

#include "app/measure.h"
#include "bench/backend.h"
#include "core/text.h"
#include "measure/worker/tuning.h"

/* Adds "name=value" to such a list, except the default, which holds anyway. */
void bench_app_tuning_add(struct bench_text *list, const struct bench_tunable *tunable, uint64_t value);

/*
 * The slug by which what was found for a target is kept: that of the first of `targets` with the same
 * backend, name and driver, since what is best on one of two equal devices is best on both.
 */
const char *bench_app_tuning_slug(const struct bench_target *targets, size_t target);

/* Checks them before workers get them; BENCH_USAGE. *slowdown: as they ask for it. */
int bench_app_overrides_check(const struct bench_overrides *overrides, struct bench_slowdown *slowdown,
			      struct bench_error *error);

#define BENCH_APP_TUNING_FACT "env." BENCH_TUNING_VARIABLE

/* Adds the fact BENCH_APP_TUNING_FACT, unless `tuning` is NULL. */
void bench_app_tuning_describe(const char *tuning, struct bench_environment *environment);

/*
 * Before workers start: what the history has for this host and the plan's devices becomes the override of
 * tuned values, and is written into the record's host. Where one is given, also "", nothing
 * is done. Where devices of one run want different values, none is set, with a warning. An unreadable history
 * also causes a warning.
 */
void bench_app_tuning_apply(struct bench_app_measure *measure);

#endif

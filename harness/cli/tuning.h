/*
 * The values that 'bench tune' found, put in force: the environment variable BENCH_TUNING of the workers, a
 * list "name=value,..", which says what of a backend's tunables (struct bench_tunable) is not at its default.
 */
#ifndef BENCH_CLI_TUNING_H
#define BENCH_CLI_TUNING_H

#include "bench/backend.h"
#include "cli/measuring.h"
#include "core/text.h"
#include "measure/worker/tuning.h"

/* Adds "name=value" to such a list, but for the default, which is what holds where nothing is said. */
void cli_tuning_add(struct bench_text *list, const struct bench_tunable *tunable, uint64_t value);

/*
 * The slug by which what was found for a target is kept: that of the first of `targets` with the same
 * backend, name and driver, since what is best on one of two equal devices is best on both.
 */
const char *cli_tuning_slug(const struct bench_target *targets, size_t target);

/*
 * Before workers start: what the history has for this host and the plan's devices goes into the environment,
 * and into the record's host as "env.BENCH_TUNING". Where the user has set the variable, also to "", nothing
 * is done. Where devices of one run want different values, none is set, and a warning says so; so it does
 * where the history cannot be read.
 */
void cli_tuning_apply(const struct cli_measuring *measuring);

/* The same for a run that is taken up again: with the values that it began with. */
void cli_tuning_recall(const struct bench_run *run);

#endif

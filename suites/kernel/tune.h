/* SPDX-License-Identifier: MIT */
/*
 * What a specification leaves to measurement: the members "tune" and "constraints". A combination is one
 * value of each tunable; they are numbered, the last tunable the fastest, and number 0 is the default.
 */
#ifndef SUITES_KERNEL_TUNE_H
#define SUITES_KERNEL_TUNE_H

#include "suites/kernel/spec.h"

enum { BENCH_KERNEL_COMBINATIONS = 65536 };

/* The parameter of a suite that is searched: 0 is the combination in force, and n + 1 is combination n. */
#define BENCH_KERNEL_CANDIDATE "candidate"

/* Makes the suite one that is searched, "NAME_search". The spec has tunables. */
void bench_kernel_tune_search(struct bench_kernel_spec *spec, struct bench_arena *arena);

/* How many combinations there are, whether or not the constraints allow them. */
size_t bench_kernel_tune_count(const struct bench_kernel_spec *spec);
/* The value of tunable t in a combination. */
uint64_t bench_kernel_tune_value(const struct bench_kernel_spec *spec, size_t combination, size_t t);

/* Sets the values of tunables that a case is measured with, among `values` by symbol. BENCH_USAGE with the
 * place where they break a constraint. */
int bench_kernel_tune_apply(const struct bench_case *bench_case, double *values, struct bench_error *error);

/* The specs with tunables that were added to this process, NULL behind the last; and their twins that are
 * searched, where the extension asks for these. */
const struct bench_kernel_spec *bench_kernel_tune_spec(size_t index);
const struct bench_kernel_spec *bench_kernel_tune_searched(size_t index);
/* A tunable of these, "NAME.TX"; NULL: there is none. */
const struct bench_tunable *bench_kernel_tune_find(const char *name);
/* Puts values in force, in all of them, and defaults where there is none; a name that is none of theirs is
 * left alone. Not while cases run. */
void bench_kernel_tune_use(const struct bench_tuned *tuned, size_t count);

#endif

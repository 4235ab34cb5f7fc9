/* SPDX-License-Identifier: MIT */
/* Functions of plug-ins (bench/function.h) as suites: one a function, on the host. */
#ifndef SUITES_FN_FN_H
#define SUITES_FN_FN_H

#include "bench/function.h"
#include "bench/suite.h"

/*
 * The suite of a function, which lives as long as the process. Its parameters are those of the sweep: whole
 * numbers where all values are, else real ones, else words; the first value is the fallback. BENCH_USAGE if a
 * required hook is missing or the sweep is malformed. bench_suite_check checks the rest.
 */
int bench_fn_suite(const struct bench_fn *fn, const struct bench_suite **suite, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* The table of built-in suites, and the check that every suite passes before use. */
#ifndef SUITES_SUITES_H
#define SUITES_SUITES_H

#include "bench/suite.h"

/* The built-in suites, in the order that lists show them. A new one is one line here. Each is
 * `bench_suite_NAME`. */
#define BENCH_SUITES(X)                                                                                      \
	X(gemm)                                                                                              \
	X(gemm_chain)                                                                                        \
	X(guard)                                                                                             \
	X(fused)                                                                                             \
	X(conv2d)                                                                                            \
	X(spmv)                                                                                              \
	X(mnist)                                                                                             \
	X(elementwise)                                                                                       \
	X(activation)                                                                                        \
	X(reduction)                                                                                         \
	X(random)                                                                                            \
	X(transfer)                                                                                          \
	X(pool)                                                                                              \
	X(devices)                                                                                           \
	X(launch)                                                                                            \
	X(layout)                                                                                            \
	X(view_gemm)                                                                                         \
	X(view)                                                                                              \
	X(correctness)                                                                                       \
	X(peak)                                                                                              \
	X(null)

#define BENCH_SUITE_DECLARE(name) extern const struct bench_suite bench_suite_##name;
BENCH_SUITES(BENCH_SUITE_DECLARE)

/* What every suite's table has: its ABI, its parameters and the hooks that are required, by their usual
 * names. */
#define BENCH_SUITE_HOOKS                                                                                    \
	.abi = BENCH_SUITE_ABI, .params = params, .work = work, .setup = setup, .run = run, .check = check

/* The suites of this process, the built-in ones first; ends with NULL. */
extern const struct bench_suite *const *const bench_suites;

/*
 * Adds a suite that is not built in, and lives as long as the process; before there are threads.
 * BENCH_USAGE where it does not pass bench_suite_check, or its name is taken.
 */
#define BENCH_SUITES_MOST 256
int bench_suites_add(const struct bench_suite *suite, struct bench_error *error);

/*
 * Can this suite be called? Checks the ABI number of this build, the name, that every required hook is there,
 * and the parameter table (names, choices, ranges, fallbacks that parse or follow another parameter). Then
 * that variants names a parameter, metrics are legal and have a report(), and the sweeps' keys and values
 * exist. BENCH_USAGE with the suite's name and what is wrong.
 */
int bench_suite_check(const struct bench_suite *suite, struct bench_error *error);

/* bench_suite_check for each of a NULL-terminated table, and no name twice. */
int bench_suites_check(const struct bench_suite *const *suites, struct bench_error *error);

#endif

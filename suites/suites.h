/* The table of built-in suites, and the check that every suite passes before use. */
#ifndef SUITES_SUITES_H
#define SUITES_SUITES_H

#include "bench/suite.h"

extern const struct bench_suite bench_suite_activation;
extern const struct bench_suite bench_suite_conv2d;
extern const struct bench_suite bench_suite_correctness;
extern const struct bench_suite bench_suite_elementwise;
extern const struct bench_suite bench_suite_fused;
extern const struct bench_suite bench_suite_gemm;
extern const struct bench_suite bench_suite_gemm_chain;
extern const struct bench_suite bench_suite_guard;
extern const struct bench_suite bench_suite_launch;
extern const struct bench_suite bench_suite_layout;
extern const struct bench_suite bench_suite_mnist;
extern const struct bench_suite bench_suite_null;
extern const struct bench_suite bench_suite_peak;
extern const struct bench_suite bench_suite_pool;
extern const struct bench_suite bench_suite_random;
extern const struct bench_suite bench_suite_reduction;
extern const struct bench_suite bench_suite_spmv;
extern const struct bench_suite bench_suite_transfer;
extern const struct bench_suite bench_suite_view;
extern const struct bench_suite bench_suite_view_gemm;

/* The template of docs/adding-a-suite.md: built and tested, but not in the table. */
extern const struct bench_suite bench_suite_skeleton;

/* The built-in suites, in the order that lists show them; ends with NULL. */
extern const struct bench_suite *const bench_suites[];

/*
 * Is this a suite that can be called: the ABI number of this build, a legal name, every
 * required hook, a legal parameter table (names, choices, ranges, fallbacks that parse or
 * follow another parameter), variants that are one of them, legal metrics with a report(), and
 * sweeps whose keys and values exist? BENCH_USAGE with the suite's name and what is wrong.
 */
int bench_suite_check(const struct bench_suite *suite, struct bench_error *error);

/* bench_suite_check for each of a NULL-terminated table, and no name twice. */
int bench_suites_check(const struct bench_suite *const *table, struct bench_error *error);

#endif

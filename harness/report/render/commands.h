/* SPDX-License-Identifier: MIT */
/*
 * Commands that were measured beside each other (--exec), in a sentence each: how many times faster the
 * fastest is than the others. Their runs are interleaved, so that the k-th runs of two commands are a pair.
 * The interval of the ratio is that of the signed-rank test on the logarithms of the pairs.
 */
#ifndef BENCH_REPORT_RENDER_COMMANDS_H
#define BENCH_REPORT_RENDER_COMMANDS_H

#include <stdbool.h>

#include "core/text.h"
#include "record/record.h"

#define BENCH_COMMANDS_LEVEL 0.99 /* of the interval: one false "faster" in a hundred pairs of equals */

/* Are the cases of a suite of the run commands of --exec? */
bool bench_render_commands_has(const struct bench_run *run, const char *suite);

/* "sort is 1.76x [1.69, 1.83] faster than awk", or "sort and awk are not different: 1.01x [0.99, 1.03]", or
 * "sort and awk: undecided, 1.05x [0.72, 1.57]; too noisy to tell (bench doctor names the load)". Nothing for
 * runs without two such commands. */
void bench_render_commands(const struct bench_run *run, struct bench_text *out);

#endif

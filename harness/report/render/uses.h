/* SPDX-License-Identifier: MIT */
/* The cases of a file of shapes, weighted by their use: what an application's products take in all. */
#ifndef BENCH_REPORT_RENDER_USES_H
#define BENCH_REPORT_RENDER_USES_H

#include "core/arena.h"
#include "record/record.h"

/*
 * The sum of uses x time on the first target, from result *next on, that has such cases: "openblas:haswell:
 * 64 uses of 6 shapes take 38.1 ms +/-1.2%, 1.02 times the 37.3 ms captured". NULL: there are no more. Start
 * with *next = 0.
 */
char *bench_render_uses(struct bench_arena *arena, const struct bench_run *run, size_t *next);

#endif

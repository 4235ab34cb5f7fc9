/* SPDX-License-Identifier: MIT */
/* Short names of the metrics of a comparison: only what varies among them. */
#ifndef BENCH_REPORT_RENDER_NAMES_H
#define BENCH_REPORT_RENDER_NAMES_H

#include "compare/compare.h"
#include "core/arena.h"

/*
 * A name for each verdict, in their order, in `arena`: "gemm 512 opencl" for
 * "gemm/opencl:pocl/dtype=f32,m=512,n=512,k=512/time" where size and backend vary. No two keys share a name.
 * A parameter that follows from those before it is left out, and `time` goes without saying.
 */
const char *const *bench_render_names(struct bench_arena *arena, const struct bench_comparison *comparison);

/* Like strcmp, with numbers by their value: "n=64" comes before "n=128". */
int bench_render_names_order(const char *a, const char *b);

#endif

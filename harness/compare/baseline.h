/* SPDX-License-Identifier: MIT */
/* What the text of a baseline means: of --baseline, and as comparisons are kept under it. */
#ifndef BENCH_COMPARE_BASELINE_H
#define BENCH_COMPARE_BASELINE_H

#include <stddef.h>

#define BENCH_COMPARE_WINDOW_MAX 1000 /* the most runs of a rolling baseline */

enum bench_baseline_kind {
	BENCH_BASELINE_NAMED,   /* the name of a baseline, or a run */
	BENCH_BASELINE_ROLLING, /* "rolling:N": the newest N runs */
	BENCH_BASELINE_ANCHOR,  /* "anchor", or "anchor RUN": what the run was interleaved with */
};

/* `window` may be NULL; it gets N of "rolling:N", or 0 where N is not from 1 to BENCH_COMPARE_WINDOW_MAX. */
enum bench_baseline_kind bench_compare_baseline_kind(const char *text, size_t *window);

#endif

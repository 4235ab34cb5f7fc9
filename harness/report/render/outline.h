/* SPDX-License-Identifier: MIT */
/*
 * The outline of a run report: the lines above its blocks (what was measured, where, from which commit) and
 * below them (failed cases, and the limits of the figures).
 */
#ifndef BENCH_REPORT_RENDER_OUTLINE_H
#define BENCH_REPORT_RENDER_OUTLINE_H

#include <stddef.h>

#include "compare/compare.h"
#include "core/arena.h"
#include "record/record.h"
#include "report/render/grid.h"

struct bench_outline_line {
	const char *label; /* "run", "host", "device", ...; "" for a plain sentence */
	char *text;        /* one safe line */
	enum bench_tone tone;
};

struct bench_outline {
	struct bench_outline_line *lines;
	size_t count;
};

/* All in `arena`. `comparison` may be NULL. */
struct bench_outline bench_render_outline_head(struct bench_arena *arena, const struct bench_run *run);
struct bench_outline bench_render_outline_foot(struct bench_arena *arena, const struct bench_run *run,
					       const struct bench_comparison *comparison);

#endif

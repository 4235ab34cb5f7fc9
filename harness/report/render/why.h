/* SPDX-License-Identifier: MIT */
/* Why a head is slower, in one sentence and a table. */
#ifndef BENCH_REPORT_RENDER_WHY_H
#define BENCH_REPORT_RENDER_WHY_H

#include "compare/why.h"
#include "report/render/grid.h"

/* "slower by 8.1% [7.6, 8.6]: page faults x40, system time +310%"; in `arena`. */
char *bench_render_why_sentence(struct bench_arena *arena, const struct bench_whys *whys,
				const struct bench_why *why);

/*
 * For people: what was observed of a case, those that differ or, with `all`, each; into an empty grid.
 */
void bench_render_why_grid(const struct bench_why *why, bool all, struct bench_grid *grid);
/* For programs: all cases, each with its answer, what was observed, what could not be, and the facts. */
void bench_render_why_exact(const struct bench_whys *whys, struct bench_grid *grid);

#endif

/* SPDX-License-Identifier: MIT */
/* What a project's bounds and expectations came to, in words. All texts are in `arena`. */
#ifndef BENCH_REPORT_RENDER_BOUNDS_H
#define BENCH_REPORT_RENDER_BOUNDS_H

#include "compare/bounds.h"
#include "core/text.h"

/* "gemm/.../time: 2.41 ms, 95% 2.38 ms..2.45 ms; max 2 ms", with the owner, and why it is undecided. */
char *bench_render_bounds_told(struct bench_arena *arena, const struct bench_bound_verdict *held);
/* "expected until 2026-12-31: new driver" */
char *bench_render_bounds_expected(struct bench_arena *arena, const struct bench_expected *expected);
/* What became of an expectation, as a sentence or two. */
char *bench_render_bounds_expectation(struct bench_arena *arena, const struct bench_expectation *expectation);
/* "OUT OF BOUNDS: 1 of 3. KEY: ...": of the bounds in that state. */
char *bench_render_bounds_answer(struct bench_arena *arena, const struct bench_comparison *comparison,
				 const char *word, enum bench_bound_state state);
/* All of it as lines behind `prefix`; of bounds that are kept the number alone. */
void bench_render_bounds_add(struct bench_arena *arena, const struct bench_comparison *comparison,
			     const char *prefix, struct bench_text *out);

#endif

/* SPDX-License-Identifier: MIT */
/* The answer of a comparison in one line, for those who read nothing else. */
#ifndef BENCH_REPORT_RENDER_ANSWER_H
#define BENCH_REPORT_RENDER_ANSWER_H

#include "compare/compare.h"
#include "core/arena.h"
#include "report/render/gate.h"
#include "report/render/grid.h"

struct bench_answer {
	enum bench_tone tone;
	const char *word; /* "SLOWER" */
	char *line;  /* "SLOWER: 2 of 14. gemm 512 opencl: 599 us -> 1.115 ms (+86.1%, 95% +49.2..+133.0)" */
	bool is_bad; /* red */
	bool is_slower; /* red, for a slowdown or an alarm */
	bool is_open;   /* undecided: a longer measurement would help */
	bool waits;     /* the same command decides it another night */
};

/*
 * Words: BROKEN, MISSING, SLOWER, ALARM (nothing is slower now, but an alarm is open), SUSPECTED, FIRST
 * NIGHT, NO VERDICT, UNCLEAR, "SLOWER, KNOWN" (under an alarm that does not fail), FASTER, SAME; the first
 * that applies. The line names the largest change. `gate` NULL: not a gate's; `failing`: bits of enum
 * bench_failing. All in `arena`.
 */
struct bench_answer bench_render_answer(struct bench_arena *arena, const struct bench_comparison *comparison,
					const struct bench_report_gate *gate, unsigned failing);

/* What it was compared with: "the kept build of 25 Nov 21:13", "the run before, 25 Nov 21:13, commit
 * 4af884b1", "main (25 Nov 21:13 and 4 more)". In `arena`. */
char *bench_render_answer_baseline(struct bench_arena *arena, const struct bench_comparison *comparison);

/* "run 20261125-211413 against the kept build of 25 Nov 21:13; a change of 2% or more counts". */
char *bench_render_answer_context(struct bench_arena *arena, const struct bench_comparison *comparison,
				  const struct bench_report_gate *gate);

/* Its interval, as bench_render_words_interval has it. */
char *bench_render_answer_interval(struct bench_arena *arena, const struct bench_verdict *verdict);

/* "599 us -> 1.115 ms (+86.1%, 95% +49.2..+133.0)", without what is unknown; "" where nothing was compared.
 * Where the medians say another thing (bench_render_words_of_medians), that as well. */
char *bench_render_answer_numbers(struct bench_arena *arena, const struct bench_verdict *verdict);

/* Why a verdict is what it is, in a few words; "" where that goes without saying. */
const char *bench_render_answer_why(const struct bench_verdict *verdict);

#endif

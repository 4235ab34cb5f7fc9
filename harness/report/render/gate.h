/* SPDX-License-Identifier: MIT */
/* The gate's verdict in a line. */
#ifndef BENCH_REPORT_RENDER_GATE_H
#define BENCH_REPORT_RENDER_GATE_H

#include <stdbool.h>

#include "compare/gate.h"
#include "core/arena.h"
#include "core/text.h"

/* What `bench gate` adds to its comparison: its verdict. */
struct bench_report_gate {
	const char *reference;    /* the fixed one, as the user named it; NULL: none */
	const char *confirmation; /* id of the run that measured suspects again; NULL: no suspects */
	const char *trouble;      /* an error of the judging itself; NULL: none */
	double seconds;           /* in all */
	bool in_turns;            /* the baseline is an executable, interleaved with this one */
	struct bench_gate_undecided undecided; /* of the final verdicts */
	double machine;   /* the anchor's time over its time on earlier nights; 0 or NaN: unknown */
	const char *exit; /* the exit status and what follows from it; NULL: not told */
};

/* Does the gate pass: nothing fails, the judging worked, and enough could be decided? */
bool bench_render_gate_passed(const struct bench_comparison *comparison, const struct bench_report_gate *gate,
			      unsigned failing);

/*
 * "gate: FAIL: 2 slower, 1 missing; 41 same, 3 unclear (baseline rolling:10, 10 runs; 243 s)", in `arena`.
 * Behind FAIL: the reasons; behind the semicolon: the rest. Otherwise PASS, or UNCLEAR where nothing could be
 * decided.
 */
char *bench_render_gate_line(struct bench_arena *arena, const struct bench_comparison *comparison,
			     const struct bench_report_gate *gate, unsigned failing);

/* What the verdicts do not say, a line each behind `prefix`: what was not judged, and how the machine
 * differs. */
void bench_render_gate_add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
				   const struct bench_report_gate *gate, const char *prefix,
				   struct bench_text *out);

#endif

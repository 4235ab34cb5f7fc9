/* The gate's verdict in a line. */
#ifndef BENCH_REPORT_RENDER_GATE_H
#define BENCH_REPORT_RENDER_GATE_H

#include <stdbool.h>

#include "compare/gate.h"
#include "core/arena.h"

/* What `bench gate` adds to its comparison, which is its verdict. */
struct bench_report_gate {
	const char *reference; /* the fixed one, as the user named it; NULL: there is none */
	const char *
		confirmation; /* id of the run in which suspects were measured again; NULL: there were none */
	const char *trouble;  /* what went wrong with the judging itself; NULL: nothing */
	double seconds;       /* that all of it took */
	bool in_turns;        /* the baseline is an executable that was measured beside this one */
	struct bench_gate_undecided undecided; /* of the final verdicts */
	double machine; /* the anchor's own time over that of the nights before it; 0 or NaN: not known */
};

/* Is it a pass: nothing fails, nothing went wrong with the judging, and enough could be decided? */
bool bench_render_gate_passed(const struct bench_comparison *comparison, const struct bench_report_gate *gate,
			      unsigned failing);

/*
 * "gate: FAIL: 2 slower, 1 missing; 41 same, 3 unclear (baseline rolling:10, 10 runs; 243 s)", in `arena`.
 * Behind FAIL: what makes it fail; behind the semicolon: the rest. PASS, or UNCLEAR where nothing could be
 * decided, else.
 */
char *bench_render_gate_line(struct bench_arena *arena, const struct bench_comparison *comparison,
			     const struct bench_report_gate *gate, unsigned failing);

#endif

/* SPDX-License-Identifier: MIT */
/* What to do about a comparison that is red or undecided: complete commands, to be pasted into a shell. */
#ifndef BENCH_REPORT_RENDER_NEXT_H
#define BENCH_REPORT_RENDER_NEXT_H

#include "compare/compare.h"
#include "core/arena.h"
#include "core/text.h"
#include "record/record.h"
#include "report/render/gate.h"

/* What the commands are made from. Nothing of it is owned, and all but `comparison` may be NULL. */
struct bench_next_source {
	const struct bench_comparison *comparison;
	const struct bench_run *candidate;
	const struct bench_report_gate *gate; /* NULL: not a gate's */
	unsigned failing;                     /* bits of enum bench_failing */
	const char *command;                  /* that made the comparison, quoted for a shell */
	const char *places;                   /* options for another history: " --db other.db" */
};

struct bench_next {
	const char *what; /* "to accept it" */
	const char *command;
};

/* In `arena`, the most useful first; none where all is well. Returns how many. */
size_t bench_render_next(struct bench_arena *arena, const struct bench_next_source *source,
			 struct bench_next **next);

/* Such commands as Markdown: a line and a block of code each. */
void bench_render_next_markdown(const struct bench_next *next, size_t count, struct bench_text *out);

/* `command` with an option set to a value, in place of one that it has; NULL: without it. In
 * `arena`. */
char *bench_render_next_with(struct bench_arena *arena, const char *command, const char *option,
			     const char *value);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Why the head of a duel is slower, or faster, than its base: which of what was observed beside the times
 * (core/observed.h) differs, by the paired tests that judge a duel (compare/duel.h), and how much of the
 * change it can explain. Pure.
 */
#ifndef BENCH_COMPARE_WHY_H
#define BENCH_COMPARE_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/observed.h"
#include "record/record.h"
#include "stats/stats.h"

/* A difference, an invocation a pair. */
struct bench_why_change {
	double base, head; /* medians */
	bool is_ratio;     /* of head over base; else head less base, as one of them was 0 or less */
	struct bench_interval interval;
	double p, p_adjusted; /* over all that is tested in the run (Holm) */
	bool differs;         /* p_adjusted <= alpha */
};

struct bench_why_row {
	const struct bench_observed *about;
	const char *name; /* "page faults"; of a function, "sum in libmine.so" */
	const char *function, *base_file,
		*head_file; /* of a function; a file is NULL: not seen on that side */
	struct bench_why_change change;
	bool explains;                 /* it differs, in the direction of the time's change, and by enough */
	double base_share, head_share; /* of a function in the processor's time */
};

/* A fact about the two sides that is no measurement: a difference of source, options or environment. */
struct bench_why_fact {
	/* Where the sentence has it: in front, as it says more than what was observed; before functions and
	 * times; behind what was observed; nowhere.
	 */
	enum { BENCH_FACT_FIRST, BENCH_FACT_MIX, BENCH_FACT_LAST, BENCH_FACT_LISTED } place;
	const char *what;   /* "kernel source" */
	const char *brief;  /* one line */
	const char *detail; /* more lines, or NULL */
};

enum bench_why_answer {
	BENCH_WHY_NONE,
	BENCH_WHY_SLOWER,
	BENCH_WHY_FASTER,
	BENCH_WHY_TOO_FEW,
	BENCH_WHY_UNCLEAR
};

struct bench_why {
	const char *key; /* of the case */
	enum bench_why_answer answer;
	bool of_first_call; /* it is the first call that differs, and the time does not */
	struct bench_why_change time, first_call;
	struct bench_why_row *rows; /* those that explain first, the most telling before the others */
	size_t row_count;
	const char **unread; /* "SOURCE: reason, and the command that would enable it" */
	size_t unread_count;
	struct bench_why_fact *facts; /* the caller adds them */
	size_t fact_count;
};

struct bench_whys {
	struct bench_arena arena;
	struct bench_why *cases; /* those that were measured on both sides */
	size_t count;
	double alpha, threshold;
	size_t invocations; /* the most of any case */
	size_t tests;
};

/* Tests of a case, about: for how many invocations are needed. */
#define BENCH_WHY_TESTS 24

/*
 * Judges an observed duel. `threshold`: the smallest change of the time that asks for a reason. BENCH_NOTHING
 * where no case was measured on both sides. The caller frees it, also after an error.
 */
int bench_compare_why(const struct bench_run *run, double threshold, double alpha, struct bench_whys *whys,
		      struct bench_error *error);
void bench_compare_why_free(struct bench_whys *whys);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a project demands of its metrics whatever the baseline has: absolute bounds, and failures that it
 * expects until a date. Pure.
 */
#ifndef BENCH_COMPARE_BOUNDS_H
#define BENCH_COMPARE_BOUNDS_H

#include "compare/compare.h"

/* A bound of the metrics that a rule matches and that have its unit. */
struct bench_bound {
	const char *text; /* as written: "2 ms", "1.3x openblas" */
	double limit;     /* in `unit` */
	const char *unit; /* SI; "" of a ratio */
	/* A ratio: how many times as fast a case has to be as the same case on this target ("openblas",
	 * "opencl:SLUG"), or as the case that has this value of one parameter. NULL: a quantity. */
	const char *versus;
};

/* A failure that is known. Until the end of its last day (UTC) it fails no gate. */
struct bench_expected {
	const char *until; /* as written: "2026-12-31" */
	int64_t end;       /* Unix seconds: the first one after that day */
	const char *why;
};

/* In the order in which they are listed. */
enum bench_bound_state { BENCH_BOUND_OUT, BENCH_BOUND_UNDECIDED, BENCH_BOUND_KEPT };
const char *bench_compare_bound_name(enum bench_bound_state state); /* "out", "undecided", "kept" */

/* A metric under one bound. It is out, or kept, only if its interval of 95% lies beyond, or within. */
struct bench_bound_verdict {
	const char *key;                 /* full metric name; of a ratio, the one of the case's time; the
					    rule's pattern where no metric is held to it */
	bool is_least;                   /* the bound is a least one */
	const struct bench_bound *bound; /* the rule's */
	enum bench_bound_state state;
	double value, lo, hi, level;           /* NaN: not known */
	const char *unit;                      /* of these; "ratio" where the bound is one */
	const char *owner;                     /* as in a verdict */
	const char *reason;                    /* of an undecided one, in plain words; else "" */
	const struct bench_expected *expected; /* as in a verdict */
};

/* What became of an expectation. */
enum bench_expectation_state {
	BENCH_EXPECTATION_HOLDS,   /* something fails as expected */
	BENCH_EXPECTATION_EXPIRED, /* something fails, and the day is over */
	BENCH_EXPECTATION_PASSED,  /* all that match pass: the expectation can go */
};
const char *bench_compare_expectation_name(enum bench_expectation_state state);

struct bench_expectation {
	const char *pattern;
	const struct bench_expected *expected;
	enum bench_expectation_state state;
	size_t failing;  /* that match and fail, or would */
	size_t open;     /* that match and are undecided */
	const char *key; /* the first of these; NULL: none */
};

/*
 * The last step of a comparison, or of a gate's before its alarms: judges `run` by the bounds of the rules,
 * and marks what is expected on the day that it was measured. Of several rules the last one that sets a bound
 * for a metric counts; the same of expectations.
 */
void bench_compare_hold(struct bench_comparison *comparison, const struct bench_run *run);

/* How many are out of bounds, and how many undecided, without those that are expected. */
size_t bench_compare_out_of_bounds(const struct bench_comparison *comparison, enum bench_bound_state state);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A metric: a quantity that a case yields, beside or instead of its time. Values are SI base
 * units. "share" is a ratio of a part to its whole, such as an accuracy; people see percent.
 */
#ifndef BENCH_METRIC_H
#define BENCH_METRIC_H

#include "bench/error.h"

enum bench_better { BENCH_BETTER_NONE, BENCH_BETTER_LOWER, BENCH_BETTER_HIGHER };

struct bench_metric_spec {
	const char *name;         /* [a-z][a-z0-9_]*; none of the names that the harness derives itself */
	const char *unit;         /* "s", "B", "B/s", "FLOP/s", "item/s", "ratio", "share" or "count" */
	enum bench_better better; /* the direction that is an improvement; NONE: never judged */
	const char *help;         /* one line */
};

/* The name of a note: what of a case's result nobody has checked. Tables and gates show it. */
#define BENCH_NOTE_UNCHECKED "unchecked"

/* Where a suite's report() puts its values. */
struct bench_report {
	void *context;
	/* Takes one sample of a metric of the suite's table; several calls, several samples. */
	void (*value)(void *context, const struct bench_metric_spec *metric, double value);
	/* Keeps a text with the case: why a metric of that name is not given. The last one of a name stays.
	 */
	void (*note)(void *context, const char *name, const char *text);
};

#endif

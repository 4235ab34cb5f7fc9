/* SPDX-License-Identifier: MIT */
/*
 * The power of a comparison: runs of unchanged code and runs with known slowdowns are each compared with a
 * baseline of other unchanged ones, and what was called slower is counted. Pure, as all of compare.
 */
#ifndef BENCH_COMPARE_POWER_H
#define BENCH_COMPARE_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "compare/compare.h"

/* All comparisons of runs with the same slowdown. */
struct bench_power_level {
	double slowdown;        /* 0.03: calls took 3% longer; 0: unchanged code */
	size_t comparisons;     /* of whole runs */
	size_t alarms;          /* those in which any metric is slower */
	size_t metrics;         /* judged, in all comparisons: same, faster, slower or unclear */
	size_t slower, unclear; /* of these */
	size_t cases, found; /* cases in all comparisons, and those that were found slower, each by itself */
	size_t missing;      /* cases or metrics that were missing or broken, and are in no other count */
};

struct bench_power_case {
	char *key;              /* "suite/backend:device/k=v" */
	size_t *trials, *found; /* one a level; found at level 0: false alarms */
	double *mdes;           /* of its time, one a comparison of unchanged code that has one */
	size_t mde_count;
};

struct bench_power {
	struct bench_arena arena;
	struct bench_compare_options options;
	struct bench_power_level *levels; /* unchanged code first, then ascending */
	size_t level_count;
	struct bench_power_case *cases; /* in the order first seen */
	size_t case_count;
	size_t baseline_runs;     /* that each run was compared with; 0: none was */
	unsigned invocations;     /* of each run: what was asked for */
	size_t least_invocations; /* that any metric of a run has had; 0: none was compared */
	double run_seconds;       /* the budget of a run; 0: not known */
};

/* Empty counts; `slowdowns`: above 0, ascending. The caller frees the result. */
struct bench_power *bench_compare_power_new(const double *slowdowns, size_t count,
					    const struct bench_compare_options *options);
void bench_compare_power_free(struct bench_power *power); /* NULL is allowed */

/*
 * Counts one comparison. A case shows its slowdown in its time and latency; it is found if one of them is
 * slower with a p that suffices when corrected for all metrics. Without this correction each slowed case
 * would make it easier to find the next (Holm's steps): here all cases are slowed at once, while a change of
 * the code mostly slows few.
 */
void bench_compare_power_add(struct bench_power *power, size_t level,
			     const struct bench_comparison *comparison);

/* A run that was measured for this. */
struct bench_power_run {
	const struct bench_run *run;
	size_t level; /* 0: of unchanged code */
};

/*
 * Compares each run with `baseline_runs` of the unchanged ones; if there are too few, with all of them except
 * one. They are drawn anew for each run by `seed`, and are never the run itself. With fewer than two
 * unchanged runs nothing is counted. -1: a comparison was refused, and the error says why.
 */
int bench_compare_power_runs(struct bench_power *power, const struct bench_power_run *runs, size_t count,
			     size_t baseline_runs, uint64_t seed, struct bench_error *error);

/* The smallest slowdown such that it and all larger ones were found in this share of their trials; NaN: none.
 */
double bench_compare_power_smallest(const struct bench_power *power, const struct bench_power_case *one,
				    double share);
/* The median MDE, or NaN. */
double bench_compare_power_mde(const struct bench_power_case *one);

#endif

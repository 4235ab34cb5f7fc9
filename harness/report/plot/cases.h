/* SPDX-License-Identifier: MIT */
/* The cases of one suite in a run, as points over their parameters: what scaling and heatmaps draw. */
#ifndef BENCH_REPORT_PLOT_CASES_H
#define BENCH_REPORT_PLOT_CASES_H

#include "report/plot/plot.h"

/* Results that have a value to plot, and that value: a rate, or the time where no case of the suite has one.
 */
struct bench_plot_cases {
	struct bench_arena *arena;
	const char *suite;
	struct bench_plot_case {
		const struct bench_result *result;
		const struct bench_metric *metric;
	} * items;
	size_t count;
};

/* BENCH_NOTHING where the run has no such suite, or no case of it that is ok. */
int bench_plot_cases_collect(struct bench_plot_cases *cases, const struct bench_run *run, const char *suite,
			     struct bench_error *error);

/* The distinct values of a parameter, ascending, in the arena; 0 unless all are numbers. Cases without the
 * parameter have no value. */
size_t bench_plot_cases_values(const struct bench_plot_cases *cases, const char *name, double **values);

/* Checks a parameter that the user named; BENCH_USAGE if there is no such parameter, or its values are not
 * numbers. */
int bench_plot_cases_check(const struct bench_plot_cases *cases, const char *name, struct bench_error *error);

/*
 * The numeric parameter with the most values (the first of those), or NULL. With `not`, another parameter
 * than that one, with at least two values.
 */
const char *bench_plot_cases_choose(const struct bench_plot_cases *cases, const char * not );

/* Keeps the cases that have the parameter: imported cases may have different parameters. */
void bench_plot_cases_keep(struct bench_plot_cases *cases, const char *name);

/* Is `name` equal to `parameter` in every case? Then an axis of the one is one of both. */
bool bench_plot_cases_is_same(const struct bench_plot_cases *cases, const char *name, const char *parameter);
/*
 * Does it scale along? In a square GEMM n equals m at every point: n is part of what is scaled, and does not
 * distinguish lines. Equal values at a single point are a coincidence.
 */
bool bench_plot_cases_goes_along(const struct bench_plot_cases *cases, const char *name,
				 const char *parameter);

/* The name of an axis with all that is equal to it: "m = n = k". */
char *bench_plot_cases_axis(const struct bench_plot_cases *cases, const char *parameter);

/* The unit for all values, and their divisor. */
const char *bench_plot_cases_unit(const struct bench_plot_cases *cases, double *factor);

#endif

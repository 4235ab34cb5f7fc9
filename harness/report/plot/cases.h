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

/* The distinct values of a parameter, ascending, in the arena; 0 where one of them is no number. Cases
 * without it have none. */
size_t bench_plot_cases_values(const struct bench_plot_cases *cases, const char *name, double **values);

/* A parameter that was asked for; BENCH_USAGE where there is none of that name, or its values are no numbers.
 */
int bench_plot_cases_check(const struct bench_plot_cases *cases, const char *name, struct bench_error *error);

/*
 * The numeric parameter with the most values (the first of those); NULL: there is none. With `not`, one of
 * two values or more beside that one.
 */
const char *bench_plot_cases_choose(const struct bench_plot_cases *cases, const char * not );

/* Leaves the cases that have the parameter: those that were imported need not have the same ones. */
void bench_plot_cases_keep(struct bench_plot_cases *cases, const char *name);

/* Is `name` equal to `parameter` in every case? Then an axis of the one is one of both. */
bool bench_plot_cases_is_same(const struct bench_plot_cases *cases, const char *name, const char *parameter);
/*
 * Does it go along with it? In a square GEMM n is m at every point, and is part of what is scaled rather than
 * of what tells lines apart. Equal values at one point alone are a coincidence.
 */
bool bench_plot_cases_goes_along(const struct bench_plot_cases *cases, const char *name,
				 const char *parameter);

/* The name of an axis with all that is equal to it: "m = n = k". */
char *bench_plot_cases_axis(const struct bench_plot_cases *cases, const char *parameter);

/* The unit that all values are shown in, and what they are divided by. */
const char *bench_plot_cases_unit(const struct bench_plot_cases *cases, double *factor);

#endif

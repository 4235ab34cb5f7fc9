/*
 * Plots, drawn by gnuplot (a separate program, found on PATH). The output's ending chooses
 * the kind: .svg, .png, .pdf. Written beside the target and renamed: never half a file.
 */
#ifndef BENCH_REPORT_PLOT_PLOT_H
#define BENCH_REPORT_PLOT_PLOT_H

#include "bench/error.h"
#include "compare/changes.h"
#include "compare/power.h"
#include "record/record.h"
#include "store/store.h"

/*
 * Trend: a line a metric over the runs, in time order, with its interval as a band.
 * Accepted shifts are marked, and the changes (of these points, by key and host, then oldest first), whose
 * levels are drawn as steps. Points are sorted by key. More than 12 keys: BENCH_USAGE (a narrower pattern is
 * needed).
 */
int bench_plot_trend(const struct bench_point *points, size_t count, const struct bench_change *changes,
		     size_t change_count, const char *output, struct bench_error *error);

/*
 * Scaling: one suite's rate (or time, where it has none) over one INT parameter, a line a
 * backend:device and combination of the other parameters. `parameter` NULL: the one with most values.
 */
int bench_plot_scaling(const struct bench_run *run, const char *suite, const char *parameter,
		       const char *output, struct bench_error *error);

/*
 * Roofline: every case of the run that counts FLOPs and bytes, below the ceilings of its device as the run
 * knows them. BENCH_NOTHING where it knows none, or has no such case.
 */
int bench_plot_roofline(const struct bench_run *run, const char *output, struct bench_error *error);

/*
 * Power: how many of the cases are found over the slowdown, with the interval; beside it a line a case, where
 * they are few enough. BENCH_NOTHING where nothing was compared.
 */
int bench_plot_power(const struct bench_power *power, const char *output, struct bench_error *error);

#endif

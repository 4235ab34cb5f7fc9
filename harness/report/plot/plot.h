/* SPDX-License-Identifier: MIT */
/*
 * Plots, drawn by gnuplot (a separate program, found on PATH): into files, or as characters for a terminal.
 */
#ifndef BENCH_REPORT_PLOT_PLOT_H
#define BENCH_REPORT_PLOT_PLOT_H

#include "bench/error.h"
#include "compare/changes.h"
#include "compare/compare.h"
#include "compare/power.h"
#include "record/record.h"
#include "store/store.h"

/*
 * Where a plot goes. The ending of a file chooses its kind: .svg, .png, .pdf. Written beside the target and
 * renamed: never half a file. What does not fit one page goes on in further files, "a-2.svg" behind "a.svg";
 * a .pdf has all its pages.
 */
struct bench_plot_place {
	const char *file;        /* NULL: `text` */
	bool dark;               /* light on dark; an .svg without it follows the reader's own setting */
	unsigned columns;        /* of the terminal, BENCH_PLOT_COLUMNS or more */
	struct bench_text *text; /* gets the plot in characters */
	unsigned files;          /* out: the number of files written */
};
#define BENCH_PLOT_COLUMNS 60

/* The name of the file of that number, from 1 on; malloc'd. */
char *bench_plot_file(const struct bench_plot_place *place, unsigned number);
/* BENCH_USAGE, naming the endings, where a plot cannot go there. */
int bench_plot_check(const struct bench_plot_place *place, struct bench_error *error);

/*
 * Trend: metrics over the runs, in time order, with their intervals as bands: lines in one panel, or one
 * panel each if they are many or of several units. Values beyond the usual range of a metric that do not
 * concern its level stand at the edge. Marks show disturbed runs, verdicts, alarms, accepted shifts and
 * changes, whose levels are drawn as steps.
 */
struct bench_plot_trend {
	const struct bench_point *points; /* sorted by key, then oldest first */
	size_t count;
	const struct bench_change *changes; /* of these points, by key and host, then oldest first */
	size_t change_count;
	const struct bench_alarm *alarms;
	size_t alarm_count;
	const struct bench_kept_comparison *comparisons; /* whose verdicts are marked */
	size_t comparison_count;
	const struct bench_run_row *runs; /* which name the hosts; none: they go by their fingerprints */
	size_t run_count;
};
int bench_plot_trend(const struct bench_plot_trend *trend, struct bench_plot_place *place,
		     struct bench_error *error);

/*
 * Scaling: the rate of one suite (or its time) over one INT parameter, one line per backend:device and
 * combination of the other parameters. `parameter` NULL: the one with the most values.
 */
int bench_plot_scaling(const struct bench_run *run, const char *suite, const char *parameter,
		       struct bench_plot_place *place, struct bench_error *error);

/*
 * Heatmap: the same over two parameters, "a,b": the first over, the second up; NULL: the two with most
 * values.
 */
int bench_plot_heatmap(const struct bench_run *run, const char *suite, const char *parameters,
		       struct bench_plot_place *place, struct bench_error *error);

/*
 * Learning curve: metrics of a suite whose samples are consecutive steps, such as the epochs of a training:
 * those whose name begins with "epoch_". It shows the median over the invocations, with the minimum and the
 * maximum as a band.
 */
int bench_plot_learning(const struct bench_run *run, const char *suite, struct bench_plot_place *place,
			struct bench_error *error);

/*
 * Roofline: a panel per device, with every case of the run that counts FLOPs and bytes. The ceilings are
 * those that the run knows, or that its checked results raised. `peaks`: other runs of suite peak, for the
 * slopes of caches. BENCH_NOTHING without ceilings or without such a case.
 */
int bench_plot_roofline(const struct bench_run *run, const struct bench_run *const *peaks, size_t peak_count,
			struct bench_plot_place *place, struct bench_error *error);

/*
 * Distribution: one panel per metric whose full name matches the pattern. It shows the samples of a run, one
 * row per invocation, and those of another run (NULL: none), with both medians and the shift between them.
 */
int bench_plot_distribution(const struct bench_run *run, const struct bench_run *base, const char *pattern,
			    struct bench_plot_place *place, struct bench_error *error);

/* Compare: the ratios of a comparison with their intervals, the slowest first. */
int bench_plot_compare(const struct bench_comparison *comparison, struct bench_plot_place *place,
		       struct bench_error *error);

/*
 * Power: the share of cases that are found, over the slowdown, with its interval; and a line per case if they
 * are few. BENCH_NOTHING where nothing was compared.
 */
int bench_plot_power(const struct bench_power *power, struct bench_plot_place *place,
		     struct bench_error *error);

#endif

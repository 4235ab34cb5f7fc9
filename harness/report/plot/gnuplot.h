/* SPDX-License-Identifier: MIT */
/*
 * gnuplot, run as a child. It gets its script on standard input and writes the picture to
 * standard output: no shell, no file name and no start-up file is involved.
 */
#ifndef BENCH_REPORT_PLOT_GNUPLOT_H
#define BENCH_REPORT_PLOT_GNUPLOT_H

#include "bench/error.h"
#include "core/text.h"
#include "report/plot/plot.h"

/* Starts a script: the terminal that the place asks for, of width x height pixels or characters. */
int bench_plot_gnuplot_start(struct bench_text *script, const struct bench_plot_place *place, unsigned width,
			     unsigned height, struct bench_error *error);

/* `text` as a string of gnuplot's, quotes included: one line, nothing in it is acted upon. */
void bench_plot_gnuplot_add_string(struct bench_text *script, const char *text);

/* What makes a label of the script larger, a tenth at the most. */
const char *bench_plot_gnuplot_large(const struct bench_plot_place *place);

/* Does one file hold all pages? */
bool bench_plot_gnuplot_has_pages(const struct bench_plot_place *place);

/*
 * Runs the script and writes what it draws to the place, whole, as its next file. BENCH_ENVIRONMENT where
 * gnuplot is not installed (with the package's name), fails (with its own words) or the
 * file cannot be written.
 */
int bench_plot_gnuplot_run(const struct bench_text *script, struct bench_plot_place *place,
			   struct bench_error *error);

#endif

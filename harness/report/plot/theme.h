/* SPDX-License-Identifier: MIT */
/* Colors: by what they are for, on a light page and on a dark one. */
#ifndef BENCH_REPORT_PLOT_THEME_H
#define BENCH_REPORT_PLOT_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

enum bench_plot_role {
	BENCH_PLOT_PAPER,
	BENCH_PLOT_INK,   /* of texts */
	BENCH_PLOT_MUTED, /* of axes and remarks */
	BENCH_PLOT_GRID,
	BENCH_PLOT_WORSE,
	BENCH_PLOT_BETTER,
	BENCH_PLOT_DOUBT,
	BENCH_PLOT_SERIES, /* the first of BENCH_PLOT_HUES */
};
#define BENCH_PLOT_HUES 7

/* The color, "#rrggbb". */
const char *bench_plot_theme_color(enum bench_plot_role role, bool dark);
/* The role of line `index`; they repeat after BENCH_PLOT_HUES. */
enum bench_plot_role bench_plot_theme_series(size_t index);
/* gnuplot's number of the shape of its points; they repeat after more. */
int bench_plot_theme_shape(size_t index);

/* The red, green and blue of a scale from dark to light at `share` in [0, 1]. */
unsigned bench_plot_theme_heat(double share);

/* The light picture `svg` with a style by which it is dark where its reader's pages are. */
void bench_plot_theme_follow(struct bench_text *out, const char *svg, size_t length);

#endif

/* Lines: what trend and scaling plots draw, and the look that both have. */
#ifndef BENCH_REPORT_PLOT_LINES_H
#define BENCH_REPORT_PLOT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/text.h"

#define BENCH_LINES_MAX 12 /* more cannot be told apart */

struct bench_plot_point {
	double x, y, lo, hi; /* lo..hi: the interval */
};

/* A level that a line had from one x to another. */
struct bench_plot_level {
	double from, to, y;
	bool starts; /* not joined with the level before it */
};

struct bench_plot_line {
	char **parts; /* what it is: "gemm", "openblas:haswell", "n=64", "time" */
	size_t part_count;
	const char *key; /* what add_line was given */
	char *remark;    /* behind the legend's label; NULL: none */
	struct bench_plot_point *points;
	size_t point_count;
	struct bench_plot_level *levels; /* drawn as steps; ascending, but for those of a further `starts` */
	size_t level_count;
};

struct bench_plot_tick {
	double x;
	char *label; /* "\n" in it breaks the line; plain characters only */
};

/* A vertical line across the plot, with a line of text beside its top. */
struct bench_plot_mark {
	double x;
	const char *label;
};

struct bench_plot {
	struct bench_arena arena;
	struct bench_plot_line *lines;
	size_t line_count;
	struct bench_plot_tick *ticks; /* of the x axis, ascending */
	size_t tick_count;
	struct bench_plot_mark *marks; /* of what happened between two points of the x axis */
	size_t mark_count;
	const char *title; /* what is shown; what all lines share is put behind it */
	const char *x_label, *y_label;
	unsigned tick_rows; /* lines of text that a tick's label has */
	bool log_x, log_y;
	double x_min, x_max, y_min, y_max;
};

/*
 * Adds a line, BENCH_USAGE where there are BENCH_LINES_MAX already; `advice` says what to do.
 * `key`, by which the caller tells lines apart, is copied.
 */
int bench_plot_add_line(struct bench_plot *plot, const char *key, const char *advice,
			struct bench_plot_line **line, struct bench_error *error);
void bench_plot_add_part(struct bench_plot *plot, struct bench_plot_line *line, const char *part,
			 size_t length);
/* A point with finite x and y; an interval that is not finite shrinks to the point. */
void bench_plot_add_point(struct bench_plot *plot, struct bench_plot_line *line, double x, double y,
			  double lo, double hi);

/* Sets x_min.. y_max (and log_y where values span more than two decades, if allowed) from the points. */
void bench_plot_fit(struct bench_plot *plot, bool may_log_y, bool from_zero);

/* The colour of line `index`, "#rrggbb", and gnuplot's number of the shape of its points; they repeat. */
const char *bench_plot_color(size_t index);
int bench_plot_shape(size_t index);

/* Draws to `output`. */
int bench_plot_draw(struct bench_plot *plot, const char *output, struct bench_error *error);

void bench_plot_free(struct bench_plot *plot);

#endif

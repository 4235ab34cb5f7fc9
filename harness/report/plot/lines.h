/* SPDX-License-Identifier: MIT */
/* Lines in a panel: what trend, scaling, learning and power plots draw. */
#ifndef BENCH_REPORT_PLOT_LINES_H
#define BENCH_REPORT_PLOT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/plot/page.h"

#define BENCH_LINES_MAX 8 /* the most that a panel can show legibly */

/* What is known of a point: bits. */
enum bench_plot_flag {
	BENCH_PLOT_DISTURBED = 1,
	BENCH_PLOT_SLOWER = 2,
	BENCH_PLOT_FASTER = 4,
	BENCH_PLOT_SUSPECTED = 8,
};

struct bench_plot_point {
	double x, y, lo, hi; /* lo..hi: the interval */
	unsigned flags;
};

/* A level that a line had from one x to another. */
struct bench_plot_level {
	double from, to, y;
};

struct bench_plot_line {
	char **parts; /* what it is: "gemm", "openblas:haswell", "n=64", "time" */
	size_t part_count;
	const char *key;  /* by which it is known */
	const char *unit; /* of its values; for the caller */
	char *remark;     /* behind the legend's label; NULL: none */
	struct bench_plot_point *points;
	size_t point_count;
	struct bench_plot_level *levels; /* drawn as steps, ascending */
	size_t level_count;
};

struct bench_plot_lines {
	struct bench_arena *arena;
	struct bench_plot_line *items;
	size_t count;
};

/* The line with that `key`, which is copied; a new line if there is none yet. */
struct bench_plot_line *bench_plot_lines_of(struct bench_plot_lines *lines, const char *key);
void bench_plot_lines_add_part(struct bench_plot_lines *lines, struct bench_plot_line *line, const char *part,
			       size_t length);
/* The parts of a full name: "gemm/openblas:haswell/m=64,n=64/time". */
void bench_plot_lines_add_key(struct bench_plot_lines *lines, struct bench_plot_line *line, const char *key);
/* Adds a point unless x or y is not usable. An unusable interval shrinks to the point. */
void bench_plot_lines_add_point(struct bench_plot_lines *lines, struct bench_plot_line *line,
				struct bench_plot_point point);
/* Removes lines without a point. */
void bench_plot_lines_drop_empty(struct bench_plot_lines *lines);

/* The parts of a line that all lines share, or those that they do not; "m=64", "n=64" as "m=n=64". */
char *bench_plot_lines_name(const struct bench_plot_lines *lines, const struct bench_plot_line *line,
			    bool shared);

/* The same for a line among those of several suites, whose parameters differ: what distinguishes it. */
char *bench_plot_lines_short(const struct bench_plot_lines *lines, const struct bench_plot_line *line);

/* Multiplies the values of a line. */
void bench_plot_lines_multiply(struct bench_plot_line *line, double by);

enum bench_plot_fit {
	BENCH_PLOT_FIT_LEVEL,   /* about the values, a tenth of them high at least */
	BENCH_PLOT_FIT_CURVE,   /* the same, and all of them */
	BENCH_PLOT_FIT_MAY_LOG, /* all, from zero; logarithmic where they span more than two decades */
};
/*
 * Sets the range of a y axis by the lines first..first + count - 1. Values and intervals far from the others
 * of their line do not flatten the rest. Inside stay levels, the newest value, and points with verdicts up to
 * twice the median.
 */
void bench_plot_lines_fit(const struct bench_plot_lines *lines, size_t first, size_t count,
			  enum bench_plot_fit how, struct bench_plot_axis *axis);

/*
 * Draws these lines into the panel, whose axes have their ranges, line first + i in color hue + i; with
 * `named`, each gets an entry in the legend. Points beyond the range stand at its edge, and the legend notes
 * that.
 */
void bench_plot_lines_draw(struct bench_plot_lines *lines, size_t first, size_t count, size_t hue, bool named,
			   struct bench_plot *plot, struct bench_plot_panel *panel);

#endif

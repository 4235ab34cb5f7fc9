/* SPDX-License-Identifier: MIT */
/*
 * A picture: panels with a title above and one legend below, on as many pages as they need. The layout is
 * computed here: gnuplot clips its own legends where a font is wider than it expects.
 */
#ifndef BENCH_REPORT_PLOT_PAGE_H
#define BENCH_REPORT_PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/text.h"
#include "report/plot/plot.h"
#include "report/plot/theme.h"
#include "report/render/axis.h"

struct bench_plot_tick {
	double at;
	const char *label; /* "\n" in it breaks the line; plain characters only */
};

struct bench_plot_axis {
	const char *label; /* NULL: none */
	double min, max;
	bool log;
	bool bare; /* without ticks */
	bool grid; /* lines at its ticks */
	struct bench_plot_tick *ticks;
	size_t tick_count; /* 0: gnuplot chooses */
	unsigned rows;     /* lines of text that a tick's label has */
};

enum bench_plot_dash { BENCH_PLOT_NO_LINE, BENCH_PLOT_SOLID, BENCH_PLOT_DASHED };

/* A vertical line across a panel, with a line of text beside its top. */
struct bench_plot_mark {
	double x;
	const char *label; /* "": none */
	enum bench_plot_role role;
	enum bench_plot_dash dash;
};

/* A part of a panel from left to right, tinted. */
struct bench_plot_span {
	double from, to;
	enum bench_plot_role role;
};

/* A text in a panel. */
struct bench_plot_label {
	double x, y;
	bool beside;       /* left of the panel: x is ignored */
	bool right;        /* it ends at x; else it begins there */
	bool centered;     /* at x */
	const char *color; /* "#rrggbb" */
	const char *text;
};

struct bench_plot_panel {
	const char *title; /* "": none */
	struct bench_plot_axis x, y;
	struct bench_plot_mark *marks;
	size_t mark_count;
	struct bench_plot_span *spans;
	size_t span_count;
	struct bench_plot_label *labels;
	size_t label_count;
	struct bench_text layers; /* what gnuplot plots */
	struct bench_text data;   /* and of what: blocks of rows */
	size_t block_start;       /* in `data`, of the newest block */
};

struct bench_plot_entry {
	const char *label;
	enum bench_plot_role role;
	int shape; /* 0: no point */
	enum bench_plot_dash dash;
	char letter;       /* in place of the shape on a terminal; 0: none */
	const char *color; /* "#rrggbb", in place of the role's; NULL: the role's */
};

struct bench_plot {
	struct bench_arena arena;
	struct bench_plot_place *place;
	const char *title;
	struct bench_plot_panel *panels;
	size_t panel_count;
	struct bench_plot_entry *entries; /* of the legend */
	size_t entry_count;
	const char **remarks; /* lines below the legend */
	size_t remark_count;
	size_t block_count;
	unsigned left; /* characters left of a panel, for the labels of its y axis; 0: as ticks need */
	unsigned rows; /* of text that a panel is high; 0: as usual */
	bool stacked;  /* panels stand below each other alone */
};

struct bench_plot_panel *bench_plot_page_add_panel(struct bench_plot *plot, const char *title);
void bench_plot_page_add_mark(struct bench_plot *plot, struct bench_plot_panel *panel,
			      struct bench_plot_mark mark);
void bench_plot_page_add_span(struct bench_plot *plot, struct bench_plot_panel *panel,
			      struct bench_plot_span span);
void bench_plot_page_add_label(struct bench_plot *plot, struct bench_plot_panel *panel,
			       struct bench_plot_label label);
/* Adds an entry to the legend, once per label. */
void bench_plot_page_add_entry(struct bench_plot *plot, struct bench_plot_entry entry);
/* The same for line `index`, as bench_plot_theme_series and bench_plot_theme_shape have it. */
void bench_plot_page_add_series(struct bench_plot *plot, size_t index, const char *label);
void bench_plot_page_add_remark(struct bench_plot *plot, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A tick; its label is cut to the room that it has. */
void bench_plot_page_add_tick(struct bench_plot *plot, struct bench_plot_axis *axis, double at,
			      const char *label);
/* Round ticks of a logarithmic axis whose ends are known. */
void bench_plot_page_add_log_ticks(struct bench_plot *plot, struct bench_plot_axis *axis);
/* "64 Ki", "1 M", "4096": a value in a few characters. */
const char *bench_plot_page_short(struct bench_plot *plot, double value);

/*
 * Begins a block of data and returns its number; the caller adds rows to panel->data and ends the block.
 * bench_plot_page_end returns false if the block is empty, and must not be plotted.
 */
size_t bench_plot_page_begin(struct bench_plot *plot, struct bench_plot_panel *panel);
bool bench_plot_page_end(struct bench_plot_panel *panel);
/* Adds what follows "plot" for one layer: "$d3 using 1:2 with lines". */
void bench_plot_page_add_layer(struct bench_plot_panel *panel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

const char *bench_plot_page_color(const struct bench_plot *plot, enum bench_plot_role role);
bool bench_plot_page_is_text(const struct bench_plot *plot);
/* What " pt " takes: the shape of line `index`, or its letter. */
int bench_plot_page_shape(const struct bench_plot *plot, size_t index);

int bench_plot_page_draw(struct bench_plot *plot, struct bench_error *error);
void bench_plot_page_free(struct bench_plot *plot);
/* In place of `struct bench_plot`, for a local pointer to one that a function draws, as BENCH_SCOPED_RUN. */
#define BENCH_SCOPED_PLOT __attribute__((cleanup(bench_plot_page_release))) struct bench_plot
static inline void bench_plot_page_release(struct bench_plot *const *plot)
{
	bench_plot_page_free(*plot);
}

#endif

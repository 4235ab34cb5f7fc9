/* SPDX-License-Identifier: MIT */
/*
 * A grid: columns and rows of text, rendered as an aligned table for a terminal or as a
 * Markdown table. Columns in which every cell is empty are left out. Where the width does
 * not suffice, the columns of the highest rank go first, then cells break at their blanks.
 * No text is cut. A grid owns its texts.
 */
#ifndef BENCH_REPORT_RENDER_GRID_H
#define BENCH_REPORT_RENDER_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/text.h"

enum bench_tone { BENCH_TONE_PLAIN, BENCH_TONE_GOOD, BENCH_TONE_BAD, BENCH_TONE_DOUBT, BENCH_TONE_STRONG };

struct bench_grid_column {
	const char *title;
	bool right;    /* numbers stand at the right */
	unsigned rank; /* 0: always shown; else dropped in order of rank, the highest first */
};

struct bench_grid_cell {
	const char *text; /* NULL: empty */
	enum bench_tone tone;
	bool across; /* takes the place of all cells to its right */
};

struct bench_grid_row {
	struct bench_grid_cell *cells; /* one per column */
	char *under;                   /* lines under the row, indented, never cut; NULL: none */
};

struct bench_grid {
	struct bench_arena arena;
	struct bench_grid_column *columns;
	size_t column_count;
	struct bench_grid_row *rows;
	size_t row_count;
};

/* All columns are added before the first row. Returns the column's index. */
size_t bench_render_grid_column(struct bench_grid *grid, const char *title, bool right, unsigned rank);
void bench_render_grid_columns(struct bench_grid *grid, const struct bench_grid_column *columns,
			       size_t count);
/* Adds an empty row and returns its index. */
size_t bench_render_grid_row(struct bench_grid *grid);
/* Adds a row of plain texts, one per column, and tells the tone of one of its cells. */
void bench_render_grid_add(struct bench_grid *grid, const char *const *texts);
void bench_render_grid_add_toned(struct bench_grid *grid, const char *const *texts, size_t column,
				 enum bench_tone tone);
/* Texts are copied, as one safe line each; put: plain. */
void bench_render_grid_put(struct bench_grid *grid, size_t row, size_t column, const char *text);
void bench_render_grid_set(struct bench_grid *grid, size_t row, size_t column, enum bench_tone tone,
			   const char *text);
void bench_render_grid_across(struct bench_grid *grid, size_t row, size_t column, enum bench_tone tone,
			      const char *text);
/* Adds a line under a row; a terminal's table shows it, Markdown does not. */
void bench_render_grid_under(struct bench_grid *grid, size_t row, const char *text);

/* Sorts the rows by their first cells, in which numbers count as such: "n=64" before "n=128". */
void bench_render_grid_sort(struct bench_grid *grid);

/* The columns that the table takes without a limit, as far as cells across do not reach beyond it. */
size_t bench_render_grid_width(struct bench_grid *grid);
/* width 0: not limited. */
void bench_render_grid_render(struct bench_grid *grid, unsigned width, bool color, struct bench_text *out);
void bench_render_grid_markdown(const struct bench_grid *grid, struct bench_text *out);
void bench_render_grid_free(struct bench_grid *grid);
/* As BENCH_SCOPED_ARENA (core/arena.h). */
#define BENCH_SCOPED_GRID __attribute__((cleanup(bench_render_grid_free))) struct bench_grid

/* `text` in a tone, where `color`. */
void bench_render_tone_add(struct bench_text *out, bool color, enum bench_tone tone, const char *text);

#endif

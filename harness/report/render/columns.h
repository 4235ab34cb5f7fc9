/* SPDX-License-Identifier: MIT */
/* Several columns, each compared with the first, as people read them. */
#ifndef BENCH_REPORT_RENDER_COLUMNS_H
#define BENCH_REPORT_RENDER_COLUMNS_H

#include "compare/columns.h"
#include "report/render/grid.h"

/* How much a cell has. */
enum bench_columns_detail {
	BENCH_COLUMNS_FULL,     /* "9.44 us slower +2.3%, 99% +1.9..+2.7" */
	BENCH_COLUMNS_INTERVAL, /* "slower +2.3% [1.9, 2.7]" */
	BENCH_COLUMNS_VERDICT,  /* "slower +2.3%" */
	BENCH_COLUMNS_LETTERS,  /* the same below letters, "A", "B" ... */
	BENCH_COLUMNS_STACKED,  /* a row for each column, below its case */
};

/* The most detail with which the metrics stand side by side in `width` columns (0: not limited). */
enum bench_columns_detail bench_render_columns_detail(const struct bench_columns *columns, unsigned width);
/* Fills an empty grid: a row for each metric. `only`: as in struct bench_report_options. */
void bench_render_columns_grid(const struct bench_columns *columns, unsigned only,
			       enum bench_columns_detail detail, struct bench_grid *grid);
/* The same for the geometric means, a row for each group; no rows: there are none. */
void bench_render_columns_means(const struct bench_columns *columns, enum bench_columns_detail detail,
				struct bench_grid *grid);
/* Is there a verdict of a kind that is shown? */
bool bench_render_columns_has(const struct bench_columns *columns, const char *key, unsigned only);
/* The name of a column: its letter and the name, or the name alone. */
char *bench_render_columns_name(struct bench_arena *arena, const struct bench_columns *columns, size_t at,
				enum bench_columns_detail detail);
/* What stands above the table: the answer for each column and which runs they are, a line each. */
void bench_render_columns_add_head(struct bench_arena *arena, const struct bench_columns *columns,
				   enum bench_columns_detail detail, unsigned failing,
				   struct bench_text *out);
/* What stands below it, a line each behind `prefix`: what is missing, what is in no mean, how sure it is. */
void bench_render_columns_add_foot(struct bench_arena *arena, const struct bench_columns *columns,
				   bool explain, const char *prefix, struct bench_text *out);

/* The groups of the geometric means, in order, "all" last: GROUP/METRIC, and how many cases each has. */
struct bench_columns_group {
	const char *key;
	size_t cases;
};
size_t bench_render_columns_groups(struct bench_arena *arena, const struct bench_columns *columns,
				   struct bench_columns_group **groups);

#endif

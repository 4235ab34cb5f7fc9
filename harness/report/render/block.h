/* SPDX-License-Identifier: MIT */
/*
 * Blocks: a run arranged for people. A block is one suite. Its heading has what all cases share, its rows
 * what varies. Rows with the same parameters on different targets are adjacent and compared with each other.
 */
#ifndef BENCH_REPORT_RENDER_BLOCK_H
#define BENCH_REPORT_RENDER_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/compare.h"
#include "core/arena.h"
#include "record/record.h"
#include "report/render/grid.h"

struct bench_block_row {
	const struct bench_result *result;
	const struct bench_metric *time;     /* NULL unless ok */
	const struct bench_metric *rate;     /* in the block's rate_unit; NULL unless ok and there */
	double speed;                        /* the rate, or where it has none 1/time; NaN: none */
	double ratio;                        /* speed relative to the same case on `versus`; NaN: none */
	struct bench_versus versus;          /* the same with its interval; of no pairs: none */
	const struct bench_verdict *verdict; /* the worst on any of its metrics; NULL: none */
};

struct bench_block {
	const char *suite;
	char *shared;                  /* "dtype=f32 trans=nn openblas:haswell"; "" */
	struct bench_attribute *fixed; /* the parameters that all cases share */
	size_t fixed_count;
	const char **varying; /* names of parameters; those that always agree are one: see titles */
	char **titles;        /* "m=n=k" for three parameters that agree in every row, else the name */
	size_t varying_count;
	const struct bench_result **targets; /* a result on each, in the order of the run */
	size_t target_count;
	bool target_varies;
	const char *rate_unit; /* "FLOP/s", "B/s", "item/s"; "": no rate */
	char *relative; /* what relative times are against, "layout=contiguous"; "": no relative times */
	char *versus; /* the target that ratios are against, or "best"; of one target "threads=1", the fewest
			 threads; "": no ratios */
	struct bench_block_row *rows;
	size_t row_count;
};

/* The blocks of a run, in the order of its suites; in `arena`. `comparison` may be NULL. */
void bench_render_blocks(struct bench_arena *arena, const struct bench_run *run,
			 const struct bench_comparison *comparison, struct bench_block **blocks,
			 size_t *count);

/* What of a block is shown. {0}: what people look for first, on any width. */
struct bench_block_view {
	bool wide;                  /* every column, and every precision with its confidence */
	bool repeat;                /* the command line of each case under it */
	const char *const *columns; /* metrics that have a column of their own, NULL-terminated; NULL: none */
	unsigned width;             /* columns of the terminal; 0: not limited */
};

/* Fills an empty grid with a block: a row for each result. */
void bench_render_block_grid(const struct bench_block *block, const struct bench_block_view *view,
			     struct bench_grid *grid);

/*
 * Where two or three targets are compared and fit side by side: a row for each case, with their times, rates
 * and ratio, into an empty grid. False, and the grid stays empty, where a row for each result shows more.
 */
bool bench_render_block_sides(const struct bench_block *block, const struct bench_block_view *view,
			      struct bench_grid *grid);
/* The line above such a table: "gemm  f32 NN alpha=1", with what all cases share. */
char *bench_render_block_heading(struct bench_arena *arena, const struct bench_block *block);
/* "opencl is faster than openblas in 9 of 26 cases, slower in 11", over all blocks; NULL unless two targets
 * share at least two cases. */
char *bench_render_blocks_answer(struct bench_arena *arena, const struct bench_block *blocks, size_t count);
/* What tells a target from the others of the block: its backend, its device or both. */
char *bench_render_block_target_name(struct bench_arena *arena, const struct bench_block *block,
				     const struct bench_result *result);

/* The case by what varies: "opencl m=n=k=64", or its target alone. */
char *bench_render_block_case(struct bench_arena *arena, const struct bench_block *block,
			      const struct bench_result *result);

/* How the rows of a block are arranged: those that agree in what varies little stand together. */
struct bench_block_layout {
	bool *grouped; /* by the index in `varying`: it stands above its rows, and has no column */
	size_t *order; /* the rows, group by group */
	char **groups; /* by place in `order`: what stands above that row; NULL: nothing */
};
enum bench_block_grouping {
	BENCH_BLOCK_BY_WORDS,
	BENCH_BLOCK_BY_NUMBERS, /* also by numbers that have few values */
	BENCH_BLOCK_NO_GROUPS,  /* each row says all */
};
struct bench_block_layout bench_render_block_layout(struct bench_arena *arena,
						    const struct bench_block *block,
						    enum bench_block_grouping by);

/* Adds what stands above the row at that place of the order, if anything. */
void bench_render_block_add_group(const struct bench_block_layout *layout, size_t place,
				  struct bench_grid *grid);

/* "backend:device", or the backend alone where it has no device. */
char *bench_render_block_target(struct bench_arena *arena, const struct bench_result *result);
/* The value of a parameter in a cell: "-" where the result has none of that name. */
const char *bench_render_block_shown(const struct bench_result *result, const char *name);

bool bench_render_block_same_target(const struct bench_result *a, const struct bench_result *b);
/* Is the parameter a number in all rows? */
bool bench_render_block_is_number(const struct bench_block *block, const char *name);

/* Does the suite report it, in addition to the metrics of the harness? */
bool bench_render_block_is_own(const struct bench_metric *metric);

/* The metric of the harness in that unit, or NULL; those of the suite may have the same unit. */
const struct bench_metric *bench_render_block_metric(const struct bench_result *result, const char *unit);

/* What distinguishes a row from the others of its block: "m=n=k=1024, openblas:haswell". */
char *bench_render_block_label(struct bench_arena *arena, const struct bench_block *block,
			       const struct bench_block_row *row);

#endif

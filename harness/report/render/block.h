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
	const struct bench_verdict *verdict; /* the worst on any of its metrics; NULL: none */
};

struct bench_block {
	const char *suite;
	char *shared;         /* "dtype=f32 trans=nn openblas:haswell"; "" */
	const char **varying; /* names of parameters; those that always agree are one: see titles */
	char **titles;        /* "m=n=k" for three parameters that agree in every row, else the name */
	size_t varying_count;
	bool target_varies;
	const char *rate_unit; /* "FLOP/s", "B/s", "item/s"; "": no rate */
	char *relative; /* what relative times are against, "layout=contiguous"; "": no relative times */
	char *versus;   /* the target that ratios are against, or "best"; "": no ratios */
	struct bench_block_row *rows;
	size_t row_count;
};

/* The blocks of a run, in the order of its suites; in `arena`. `comparison` may be NULL. */
void bench_render_blocks(struct bench_arena *arena, const struct bench_run *run,
			 const struct bench_comparison *comparison, struct bench_block **blocks,
			 size_t *count);

/* Fills an empty grid with a block. repeat: the command line of each case under it. */
void bench_render_block_grid(const struct bench_block *block, bool repeat, struct bench_grid *grid);

/* "backend:device", or the backend alone where it has no device. */
char *bench_render_block_target(struct bench_arena *arena, const struct bench_result *result);
/* The value of a parameter; "" where the result has none of that name. */
const char *bench_render_block_param(const struct bench_result *result, const char *name);

/* Does the suite report it, in addition to the metrics of the harness? */
bool bench_render_block_is_own(const struct bench_metric *metric);

/* The metric of the harness in that unit, or NULL; those of the suite may have the same unit. */
const struct bench_metric *bench_render_block_metric(const struct bench_result *result, const char *unit);

/* What distinguishes a row from the others of its block: "m=n=k=1024, openblas:haswell". */
char *bench_render_block_label(struct bench_arena *arena, const struct bench_block *block,
			       const struct bench_block_row *row);

#endif

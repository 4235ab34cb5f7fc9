/* SPDX-License-Identifier: MIT */
/* Columns as what the comparisons take: one run, or pairs; for columns.c alone. */
#ifndef BENCH_COMPARE_COLUMNS_PAIRS_H
#define BENCH_COMPARE_COLUMNS_PAIRS_H

#include "compare/columns.h"
#include "compare/duel.h"

/*
 * The record of a duel of two columns, from the invocations in which a run measured both, in `arena`. Fills
 * what of the options concerns cases that the base alone has.
 */
const struct bench_run *bench_compare_columns_pair(struct bench_arena *arena, const struct bench_column *base,
						   const struct bench_column *column,
						   struct bench_duel_options *options);

/* The column as one run: with several, the invocations of all. In `arena`. */
const struct bench_run *bench_compare_columns_merge(struct bench_arena *arena,
						    const struct bench_column *column);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * More than two side by side: columns of runs, each compared with the first. A column is a run, or what one
 * or several runs have for a value of a key, such as a backend or a parameter of their cases.
 */
#ifndef BENCH_COMPARE_COLUMNS_H
#define BENCH_COMPARE_COLUMNS_H

#include "compare/compare.h"

enum { BENCH_COLUMNS_MOST = 20 };

struct bench_column {
	char *name;
	char *about; /* which run it is, or how many; "" */
	const struct bench_run **runs;
	size_t run_count;
	struct bench_comparison *comparison; /* with the first column; NULL: it is the first */
	bool paired;                         /* by invocations that measured both */
};

/* A metric that is in no geometric mean. */
struct bench_left_out {
	char *key, *why;
};

struct bench_columns {
	struct bench_arena arena;
	const char *by; /* the key; NULL: each column is a run */
	struct bench_column *items;
	size_t count;
	char **keys; /* full metric names (of a case without metrics: its key) of all columns, sorted */
	size_t key_count;
	bool means;           /* geometric means were asked for */
	const char **mean_of; /* those that all columns have */
	size_t mean_count;
	struct bench_left_out *left_out;
	size_t left_out_count;
	char **notes;
	size_t note_count;
};

/*
 * Cuts runs, which have to outlive the columns, into columns by `key`: "KEY" or "KEY=V1,V2,..", which chooses
 * columns and their order. KEY: backend, device, branch, commit, host, build, the name of a label, a
 * parameter of cases, or a fact of the environment. What two columns have in common has one name in both: the
 * case without the key. BENCH_USAGE for a key or a value that no run has, BENCH_NOTHING without a second
 * column.
 */
int bench_compare_columns_cut(struct bench_columns *columns, const struct bench_run *const *runs,
			      size_t count, const char *key, struct bench_error *error);

/*
 * Compares columns that were cut, each with the first: by pairs of invocations where a run measured both, as
 * a duel does, else as runs. options->mean_of is not used: bench_compare_columns_match chooses it.
 * BENCH_NOTHING if a column has nothing in common with the first.
 */
int bench_compare_columns(struct bench_columns *columns, const struct bench_compare_options *options,
			  struct bench_error *error);

/* After all comparisons are made: fills keys, mean_of and left_out. */
void bench_compare_columns_match(struct bench_columns *columns);

/* The verdict of a column on a metric, or on its whole case; NULL: there is none. */
const struct bench_verdict *bench_compare_columns_find(const struct bench_column *column, const char *key);

void bench_compare_columns_note(struct bench_columns *columns, const char *text);
void bench_compare_columns_free(struct bench_columns *columns);

#endif

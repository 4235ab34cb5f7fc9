/* SPDX-License-Identifier: MIT */
/* The experiment log: EXPERIMENTS.md, one entry per experiment, newest first. */
#ifndef BENCH_REPORT_LOG_LOG_H
#define BENCH_REPORT_LOG_LOG_H

#include "bench/error.h"
#include "compare/compare.h"
#include "core/arena.h"
#include "core/text.h"
#include "record/commits.h"
#include "record/record.h"

/* A run of an entry. Nothing is owned. */
struct bench_log_run {
	const struct bench_run *run;
	const struct bench_comparison *comparison; /* NULL: the run is not compared */
	bool pairs;          /* the two sides of a duel are compared: no command repeats that */
	const char *why_not; /* why the run is not compared; NULL: nobody asked */
	bool first;          /* there is no run before it */
	const struct bench_commits *changes; /* NULL: no baseline, or its commit is unknown */
};

/* The sections that people fill in, which a rewrite keeps. */
enum bench_log_field {
	BENCH_LOG_HYPOTHESIS,
	BENCH_LOG_RESULT,
	BENCH_LOG_CAUSE,
	BENCH_LOG_NEXT,
	BENCH_LOG_NOTES,
	BENCH_LOG_FIELDS
};
extern const char *const bench_log_fields[BENCH_LOG_FIELDS]; /* "Hypothesis", ... */

/* NULL: not given. */
struct bench_log_texts {
	const char *title;
	const char *fields[BENCH_LOG_FIELDS];
};

/*
 * An entry of one run or several: a heading with date and title (by default what was measured, the outcome,
 * and where), the facts, then the sections Commands, Changes, Key Results, Comparison and the fields.
 * docs/log.md has what is in each.
 */
void bench_log_entry(const struct bench_log_run *runs, size_t count, const struct bench_log_texts *texts,
		     struct bench_text *out);

/*
 * These replace the whole file (bench_file_update), with a new index. Concurrent writers wait for one
 * another. After an error the file is unchanged.
 */

/*
 * Adds `entry` to the file, which it creates if needed, in the order of dates and below the heading of the
 * file. BENCH_USAGE if one of the runs already has an entry.
 */
int bench_log_append(const char *path, const struct bench_log_run *runs, size_t count, const char *entry,
		     struct bench_error *error);
/*
 * Replaces the entry that these runs have. `entry` was made with `texts`: a title or field that `texts` lacks
 * stays as people wrote it, and so do sections that the program does not write. BENCH_NOTHING if no entry has
 * one of the runs; BENCH_USAGE if several have, or if a line that people wrote would be lost: the message
 * names the line.
 */
int bench_log_rewrite(const char *path, const struct bench_log_run *runs, size_t count, const char *entry,
		      const struct bench_log_texts *texts, struct bench_error *error);
/* Writes a new index and changes nothing else. BENCH_NOTHING if the file does not exist. */
int bench_log_index(const char *path, struct bench_error *error);

/*
 * Adds the text of one entry to `out`. `name` is a run (its id, or the path of its folder) or the start of a
 * date; NULL: the first entry. BENCH_NOTHING if no entry matches, BENCH_USAGE if several do.
 */
int bench_log_show(const char *path, const char *name, struct bench_text *out, struct bench_error *error);

/* An entry of a list; texts in the arena. */
struct bench_log_item {
	const char *date, *title;  /* "2026-11-20 23:15:03", "gemm on quiet" */
	const char *suites, *runs; /* "gemm, spmv"; ids; "": unknown */
	const char *result;        /* the first line of Result, else of Notes, else the outcome */
	const char *match;         /* the first line that matches; "": nothing was searched for */
};
/*
 * All entries, in the order of the file. `pattern`: only those with a line that matches this extended regular
 * expression, whatever its case; NULL: all. BENCH_USAGE if it is not an expression.
 */
int bench_log_list(const char *path, const char *pattern, struct bench_arena *arena,
		   struct bench_log_item **items, size_t *count, struct bench_error *error);

#endif

/* The experiment log: EXPERIMENTS.md, one entry an experiment, newest first. */
#ifndef BENCH_REPORT_LOG_LOG_H
#define BENCH_REPORT_LOG_LOG_H

#include "bench/error.h"
#include "compare/compare.h"
#include "core/arena.h"
#include "core/text.h"
#include "record/record.h"

/* What lies between the commit of a baseline and that of a run. Texts are from outside; nothing is owned. */
struct bench_log_changes {
	const char *base, *head;    /* the commits; "": one has none */
	const char *unknown;        /* why no more is known; NULL: it is */
	const char *const *commits; /* "4af884b1c2d3 Wider tiles", newest first: as many as are named */
	size_t commit_count, commits_in_all;
	size_t left_behind; /* commits of the baseline that the run's does not have */
	const char *const
		*files; /* "kernels/gemm.cl +10 -3", what changed most first: as many as are named */
	size_t file_count, files_in_all;
};

/* A run of an entry. Nothing is owned. */
struct bench_log_run {
	const struct bench_run *run;
	const struct bench_comparison *comparison; /* NULL: there is none */
	bool pairs;          /* the comparison is that of a duel: no command makes it again */
	const char *why_not; /* why there is no comparison; NULL: none was asked for */
	const struct bench_log_changes *changes; /* NULL: there is no baseline, or one without a commit */
};

/* What people write: sections of an entry, which stay when it is written anew. */
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
 * One entry of one run or several: a title with date, what was measured (or `texts` say) and where;
 * **Timestamp** with zone, **Commit**, **Branch**, **Worktree** (clean, or dirty and which files), **Run
 * dir**,
 * **Host**, **Device**, and what else must be known, such as that the run was interrupted; Commands (a shell
 * block); Changes since the baseline's commit; Key Results, a bold heading a suite and a line a case;
 * Comparison; then the fields.
 */
void bench_log_entry(const struct bench_log_run *runs, size_t count, const struct bench_log_texts *texts,
		     struct bench_text *out);

/*
 * These change the file whole (bench_file_update), with the index made anew. Processes that do it at the same
 * time wait for one another. After an error the file is what it was before.
 */

/*
 * Puts `entry` into the file (made where it is not there) above the newest entry and below its heading. A run
 * that has an entry already: BENCH_USAGE.
 */
int bench_log_append(const char *path, const struct bench_log_run *runs, size_t count, const char *entry,
		     struct bench_error *error);
/*
 * Puts `entry` in the place of the one that these runs have. Sections that the program does not write stay as
 * they are, but for the fields that `texts` has; so does the title, unless `texts` has one. BENCH_NOTHING
 * where no entry has one of the runs; BENCH_USAGE where several have them, or where something that people
 * have written would be lost: it names the line.
 */
int bench_log_rewrite(const char *path, const struct bench_log_run *runs, size_t count, const char *entry,
		      const struct bench_log_texts *texts, struct bench_error *error);
/* Makes the index anew and changes nothing else. BENCH_NOTHING where there is no such file. */
int bench_log_index(const char *path, struct bench_error *error);

/*
 * Adds the text of an entry: that of a run (its id, or a path of its folder), or the one whose date begins
 * with `name`; NULL: the first. BENCH_NOTHING where there is none, BENCH_USAGE where several are meant.
 */
int bench_log_show(const char *path, const char *name, struct bench_text *out, struct bench_error *error);

/* An entry of a list; texts in the arena. */
struct bench_log_item {
	const char *date, *title;  /* "2026-11-20 23:15:03", "gemm on quiet" */
	const char *suites, *runs; /* "gemm, spmv"; ids; "": none are known */
	const char *result;        /* what people say came of it: the first line of Result, else of Notes */
};
/* All entries, in the order of the file. */
int bench_log_list(const char *path, struct bench_arena *arena, struct bench_log_item **items, size_t *count,
		   struct bench_error *error);

#endif

/* The experiment log: EXPERIMENTS.md, one entry a run, newest first. */
#ifndef BENCH_REPORT_LOG_LOG_H
#define BENCH_REPORT_LOG_LOG_H

#include "bench/error.h"
#include "compare/compare.h"
#include "core/text.h"
#include "record/record.h"

/*
 * One entry: a title with the date, **Timestamp** with zone, **Commit**, **Branch**,
 * **Worktree** (clean, or dirty and which files), **Run dir**; Commands (a shell block);
 * Key Results, a bold heading a suite and a line a case; Comparison; Notes.
 * `comparison` and `note` may be NULL.
 */
void bench_log_entry(const struct bench_run *run, const struct bench_comparison *comparison, const char *note,
		     struct bench_text *out);

/*
 * Puts `entry` into the file (made where it is not there) above the newest entry and below
 * its heading, with the index made anew (bench_file_update). Processes that append at the same time
 * wait for one another. A run that has an entry already: BENCH_USAGE, and the file is not touched.
 */
int bench_log_append(const char *path, const struct bench_run *run, const char *entry,
		     struct bench_error *error);

/* Makes the index of the file anew and changes nothing else, whole. BENCH_NOTHING where there is no such
 * file. */
int bench_log_index(const char *path, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The run directory while it is being written: runs/<stamp>/ with samples.jsonl (events, a
 * line each, appended as they come), run.log (what happened, with times) and, at the end,
 * metrics.json (whole or not at all).
 */
#ifndef BENCH_RECORD_FOLDER_H
#define BENCH_RECORD_FOLDER_H

#include <limits.h>

#include "bench/error.h"
#include "record/record.h"

struct bench_folder {
	char path[PATH_MAX]; /* absolute */
	int events;          /* samples.jsonl, open for appending */
	int log;             /* run.log, likewise */
	int lock;            /* samples.jsonl once more: what is locked is never handed on */
};

/* Says which ids there are elsewhere, as in a history that has runs of other folders. */
struct bench_folder_ids {
	bool (*has)(void *context, const char *id);
	void *context;
};

/*
 * Makes a new folder in `runs_dir` (made too) and sets run->id and run->folder. `id` NULL: it is named after
 * run->started in local time, with -2, -3, ... behind it where that name is taken, here or in `others` (may
 * be NULL). BENCH_USAGE where an id that was chosen is taken; BENCH_ENVIRONMENT where it cannot be written.
 */
int bench_record_folder_create(struct bench_folder *folder, const char *runs_dir, struct bench_run *run,
			       const char *id, const struct bench_folder_ids *others,
			       struct bench_error *error);

/* May a run be called so? Letters, digits, '.', '_' and '-', at most 60, and none of the words that name
 * others. */
bool bench_record_folder_is_id(const char *id);

/*
 * Opens the folder of a run that was cut short, to go on with it; a last line that was cut is ended.
 * BENCH_ENVIRONMENT where it cannot be written, or a process is at it.
 */
int bench_record_folder_reopen(struct bench_folder *folder, const char *path, struct bench_error *error);

/* Is a process measuring into this folder? False where that cannot be told. */
bool bench_record_folder_is_live(const char *path);

/* Says of the descriptor `samples`, of samples.jsonl, that this process, a worker, is writing to it until its
 * end. */
void bench_record_folder_claim(int samples);
/* This process, a worker, goes on in the run folder `path`: the descriptor `samples` and its output become
 * that folder's. BENCH_ENVIRONMENT where its files cannot be written. */
int bench_record_folder_enter(const char *path, int samples, struct bench_error *error);

/* Appends one event: `line` is JSON without a newline. */
int bench_record_folder_event(struct bench_folder *folder, const char *line, struct bench_error *error);

/* Adds a line to run.log. A log that cannot be written stops nothing. */
void bench_record_folder_log(struct bench_folder *folder, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes metrics.json. */
int bench_record_folder_finish(struct bench_folder *folder, const struct bench_run *run,
			       struct bench_error *error);
void bench_record_folder_close(struct bench_folder *folder);

#endif

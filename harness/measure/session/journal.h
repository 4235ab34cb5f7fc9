/* SPDX-License-Identifier: MIT */
/*
 * The journal: the session's way to samples.jsonl. Every event is written there first, and enters the record
 * from there, as do the events that the workers have appended.
 */
#ifndef BENCH_MEASURE_SESSION_JOURNAL_H
#define BENCH_MEASURE_SESSION_JOURNAL_H

#include <sys/types.h>

#include "record/event.h"
#include "record/folder.h"

struct bench_journal {
	struct bench_folder *folder;
	struct bench_run *run;
	off_t read_to;  /* how far samples.jsonl has been taken into the record */
	size_t refused; /* events that were not understood: they are in the file, and not in the record */
	/* Called with each event that has come into the record. */
	void (*seen)(void *context, const struct bench_event *event);
	void *context;
};

/* Appends a line (malloc'd; this frees it; NULL: there was no memory for it), or an event. */
int bench_session_journal_line(struct bench_journal *journal, char *line, struct bench_error *error);
int bench_session_journal_event(struct bench_journal *journal, const struct bench_event *event,
				struct bench_error *error);
/* Appends the end of an invocation of a case, when no worker can report it. */
int bench_session_journal_end(struct bench_journal *journal, size_t index, unsigned invocation,
			      enum bench_status status, const char *reason, struct bench_error *error);

/* The record already has all that is in the file so far. */
void bench_session_journal_skip(struct bench_journal *journal);
/*
 * Takes what has been appended since into the record. BENCH_ENVIRONMENT where samples.jsonl cannot be read,
 * or is not what it was: removed, replaced or cut by somebody else while the run was measured.
 */
int bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error);
/*
 * No worker is running: catches up, and drops a last line that a kill has cut. Else the next worker's first
 * line would be one with it.
 */
int bench_session_journal_settle(struct bench_journal *journal, struct bench_error *error);

#endif

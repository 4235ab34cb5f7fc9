/*
 * The run's events while it is measured: what the session says goes into samples.jsonl, and from
 * there, with what its workers have appended, into the record: one way for both.
 */
#ifndef BENCH_MEASURE_SESSION_JOURNAL_H
#define BENCH_MEASURE_SESSION_JOURNAL_H

#include <sys/types.h>

#include "record/event.h"
#include "record/folder.h"

struct bench_journal {
	struct bench_folder *folder;
	struct bench_run *run;
	off_t read_to; /* how far samples.jsonl has been taken into the record */
	/* Called with each event that has come into the record. */
	void (*seen)(void *context, const struct bench_event *event);
	void *context;
};

/* Appends a line (malloc'd, freed; NULL: no memory), or an event. */
int bench_session_journal_line(struct bench_journal *journal, char *line, struct bench_error *error);
int bench_session_journal_event(struct bench_journal *journal, const struct bench_event *event,
				struct bench_error *error);
/* The end of an invocation of a case, of which no worker can tell. */
int bench_session_journal_end(struct bench_journal *journal, size_t index, unsigned invocation,
			      enum bench_status status, const char *reason, struct bench_error *error);

/* The record has all that is in the file up to now. */
void bench_session_journal_skip(struct bench_journal *journal);
/* Takes what has been appended since into the record. */
int bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error);

#endif

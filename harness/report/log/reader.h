/*
 * The text of an experiment log, read line by line: where its entries begin. People edit the file, and older
 * entries may be written by hand: an entry begins at a heading of level two with a date in it, or at the
 * marker line just above it. What stands in a fenced code block is none.
 */
#ifndef BENCH_REPORT_LOG_READER_H
#define BENCH_REPORT_LOG_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

#define BENCH_LOG_STAMP_MAX 32

/* Starts as {.next = TEXT}; bench_log_read moves it on. */
struct bench_log_reader {
	const char *next;
	const char *line;
	size_t length;     /* of the line, without its end and the blanks before that */
	bool fenced;       /* it stands in a code block */
	const char *entry; /* the line is the heading of an entry, which begins here; else NULL */
	char stamp[BENCH_LOG_STAMP_MAX]; /* of an entry: "2026-11-20 23:15:03", as far as the heading has it
					  */

	/* Its own. */
	const char *marker; /* the last line that is not empty, if that is a marker */
	char fence;         /* '`' or '~'; 0 outside */
	size_t fence_length;
};

/* The next line; false at the end of the text. */
bool bench_log_read(struct bench_log_reader *reader);

/* The first "2026-11-20..." of a line, as far as it is a date and time. */
bool bench_log_find_stamp(const char *line, size_t length, char stamp[BENCH_LOG_STAMP_MAX]);

/* The line that an entry begins with, "<!-- run: ID -->\n": it says whose entry it is. */
void bench_log_add_marker(const char *id, struct bench_text *out);

#endif

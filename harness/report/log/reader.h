/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of an experiment log line by line and finds its entries. People edit the file, and older
 * entries may be written by hand: an entry begins at a heading of level two with a date in it, or at the
 * marker lines just above that heading, one per run. Headings in a fenced code block do not count.
 */
#ifndef BENCH_REPORT_LOG_READER_H
#define BENCH_REPORT_LOG_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/text.h"

#define BENCH_LOG_STAMP_MAX 32

/* Starts as {.next = TEXT}; bench_log_read moves it on. */
struct bench_log_reader {
	const char *next;
	const char *line;
	size_t length;     /* of the line, without its end and the blanks before that */
	bool fenced;       /* it is in a code block */
	const char *entry; /* if the line is the heading of an entry: where the entry begins; else NULL */
	char stamp[BENCH_LOG_STAMP_MAX]; /* of an entry: "2026-11-20 23:15:03", as far as the heading goes */

	/* For bench_log_read only. */
	const char *marker; /* the first of the markers that end with the last line that is not empty */
	char fence;         /* '`' or '~'; 0 outside */
	size_t fence_length;
};

/* The next line; false at the end of the text. */
bool bench_log_read(struct bench_log_reader *reader);

/* Is it a heading of that level, outside of code blocks? "### Result" is one of level 3. */
bool bench_log_is_heading(const struct bench_log_reader *at, size_t level);

/* The first "2026-11-20..." of a line, as far as it is a date and time. */
bool bench_log_find_stamp(const char *line, size_t length, char stamp[BENCH_LOG_STAMP_MAX]);

/* The line that begins an entry, "<!-- run: ID -->\n", one per run. */
void bench_log_add_marker(const char *id, struct bench_text *out);
/* Does the line name the run of the entry? A marker does, or "**Run dir**: `.../ID`". */
bool bench_log_names_run(const char *line, size_t length, const char *id);

/* An entry, as a part of the text. */
struct bench_log_place {
	const char *start;   /* its first marker, or its heading */
	const char *heading; /* the line, of `length` */
	size_t length;
	const char *end; /* without the empty lines below; a heading of level one or two ends it, too */
	char stamp[BENCH_LOG_STAMP_MAX];
};

/* All entries of a text, in `arena`. */
size_t bench_log_places(const char *text, struct bench_arena *arena, struct bench_log_place **places);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The sections of an entry, each below a heading of level three. The program writes some of them, and
 * replaces those whole. All others belong to people, whatever their titles, and are never lost.
 */
#ifndef BENCH_REPORT_LOG_SECTIONS_H
#define BENCH_REPORT_LOG_SECTIONS_H

#include "report/log/log.h"
#include "report/log/reader.h"

struct bench_log_section {
	const char *title; /* of `length` */
	size_t length;
	const char *start, *body, *end; /* its heading, the line below, and the start of the next section */
};

struct bench_log_parts {
	const char *heading, *facts; /* the heading of the entry, and what is below it */
	struct bench_log_section *sections;
	size_t count;
};

/* Takes the text of one entry apart, which `parts` points into. */
void bench_log_take_apart(const char *entry, struct bench_arena *arena, struct bench_log_parts *parts);
bool bench_log_section_is(const struct bench_log_section *section, const char *title);
/* The content of a section, without empty lines around it. */
const char *bench_log_section_content(const struct bench_log_section *section, size_t *length);

/* A field as an entry has it: a quotation, so that no line of it (a heading, a fence, a comment) ends the
 * section. Its Markdown works; HTML is escaped. */
void bench_log_add_quoted(const char *text, struct bench_text *out);

/*
 * Adds `entry`, with the title and fields of `old` that `texts` lacks, and the sections that people added to
 * `old`. BENCH_USAGE if a line of theirs is among the facts or in a section that the program writes. The
 * message begins with `where`; `line` is the number of the first line of `old`.
 */
int bench_log_carry_over(const char *old, const char *entry, const struct bench_log_texts *texts,
			 const char *where, size_t line, struct bench_text *out, struct bench_error *error);

#endif

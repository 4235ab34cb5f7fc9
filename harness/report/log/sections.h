/*
 * The sections of an entry, each below a heading of level three. Some the program writes, and replaces
 * whole; all others are people's, whatever their titles: no function here loses a line of those.
 */
#ifndef BENCH_REPORT_LOG_SECTIONS_H
#define BENCH_REPORT_LOG_SECTIONS_H

#include "report/log/log.h"
#include "report/log/reader.h"

struct bench_log_section {
	const char *title; /* of `length` */
	size_t length;
	const char *start, *body, *end; /* its heading, the line below, and where the next begins */
};

struct bench_log_parts {
	const char *heading, *facts; /* the heading of the entry, and what is below it */
	struct bench_log_section *sections;
	size_t count;
};

/* Takes the text of one entry apart, which `parts` points into. */
void bench_log_take_apart(const char *entry, struct bench_arena *arena, struct bench_log_parts *parts);
bool bench_log_section_is(const struct bench_log_section *section, const char *title);
/* What a section holds, without the empty lines around it. */
const char *bench_log_section_content(const struct bench_log_section *section, size_t *length);

/* Puts title and fields into an entry, those that are given. */
void bench_log_put_texts(struct bench_text *entry, const struct bench_log_texts *texts);

/* A field as an entry has it: a quotation, so that whatever its lines start with (a heading, a fence, a
 * comment) stays inside of it. Its own Markdown works but for HTML. */
void bench_log_add_quoted(const char *text, struct bench_text *out);

/*
 * Takes over into `entry` what people have written in the entry `old`: the title, the sections of theirs,
 * lines among the facts; not what `texts` has. BENCH_USAGE where a line of theirs stands in a section that is
 * written anew; `where` is what the message begins with, and `line` the number of the first line of `old`.
 */
int bench_log_carry_over(const char *old, const struct bench_log_texts *texts, const char *where, size_t line,
			 struct bench_text *entry, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
#include "report/log/index.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "report/log/item.h"
#include "report/render/words.h"

static const char opening[] = "<!-- index: written by bench log -->", closing[] = "<!-- end of the index -->",
		  by_suite[] = "- By suite\n";

/* The marker lines around the index. */
struct place {
	const char *start,
		*inside; /* the opening line, and the one behind it; both NULL: there is no index */
	const char *inside_end, *end;
};

static bool is(const struct bench_log_reader *at, const char *line)
{
	return !at->fenced && at->length == strlen(line) && memcmp(at->line, line, at->length) == 0;
}

/* An index holds no entry: a closing marker below an entry closes nothing. */
static struct place find_index(const char *text)
{
	struct place place = {0};
	for (struct bench_log_reader at = {.next = text}; bench_log_read(&at);) {
		if (is(&at, opening)) {
			place.start = at.line;
			place.inside = at.next;
		} else if (at.entry) {
			place.start = NULL;
		} else if (is(&at, closing) && place.start) {
			place.inside_end = at.line;
			place.end = at.next;
			return place;
		}
	}
	return (struct place){0};
}

/* The Markdown of a heading without the targets of links: it goes into a link itself. */
static void add_title(const char *title, size_t length, struct bench_text *out)
{
	bench_text_add_bytes(out, "", 0); /* so that an empty one is a string too */
	for (size_t i = 0; i < length; i++) {
		const char *at = title + i;
		const char *target = *at == '[' ? memmem(at, length - i, "](", 2) : NULL;
		const char *end = target ? memchr(target, ')', length - (size_t)(target - title)) : NULL;
		bench_text_add_bytes(out, end ? at + 1 : at, end ? (size_t)(target - at) - 1 : 1);
		i = end ? (size_t)(end - title) : i;
	}
}

/*
 * GitHub's anchor of a heading (its html-pipeline, TableOfContentsFilter): lower case, blanks as hyphens, no
 * punctuation but '-' and '_', so that escapes vanish, too.
 */
static const char *anchor_of(struct bench_arena *arena, const char *title)
{
	char *anchor = bench_arena_string(arena, title), *end = anchor;
	for (const char *at = title; *at; at++) {
		unsigned char c = (unsigned char)*at;
		if (c == '&' && strchr(at, ';')) /* &lt; and the like */
			at = strchr(at, ';');
		else if (isalnum(c) || c >= 0x80 || strchr("-_ ", c))
			*end++ = c == ' ' ? '-' : (char)tolower(c);
	}
	*end = '\0';
	return anchor;
}

/* An entry as the index shows it. */
struct line {
	const char *title, *anchor; /* "2026-11-20 23:15:03 gemm on quiet" */
	size_t number;              /* of earlier ones with this anchor */
	char month[8];              /* "2026-11" */
	char day[11];
	char **suites;
	size_t suite_count;
};

static size_t read_lines(const char *text, struct bench_arena *arena, struct line **lines)
{
	struct bench_log_place *places;
	size_t count = bench_log_places(text, arena, &places);
	*lines = bench_arena_alloc(arena, count + 1, sizeof(**lines));
	for (size_t i = 0; i < count; i++) {
		struct line *line = &(*lines)[i];
		struct bench_text title = {0};
		size_t start = 3 + strspn(places[i].heading + 3, " ");
		add_title(places[i].heading + start, places[i].length - start, &title);
		line->title = bench_text_keep(&title, arena);
		line->anchor = anchor_of(arena, line->title);
		for (size_t j = 0; j < i; j++)
			line->number += strcmp((*lines)[j].anchor, line->anchor) == 0;
		snprintf(line->month, sizeof(line->month), "%.7s", places[i].stamp);
		snprintf(line->day, sizeof(line->day), "%.10s", places[i].stamp);
		line->suite_count = bench_log_item_suites(
			bench_arena_format(arena, "%.*s", (int)(places[i].end - places[i].start),
					   places[i].start),
			arena, &line->suites);
	}
	return count;
}

static void add_target(const struct line *line, struct bench_text *out)
{
	bench_text_add(out, line->number ? "(#%s-%zu)" : "(#%s)", line->anchor, line->number);
}

/* "- 2026-11" and below it "  - [2026-11-20 23:15:03 gemm on quiet](#2026-11-20-231503-gemm-on-quiet)", a
 * line an entry. */
static void add_months(const struct line *lines, size_t count, struct bench_text *out)
{
	for (size_t i = 0; i < count; i++) {
		size_t same = 0;
		while (strcmp(lines[same].month, lines[i].month) != 0)
			same++;
		if (same < i) /* it is below the first of its month */
			continue;
		bench_text_add(out, "- %s\n", lines[i].month);
		for (size_t j = i; j < count; j++) {
			if (strcmp(lines[j].month, lines[i].month) != 0)
				continue;
			bench_text_add(out, "  - [%s]", lines[j].title);
			add_target(&lines[j], out);
			bench_text_add(out, "\n");
		}
	}
}

/* "  - gemm: [2026-11-20](#2026-11-20-231503-gemm-on-quiet), ...", a line a suite. */
static void add_suites(struct bench_arena *arena, const struct line *lines, size_t count,
		       struct bench_text *out)
{
	const char **names = NULL;
	size_t name_count = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < lines[i].suite_count; s++)
			bench_text_find_or_add(arena, &names, &name_count, sizeof(*names),
					       lines[i].suites[s]);
	if (name_count == 0)
		return;
	qsort(names, name_count, sizeof(const char *), bench_text_order);
	bench_text_add(out, "%s", by_suite);
	for (size_t n = 0; n < name_count; n++) {
		const char *separator = "";
		bench_render_words_markdown(out, "  - %s: ", names[n]);
		for (size_t i = 0; i < count; i++) {
			if (!BENCH_FIND(lines[i].suites, lines[i].suite_count, names[n]))
				continue;
			bench_text_add(out, "%s[%s]", separator, lines[i].day);
			add_target(&lines[i], out);
			separator = ", ";
		}
		bench_text_add(out, "\n");
	}
}

static void add_list(const char *text, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct line *lines;
	size_t count = read_lines(text, &arena, &lines);
	add_months(lines, count, out);
	add_suites(&arena, lines, count, out);
}

/* A line of what the list is made of, "- [", "  - gemm: [" and "- 2026-11", whatever it lists. */
static bool looks_listed(const struct bench_log_reader *at)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789_\\";
	char stamp[BENCH_LOG_STAMP_MAX];
	size_t blanks = strspn(at->line, " ");
	const char *item = at->line + blanks + 2;
	if (at->length < blanks + 2 || memcmp(at->line + blanks, "- ", 2) != 0)
		return false;
	size_t length = at->length - blanks - 2;
	if (length == 7 && bench_text_match("[0-9][0-9][0-9][0-9]-[0-9][0-9]*", item))
		return true;
	size_t word = *item == '[' ? 0 : strspn(item, name) + 2;
	bool suite = word + 12 < length && memcmp(item + word - 2, ": [", 3) == 0 && item[word + 11] == ']';
	return (word == 0 || suite) && memmem(item, length, "](#", 3) &&
	       bench_log_find_stamp(item, length, stamp);
}

/* Is it a line of this list, or of an earlier one? A heading may have its date where the list does not show
 * it. */
static bool is_listed(const struct bench_log_reader *at, const struct bench_text *list)
{
	const char *same = memmem(list->data, list->length, at->line, (size_t)(at->next - at->line));
	if (same && (same == list->data || same[-1] == '\n'))
		return true;
	return looks_listed(at) ||
	       (at->length == sizeof(by_suite) - 2 && memcmp(at->line, by_suite, at->length) == 0);
}

/* The lines that people wrote between the markers. */
static void add_kept(const struct place *place, const struct bench_text *list, struct bench_text *out)
{
	for (struct bench_log_reader at = {.next = place->inside};
	     at.next < place->inside_end && bench_log_read(&at);)
		if (!is_listed(&at, list))
			bench_text_add_bytes(out, at.line, (size_t)(at.next - at.line));
}

void bench_log_add_indexed(const char *text, struct bench_text *out)
{
	struct place place = find_index(text);
	struct bench_log_reader first = {.next = text};
	while (!place.start && bench_log_read(&first) && !first.entry)
		;
	const char *start = place.start ? place.start : first.entry;
	if (!start) { /* no index and no entry */
		bench_text_add(out, "%s", text);
		return;
	}
	BENCH_SCOPED_TEXT list = {0};
	bench_text_add(&list, "%s", ""); /* so that an empty one is a string too */
	add_list(text, &list);
	bench_text_add_bytes(out, text, (size_t)(start - text));
	bench_text_add(out, "%s\n", opening);
	if (place.start)
		add_kept(&place, &list, out);
	bench_text_add(out, "%s%s\n%s%s", list.data, closing, place.start ? "" : "\n",
		       place.start ? place.end : start);
}

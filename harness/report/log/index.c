#include "report/log/index.h"

#include <ctype.h>
#include <string.h>

#include "core/arena.h"
#include "report/log/reader.h"

static const char opening[] = "<!-- index: written by bench log -->", closing[] = "<!-- end of the index -->";

/* Where the index is: its marker lines. */
struct place {
	const char *start,
		*inside; /* the opening line, and the one behind it; both NULL: there is no index */
	const char *inside_end, *end;
};

static bool is(const struct bench_log_reader *at, const char *line)
{
	return !at->fenced && at->length == strlen(line) && memcmp(at->line, line, at->length) == 0;
}

/* An index holds no entry: a closing marker below one closes nothing. */
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

/* "- [2026-11-20 23:15:03 gemm on quiet](#2026-11-20-231503-gemm-on-quiet)", a line an entry. */
static void add_list(const char *text, struct bench_text *out)
{
	struct bench_arena arena = {0};
	const char **anchors = NULL;
	size_t count = 0;
	for (struct bench_log_reader at = {.next = text}; bench_log_read(&at);) {
		if (!at.entry)
			continue;
		struct bench_text title = {0};
		size_t start = 3 + strspn(at.line + 3, " "), before = 0;
		add_title(at.line + start, at.length - start, &title);
		const char *anchor = anchor_of(&arena, title.data);
		for (size_t i = 0; i < count; i++)
			before += strcmp(anchors[i], anchor) == 0;
		*(const char **)bench_arena_push(&arena, &anchors, &count, sizeof(*anchors)) = anchor;
		bench_text_add(out, before ? "- [%s](#%s-%zu)\n" : "- [%s](#%s)\n", title.data, anchor,
			       before);
		bench_text_free(&title);
	}
	bench_arena_free(&arena);
}

/* Is it a line of the list, or was it? A heading may have its date where the list does not show it. */
static bool is_listed(const struct bench_log_reader *at, const struct bench_text *list)
{
	char stamp[BENCH_LOG_STAMP_MAX];
	const char *same = memmem(list->data, list->length, at->line, (size_t)(at->next - at->line));
	if (same && (same == list->data || same[-1] == '\n'))
		return true;
	return at->length > 3 && memcmp(at->line, "- [", 3) == 0 && memmem(at->line, at->length, "](#", 3) &&
	       bench_log_find_stamp(at->line, at->length, stamp);
}

/* What people have written between the markers. */
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
	struct bench_text list = {0};
	bench_text_add(&list, "%s", ""); /* so that an empty one is a string too */
	add_list(text, &list);
	bench_text_add_bytes(out, text, (size_t)(start - text));
	bench_text_add(out, "%s\n", opening);
	if (place.start)
		add_kept(&place, &list, out);
	bench_text_add(out, "%s%s\n%s%s", list.data, closing, place.start ? "" : "\n",
		       place.start ? place.end : start);
	bench_text_free(&list);
}

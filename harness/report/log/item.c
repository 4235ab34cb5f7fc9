/* SPDX-License-Identifier: MIT */
#include "report/log/item.h"

#include <ctype.h>
#include <string.h>

#include "report/log/sections.h"
#include "report/render/words.h"

#define LONGEST_RESULT 200 /* characters of what people say, in a list */

/* Markdown without its escapes, and without the targets of links, as one safe line. */
static char *plain(struct bench_arena *arena, const char *markdown, size_t length)
{
	static const struct {
		const char *entity, *text;
	} entities[] = {{"&lt;", "<"}, {"&amp;", "&"}};
	struct bench_text text = {0};
	for (size_t i = 0; i < length; i++) {
		const char *at = markdown + i;
		size_t e = 0;
		while (e < 2 && (length - i < strlen(entities[e].entity) ||
				 memcmp(at, entities[e].entity, strlen(entities[e].entity)) != 0))
			e++;
		if (e < 2) {
			bench_text_add(&text, "%s", entities[e].text);
			i += strlen(entities[e].entity) - 1;
		} else if (*at != '\\' || i + 1 == length || !ispunct((unsigned char)at[1])) {
			bench_text_add_bytes(&text, at, 1);
		} else {
			bench_text_add_bytes(&text, at + 1, 1);
			i++;
		}
	}
	return bench_render_words_keep(&text, arena);
}

/* The first line that people wrote into a section, without the quotation mark. */
static char *first_line(struct bench_arena *arena, const struct bench_log_parts *parts, const char *title)
{
	for (size_t i = 0; i < parts->count; i++) {
		size_t length;
		const char *content = bench_log_section_content(&parts->sections[i], &length);
		if (!bench_log_section_is(&parts->sections[i], title) || length == 0)
			continue;
		const char *end = memchr(content, '\n', length);
		length = end ? (size_t)(end - content) : length;
		size_t start = 0;
		while (start < length && strchr("> ", content[start]))
			start++;
		if (length - start == 5 && memcmp(content + start, "None.", 5) == 0)
			continue;
		return bench_render_words_cut(arena, plain(arena, content + start, length - start),
					      LONGEST_RESULT);
	}
	return NULL;
}

/* "**gemm\_chain** (dtype=f32)": the name, or NULL. */
static char *suite_of(const struct bench_log_reader *at, struct bench_arena *arena)
{
	if (at->fenced || at->length < 5 || memcmp(at->line, "**", 2) != 0)
		return NULL;
	const char *end = memmem(at->line + 2, at->length - 2, "**", 2);
	char *name = end ? plain(arena, at->line + 2, (size_t)(end - at->line - 2)) : NULL;
	if (!name || !islower((unsigned char)*name) ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return NULL;
	return name;
}

size_t bench_log_item_suites(const char *entry, struct bench_arena *arena, char ***suites)
{
	size_t count = 0;
	bool results = false;
	*suites = NULL;
	for (struct bench_log_reader at = {.next = entry}; bench_log_read(&at);) {
		if (bench_log_is_heading(&at, 3))
			results = at.length == 15 && memcmp(at.line, "### Key Results", 15) == 0;
		char *name = results ? suite_of(&at, arena) : NULL;
		if (name)
			bench_text_find_or_add(arena, suites, &count, sizeof(**suites), name);
	}
	return count;
}

/* The ids of its markers. */
static char *runs_of(const char *entry, struct bench_arena *arena)
{
	static const char start[] = "<!-- run: ", end[] = " -->";
	struct bench_text text = {0};
	for (struct bench_log_reader at = {.next = entry}; bench_log_read(&at) && !at.entry;)
		if (at.length > sizeof(start) + sizeof(end) - 2 &&
		    memcmp(at.line, start, sizeof(start) - 1) == 0)
			bench_text_add(&text, "%s%.*s", text.length ? ", " : "",
				       (int)(at.length - (sizeof(start) + sizeof(end) - 2)),
				       at.line + sizeof(start) - 1);
	return bench_text_keep(&text, arena);
}

/* The fact that the program wrote, or NULL. */
static char *outcome_of(struct bench_arena *arena, const char *entry)
{
	static const char start[] = "- **Outcome**: ";
	for (struct bench_log_reader at = {.next = entry};
	     bench_log_read(&at) && !bench_log_is_heading(&at, 3);)
		if (at.length >= sizeof(start) && memcmp(at.line, start, sizeof(start) - 1) == 0)
			return bench_render_words_cut(
				arena,
				plain(arena, at.line + sizeof(start) - 1, at.length - sizeof(start) + 1),
				LONGEST_RESULT);
	return NULL;
}

const char *bench_log_item_match(const char *entry, const regex_t *expression, struct bench_arena *arena)
{
	for (struct bench_log_reader at = {.next = entry}; bench_log_read(&at);) {
		const size_t start = strspn(at.line, "> ");
		const char *line = start < at.length ? plain(arena, at.line + start, at.length - start) : "";
		if (*line && regexec(expression, line, 0, NULL, 0) == 0)
			return bench_render_words_cut(arena, line, LONGEST_RESULT);
	}
	return NULL;
}

struct bench_log_item bench_log_item_of(const struct bench_log_place *place, const char *entry,
					struct bench_arena *arena)
{
	struct bench_log_parts parts;
	char **suites;
	size_t count = bench_log_item_suites(entry, arena, &suites);
	bench_log_take_apart(entry, arena, &parts);
	const char *result = first_line(arena, &parts, bench_log_fields[BENCH_LOG_RESULT]);
	if (!result)
		result = first_line(arena, &parts, bench_log_fields[BENCH_LOG_NOTES]);
	if (!result)
		result = outcome_of(arena, entry);
	const char *title = place->heading + 3;
	size_t length = place->length - 3, date = strlen(place->stamp);
	if (length >= date && memcmp(title, place->stamp, 10) == 0) {
		title += date;
		length -= date;
	}
	size_t blanks = strspn(title, " :");
	blanks = blanks < length ? blanks : length;
	return (struct bench_log_item){.date = bench_arena_string(arena, place->stamp),
				       .title = plain(arena, title + blanks, length - blanks),
				       .suites = bench_render_words_list(arena, suites, count),
				       .runs = runs_of(entry, arena),
				       .result = result ? result : bench_arena_string(arena, "")};
}

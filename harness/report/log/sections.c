/* SPDX-License-Identifier: MIT */
#include "report/log/sections.h"

#include <string.h>

const char *const bench_log_fields[BENCH_LOG_FIELDS] = {"Hypothesis", "Result", "Cause", "Next", "Notes"};

/* A section whose heading is the line. */
static struct bench_log_section heading_of(const struct bench_log_reader *at)
{
	size_t blanks = 3 + strspn(at->line + 3, " ");
	return (struct bench_log_section){.title = at->line + blanks,
					  .length = at->length - blanks,
					  .start = at->line,
					  .body = at->next};
}

void bench_log_take_apart(const char *entry, struct bench_arena *arena, struct bench_log_parts *parts)
{
	*parts = (struct bench_log_parts){.heading = entry, .facts = entry};
	for (struct bench_log_reader at = {.next = entry}; bench_log_read(&at);) {
		if (at.entry && parts->facts == entry) {
			parts->heading = at.line;
			parts->facts = at.next;
		}
		if (!bench_log_is_heading(&at, 3))
			continue;
		if (parts->count > 0)
			parts->sections[parts->count - 1].end = at.line;
		BENCH_PUSH(arena, parts->sections, parts->count) = heading_of(&at);
	}
	if (parts->count > 0)
		parts->sections[parts->count - 1].end = entry + strlen(entry);
}

bool bench_log_section_is(const struct bench_log_section *section, const char *title)
{
	return section->length == strlen(title) && memcmp(section->title, title, section->length) == 0;
}

const char *bench_log_section_content(const struct bench_log_section *section, size_t *length)
{
	const char *start = section->body, *end = section->end;
	for (const char *at = start; at < end && strchr(" \t\r\n", *at); at++)
		if (*at == '\n')
			start = at + 1;
	while (end > start && strchr(" \t\r\n", end[-1]))
		end--;
	*length = (size_t)(end - start);
	return start;
}

/* The first section with the title of another, or NULL. */
static const struct bench_log_section *find(const struct bench_log_parts *parts,
					    const struct bench_log_section *other)
{
	for (size_t i = 0; i < parts->count; i++)
		if (parts->sections[i].length == other->length &&
		    memcmp(parts->sections[i].title, other->title, other->length) == 0)
			return &parts->sections[i];
	return NULL;
}

void bench_log_add_quoted(const char *text, struct bench_text *out)
{
	while (*text) {
		size_t length = strcspn(text, "\r\n");
		struct bench_text safe = {0};
		BENCH_SCOPED_TEXT line = {0};
		bench_text_add_bytes(&line, text, length);
		bench_text_add_line(&safe, line.data);
		bench_text_add(out, ">%s", safe.length ? " " : "");
		for (const char *at = safe.data; *at; at++)
			bench_text_add_bytes(out, *at == '<' ? "&lt;" : at, *at == '<' ? 4 : 1);
		bench_text_add(out, "\n");
		bench_text_free(&safe);
		text += length;
		text += text[0] == '\r' && text[1] == '\n' ? 2 : *text ? 1 : 0;
	}
}

/* The sections that the program writes, with the starts of their lines. The facts have no title. */
static const struct {
	const char *title;
	const char *starts[14];
} written[] = {
	{"",
	 {"- **Outcome**:", "- **Timestamp**:", "- **Commit**:", "- **Branch**:", "- **Worktree**:",
	  "- **Run dir**:", "- **Host**:", "- **Device**:", "- **Tuned**:", "- **Slowed**:", "- **Aside**:",
	  "- **Watch**:", "- **Interrupted**:"}},
	{"Commands", {0}},
	{"Changes", {"- ", "`", "0", "None.", "None:", "No commit:", "Not known:", "Not committed:"}},
	{"Key Results", {"- ", "**", "Nothing was measured.", "No case", "The "}},
	{"Comparison", {"- ", "  - ", "**", "None.", "None:", "0", "Run ", "all ", "nothing to compare"}},
};
enum { FACTS = 0, COMMANDS = 1, WRITTEN = sizeof(written) / sizeof(written[0]) };

/* "0" stands for any digit. */
static bool starts_with(const struct bench_log_reader *at, const char *start)
{
	if (strcmp(start, "0") == 0)
		return strchr("0123456789", at->line[0]);
	return at->length >= strlen(start) && memcmp(at->line, start, strlen(start)) == 0;
}

static bool is_written(const struct bench_log_reader *at, size_t section)
{
	bool known = at->length == 0;
	if (section == COMMANDS)
		return known || at->fenced || starts_with(at, "```");
	for (size_t i = 0; !at->fenced && !known && written[section].starts[i]; i++)
		known = starts_with(at, written[section].starts[i]);
	return known;
}

static size_t section_written(const struct bench_log_section *section)
{
	size_t i = COMMANDS;
	while (i < WRITTEN && !bench_log_section_is(section, written[i].title))
		i++;
	return i;
}

static int check_written(const char *old, const char *where, size_t line, struct bench_error *error)
{
	size_t section = WRITTEN;
	for (struct bench_log_reader at = {.next = old}; bench_log_read(&at); line++) {
		if (at.entry) {
			section = FACTS;
		} else if (bench_log_is_heading(&at, 3)) {
			const struct bench_log_section heading = heading_of(&at);
			section = section_written(&heading);
		} else if (section < WRITTEN && !is_written(&at, section)) {
			return bench_fail(
				error, BENCH_USAGE,
				"%s, line %zu: --rewrite would lose '%.*s', since it replaces %s; put the "
				"line under a separate heading (### ...)",
				where, line, (int)(at.length < 60 ? at.length : 60), at.line,
				section == FACTS ? "the facts" : written[section].title);
		}
	}
	return 0;
}

static bool is_field(const struct bench_log_section *section, const char *const *texts)
{
	for (size_t i = 0; i < BENCH_LOG_FIELDS; i++)
		if (bench_log_section_is(section, bench_log_fields[i]))
			return !texts || !texts[i];
	return false;
}

/* A section, set apart by an empty line from what is above it. */
static void add_section(const struct bench_log_section *section, struct bench_text *out)
{
	size_t length;
	const char *content = bench_log_section_content(section, &length);
	if (out->length > 1 && out->data[out->length - 2] != '\n')
		bench_text_add(out, "\n");
	bench_text_add(out, "### %.*s\n", (int)section->length, section->title);
	if (length)
		bench_text_add(out, "\n%.*s\n", (int)length, content);
}

/* Differ two headings only in the outcome, which stands between ": " and " on HOST"? Then nobody wrote the
 * old one. */
static bool is_made(const struct bench_log_parts *old, const struct bench_log_parts *new)
{
	const char *end = new->facts, *old_end = old->facts, *outcome = NULL, *host = NULL;
	for (const char *at = new->heading; at + 4 < end; at++) {
		outcome = memcmp(at, ": ", 2) == 0 ? at + 2 : outcome;
		host = memcmp(at, " on ", 4) == 0 ? at : host;
	}
	if (!outcome || !host || host < outcome)
		return false;
	const size_t before = (size_t)(outcome - new->heading), after = (size_t)(end - host);
	return (size_t)(old_end - old->heading) >= before + after &&
	       memcmp(old->heading, new->heading, before) == 0 && memcmp(old_end - after, host, after) == 0;
}

/* Fields stand where the new entry has them, sections that people added below. */
static void merge(const struct bench_log_parts *old, const struct bench_log_parts *new, const char *entry,
		  const struct bench_log_texts *texts, struct bench_text *out)
{
	const struct bench_log_parts *titled = texts->title || is_made(old, new) ? new : old;
	size_t length;
	bench_text_add_bytes(out, entry, (size_t)(new->heading - entry));
	bench_text_add_bytes(out, titled->heading, (size_t)(titled->facts - titled->heading));
	bench_text_add_bytes(out, new->facts,
			     new->count ? (size_t)(new->sections[0].start - new->facts) : strlen(new->facts));
	for (size_t i = 0; i < new->count; i++) {
		const struct bench_log_section *section = &new->sections[i], *theirs = NULL;
		if (is_field(section, texts->fields))
			theirs = find(old, section);
		if (theirs)
			bench_log_section_content(theirs, &length);
		add_section(theirs && length > 0 ? theirs : section, out);
	}
	for (size_t i = 0; i < old->count; i++) {
		const struct bench_log_section *section = &old->sections[i];
		bool taken = is_field(section, NULL) && find(old, section) == section;
		if (!taken && section_written(section) == WRITTEN)
			add_section(section, out);
	}
}

int bench_log_carry_over(const char *old, const char *entry, const struct bench_log_texts *texts,
			 const char *where, size_t line, struct bench_text *out, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_log_parts before, after;
	if (check_written(old, where, line, error) != 0)
		return -1;
	bench_log_take_apart(old, &arena, &before);
	bench_log_take_apart(entry, &arena, &after);
	merge(&before, &after, entry, texts, out);
	return 0;
}

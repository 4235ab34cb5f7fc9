#include "report/log/sections.h"

#include <string.h>

#include "report/render/words.h"

const char *const bench_log_fields[BENCH_LOG_FIELDS] = {"Hypothesis", "Result", "Cause", "Next", "Notes"};

#define NOTHING "None."

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
		size_t blanks = 3 + strspn(at.line + 3, " ");
		struct bench_log_section *section =
			bench_arena_push(arena, &parts->sections, &parts->count, sizeof(*section));
		*section = (struct bench_log_section){.title = at.line + blanks,
						      .length = at.length - blanks,
						      .start = at.line,
						      .body = at.next};
	}
	if (parts->count > 0)
		parts->sections[parts->count - 1].end = entry + strlen(entry);
}

bool bench_log_section_is(const struct bench_log_section *section, const char *title)
{
	return section->length == strlen(title) && memcmp(section->title, title, section->length) == 0;
}

/* The lines [start, end) without empty ones around them, and without the last one's end. */
static const char *trim(const char *start, const char *end, size_t *length)
{
	for (const char *at = start; at < end && strchr(" \t\r\n", *at); at++)
		if (*at == '\n')
			start = at + 1;
	while (end > start && strchr(" \t\r\n", end[-1]))
		end--;
	*length = (size_t)(end - start);
	return start;
}

const char *bench_log_section_content(const struct bench_log_section *section, size_t *length)
{
	return trim(section->body, section->end, length);
}

static void take_place(struct bench_text *entry, struct bench_text *whole)
{
	bench_text_free(entry);
	*entry = *whole;
}

/* The part [from, to) of an entry becomes a section, set apart from what is around it. */
static void put(struct bench_text *entry, const char *from, const char *to, const char *title,
		size_t title_length, const char *content, size_t length)
{
	struct bench_text whole = {0};
	bench_text_add_bytes(&whole, entry->data, (size_t)(from - entry->data));
	if (whole.length > 0 && whole.data[whole.length - 1] != '\n')
		bench_text_add(&whole, "\n");
	if (whole.length > 1 && whole.data[whole.length - 2] != '\n')
		bench_text_add(&whole, "\n");
	bench_text_add(&whole, "### %.*s\n", (int)title_length, title);
	if (length)
		bench_text_add(&whole, "\n%.*s\n", (int)length, content);
	bench_text_add(&whole, "%s%s", *to ? "\n" : "", to);
	take_place(entry, &whole);
}

static const struct bench_log_section *find(const struct bench_log_parts *parts, const char *title,
					    size_t length)
{
	for (size_t i = 0; i < parts->count; i++)
		if (parts->sections[i].length == length &&
		    memcmp(parts->sections[i].title, title, length) == 0)
			return &parts->sections[i];
	return NULL;
}

/* In the place of the section of that title, or as a new one: fields above the notes, others at the end. */
static void put_section(struct bench_text *entry, const char *title, size_t title_length, bool is_field,
			const char *content, size_t length)
{
	static const char notes[] = "Notes";
	struct bench_arena arena = {0};
	struct bench_log_parts parts;
	bench_log_take_apart(entry->data, &arena, &parts);
	const struct bench_log_section *there = find(&parts, title, title_length),
				       *above = is_field ? find(&parts, notes, sizeof(notes) - 1) : NULL;
	const char *end = entry->data + entry->length;
	const char *from = there ? there->start : above ? above->start : end;
	put(entry, from, there ? there->end : from, title, title_length, content, length);
	bench_arena_free(&arena);
}

void bench_log_add_quoted(const char *text, struct bench_text *out)
{
	while (*text) {
		size_t length = strcspn(text, "\r\n");
		struct bench_text line = {0}, safe = {0};
		bench_text_add_bytes(&line, text, length);
		bench_text_add_line(&safe, line.data);
		bench_text_add(out, ">%s", safe.length ? " " : "");
		for (const char *at = safe.data; *at; at++)
			bench_text_add_bytes(out, *at == '<' ? "&lt;" : at, *at == '<' ? 4 : 1);
		bench_text_add(out, "\n");
		bench_text_free(&line);
		bench_text_free(&safe);
		text += length;
		text += text[0] == '\r' && text[1] == '\n' ? 2 : *text ? 1 : 0;
	}
}

/* Behind the date, which stays: entries are sorted by it. */
static void put_title(struct bench_text *entry, const char *title)
{
	struct bench_text whole = {0};
	for (struct bench_log_reader at = {.next = entry->data}; bench_log_read(&at);) {
		if (!at.entry)
			continue;
		bench_text_add_bytes(&whole, entry->data, (size_t)(at.line - entry->data));
		bench_text_add(&whole, "## %s%s", at.stamp, *title ? " " : "");
		bench_render_words_add_markdown(&whole, title);
		bench_text_add(&whole, "%s", at.line + at.length);
		take_place(entry, &whole);
		return;
	}
}

void bench_log_put_texts(struct bench_text *entry, const struct bench_log_texts *texts)
{
	if (texts->title)
		put_title(entry, texts->title);
	for (size_t i = 0; i < BENCH_LOG_FIELDS; i++) {
		struct bench_text quoted = {0};
		if (!texts->fields[i])
			continue;
		bench_text_add(&quoted, "%s", ""); /* so that an empty one is a string too */
		bench_log_add_quoted(texts->fields[i], &quoted);
		put_section(entry, bench_log_fields[i], strlen(bench_log_fields[i]), i != BENCH_LOG_NOTES,
			    quoted.data, quoted.length - (quoted.length > 0));
		bench_text_free(&quoted);
	}
}

/* What the program writes: titles of sections, with what their lines start with. */
static const struct {
	const char *title;
	const char *starts[8];
} written[] = {
	{"Commands", {0}},
	{"Changes", {"- ", "`", "0", NOTHING, "None:", "Not known:"}},
	{"Key Results", {"- ", "**", "Nothing was measured."}},
	{"Comparison", {"- ", "  - ", "**", NOTHING, "None:", "0", "Run "}},
};
#define WRITTEN (sizeof(written) / sizeof(written[0]))

static bool is_fact(const char *line, size_t length)
{
	static const char *const labels[] = {"Timestamp", "Commit", "Branch", "Worktree",
					     "Run dir",   "Host",   "Device", "Tuned",
					     "Slowed",    "Aside",  "Watch",  "Interrupted"};
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		size_t size = strlen(labels[i]);
		if (length >= size + 7 && memcmp(line, "- **", 4) == 0 &&
		    memcmp(line + 4, labels[i], size) == 0 && memcmp(line + 4 + size, "**:", 3) == 0)
			return true;
	}
	return false;
}

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
	if (strcmp(written[section].title, "Commands") == 0)
		return known || at->fenced || starts_with(at, "```");
	for (size_t i = 0; !at->fenced && !known && written[section].starts[i]; i++)
		known = starts_with(at, written[section].starts[i]);
	return known;
}

static size_t section_written(const struct bench_log_section *section)
{
	size_t i = 0;
	while (i < WRITTEN && !bench_log_section_is(section, written[i].title))
		i++;
	return i;
}

/* No line of people's stands where all is written anew. */
static int check_written(const char *old, const char *where, size_t line, struct bench_error *error)
{
	size_t section = WRITTEN;
	for (struct bench_log_reader at = {.next = old}; bench_log_read(&at); line++) {
		if (bench_log_is_heading(&at, 3)) {
			size_t blanks = 3 + strspn(at.line + 3, " ");
			const struct bench_log_section heading = {.title = at.line + blanks,
								  .length = at.length - blanks};
			section = section_written(&heading);
		} else if (section < WRITTEN && !is_written(&at, section)) {
			return bench_fail(
				error, BENCH_USAGE,
				"%s, line %zu: '%.*s' would be lost, since '%s' is written anew; put "
				"it under a heading of its own (### ...)",
				where, line, (int)(at.length < 60 ? at.length : 60), at.line,
				written[section].title);
		}
	}
	return 0;
}

/* Lines among the facts that are none, below those of `entry`. */
static void carry_lines(const struct bench_log_parts *old, const char *end, struct bench_text *entry)
{
	struct bench_arena arena = {0};
	struct bench_log_parts parts;
	struct bench_text kept = {0}, whole = {0};
	bench_text_add(&kept, "%s", "");
	for (struct bench_log_reader at = {.next = old->facts}; at.next < end && bench_log_read(&at);)
		if (!is_fact(at.line, at.length))
			bench_text_add_bytes(&kept, at.line, (size_t)(at.next - at.line));
	size_t length;
	const char *content = trim(kept.data, kept.data + kept.length, &length);
	bench_log_take_apart(entry->data, &arena, &parts);
	if (length) {
		const char *place = parts.count ? parts.sections[0].start : entry->data + entry->length;
		bench_text_add_bytes(&whole, entry->data, (size_t)(place - entry->data));
		bench_text_add(&whole, "%.*s\n\n%s", (int)length, content, place);
		take_place(entry, &whole);
	}
	bench_text_free(&kept);
	bench_arena_free(&arena);
}

static void carry_title(const struct bench_log_parts *old, struct bench_text *entry)
{
	struct bench_arena arena = {0};
	struct bench_log_parts parts;
	struct bench_text whole = {0};
	bench_log_take_apart(entry->data, &arena, &parts);
	bench_text_add_bytes(&whole, entry->data, (size_t)(parts.heading - entry->data));
	bench_text_add_bytes(&whole, old->heading, (size_t)(old->facts - old->heading));
	bench_text_add(&whole, "%s", parts.facts);
	take_place(entry, &whole);
	bench_arena_free(&arena);
}

/* The field of that title; BENCH_LOG_FIELDS: it is none. */
static size_t field_of(const struct bench_log_section *section)
{
	size_t i = 0;
	while (i < BENCH_LOG_FIELDS && !bench_log_section_is(section, bench_log_fields[i]))
		i++;
	return i;
}

static void carry_section(const struct bench_log_parts *old, size_t at, const struct bench_log_texts *texts,
			  struct bench_text *entry)
{
	const struct bench_log_section *section = &old->sections[at];
	size_t field = field_of(section), length;
	const char *content = bench_log_section_content(section, &length);
	bool first = find(old, section->title, section->length) == section;
	if (section_written(section) < WRITTEN)
		return;
	if (field == BENCH_LOG_FIELDS || !first) {
		const char *end = entry->data + entry->length;
		put(entry, end, end, section->title, section->length, content, length);
	} else if (!texts->fields[field] && length &&
		   (length != strlen(NOTHING) || memcmp(content, NOTHING, length) != 0)) {
		put_section(entry, section->title, section->length, true, content, length);
	}
}

int bench_log_carry_over(const char *old, const struct bench_log_texts *texts, const char *where, size_t line,
			 struct bench_text *entry, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_log_parts parts;
	if (check_written(old, where, line, error) != 0)
		return -1;
	bench_log_take_apart(old, &arena, &parts);
	if (!texts->title)
		carry_title(&parts, entry);
	carry_lines(&parts, parts.count ? parts.sections[0].start : old + strlen(old), entry);
	for (size_t i = 0; i < parts.count; i++)
		carry_section(&parts, i, texts, entry);
	bench_arena_free(&arena);
	return 0;
}

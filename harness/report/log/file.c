/* SPDX-License-Identifier: MIT */
/*
 * The file of the experiment log. Entries are sorted by the date of their headings, newest first. Above the
 * first entry, only the index ever changes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/regex.h"
#include "report/log/index.h"
#include "report/log/item.h"
#include "report/log/reader.h"
#include "report/log/sections.h"

#define FILE_LIMIT ((size_t)64 << 20)

static const char preface[] =
	"# Experiments\n"
	"\n"
	"Every measured run that was worth a note, newest first. `bench log --append` adds to it;\n"
	"what people write into it stays.\n"
	"\n";

/* Does a line of [text, end) name the run? `fenced`: lines in code blocks count as well. */
static bool names(const char *text, const char *end, const char *id, bool fenced)
{
	for (struct bench_log_reader at = {.next = text}; at.next < end && bench_log_read(&at);)
		if ((fenced || !at.fenced) && bench_log_names_run(at.line, at.length, id))
			return true;
	return false;
}

/* Where an entry of date `stamp` goes: above the first entry that is not newer, else at the end. */
static size_t find_place(const char *text, const char *stamp)
{
	for (struct bench_log_reader at = {.next = text}; bench_log_read(&at);) {
		size_t known = strlen(at.stamp) < strlen(stamp) ? strlen(at.stamp) : strlen(stamp);
		if (at.entry && strncmp(at.stamp, stamp, known) <= 0)
			return (size_t)(at.entry - text);
	}
	return strlen(text);
}

/* The file's text with the entry in its place, one empty line around it. */
static void insert(const char *text, const char *entry, struct bench_text *out)
{
	struct bench_log_reader at = {.next = entry};
	while (bench_log_read(&at) && !at.entry)
		;
	size_t place = find_place(text, at.stamp);
	bench_text_add_bytes(out, text, place);
	if (out->length && out->data[out->length - 1] != '\n')
		bench_text_add(out, "\n");
	if (out->length > 1 && out->data[out->length - 2] != '\n')
		bench_text_add(out, "\n");
	bench_text_add(out, "%s%s", entry, text[place] ? "\n" : "");
	bench_text_add(out, "%s", text + place);
}

/* The text of a log, which the caller frees. */
static int read_file(const char *path, char **text, struct bench_error *error)
{
	size_t length = 0;
	*text = NULL;
	if (bench_file_read(path, FILE_LIMIT, text, &length, error) != 0)
		return -1;
	if (strlen(*text) == length)
		return 0;
	free(*text);
	*text = NULL;
	return bench_fail(error, BENCH_ENVIRONMENT, "'%s' is no log: it holds NUL bytes, so it is no text",
			  path);
}

static int check_there(const char *path, struct bench_error *error)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return bench_fail(error, BENCH_NOTHING,
				  "there is no log '%s': 'bench log --append %s' begins it", path, path);
	return 0;
}

/* A change to a log, with its arguments. */
struct change {
	/* NULL: only the index changes */
	int (*make)(const struct change *change, const char *text, struct bench_text *out,
		    struct bench_error *error);
	const char *path;
	const struct bench_log_run *runs;
	size_t count;
	const char *entry;
	const struct bench_log_texts *texts;
};

/* Replaces the text of the file by the changed text, with a new index. */
static int change_file(const struct change *change, struct bench_error *error)
{
	int result = -1;
	BENCH_SCOPED_MEMORY char *text = NULL;
	BENCH_SCOPED_TEXT changed = {0}, whole = {0};
	struct bench_file_lock lock;
	if (bench_file_lock(change->path, &lock, error) != 0)
		return -1;
	bench_text_add(&changed, "%s", ""); /* so that an empty one is a string too */
	bench_text_add(&whole, "%s", "");
	if (read_file(change->path, &text, error) == 0 &&
	    (!change->make || change->make(change, text, &changed, error) == 0)) {
		bench_log_add_indexed(change->make ? changed.data : text, &whole);
		result = bench_file_update(change->path, whole.data, whole.length, error);
	}
	bench_file_unlock(change->path, &lock, result == 0);
	return result;
}

static int make_append(const struct change *change, const char *text, struct bench_text *out,
		       struct bench_error *error)
{
	/* An unclosed code block may hold the entry: refusing errs on the safe side. */
	for (size_t i = 0; i < change->count; i++)
		if (names(text, text + strlen(text), change->runs[i].run->id, true))
			return bench_fail(
				error, BENCH_USAGE,
				"'%s' already has an entry for run %s; --rewrite replaces it and keeps "
				"what people wrote",
				change->path, change->runs[i].run->id);
	insert(*text ? text : preface, change->entry, out);
	return 0;
}

int bench_log_append(const char *path, const struct bench_log_run *runs, size_t count, const char *entry,
		     struct bench_error *error)
{
	const struct change change = {
		.make = make_append, .path = path, .runs = runs, .count = count, .entry = entry};
	return change_file(&change, error);
}

/* The entry at a place, as a text that ends with a line end. */
static char *copy_entry(struct bench_arena *arena, const struct bench_log_place *place)
{
	size_t length = (size_t)(place->end - place->start);
	bool ended = length > 0 && place->end[-1] == '\n';
	return bench_arena_format(arena, "%.*s%s", (int)length, place->start, ended ? "" : "\n");
}

/* The one entry that has runs of the change. */
static int find_entry_of(const struct change *change, const char *text, struct bench_arena *arena,
			 struct bench_log_place **place, struct bench_error *error)
{
	struct bench_log_place *places;
	size_t count = bench_log_places(text, arena, &places), found = 0;
	for (size_t i = 0; i < count; i++) {
		bool has = false;
		for (size_t r = 0; r < change->count; r++)
			has |= names(places[i].start, places[i].end, change->runs[r].run->id, false);
		if (has && found++ == 0)
			*place = &places[i];
	}
	if (found == 0)
		return bench_fail(error, BENCH_NOTHING, "'%s' has no entry for run %s; --append makes one",
				  change->path, change->runs[0].run->id);
	if (found > 1)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' has %zu entries for these runs; name the runs of one of them",
				  change->path, found);
	return 0;
}

static size_t line_of(const char *text, const char *at)
{
	size_t line = 1;
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* The end of an unclosed code block is unknown: refuse to replace it. */
static int check_closed(const char *path, const char *text, const struct bench_log_place *place,
			struct bench_error *error)
{
	const char *opened = NULL;
	struct bench_log_reader at = {.next = place->start};
	while (at.next < place->end && bench_log_read(&at))
		if (!at.fenced && at.fence)
			opened = at.line;
	if (!at.fence)
		return 0;
	return bench_fail(
		error, BENCH_USAGE,
		"%s, line %zu: a code block begins that nobody closes; close it, so that it is known "
		"where the entry ends",
		path, line_of(text, opened));
}

static int make_rewrite(const struct change *change, const char *text, struct bench_text *out,
			struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_log_place *place = NULL;
	BENCH_SCOPED_TEXT entry = {0};
	if (find_entry_of(change, text, &arena, &place, error) != 0 ||
	    check_closed(change->path, text, place, error) != 0 ||
	    bench_log_carry_over(copy_entry(&arena, place), change->entry, change->texts, change->path,
				 line_of(text, place->start), &entry, error) != 0)
		return -1;
	bench_text_add_bytes(out, text, (size_t)(place->start - text));
	bench_text_add(out, "%s%s", entry.data, place->end);
	return 0;
}

int bench_log_rewrite(const char *path, const struct bench_log_run *runs, size_t count, const char *entry,
		      const struct bench_log_texts *texts, struct bench_error *error)
{
	const struct change change = {.make = make_rewrite,
				      .path = path,
				      .runs = runs,
				      .count = count,
				      .entry = entry,
				      .texts = texts};
	return check_there(path, error) == 0 ? change_file(&change, error) : -1;
}

/* "runs/20261120-231503/" names its last part. */
static const char *last_part(struct bench_arena *arena, const char *name)
{
	char *path = bench_arena_string(arena, name);
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int find_named(const char *path, const char *name, const char *text, struct bench_arena *arena,
		      struct bench_log_place **place, struct bench_error *error)
{
	struct bench_log_place *places;
	size_t count = bench_log_places(text, arena, &places), found = 0;
	if (count == 0)
		return bench_fail(error, BENCH_NOTHING, "'%s' has no entries", path);
	*place = &places[0];
	if (!name)
		return 0;
	const char *id = last_part(arena, name);
	for (size_t i = 0; i < count; i++)
		if (strncmp(places[i].stamp, id, strlen(id)) == 0 ||
		    names(places[i].start, places[i].end, id, false)) {
			*place = &places[i];
			found++;
		}
	if (found == 0 || !*id)
		return bench_fail(
			error, BENCH_NOTHING,
			"'%s' has no entry for '%s', neither a run nor a date; 'bench log --list %s' "
			"lists them",
			path, name, path);
	if (found > 1)
		return bench_fail(error, BENCH_USAGE, "'%s' may be any of %zu entries of '%s'; name a run",
				  name, found, path);
	return 0;
}

int bench_log_index(const char *path, struct bench_error *error)
{
	const struct change change = {.path = path};
	return check_there(path, error) == 0 ? change_file(&change, error) : -1;
}

int bench_log_show(const char *path, const char *name, struct bench_text *out, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_log_place *place = NULL;
	BENCH_SCOPED_MEMORY char *text = NULL;

	if (check_there(path, error) != 0 || read_file(path, &text, error) != 0 ||
	    find_named(path, name, text, &arena, &place, error) != 0)
		return -1;
	bench_text_add(out, "%s", copy_entry(&arena, place));
	return 0;
}

/* The entries of a text; those that match, if there is an expression. */
static void list_entries(const char *text, const regex_t *expression, struct bench_arena *arena,
			 struct bench_log_item **items, size_t *count)
{
	struct bench_log_place *places;
	const size_t found = bench_log_places(text, arena, &places);
	for (size_t i = 0; i < found; i++) {
		const char *entry = copy_entry(arena, &places[i]), *match = "";
		if (expression && !(match = bench_log_item_match(entry, expression, arena)))
			continue;
		struct bench_log_item *item = bench_arena_push(arena, items, count, sizeof(**items));
		*item = bench_log_item_of(&places[i], entry, arena);
		item->match = match;
	}
}

int bench_log_list(const char *path, const char *pattern, struct bench_arena *arena,
		   struct bench_log_item **items, size_t *count, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *text = NULL;
	char why[128];
	regex_t expression;

	*items = NULL;
	*count = 0;
	if (check_there(path, error) != 0 || read_file(path, &text, error) != 0)
		return -1;
	if (pattern &&
	    bench_regex_compile(&expression, pattern, REG_NOSUB | REG_ICASE, why, sizeof(why)) != 0)
		return bench_fail(error, BENCH_USAGE, "the regular expression '%s': %s", pattern, why);
	list_entries(text, pattern ? &expression : NULL, arena, items, count);
	if (pattern)
		regfree(&expression);
	return 0;
}

/*
 * The file of the experiment log. Entries stand newest first, by the date of their headings. What is above
 * the first entry is never touched, but for the index.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "report/log/index.h"
#include "report/log/log.h"
#include "report/log/reader.h"

#define FILE_LIMIT ((size_t)64 << 20)

static const char preface[] =
	"# Experiments\n"
	"\n"
	"Every measured run that was worth a note, newest first. `bench log --append` adds to it;\n"
	"what people write into it stays.\n"
	"\n";

/* Does a line "**Run dir**: `.../ID`" (in a list or not) name the run's folder? */
static bool names_folder(const char *line, size_t length, const char *id)
{
	static const char label[] = "**Run dir**";
	size_t start = strspn(line, "-* ");
	start -= start >= 2 && line[start - 1] == '*' && line[start - 2] == '*' ? 2 : 0;
	if (length < start + sizeof(label) - 1 || memcmp(line + start, label, sizeof(label) - 1) != 0)
		return false;
	while (length && strchr("`/ .", line[length - 1]))
		length--;
	size_t tail = strlen(id);
	return length > tail && memcmp(line + length - tail, id, tail) == 0 &&
	       strchr("/` ", line[length - tail - 1]);
}

/* Has the run an entry? A marker or a Run dir line says so, inside of a code block too: that errs on the safe
 * side. */
static bool has_entry(const char *text, const char *id)
{
	struct bench_text marker = {0};
	bench_log_add_marker(id, &marker);
	bool found = false;
	for (struct bench_log_reader at = {.next = text}; !found && bench_log_read(&at);)
		found = (at.length + 1 == marker.length && memcmp(at.line, marker.data, at.length) == 0) ||
			names_folder(at.line, at.length, id);
	bench_text_free(&marker);
	return found;
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
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "cannot add to '%s': it holds NUL bytes, so it is no text", path);
}

/* Replaces the file by `text` with its index. */
static int write_indexed(const char *path, const char *text, struct bench_error *error)
{
	struct bench_text whole = {0};
	bench_log_add_indexed(text, &whole);
	int result = bench_file_update(path, whole.data, whole.length, error);
	bench_text_free(&whole);
	return result;
}

int bench_log_append(const char *path, const struct bench_run *run, const char *entry,
		     struct bench_error *error)
{
	int result = -1;
	char *text = NULL;
	struct bench_text whole = {0};
	struct bench_file_lock lock;
	if (bench_file_lock(path, &lock, error) != 0)
		return -1;
	if (read_file(path, &text, error) != 0)
		goto out;
	if (has_entry(text, run->id)) {
		bench_fail(error, BENCH_USAGE,
			   "'%s' has an entry for run %s already; edit it there, or take it out first", path,
			   run->id);
	} else {
		insert(*text ? text : preface, entry, &whole);
		result = write_indexed(path, whole.data, error);
	}
out:
	bench_file_unlock(path, &lock, result == 0);
	bench_text_free(&whole);
	free(text);
	return result;
}

int bench_log_index(const char *path, struct bench_error *error)
{
	char *text;
	struct bench_file_lock lock;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return bench_fail(error, BENCH_NOTHING, "there is no log '%s'", path);
	if (bench_file_lock(path, &lock, error) != 0)
		return -1;
	int result = read_file(path, &text, error);
	if (result == 0)
		result = write_indexed(path, text, error);
	bench_file_unlock(path, &lock, result == 0);
	free(text);
	return result;
}

/*
 * The file of the experiment log. People edit it, and older entries may be written by
 * hand: an entry begins at a heading of level two with a date in it, or at the marker line
 * just above it. Entries stand newest first, by that date. What is above the first entry
 * is never touched.
 */
#include "report/log/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "report/log/log.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define STAMP_MAX  32

static const char preface[] =
	"# Experiments\n"
	"\n"
	"Every measured run that was worth a note, newest first. `bench log --append` adds to it;\n"
	"what people write into it stays.\n"
	"\n";

void bench_log_add_marker(const char *id, struct bench_text *out)
{
	bench_text_add(out, "<!-- run: ");
	/* An id is digits and '-'; one from elsewhere must not end the comment. */
	for (; *id; id++) {
		bool plain = isalnum((unsigned char)*id) || strchr("._-", *id);
		bench_text_add_bytes(out, plain ? id : "_", 1);
	}
	bench_text_add(out, " -->\n");
}

/* Length of the line at `line` without its end; *next is behind its end. */
static size_t line_length(const char *line, const char **next)
{
	size_t length = strcspn(line, "\n");
	*next = line + length + (line[length] == '\n');
	while (length && (line[length - 1] == '\r' || line[length - 1] == ' '))
		length--;
	return length;
}

/* The first "2026-11-20..." of a heading, as far as it is a date and time. */
static bool find_stamp(const char *line, size_t length, char stamp[STAMP_MAX])
{
	static const char shape[] = "dddd-dd-dd";
	for (size_t start = 0; start + sizeof(shape) - 1 <= length; start++) {
		size_t n = 0;
		while (shape[n] && (shape[n] == 'd' ? isdigit((unsigned char)line[start + n]) != 0
						    : line[start + n] == shape[n]))
			n++;
		if (shape[n])
			continue;
		/* A time of day behind it, "T" or a blank between the two, counts too. */
		while (n < STAMP_MAX - 1 && start + n < length && line[start + n] &&
		       strchr("0123456789:T ", line[start + n])) {
			stamp[n] = line[start + n] == 'T' ? ' ' : line[start + n];
			n++;
		}
		memcpy(stamp, line + start, 10);
		while (n > 10 && stamp[n - 1] == ' ')
			n--;
		stamp[n] = '\0';
		return true;
	}
	return false;
}

/* Follows fenced code blocks: is what stands after this line inside of one? */
struct fence {
	char mark; /* '`' or '~'; 0 outside */
	size_t length;
};

static void follow_fence(struct fence *fence, const char *line, size_t length)
{
	size_t start = strspn(line, " ");
	char mark = start < length ? line[start] : '\0';
	if (start > 3 || (mark != '`' && mark != '~'))
		return;
	size_t run = 0;
	while (start + run < length && line[start + run] == mark)
		run++;
	if (!fence->mark && run >= 3)
		*fence = (struct fence){mark, run};
	else if (fence->mark == mark && run >= fence->length && start + run == length)
		fence->mark = '\0';
}

static bool is_marker(const char *line, size_t length)
{
	static const char start[] = "<!-- run: ";
	return length > sizeof(start) && memcmp(line, start, sizeof(start) - 1) == 0;
}

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
	for (const char *next; *text && !found; text = next) {
		size_t length = line_length(text, &next);
		found = (length + 1 == marker.length && memcmp(text, marker.data, length) == 0) ||
			names_folder(text, length, id);
	}
	bench_text_free(&marker);
	return found;
}

/* Where an entry of date `stamp` goes: above the first entry that is not newer, else at the end. */
static size_t find_place(const char *text, const char *stamp)
{
	struct fence fence = {0};
	const char *start = text, *marker = NULL;
	for (const char *line = start, *next; *line; line = next) {
		size_t length = line_length(line, &next);
		char other[STAMP_MAX];
		bool inside = fence.mark != '\0';
		follow_fence(&fence, line, length);
		if (inside || length == 0)
			continue;
		if (length > 3 && memcmp(line, "## ", 3) == 0 && find_stamp(line, length, other)) {
			size_t known = strlen(other) < strlen(stamp) ? strlen(other) : strlen(stamp);
			if (strncmp(other, stamp, known) <= 0)
				return (size_t)((marker ? marker : line) - start);
		}
		marker = is_marker(line, length) ? line : NULL;
	}
	return strlen(text);
}

/* The file's text with the entry in its place, one empty line around it. */
static void insert(const char *text, const char *entry, struct bench_text *out)
{
	char stamp[STAMP_MAX] = "";
	const char *title = strstr(entry, "\n## "), *next;
	if (title)
		find_stamp(title + 1, line_length(title + 1, &next), stamp);
	size_t place = find_place(text, stamp);
	bench_text_add_bytes(out, text, place);
	if (out->length && out->data[out->length - 1] != '\n')
		bench_text_add(out, "\n");
	if (out->length > 1 && out->data[out->length - 2] != '\n')
		bench_text_add(out, "\n");
	bench_text_add(out, "%s%s", entry, text[place] ? "\n" : "");
	bench_text_add(out, "%s", text + place);
}

int bench_log_append(const char *path, const struct bench_run *run, const char *entry,
		     struct bench_error *error)
{
	int result = -1;
	char *text = NULL;
	size_t length = 0;
	struct bench_text whole = {0};
	bool exists = access(path, F_OK) == 0;
	if (exists && bench_file_read(path, FILE_LIMIT, &text, &length, error) != 0)
		goto out;
	if (text && strlen(text) != length) {
		bench_fail(error, BENCH_ENVIRONMENT,
			   "cannot add to '%s': it holds NUL bytes, so it is no text", path);
		goto out;
	}
	if (text && has_entry(text, run->id)) {
		bench_fail(error, BENCH_USAGE,
			   "'%s' has an entry for run %s already; edit it there, or take it out first", path,
			   run->id);
		goto out;
	}
	insert(text && length ? text : preface, entry, &whole);
	result = bench_file_write(path, whole.data, whole.length, error);
out:
	bench_text_free(&whole);
	free(text);
	return result;
}

/* SPDX-License-Identifier: MIT */
#include "report/log/reader.h"

#include <ctype.h>
#include <string.h>

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

bool bench_log_find_stamp(const char *line, size_t length, char stamp[BENCH_LOG_STAMP_MAX])
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
		while (n < BENCH_LOG_STAMP_MAX - 1 && start + n < length && line[start + n] &&
		       strchr("0123456789:T ", line[start + n])) {
			stamp[n] = line[start + n] == 'T' ? ' ' : line[start + n];
			n++;
		}
		memcpy(stamp, line + start, 10);
		while (n > 10 && strchr(" :", stamp[n - 1]))
			n--;
		stamp[n] = '\0';
		return true;
	}
	return false;
}

static void follow_fence(struct bench_log_reader *reader)
{
	const char *line = reader->line;
	size_t start = strspn(line, " "), run = 0;
	char mark = start < reader->length ? line[start] : '\0';
	if (start > 3 || (mark != '`' && mark != '~'))
		return;
	while (start + run < reader->length && line[start + run] == mark)
		run++;
	if (!reader->fence && run >= 3) {
		reader->fence = mark;
		reader->fence_length = run;
	} else if (reader->fence == mark && run >= reader->fence_length && start + run == reader->length) {
		reader->fence = '\0';
	}
}

static bool is_marker(const struct bench_log_reader *reader)
{
	static const char start[] = "<!-- run: ";
	return reader->length > sizeof(start) && memcmp(reader->line, start, sizeof(start) - 1) == 0;
}

bool bench_log_read(struct bench_log_reader *reader)
{
	const char *line = reader->next;
	size_t length = strcspn(line, "\n");
	if (!*line)
		return false;
	reader->line = line;
	reader->next = line + length + (line[length] == '\n');
	while (length && (line[length - 1] == '\r' || line[length - 1] == ' '))
		length--;
	reader->length = length;
	reader->fenced = reader->fence != '\0';
	reader->entry = NULL;
	follow_fence(reader);
	if (reader->fenced || length == 0)
		return true;
	if (length > 3 && memcmp(line, "## ", 3) == 0 && bench_log_find_stamp(line, length, reader->stamp))
		reader->entry = reader->marker ? reader->marker : line;
	reader->marker = !is_marker(reader) ? NULL : reader->marker ? reader->marker : line;
	return true;
}

bool bench_log_is_heading(const struct bench_log_reader *at, size_t level)
{
	return !at->fenced && at->length > level && strspn(at->line, "#") == level && at->line[level] == ' ';
}

/* "**Run dir**: `.../ID`" */
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

bool bench_log_names_run(const char *line, size_t length, const char *id)
{
	BENCH_SCOPED_TEXT marker = {0};
	bench_log_add_marker(id, &marker);
	bool named = length + 1 == marker.length && memcmp(line, marker.data, length) == 0;
	return named || names_folder(line, length, id);
}

size_t bench_log_places(const char *text, struct bench_arena *arena, struct bench_log_place **places)
{
	size_t count = 0;
	bool inside = false; /* of the last entry */
	*places = NULL;
	for (struct bench_log_reader at = {.next = text}; bench_log_read(&at);) {
		if (at.entry) {
			struct bench_log_place *place =
				bench_arena_push(arena, places, &count, sizeof(*place));
			*place = (struct bench_log_place){
				.start = at.entry, .heading = at.line, .length = at.length};
			memcpy(place->stamp, at.stamp, sizeof(place->stamp));
			inside = true;
		} else if (bench_log_is_heading(&at, 1) || bench_log_is_heading(&at, 2)) {
			inside = false;
		}
		/* What may be the marker of the next entry is no line of this one, until it proves to be. */
		if (inside && at.length && !at.marker)
			(*places)[count - 1].end = at.next;
	}
	return count;
}

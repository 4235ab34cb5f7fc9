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
		while (n > 10 && stamp[n - 1] == ' ')
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
	reader->marker = is_marker(reader) ? line : NULL;
	return true;
}

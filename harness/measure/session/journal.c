#include "measure/session/journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

int bench_session_journal_line(struct bench_journal *journal, char *line, struct bench_error *error)
{
	int result = line ? bench_record_folder_event(journal->folder, line, error)
			  : bench_fail(error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result;
}

int bench_session_journal_event(struct bench_journal *journal, const struct bench_event *event,
				struct bench_error *error)
{
	return bench_session_journal_line(journal, bench_record_event_line(event), error);
}

int bench_session_journal_end(struct bench_journal *journal, size_t index, unsigned invocation,
			      enum bench_status status, const char *reason, struct bench_error *error)
{
	const struct bench_event event = {.kind = BENCH_EVENT_END,
					  .index = index,
					  .invocation = (int)invocation,
					  .end = {status, reason, bench_record_stop_name(BENCH_STOP_NONE)}};
	return bench_session_journal_event(journal, &event, error);
}

void bench_session_journal_skip(struct bench_journal *journal)
{
	journal->read_to = lseek(journal->folder->events, 0, SEEK_END);
}

int bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error)
{
	int result = -1;
	struct stat status;
	char path[PATH_MAX], *data = NULL;
	int fd = -1;
	if (bench_file_join(path, sizeof(path), journal->folder->path, "samples.jsonl"))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s' back", path);
		goto out;
	}
	size_t size = (size_t)(status.st_size - journal->read_to);
	data = malloc(size + 1);
	ssize_t got = data ? pread(fd, data, size, journal->read_to) : -1;
	if (got < 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s' back", path);
		goto out;
	}
	data[got] = '\0';
	char *line = data, *end;
	for (; (end = memchr(line, '\n', (size_t)(data + got - line))); line = end + 1) {
		struct bench_error cause;
		struct bench_event event;
		if (bench_record_event_read(line, (size_t)(end - line), "samples.jsonl", &event, &cause) !=
			    0 ||
		    bench_record_apply(journal->run, &event, &cause) != 0)
			bench_record_folder_log(journal->folder, "warning: an event was not understood: %s",
						cause.text);
		else
			journal->seen(journal->context, &event);
		bench_record_event_free(&event);
	}
	journal->read_to += line - data;
	result = 0;
out:
	free(data);
	if (fd >= 0)
		close(fd);
	return result;
}

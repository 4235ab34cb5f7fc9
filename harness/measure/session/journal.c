/* SPDX-License-Identifier: MIT */
#include "measure/session/journal.h"

#include <errno.h>
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
					  .end = {.status = status,
						  .reason = reason,
						  .stopped = bench_record_stop_name(BENCH_STOP_NONE)}};
	return bench_session_journal_event(journal, &event, error);
}

void bench_session_journal_skip(struct bench_journal *journal)
{
	off_t end = lseek(journal->folder->events, 0, SEEK_END);
	journal->read_to = end > 0 ? end : 0;
}

/* Is the file still the one that is appended to, with all that has been read of it? */
static int check_file(const struct bench_journal *journal, const char *path, int fd, off_t *size,
		      struct bench_error *error)
{
	struct stat status, ours;
	char last = '\n';
	if (fd < 0 || fstat(fd, &status) != 0 || fstat(journal->folder->events, &ours) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s' back: %s%s", path,
				  strerror(errno),
				  errno == ENOENT ? "; it was removed while the run was measured" : "");
	if (status.st_dev != ours.st_dev || status.st_ino != ours.st_ino)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "'%s' was replaced while the run was measured: what follows would be lost",
				  path);
	*size = status.st_size;
	if (*size < journal->read_to ||
	    (journal->read_to > 0 && pread(fd, &last, 1, journal->read_to - 1) != 1) || last != '\n')
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "'%s' was cut or overwritten while the run was measured: it is no whole "
				  "record any more",
				  path);
	return 0;
}

/* malloc'd; NULL with the error filled. */
static char *read_from(int fd, off_t from, size_t size, const char *path, struct bench_error *error)
{
	char *data = malloc(size + 1);
	if (!data) {
		bench_fail(error, BENCH_NO_MEMORY, "no memory for %zu bytes of '%s'", size, path);
		return NULL;
	}
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(fd, data + done, size - done, from + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s' back: %s", path,
				   got < 0 ? strerror(errno) : "it was cut while it was read");
			free(data);
			return NULL;
		}
		done += (size_t)got;
	}
	return data;
}

static void take_line(struct bench_journal *journal, const char *line, size_t length)
{
	struct bench_error cause;
	struct bench_event event;
	if (bench_record_event_read(line, length, "samples.jsonl", &event, &cause) != 0) {
		journal->refused++;
		bench_record_folder_log(journal->folder, "warning: an event was not understood: %s",
					cause.text);
		return;
	}
	if (bench_record_apply(journal->run, &event, &cause) == 0) {
		journal->seen(journal->context, &event);
	} else {
		journal->refused++;
		bench_record_folder_log(journal->folder, "warning: an event was not understood: %s",
					cause.text);
	}
	bench_record_event_free(&event);
}

int bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error)
{
	int result = -1, fd = -1;
	char path[PATH_MAX], *data = NULL;
	off_t size = 0;
	if (!bench_file_join(path, sizeof(path), journal->folder->path, "samples.jsonl"))
		return bench_fail(error, BENCH_ENVIRONMENT, "the path '%.200s...' is too long",
				  journal->folder->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (check_file(journal, path, fd, &size, error) != 0)
		goto out;
	size_t length = (size_t)(size - journal->read_to);
	data = read_from(fd, journal->read_to, length, path, error);
	if (!data)
		goto out;
	char *line = data, *end;
	for (; (end = memchr(line, '\n', (size_t)(data + length - line))); line = end + 1)
		take_line(journal, line, (size_t)(end - line));
	journal->read_to += line - data;
	result = 0;
out:
	free(data);
	if (fd >= 0)
		close(fd);
	return result;
}

int bench_session_journal_settle(struct bench_journal *journal, struct bench_error *error)
{
	struct stat status;
	if (bench_session_journal_catch_up(journal, error) != 0)
		return -1;
	if (fstat(journal->folder->events, &status) != 0 || status.st_size <= journal->read_to)
		return 0;
	bench_record_folder_log(journal->folder,
				"warning: the last line of samples.jsonl was cut, and is dropped");
	if (ftruncate(journal->folder->events, journal->read_to) == 0)
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "cannot drop the last line of '%s/samples.jsonl', which was cut: %s",
			  journal->folder->path, strerror(errno));
}

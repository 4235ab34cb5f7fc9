/* SPDX-License-Identifier: MIT */
#include "record/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "record/internal.h"

/* Runs that start in one second: more than this are no runs. */
#define SAME_SECOND_MAX 10000

int record_join(char out[PATH_MAX], const char *folder, const char *name, struct bench_error *error)
{
	return bench_file_join(out, PATH_MAX, folder, name)
		       ? 0
		       : bench_fail(error, BENCH_ENVIRONMENT, "the path '%.200s...' is too long", folder);
}

static int open_append(const struct bench_folder *folder, const char *name, struct bench_error *error)
{
	char path[PATH_MAX];
	if (record_join(path, folder->path, name, error) != 0)
		return -1;
	/* A folder may come from elsewhere: its files are no links to others, and no pipes. */
	struct stat status;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': %s", path,
				  errno == ELOOP ? "a symbolic link" : strerror(errno));
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': not a regular file", path);
}

/* Has a worker the file, whose parent may be gone already? */
static bool has_worker(int samples)
{
	struct flock theirs = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	return fcntl(samples, F_GETLK, &theirs) == 0 && theirs.l_type != F_UNLCK;
}

void bench_record_folder_claim(int samples)
{
	struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = getpid(), .l_len = 1};
	(void)fcntl(samples, F_SETLK, &mine);
}

int bench_record_folder_enter(const char *path, int samples, struct bench_error *error)
{
	struct bench_folder folder;
	if (snprintf(folder.path, sizeof(folder.path), "%s", path) >= (int)sizeof(folder.path))
		return bench_fail(error, BENCH_ENVIRONMENT, "the path '%.200s...' is too long", path);
	folder.events = open_append(&folder, "samples.jsonl", error);
	folder.log = folder.events < 0 ? -1 : open_append(&folder, "run.log", error);
	int result = folder.log < 0 ? -1 : 0;
	if (result == 0 && (dup2(folder.events, samples) < 0 || dup2(folder.log, STDOUT_FILENO) < 0 ||
			    dup2(folder.log, STDERR_FILENO) < 0))
		result = bench_fail(error, BENCH_ENVIRONMENT, "cannot go on in '%s': %s", path,
				    strerror(errno));
	if (folder.events >= 0)
		close(folder.events);
	if (folder.log >= 0)
		close(folder.log);
	if (result == 0)
		bench_record_folder_claim(
			samples); /* at last: closing a descriptor of the file gives it up */
	return result;
}

/*
 * Opens the run's files, which one process has at a time, and its workers. The lock is not on the descriptor
 * that workers get: what they start, or a plug-in forks, would have it for as long as it lives. Workers have
 * locks of the kind that is not inherited.
 */
static int open_files(struct bench_folder *folder, struct bench_error *error)
{
	folder->events = open_append(folder, "samples.jsonl", error);
	folder->lock = folder->events < 0 ? -1 : open_append(folder, "samples.jsonl", error);
	if (folder->lock >= 0 && ((flock(folder->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
				  has_worker(folder->lock)))
		bench_fail(error, BENCH_ENVIRONMENT, "the run in '%s' is being measured right now",
			   folder->path);
	else if (folder->lock >= 0)
		folder->log = open_append(folder, "run.log", error);
	if (folder->log >= 0)
		return 0;
	bench_record_folder_close(folder);
	return -1;
}

/* Makes the folder of that id: mkdir decides between two runs. 1: the id is taken; -1. */
static int make_folder(struct bench_folder *folder, const char *runs_dir, const char *id,
		       struct bench_run *run, const struct bench_folder_ids *others,
		       struct bench_error *error)
{
	if (others && others->has(others->context, id))
		return 1;
	if (record_join(folder->path, runs_dir, id, error) != 0)
		return -1;
	if (mkdir(folder->path, 0777) == 0) {
		run->id = bench_arena_string(&run->arena, id);
		run->folder = bench_arena_string(&run->arena, folder->path);
		return 0;
	}
	return errno == EEXIST ? 1
			       : bench_fail(error, BENCH_ENVIRONMENT, "cannot make the folder '%s': %s",
					    folder->path, strerror(errno));
}

/* The first folder of the second that is free. */
static int make_stamped(struct bench_folder *folder, const char *runs_dir, struct bench_run *run,
			const struct bench_folder_ids *others, struct bench_error *error)
{
	char id[48], stamp[32];
	struct tm local;
	time_t started = (time_t)run->started;

	if (!localtime_r(&started, &local) || !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local))
		return bench_fail(error, BENCH_ENVIRONMENT, "the time %lld is no date", (long long)started);
	snprintf(id, sizeof(id), "%s", stamp);
	for (int i = 2; i <= SAME_SECOND_MAX + 1; i++) {
		const int status = make_folder(folder, runs_dir, id, run, others, error);
		if (status <= 0)
			return status;
		snprintf(id, sizeof(id), "%s-%d", stamp, i);
	}
	return bench_fail(error, BENCH_ENVIRONMENT, "'%s' holds %d runs of the second %s already", runs_dir,
			  SAME_SECOND_MAX, stamp);
}

bool bench_record_folder_is_id(const char *id)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t length = strlen(id);
	return length > 0 && length <= 60 && strspn(id, allowed) == length && *id != '.' && *id != '-' &&
	       strcmp(id, "last") != 0;
}

/* The folder of an id that was given: made by one process alone. */
static int make_named(struct bench_folder *folder, const char *runs_dir, const char *id,
		      struct bench_run *run, const struct bench_folder_ids *others, struct bench_error *error)
{
	const int status = make_folder(folder, runs_dir, id, run, others, error);
	if (status <= 0)
		return status;
	return *folder->path
		       ? bench_fail(error, BENCH_USAGE,
				    "--id %s: '%s' is there already; --resume goes on with a run that was "
				    "cut short",
				    id, folder->path)
		       : bench_fail(error, BENCH_USAGE, "--id %s: the history has a run of that id", id);
}

static int make_runs_dir(const char *runs_dir, char absolute[PATH_MAX], struct bench_error *error)
{
	if (bench_file_make_folder(runs_dir, error) != 0)
		return -1;
	if (realpath(runs_dir, absolute))
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot find the folder '%s': %s", runs_dir,
			  strerror(errno));
}

int bench_record_folder_create(struct bench_folder *folder, const char *runs_dir, struct bench_run *run,
			       const char *id, const struct bench_folder_ids *others,
			       struct bench_error *error)
{
	char absolute[PATH_MAX];

	*folder = (struct bench_folder){.events = -1, .log = -1, .lock = -1};
	if (make_runs_dir(runs_dir, absolute, error) != 0 ||
	    (id ? make_named(folder, absolute, id, run, others, error)
		: make_stamped(folder, absolute, run, others, error)) != 0)
		return -1;
	return open_files(folder, error);
}

/*
 * A kill may have cut the last line. If only its newline is missing, add it: the line has been read as an
 * event. Otherwise the reader has skipped the line, and it is removed: in the middle of the file it would be
 * damage.
 */
static int end_last_line(const struct bench_folder *folder, struct bench_error *error)
{
	char path[PATH_MAX];
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length, whole = 0;
	if (record_join(path, folder->path, "samples.jsonl", error) != 0 ||
	    bench_file_read(path, RECORD_SAMPLES_FILE_BYTES, &data, &length, error) != 0 ||
	    (length && record_count_whole(data, length, path, &whole, error) != 0))
		return -1;
	int status = whole < length ? ftruncate(folder->events, (off_t)whole) : 0;
	if (status == 0 && whole && data[whole - 1] != '\n')
		status = bench_file_append(folder->events, "\n", 1);
	if (status != 0)
		bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
	return status;
}

int bench_record_folder_reopen(struct bench_folder *folder, const char *path, struct bench_error *error)
{
	char samples[PATH_MAX];
	*folder = (struct bench_folder){.events = -1, .log = -1, .lock = -1};
	if (!realpath(path, folder->path) ||
	    !bench_file_join(samples, sizeof(samples), path, "samples.jsonl") || access(samples, F_OK) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s' has no samples.jsonl to go on with", path);
	if (open_files(folder, error) != 0)
		return -1;
	if (end_last_line(folder, error) == 0)
		return 0;
	bench_record_folder_close(folder);
	return -1;
}

bool bench_record_folder_is_live(const char *path)
{
	char samples[PATH_MAX];
	if (!bench_file_join(samples, sizeof(samples), path, "samples.jsonl"))
		return false;
	int fd = open(samples, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool live = (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) || has_worker(fd);
	close(fd);
	return live;
}

int bench_record_folder_event(struct bench_folder *folder, const char *line, struct bench_error *error)
{
	/* One write a line: what a kill leaves of the file ends with a whole line, or with a part of one. */
	size_t length = strlen(line);
	BENCH_SCOPED_MEMORY char *bytes = bench_memory_alloc(length + 1, 1);
	memcpy(bytes, line, length);
	bytes[length++] = '\n';
	int result = bench_file_append(folder->events, bytes, length);
	if (result != 0)
		bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s/samples.jsonl': %s", folder->path,
			   strerror(errno));
	return result;
}

void bench_record_folder_log(struct bench_folder *folder, const char *format, ...)
{
	BENCH_SCOPED_ARENA arena = {0};
	char now[32];
	va_list arguments;
	va_start(arguments, format);
	const char *text = bench_arena_vformat(&arena, format, arguments);
	va_end(arguments);
	BENCH_SCOPED_TEXT line = {0};
	bench_clock_iso((int64_t)time(NULL), now, sizeof(now));
	bench_text_add(&line, "%s ", now);
	bench_text_add_line(&line, text);
	bench_text_add(&line, "\n");
	/* Not what is measured: a run goes on without its log. */
	(void)bench_file_append(folder->log, line.data, line.length);
}

int bench_record_folder_finish(struct bench_folder *folder, const struct bench_run *run,
			       struct bench_error *error)
{
	char path[PATH_MAX];
	if (record_join(path, folder->path, "metrics.json", error) != 0)
		return -1;
	BENCH_SCOPED_MEMORY char *text = bench_record_to_json(run);
	return bench_file_write(path, text, strlen(text), error);
}

void bench_record_folder_close(struct bench_folder *folder)
{
	int *const all[] = {&folder->events, &folder->log, &folder->lock};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

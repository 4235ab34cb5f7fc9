/* SPDX-License-Identifier: MIT */
#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"

int bench_file_read(const char *path, size_t limit, char **data, size_t *length, struct bench_error *error)
{
	int result = -1;
	char *buffer = NULL;
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &status) != 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(status.st_mode)) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s': not a regular file", path);
		goto out;
	}
	if ((uint64_t)status.st_size > limit) {
		bench_fail(error, BENCH_ENVIRONMENT,
			   "cannot read '%s': %lld bytes, more than the limit of %zu", path,
			   (long long)status.st_size, limit);
		goto out;
	}
	/* The size is from a moment ago: a file that is being appended to is read up to there. */
	size_t size = (size_t)status.st_size, got = 0;
	buffer = malloc(size + 1);
	if (!buffer) {
		bench_fail(error, BENCH_NO_MEMORY, "cannot read '%s': no memory for %zu bytes", path, size);
		goto out;
	}
	while (got < size) {
		ssize_t n = read(fd, buffer + got, size - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
			goto out;
		}
		if (n == 0)
			break;
		got += (size_t)n;
	}
	buffer[got] = '\0';
	*data = buffer;
	*length = got;
	buffer = NULL;
	result = 0;
out:
	free(buffer);
	if (fd >= 0)
		close(fd);
	return result;
}

int bench_file_read_input(size_t limit, char **data, size_t *length, struct bench_error *error)
{
	char *buffer = malloc(limit + 2);
	size_t got = 0;
	if (!buffer)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for standard input");
	while (got <= limit) {
		ssize_t n = read(STDIN_FILENO, buffer + got, limit + 1 - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			bench_fail(error, BENCH_ENVIRONMENT, "cannot read standard input: %s",
				   strerror(errno));
			free(buffer);
			return -1;
		}
		if (n == 0)
			break;
		got += (size_t)n;
	}
	if (got > limit) {
		free(buffer);
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "standard input: more than the limit of %zu bytes", limit);
	}
	buffer[got] = '\0';
	*data = buffer;
	*length = got;
	return 0;
}

FILE *bench_file_open(const char *path)
{
	FILE *file = fopen(path, "re");
	if (!file && errno == ENOMEM)
		bench_memory_exhausted("to open '%.80s'", path);
	return file;
}

DIR *bench_file_open_folder(const char *path)
{
	DIR *folder = opendir(path);
	if (!folder && errno == ENOMEM)
		bench_memory_exhausted("to open '%.80s'", path);
	return folder;
}

/* The folder that `path` is in: "." where it has none. */
static void folder_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		snprintf(out, size, ".");
	else
		snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t n = write(fd, data, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

int bench_file_memory(const char *name, const char *data, size_t length)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0 || (write_all(fd, data, length) == 0 && lseek(fd, 0, SEEK_SET) == 0))
		return fd;
	close(fd);
	return -1;
}

int bench_file_memory_read(int fd, size_t most, struct bench_text *out)
{
	char buffer[4096];
	ssize_t got = 0;
	for (size_t at = 0; at < most; at += (size_t)got) {
		const size_t left = most - at;
		got = pread(fd, buffer, left < sizeof(buffer) ? left : sizeof(buffer), (off_t)at);
		if (got <= 0)
			break;
		bench_text_add_bytes(out, buffer, (size_t)got);
	}
	return got < 0 ? -1 : 0;
}

/* What a temporary file's name is made of: the file's own, and six characters. */
static const char *const prefix = ".", *const suffix = ".bench-XXXXXX";
/* SQLite's own files go before their database: a log without its database belongs to nobody. */
static const char *const besides[] = {"-wal", "-shm", "-journal", ""};

/*
 * Removes what killed processes have left of `name`: temporary files that nobody holds the lock of. Those of
 * other processes that are still writing stay.
 */
static void sweep(const char *folder, const char *name)
{
	BENCH_SCOPED_FOLDER *entries = opendir(folder);
	size_t length = strlen(name), tail = strlen(suffix) - 6;
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		const char *at = entry->d_name;
		struct stat status;
		if (strlen(at) != 1 + length + tail + 6 || *at != '.' || strncmp(at + 1, name, length) != 0 ||
		    strncmp(at + 1 + length, suffix, tail) != 0)
			continue;
		int fd = openat(dirfd(entries), at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
			for (size_t i = 0; i < sizeof(besides) / sizeof(besides[0]); i++) {
				char each[NAME_MAX + 16];
				snprintf(each, sizeof(each), "%s%s", at, besides[i]);
				unlinkat(dirfd(entries), each, 0);
			}
		close(fd);
	}
}

/* A temporary file beside `path`, locked as long as it is open: a lock that comes too late finds it removed.
 */
int bench_file_open_temporary(const char *path, char *temporary, size_t size)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	folder_of(path, folder, sizeof(folder));
	if (snprintf(temporary, size, "%.*s%s%s%s", (int)(name - path), path, prefix, name, suffix) >=
	    (int)size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	sweep(folder, name);
	for (int attempt = 0; attempt < 10; attempt++) {
		struct stat status;
		memcpy(temporary + strlen(temporary) - 6, "XXXXXX", 6);
		int fd = mkostemp(temporary, O_CLOEXEC);
		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &status) == 0 && status.st_nlink == 0) {
			close(fd);
			continue;
		}
		return fd;
	}
	errno = EAGAIN;
	return -1;
}

void bench_file_remove_temporary(const char *temporary)
{
	for (size_t i = 0; i < sizeof(besides) / sizeof(besides[0]); i++) {
		char each[PATH_MAX + 16];
		snprintf(each, sizeof(each), "%s%s", temporary, besides[i]);
		unlink(each);
	}
}

/* The rename is on disk once the folder is. Failing to sync a folder is not an error. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	folder_of(path, folder, sizeof(folder));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

int bench_file_replace(const char *path, const char *data, size_t length, const struct stat *like)
{
	char temporary[PATH_MAX];
	mode_t mode = 0;
	int fd = bench_file_open_temporary(path, temporary, sizeof(temporary));
	if (fd < 0)
		return -1;
	if (like) {
		mode = like->st_mode & 07777;
	} else {
		/* mkostemp gives mode 0600; the file should be what open(2) would have made. */
		mode_t mask = umask(0);
		umask(mask);
		mode = 0666 & ~mask;
	}
	/* The owner first: a change of it takes the set-id bits of the mode away. */
	bool written = write_all(fd, data, length) == 0 &&
		       (!like || fchown(fd, like->st_uid, like->st_gid) == 0) && fchmod(fd, mode) == 0 &&
		       fsync(fd) == 0 && rename(temporary, path) == 0;
	int cause = errno;
	if (!written)
		unlink(temporary);
	if (close(fd) != 0 && written) {
		written = false;
		cause = errno;
	}
	if (written)
		sync_folder(path);
	errno = cause;
	return written ? 0 : -1;
}

int bench_file_write(const char *path, const char *data, size_t length, struct bench_error *error)
{
	return bench_file_replace(path, data, length, NULL) == 0
		       ? 0
		       : bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
}

int bench_file_append(int fd, const char *data, size_t length)
{
	size_t done = 0;
	while (done < length) {
		ssize_t n = write(fd, data + done, length - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ENOSPC : errno;
			break;
		}
		done += (size_t)n;
	}
	if (done == length)
		return 0;
	int cause = errno;
	off_t end = lseek(fd, 0, SEEK_END);
	if (done && end >= (off_t)done && ftruncate(fd, end - (off_t)done) != 0)
		cause = errno;
	errno = cause;
	return -1;
}

bool bench_file_is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int bench_file_make_folder(const char *path, struct bench_error *error)
{
	char part[PATH_MAX];
	size_t length = strlen(path);
	if (length == 0 || length >= sizeof(part))
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot make the folder '%s': the path is %s",
				  path, length ? "too long" : "empty");
	for (size_t i = 1; i <= length; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		int cause = mkdir(part, 0777) == 0 ? 0 : errno;
		if (cause && cause != EEXIST && !bench_file_is_folder(part))
			return bench_fail(error, BENCH_ENVIRONMENT, "cannot make the folder '%s': %s", part,
					  strerror(cause));
	}
	if (!bench_file_is_folder(path))
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "cannot make the folder '%s': a file of that name is there", path);
	return 0;
}

int bench_file_check_writable(const char *path, struct bench_error *error)
{
	char probe[PATH_MAX];
	if (snprintf(probe, sizeof(probe), "%s/.bench-XXXXXX", path) >= (int)sizeof(probe))
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot write in '%s': the path is too long",
				  path);
	int fd = mkostemp(probe, O_CLOEXEC);
	if (fd < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot write in '%s': %s", path,
				  strerror(errno));
	close(fd);
	unlink(probe);
	return 0;
}

bool bench_file_join(char *out, size_t size, const char *folder, const char *name)
{
	int length = snprintf(out, size, "%s/%s", folder, name);
	return length >= 0 && (size_t)length < size;
}

/* SPDX-License-Identifier: MIT */
/* Files that users name: they stay what they are, links, modes and owners. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"

#define MOST_LINKS   40
#define WAIT_SECONDS 30
#define POLL_US      20000

static int refuse(const char *path, int cause, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': %s", path, strerror(cause));
}

/* The path behind symbolic links, of which the last may lead to nothing. -1 with errno. */
static int follow(const char *path, char *out, size_t size)
{
	char target[PATH_MAX], next[PATH_MAX];
	if (snprintf(out, size, "%s", path) >= (int)size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (int links = 0; links < MOST_LINKS; links++) {
		ssize_t length = readlink(out, target, sizeof(target) - 1);
		if (length < 0) /* no link, or nothing at all */
			return errno == EINVAL || errno == ENOENT ? 0 : -1;
		target[length] = '\0';
		const char *slash = strrchr(out, '/');
		int folder = *target == '/' || !slash ? 0 : (int)(slash - out) + 1;
		if (snprintf(next, sizeof(next), "%.*s%s", folder, out, target) >= (int)size) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(out, next, strlen(next) + 1);
	}
	errno = ELOOP;
	return -1;
}

/* Room first: a full disk is found before anything is overwritten. */
static int write_in_place(const char *path, const char *data, size_t length)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int cause = length ? posix_fallocate(fd, 0, (off_t)length) : 0;
	for (size_t done = 0; !cause && done < length;) {
		ssize_t n = pwrite(fd, data + done, length - done, (off_t)done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			cause = errno;
	}
	if (!cause && (ftruncate(fd, (off_t)length) != 0 || fsync(fd) != 0))
		cause = errno;
	if (close(fd) != 0 && !cause)
		cause = errno;
	errno = cause;
	return cause ? -1 : 0;
}

int bench_file_update(const char *path, const char *data, size_t length, struct bench_error *error)
{
	char target[PATH_MAX];
	struct stat status;
	if (follow(path, target, sizeof(target)) != 0)
		return refuse(path, errno, error);
	if (stat(target, &status) != 0)
		return errno == ENOENT && bench_file_replace(target, data, length, NULL) == 0
			       ? 0
			       : refuse(path, errno, error);
	if (S_ISDIR(status.st_mode))
		return refuse(path, EISDIR, error);
	if (!S_ISREG(status.st_mode))
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': not a regular file", path);
	if (faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) != 0)
		return refuse(path, errno, error);
	int result = status.st_nlink > 1 ? -1 : bench_file_replace(target, data, length, &status);
	if (status.st_nlink > 1 || (result != 0 && errno == EPERM))
		result = write_in_place(target, data, length);
	return result == 0 ? 0 : refuse(path, errno, error);
}

/* Waits for a lock; false: another process has kept it all the time. */
static bool wait_for(int fd)
{
	double start = bench_clock_seconds();
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return true; /* a file system without locks */
		if (bench_clock_seconds() - start > WAIT_SECONDS)
			return false;
		usleep(POLL_US);
	}
	return true;
}

/* Is the open file still the one of that name? The previous holder of the lock may have replaced it.
 */
static bool is_still(int fd, const char *path)
{
	struct stat held, named;
	return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
	       held.st_dev == named.st_dev;
}

int bench_file_lock(const char *path, struct bench_file_lock *lock, struct bench_error *error)
{
	char target[PATH_MAX];
	struct stat status;
	if (follow(path, target, sizeof(target)) != 0)
		return refuse(path, errno, error);
	for (;;) {
		lock->made = false;
		lock->fd = open(target, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (lock->fd < 0 && errno == ENOENT) {
			lock->fd = open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
			lock->made = lock->fd >= 0;
			if (lock->fd < 0 && errno == EEXIST)
				continue;
		}
		if (lock->fd < 0)
			return refuse(path, errno, error);
		if (fstat(lock->fd, &status) == 0 && !S_ISREG(status.st_mode)) {
			close(lock->fd);
			return bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': not a regular file",
					  path);
		}
		if (!wait_for(lock->fd)) {
			close(lock->fd);
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "cannot write '%s': another process has kept its lock for %d s",
					  path, WAIT_SECONDS);
		}
		if (is_still(lock->fd, target))
			return 0;
		close(lock->fd);
	}
}

void bench_file_unlock(const char *path, struct bench_file_lock *lock, bool keep)
{
	char target[PATH_MAX];
	struct stat status;
	if (!keep && lock->made && follow(path, target, sizeof(target)) == 0 && is_still(lock->fd, target) &&
	    fstat(lock->fd, &status) == 0 && status.st_size == 0)
		unlink(target);
	close(lock->fd);
	lock->fd = -1;
}

/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backends/opencl/runtime/folder.h"
#include "core/file.h"
#include "core/hash.h"

#define ENTRY_LIMIT  ((size_t)256 << 20) /* no program is near that large */
#define HEADER_BYTES (sizeof("bench-program 2 ") - 1 + (size_t)3 * 17)
#define TRYING       ".trying"
#define UNFINISHED   ".tmp-"
#define LEFT_SECONDS 3600 /* no process writes an entry for so long */

enum { NAME_BYTES = 64 }; /* of a file in the cache */

bool bench_opencl_cache_on(void)
{
	char path[PATH_MAX];
	const char *on = getenv("BENCH_PROGRAM_CACHE");
	return !(on && strcmp(on, "off") == 0) && bench_opencl_folder_own(path, sizeof(path));
}

/* The cache's folder; -1: there is none that can be used. */
static int open_folder(void)
{
	char own[PATH_MAX], path[PATH_MAX];
	return bench_opencl_cache_on() && bench_opencl_folder_own(own, sizeof(own)) &&
			       bench_file_join(path, sizeof(path), own, "programs")
		       ? bench_opencl_folder_open(path)
		       : -1;
}

static void name_of(const char *key, char *out, size_t size)
{
	snprintf(out, size, "%016" PRIx64 ".clbin", bench_hash_bytes(BENCH_HASH_START, key, strlen(key)));
}

/* The line that an entry begins with. */
static void make_header(char out[HEADER_BYTES + 1], const char *key, const unsigned char *binary,
			size_t bytes)
{
	uint64_t sum = bench_hash_bytes(BENCH_HASH_START, key, strlen(key));
	snprintf(out, HEADER_BYTES + 1, "bench-program 2 %016zx %016zx %016" PRIx64 "\n", strlen(key), bytes,
		 bench_hash_bytes(sum, binary, bytes));
}

/* Opens a file of the cache if it is this user's alone; its size too. */
static int open_entry(int folder, const char *name, size_t *size)
{
	struct stat status;
	/* To be written in, though it never is: over NFS only such a file can be locked. */
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)) && (uint64_t)status.st_size <= ENTRY_LIMIT) {
		*size = (size_t)status.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Opens an entry, held as one that is tried; -1: none. What cannot be held is not tried: if the driver
 * crashed on it, it would do so each time.
 */
static int open_held(int folder, const char *name, size_t *size)
{
	char trying[NAME_BYTES];
	snprintf(trying, sizeof(trying), "%s" TRYING, name);
	int fd = open_entry(folder, name, size);
	bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 &&
		    (renameat(folder, name, folder, trying) == 0 || errno == ENOENT);
	if (fd < 0 && (fd = open_entry(folder, trying, size)) >= 0) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(folder, trying, 0); /* its process ended before it was settled */
		else
			held = flock(fd, LOCK_SH | LOCK_NB) == 0; /* another process tries it as well */
	}
	if (fd >= 0 && !held) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool read_all(int fd, unsigned char *data, size_t bytes)
{
	for (size_t got = 0; got < bytes;) {
		ssize_t n = read(fd, data + got, bytes - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

static bool write_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, data, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		data += n;
		bytes -= (size_t)n;
	}
	return true;
}

/* Reads the binary of an entry of `size` bytes; false unless it is whole and stored under `key`. */
static bool read_entry(int fd, size_t size, const char *key, struct bench_opencl_cached *entry)
{
	const size_t before = HEADER_BYTES + strlen(key);
	char header[HEADER_BYTES + 1];
	if (size <= before)
		return false;
	unsigned char *data = malloc(size);
	if (!data)
		return false;
	entry->bytes = size - before;
	bool whole = read_all(fd, data, size) && memcmp(data + HEADER_BYTES, key, strlen(key)) == 0;
	make_header(header, key, data + before, entry->bytes);
	whole = whole && memcmp(data, header, HEADER_BYTES) == 0;
	if (!whole) {
		free(data);
		return false;
	}
	memmove(data, data + before, entry->bytes);
	entry->binary = data;
	return true;
}

bool bench_opencl_cache_load(const char *key, struct bench_opencl_cached *entry)
{
	size_t size = 0;
	*entry = (struct bench_opencl_cached){.folder = open_folder(), .file = -1};
	name_of(key, entry->name, sizeof(entry->name));
	if (entry->folder >= 0)
		entry->file = open_held(entry->folder, entry->name, &size);
	if (entry->file >= 0 && read_entry(entry->file, size, key, entry))
		return true;
	bench_opencl_cache_settle(entry, false);
	return false;
}

void bench_opencl_cache_settle(struct bench_opencl_cached *entry, bool good)
{
	char trying[NAME_BYTES];
	snprintf(trying, sizeof(trying), "%s" TRYING, entry->name);
	if (entry->file >= 0) {
		if (good)
			renameat(entry->folder, trying, entry->folder, entry->name);
		else
			unlinkat(entry->folder, trying, 0);
		close(entry->file);
	}
	if (entry->folder >= 0)
		close(entry->folder);
	free(entry->binary);
	*entry = (struct bench_opencl_cached){.folder = -1, .file = -1};
}

/* Removes what processes that were killed while they wrote have left. */
static void remove_left(int folder)
{
	struct stat status;
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd >= 0 ? fdopendir(fd) : NULL;
	if (!files) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (const struct dirent *file; (file = readdir(files));)
		if (strstr(file->d_name, UNFINISHED) &&
		    fstatat(folder, file->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    status.st_mtime < time(NULL) - LEFT_SECONDS)
			unlinkat(folder, file->d_name, 0);
	closedir(files);
}

void bench_opencl_cache_store(const char *key, const unsigned char *binary, size_t bytes)
{
	char name[24], temporary[NAME_BYTES], header[HEADER_BYTES + 1];
	uint64_t random = 0;
	int folder = open_folder();
	if (folder < 0)
		return;
	name_of(key, name, sizeof(name));
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (uint64_t)getpid();
	snprintf(temporary, sizeof(temporary), "%s" UNFINISHED "%016" PRIx64, name, random);
	make_header(header, key, binary, bytes);
	int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Not synced: what a power cut leaves of it, the hash tells. */
	bool written = fd >= 0 && write_all(fd, header, HEADER_BYTES) && write_all(fd, key, strlen(key)) &&
		       write_all(fd, (const char *)binary, bytes);
	if (fd >= 0 && (close(fd) != 0 || !written || renameat(folder, temporary, folder, name) != 0))
		unlinkat(folder, temporary, 0);
	remove_left(folder);
	close(folder);
}

/* SPDX-License-Identifier: MIT */
/* The history as a file: found, opened. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/place.h"
#include "store/sqlite.h"

/* SQLite's locks on a file: bytes far behind its end (sqlite.org/fileformat2.html, "The Lock-Byte Page"). */
#define LOCK_START 0x40000000
#define LOCK_BYTES 512

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)    ? "a folder"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

/* The files that SQLite puts next to it must not be pipes either, on which it would wait for ever. */
static int check_beside(const char *path, struct bench_error *error)
{
	static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
	char real[PATH_MAX], beside[PATH_MAX + 16];
	struct stat status;
	if (!realpath(path, real))
		return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': %s", path, strerror(errno));
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(beside, sizeof(beside), "%s%s", real, suffixes[i]);
		if (stat(beside, &status) == 0 && !S_ISREG(status.st_mode))
			return bench_fail(
				error, BENCH_ENVIRONMENT,
				"database '%s': '%s', which SQLite keeps beside it, is %s: move it away",
				path, beside, kind_of(status.st_mode));
	}
	return 0;
}

/* SQLite takes no longer path, the names of its own files included, and would blame the folder. */
static int check_length(const char *path, struct bench_error *error)
{
	char folder[PATH_MAX], real[PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const sqlite3_vfs *files = sqlite3_vfs_find(NULL); /* NULL: SQLite could not begin */
	if (!files)
		return bench_fail(error, BENCH_NO_MEMORY, "database '%s': no memory", path);
	const size_t most = (size_t)files->mxPathname - strlen("-journal");
	snprintf(folder, sizeof(folder), "%.*s",
		 slash == path ? 1
		 : slash       ? (int)(slash - path)
			       : 1,
		 slash ? path : ".");
	const size_t length = realpath(folder, real) ? strlen(real) + 1 + strlen(name) : 0;
	if (length <= most)
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "database '%s': its whole path has %zu bytes, and SQLite takes %zu at most; give "
			  "another --db",
			  path, length, most);
}

static int find(const char *path, bool *there, struct bench_error *error)
{
	struct stat status;
	*there = false;
	/* SQLite takes these for something other than a file, and would keep nothing. */
	if (!*path)
		return bench_fail(error, BENCH_ENVIRONMENT, "database '': that is no file name");
	if (*path == ':' || strncmp(path, "file:", 5) == 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': that is no file name; a file that is called so is './%s'",
				  path, path);
	if (check_length(path, error) != 0)
		return -1;
	if (stat(path, &status) != 0)
		return errno == ENOENT ? 0
				       : bench_fail(error, BENCH_ENVIRONMENT, "database '%s': %s", path,
						    strerror(errno));
	if (!S_ISREG(status.st_mode))
		return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': it is %s; give a file", path,
				  kind_of(status.st_mode));
	*there = true;
	return check_beside(path, error);
}

static int open_file(const char *path, enum bench_store_mode mode, struct bench_store **store,
		     struct bench_error *error)
{
	struct bench_store *opened;
	bool there;
	/* libpq's other form of an address would be the name of a file. */
	if (strstr(path, "password=") || strncmp(path, "host=", 5) == 0 || strncmp(path, "dbname=", 7) == 0)
		return bench_fail(
			error, BENCH_USAGE,
			"a history on a server is named by an address: postgresql://USER@HOST:PORT/NAME");
	if (find(path, &there, error) != 0)
		return -1;
	if (!there && mode != BENCH_STORE_WRITE)
		return store_missing("file", path, error);
	if (mode == BENCH_STORE_CHANGE)
		mode = BENCH_STORE_WRITE;
	/* SQLite would open it read-only, and leave this user's log in the folder. */
	if (there && mode == BENCH_STORE_WRITE && access(path, W_OK) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': it may not be written (%s); make it and its folder "
				  "writable, or give another --db",
				  path, strerror(errno));
	if (store_open(path,
		       mode == BENCH_STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
						 : SQLITE_OPEN_READONLY,
		       false, &opened, error) != 0)
		return -1;
	if (store_migrate(opened, mode, error) != 0) {
		bench_store_close(opened);
		return -1;
	}
	*store = opened;
	return 0;
}

/* A file is shown by its name, and the names of its companions begin with it. */
static char *itself(const char *path, struct bench_arena *arena)
{
	return bench_arena_string(arena, path);
}

static int grant(const char *path, enum store_use use, const char *role, struct bench_error *error)
{
	(void)use, (void)role;
	return bench_fail(error, BENCH_USAGE,
			  "'%s' is a file: its permissions say who may read and write it (chmod)", path);
}

const struct store_place store_file = {
	.shown = itself,
	.beside = itself,
	.find = find,
	.open = open_file,
	.grant = grant,
};

int bench_store_is_used(const char *path, bool *used, struct bench_error *error)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_START, .l_len = LOCK_BYTES};
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0 || fcntl(file, F_GETLK, &lock) != 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "database '%s': %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return -1;
	}
	close(file);
	*used = lock.l_type != F_UNLCK;
	return 0;
}

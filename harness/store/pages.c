/* SPDX-License-Identifier: MIT */
/* Copies of the file: whole, in one snapshot, while others write; there under their name or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "store/sqlite.h"

#define MOST_KEPT 1000 /* files of one name with a number behind it */

static int copy_settings(struct bench_store *from, struct bench_store *to, struct bench_error *error)
{
	char pragmas[96];
	int64_t page_bytes = 0;
	if (store_number(from, &page_bytes, error, "SELECT page_size FROM pragma_page_size", "") < 0)
		return -1;
	/* What is lost by a kill is a copy that is nowhere yet. */
	sqlite3_snprintf(sizeof(pragmas), pragmas,
			 "PRAGMA page_size = %lld; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF",
			 (long long)page_bytes);
	return store_script(to, pragmas, error);
}

int store_copy_pages(struct bench_store *from, struct bench_store *to, struct bench_error *error)
{
	const struct timespec pause = {.tv_nsec = 10000000L};
	if (copy_settings(from, to, error) != 0)
		return -1;
	sqlite3_backup *copy = sqlite3_backup_init(to->connection, "main", from->connection, "main");
	if (!copy)
		return store_fail(to, error);
	int code, waited_ms = 0;
	while ((code = sqlite3_backup_step(copy, -1)) == SQLITE_BUSY || code == SQLITE_LOCKED) {
		if ((waited_ms += 10) > STORE_BUSY_MS)
			break;
		nanosleep(&pause, NULL);
	}
	/* Which of the two it was shows in the connection that has the error. */
	(void)sqlite3_backup_finish(copy);
	if (code == SQLITE_DONE)
		return 0;
	return store_fail(sqlite3_errcode(from->connection) == SQLITE_OK ? to : from, error);
}

static int fail_file(const char *path, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
}

/* Puts what was written, and that it has this name, on the disk. */
static int settle(const char *temporary, const char *target, struct bench_error *error)
{
	char folder[PATH_MAX];
	int file = open(temporary, O_RDWR | O_CLOEXEC);
	bool done = file >= 0 && fsync(file) == 0;
	if (file >= 0 && close(file) != 0)
		done = false;
	if (!done || rename(temporary, target) != 0)
		return fail_file(target, error);
	const char *slash = strrchr(target, '/');
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - target) + 1 : 1, slash ? target : ".");
	/* Failing to sync the folder is not an error. */
	int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		(void)fsync(parent);
		close(parent);
	}
	return 0;
}

int store_put_beside(const char *path, const char *target, store_filling *fill, struct bench_error *error)
{
	char temporary[PATH_MAX];
	const int lock = bench_file_open_temporary(target, temporary, sizeof(temporary));
	if (lock < 0)
		return fail_file(target, error);
	int result = fill(path, temporary, error);
	if (result == 0)
		result = settle(temporary, target, error);
	if (result != 0)
		bench_file_remove_temporary(temporary);
	close(lock);
	return result;
}

int store_copy_snapshot(const char *path, const char *temporary, struct bench_error *error)
{
	struct bench_store *from = NULL, *to = NULL;
	struct stat status;
	int result = store_open(path, SQLITE_OPEN_READONLY, false, &from, error);
	if (result == 0 && stat(path, &status) == 0)
		(void)chmod(temporary, status.st_mode & 0777);
	if (result == 0)
		result = store_open(temporary, SQLITE_OPEN_READWRITE, false, &to, error);
	if (result == 0)
		result = store_copy_pages(from, to, error);
	bench_store_close(to);
	bench_store_close(from);
	return result;
}

/* The first name that is free: what an earlier migration kept stays. */
static char *free_name(const char *path, int version)
{
	struct bench_text name = {0};
	struct stat status;
	for (int i = 1; i <= MOST_KEPT; i++) {
		bench_text_free(&name);
		bench_text_add(&name, "%s.before-schema-%d", path, version);
		if (i > 1)
			bench_text_add(&name, "-%d", i);
		if (lstat(name.data, &status) != 0)
			break;
	}
	return name.data;
}

int store_keep_before(const char *path, int version, char **kept, struct bench_error *error)
{
	char *target = free_name(path, version);
	struct bench_error cause;
	/* By a second connection: the one that migrates has the lock, and would read what it has not
	 * committed.
	 */
	if (store_put_beside(path, target, store_copy_snapshot, &cause) == 0) {
		*kept = target;
		return 0;
	}
	bench_fail(error, cause.code,
		   "database '%s' is left as it is: it cannot be kept as '%s' before its schema becomes "
		   "version %d: %.600s",
		   path, target, version, cause.text);
	free(target);
	return -1;
}

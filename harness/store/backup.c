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
	struct store_statement *row = NULL;
	char pragmas[96];
	int64_t page_bytes = 0;
	int state = store_select(from, &row, error, "SELECT page_size FROM pragma_page_size", "");
	if (state == 1)
		page_bytes = store_int(row, 0);
	store_finish(row);
	if (state < 0)
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
	sqlite3_backup *copy = sqlite3_backup_init(to->db, "main", from->db, "main");
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
	return store_fail(sqlite3_errcode(from->db) == SQLITE_OK ? to : from, error);
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
	/* A folder that cannot be synced is no error. */
	int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		(void)fsync(parent);
		close(parent);
	}
	return 0;
}

/* A copy beside `target`, which only its owner and those who could read the original can read. *lock:
 * core/file.h. */
static int copy_beside(struct bench_store *from, const char *target, char *temporary, size_t size, int *lock,
		       struct bench_error *error)
{
	struct bench_store *to = NULL;
	struct stat status;
	*lock = bench_file_open_temporary(target, temporary, size);
	if (*lock < 0) {
		*temporary = '\0';
		return fail_file(target, error);
	}
	if (stat(from->path, &status) == 0)
		(void)fchmod(*lock, status.st_mode & 0777);
	int result = store_open(temporary, SQLITE_OPEN_READWRITE, false, &to, error);
	if (result == 0)
		result = store_copy_pages(from, to, error);
	bench_store_close(to);
	return result;
}

/* Is the copy as whole as it must be? What is wrong with it is wrong with the original. */
static int verify(const char *temporary, struct bench_error *error)
{
	struct bench_store *copy;
	struct bench_store_finding *findings;
	struct bench_arena arena = {0};
	size_t count;
	if (store_open(temporary, SQLITE_OPEN_READONLY, true, &copy, error) != 0)
		return -1;
	int result = store_migrate(copy, BENCH_STORE_ANY, error);
	if (result == 0)
		result = bench_store_examine(copy, &arena, &findings, &count, error);
	if (result == 0 && count > 0)
		result = bench_fail(error, BENCH_ENVIRONMENT, "it is damaged: %s: %s", findings[0].what,
				    findings[0].problem);
	bench_store_close(copy);
	bench_arena_free(&arena);
	return result;
}

int bench_store_fold(struct bench_store *store, struct bench_error *error)
{
	struct store_statement *row = NULL;
	int state = store_select(store, &row, error, "PRAGMA wal_checkpoint(TRUNCATE)", "");
	bool whole = state == 1 && store_int(row, 0) == 0;
	store_finish(row);
	if (state >= 0 && !whole)
		bench_fail(error, BENCH_ENVIRONMENT, "database '%s': its log cannot be taken into it",
			   store->path);
	return whole ? 0 : -1;
}

/* May the target be replaced? Never where it is a database that somebody has open, or the one that is copied.
 */
static int check_target(const char *path, const char *target, bool overwrite, struct bench_error *error)
{
	char log[PATH_MAX];
	struct stat from, to, status;
	bool used;
	if (stat(target, &to) != 0)
		return 0;
	snprintf(log, sizeof(log), "%s-wal", target);
	if (stat(path, &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
		return bench_fail(error, BENCH_USAGE, "'%s' is the database itself", target);
	if (!overwrite)
		return bench_fail(error, BENCH_USAGE, "'%s' is there already: --overwrite replaces it",
				  target);
	if (!S_ISREG(to.st_mode))
		return bench_fail(error, BENCH_USAGE, "'%s' is no regular file", target);
	if (bench_store_is_used(target, &used, error) != 0)
		return -1;
	if (used || (stat(log, &status) == 0 && status.st_size > 0))
		return bench_fail(error, BENCH_USAGE, "'%s' is a database in use, or has a log beside it",
				  target);
	return 0;
}

/* The copy is a whole history before it has its name. */
static int transfer_to_file(const char *path, const char *target, bool overwrite, struct bench_error *error)
{
	char temporary[PATH_MAX];
	if (check_target(path, target, overwrite, error) != 0)
		return -1;
	const int lock = bench_file_open_temporary(target, temporary, sizeof(temporary));
	if (lock < 0)
		return fail_file(target, error);
	int result = store_transfer(path, temporary, error);
	if (result == 0)
		result = settle(temporary, target, error);
	if (result != 0)
		bench_file_remove_temporary(temporary);
	close(lock);
	return result;
}

int bench_store_transfer(const char *path, const char *target, struct bench_error *error)
{
	return bench_store_is_server(target) ? store_transfer(path, target, error)
					     : transfer_to_file(path, target, false, error);
}

int bench_store_backup(const char *path, const char *target, bool overwrite, struct bench_error *error)
{
	char temporary[PATH_MAX] = "";
	struct bench_store *from = NULL;
	struct bench_error cause;
	bool there;
	int lock = -1;
	if (bench_store_is_server(target))
		return bench_fail(error, BENCH_USAGE,
				  "a backup is a file; 'bench db copy' takes a history to a server");
	if (bench_store_is_server(path))
		return transfer_to_file(path, target, overwrite, error);
	if (bench_store_find(path, &there, error) != 0 || check_target(path, target, overwrite, error) != 0)
		return -1;
	if (!there)
		return bench_fail(error, BENCH_NOTHING, "there is no history to copy: no file '%s'", path);
	int result = store_open(path, SQLITE_OPEN_READONLY, false, &from, error);
	if (result == 0)
		result = copy_beside(from, target, temporary, sizeof(temporary), &lock, error);
	bench_store_close(from);
	if (result == 0 && verify(temporary, &cause) != 0)
		result = bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s' is not copied: %.700s; 'bench db check' says more, 'bench db "
			"repair' saves what is right",
			path, cause.text);
	if (result == 0)
		result = settle(temporary, target, error);
	if (result != 0 && *temporary)
		bench_file_remove_temporary(temporary);
	if (lock >= 0)
		close(lock);
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

int store_keep_before(struct bench_store *store, int version, char **kept, struct bench_error *error)
{
	char temporary[PATH_MAX] = "", *target = free_name(store->path, version);
	struct bench_store *from = NULL;
	struct bench_error cause;
	int lock = -1;
	/* A second connection: this one has the lock, with which it would read what is not yet committed. */
	int result = store_open(store->path, SQLITE_OPEN_READONLY, false, &from, &cause);
	if (result == 0)
		result = copy_beside(from, target, temporary, sizeof(temporary), &lock, &cause);
	bench_store_close(from);
	if (result == 0)
		result = settle(temporary, target, &cause);
	if (result != 0 && *temporary)
		bench_file_remove_temporary(temporary);
	if (lock >= 0)
		close(lock);
	if (result == 0) {
		*kept = target;
		return 0;
	}
	bench_fail(
		error, cause.code,
		"database '%s' is left as it is: it cannot be kept as '%s' before its schema becomes version "
		"%d: %.600s",
		store->path, target, version, cause.text);
	free(target);
	return -1;
}

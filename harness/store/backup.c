/* SPDX-License-Identifier: MIT */
/* A backup, or a copy of a history at another place. */
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "store/sqlite.h"

/* Is the copy whole? A fault found here is a fault of the original. */
static int verify(const char *temporary, struct bench_error *error)
{
	BENCH_SCOPED_STORE *copy = NULL;
	struct bench_store_finding *findings;
	BENCH_SCOPED_ARENA arena = {0};
	size_t count;
	if (store_open(temporary, SQLITE_OPEN_READONLY, true, &copy, error) != 0)
		return -1;
	int result = store_migrate(copy, BENCH_STORE_ANY, error);
	if (result == 0)
		result = bench_store_examine(copy, &arena, &findings, &count, error);
	if (result == 0 && count > 0)
		result = bench_fail(error, BENCH_ENVIRONMENT, "it is damaged: %s: %s", findings[0].what,
				    findings[0].problem);
	return result;
}

int bench_store_fold(struct bench_store *store, struct bench_error *error)
{
	int64_t busy = 1;
	const int state = store_number(store, &busy, error, "PRAGMA wal_checkpoint(TRUNCATE)", "");
	const bool whole = state == 1 && busy == 0;
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

/* What is wrong with the copy is wrong with the original. */
static int copy_whole(const char *path, const char *temporary, struct bench_error *error)
{
	struct bench_error cause;
	if (store_copy_snapshot(path, temporary, error) != 0)
		return -1;
	if (verify(temporary, &cause) == 0)
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "database '%s' is not copied: %.700s; 'bench db check' says more, 'bench db "
			  "repair' saves what is right",
			  path, cause.text);
}

int bench_store_transfer(const char *path, const char *target, struct bench_error *error)
{
	if (bench_store_is_server(target))
		return store_transfer(path, target, error);
	return check_target(path, target, false, error) == 0
		       ? store_put_beside(path, target, store_transfer, error)
		       : -1;
}

int bench_store_backup(const char *path, const char *target, bool overwrite, struct bench_error *error)
{
	bool there;
	if (bench_store_is_server(target))
		return bench_fail(error, BENCH_USAGE,
				  "a backup is a file; 'bench db copy' takes a history to a server");
	if (bench_store_find(path, &there, error) != 0 || check_target(path, target, overwrite, error) != 0)
		return -1;
	if (!there)
		return bench_fail(error, BENCH_NOTHING, "there is no history to copy: no file '%s'", path);
	return store_put_beside(path, target, bench_store_is_server(path) ? store_transfer : copy_whole,
				error);
}

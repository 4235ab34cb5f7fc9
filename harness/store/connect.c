/* SPDX-License-Identifier: MIT */
/* A connection to a file, with the settings that all have. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "store/sqlite.h"

static int connect(struct bench_store *store, const char *address, int flags, const char *vfs,
		   struct bench_error *error)
{
	/* A store is used by one thread. */
	sqlite3 *file = NULL;
	const int code = sqlite3_open_v2(address, &file, flags | SQLITE_OPEN_NOMUTEX, vfs);
	store->connection = file;
	if (code != SQLITE_OK)
		return file ? store_fail(store, error)
			    : bench_fail(error, BENCH_NO_MEMORY, "database '%s': no memory", store->path);
	if (sqlite3_busy_timeout(file, STORE_BUSY_MS) != SQLITE_OK || store_add_repacking(store) != SQLITE_OK)
		return store_fail(store, error);
	/* The file is untrusted: nothing that it brings is run. The views of this schema are for queries by
	 * hand. */
	if (sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) != SQLITE_OK ||
	    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) != SQLITE_OK)
		return store_fail(store, error);
	/* Its schema must not call a function with a side effect. */
	if (sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK ||
	    sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != SQLITE_OK)
		return store_fail(store, error);
	/* The second reads the file, so that what is wrong with it shows here. */
	return store_script(store, "PRAGMA foreign_keys = ON; SELECT count(*) FROM sqlite_schema", error);
}

/* `query`: how SQLite is to take it; NULL: as it usually does. */
static int open_file(struct bench_store *store, const char *path, int flags, const char *query,
		     const char *vfs, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *address = query ? store_address(path, query) : NULL;
	const int result =
		connect(store, address ? address : path, flags | (address ? SQLITE_OPEN_URI : 0), vfs, error);
	return result;
}

/* Nobody changes the file: it is read without locks and without a log. */
#define STILL "immutable=1"

/* The file that is read is removed where it is a copy: the connection has it still. */
static int open_reading(struct bench_store *store, const char *path, enum store_reading way,
			struct bench_error *error)
{
	char copy[PATH_MAX];
	if (way == STORE_READING_BESIDE)
		return open_file(store, path, SQLITE_OPEN_READONLY, NULL, NULL, error);
	if (way == STORE_READING_AS_IT_IS)
		return open_file(store, path, SQLITE_OPEN_READONLY, "readonly_shm=1", store_reading_vfs(),
				 error);
	if (way == STORE_READING_OWN)
		return open_file(store, path, SQLITE_OPEN_READWRITE, NULL, NULL, error) == 0
			       ? store_script(store, "PRAGMA query_only = ON", error)
			       : -1;
	if (way != STORE_READING_COPY || store_copy_file(path, copy, sizeof(copy), error) != 0)
		return -1;
	const int result = open_file(store, copy, SQLITE_OPEN_READONLY, STILL, NULL, error);
	unlink(copy);
	return result;
}

static struct bench_store *new_store(const char *path)
{
	struct bench_store *opened = bench_memory_alloc(1, sizeof(*opened));
	opened->engine = &store_sqlite;
	opened->path = bench_memory_alloc(strlen(path) + 1, 1);
	memcpy(opened->path, path, strlen(path));
	return opened;
}

int store_open(const char *path, int flags, bool still, struct bench_store **store, struct bench_error *error)
{
	store_hold_memory();
	struct bench_store *opened = new_store(path);
	int result;
	if (still || !(flags & SQLITE_OPEN_READONLY)) {
		result = open_file(opened, path, flags, still ? STILL : NULL, NULL, error);
	} else {
		result = open_reading(opened, path, store_reading_of(path, error), error);
		const int code =
			result == 0 || !opened->connection ? SQLITE_OK : sqlite3_errcode(opened->connection);
		if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && store_has_empty_log(path)) {
			bench_store_close(opened);
			opened = new_store(path);
			result = open_reading(opened, path, STORE_READING_COPY, error);
		}
	}
	if (result != 0) {
		bench_store_close(opened);
		return -1;
	}
	*store = opened;
	return 0;
}

#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "store/sql.h"

/* bench_match(pattern, name), so that patterns mean in SQL what they mean everywhere. */
static void match(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *pattern = (const char *)sqlite3_value_text(values[0]);
	const char *name = (const char *)sqlite3_value_text(values[1]);
	(void)count;
	sqlite3_result_int(context, pattern && name && bench_text_match(pattern, name));
}

/* What SQLite would only call "unable to open database file". */
static int check_path(const char *path, enum bench_store_mode mode, struct bench_error *error)
{
	/* Names that SQLite takes for something other than a file. */
	if (!*path || *path == ':')
		return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': that is no file name", path);
	if (bench_file_is_folder(path))
		return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': it is a folder; give a file",
				  path);
	if (mode == BENCH_STORE_READ && access(path, F_OK) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': there is none; 'bench run' makes it, and 'bench ingest' "
				  "from run directories",
				  path);
	return 0;
}

static int open_database(struct bench_store *store, enum bench_store_mode mode, struct bench_error *error)
{
	/* A store is used by one thread. */
	int flags =
		SQLITE_OPEN_NOMUTEX | (mode == BENCH_STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
								 : SQLITE_OPEN_READONLY);
	if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
		return store->db
			       ? store_fail(store, error)
			       : bench_fail(error, BENCH_NO_MEMORY, "database '%s': no memory", store->path);
	if (sqlite3_busy_timeout(store->db, STORE_BUSY_MS) != SQLITE_OK ||
	    sqlite3_create_function(store->db, "bench_match", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
				    match, NULL, NULL) != SQLITE_OK ||
	    store_add_repacking(store) != SQLITE_OK)
		return store_fail(store, error);
	/* The file is untrusted: its schema must not call a function with a side effect. */
	if (sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK ||
	    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != SQLITE_OK)
		return store_fail(store, error);
	return store_script(store, "PRAGMA foreign_keys = ON", error);
}

int bench_store_open(const char *path, enum bench_store_mode mode, struct bench_store **store,
		     struct bench_error *error)
{
	if (check_path(path, mode, error) != 0)
		return -1;
	struct bench_store *opened = calloc(1, sizeof(*opened));
	if (opened)
		opened->path = strdup(path);
	if (!opened || !opened->path) {
		free(opened);
		return bench_fail(error, BENCH_NO_MEMORY, "database '%s': no memory", path);
	}
	if (open_database(opened, mode, error) != 0 || store_migrate(opened, mode, error) != 0) {
		bench_store_close(opened);
		return -1;
	}
	*store = opened;
	return 0;
}

void bench_store_close(struct bench_store *store)
{
	if (!store)
		return;
	/* Every statement is finalized where it was prepared, so that closing cannot fail. */
	(void)sqlite3_close(store->db);
	free(store->path);
	free(store);
}

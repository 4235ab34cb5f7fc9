#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/memory.h"
#include "core/text.h"
#include "store/engine.h"
#include "store/server.h"
#include "store/sqlite.h"

/* What libpq takes for an address of a server. */
static const char *const schemes[] = {"postgresql://", "postgres://"};

bool bench_store_is_server(const char *path)
{
	return strncasecmp(path, schemes[0], strlen(schemes[0])) == 0 ||
	       strncasecmp(path, schemes[1], strlen(schemes[1])) == 0;
}

/* Rather more is left out than is a password. */
char *bench_store_shown(const char *path, struct bench_arena *arena)
{
	static const char *const secrets[] = {"password=", "sslpassword="};
	struct bench_text text = {0};
	const char *from = bench_store_is_server(path) ? strchr(path, ':') + 3 : NULL;
	const char *host = from ? strrchr(from, '@') : NULL, *colon = from ? strchr(from, ':') : NULL;
	for (const char *c = path; *c; c++) {
		bench_text_add_bytes(&text, c, 1);
		if (from && host && c == colon && colon < host) {
			bench_text_add(&text, "***");
			c = host - 1;
		}
		for (size_t i = 0; from && strchr("?&", *c) && i < sizeof(secrets) / sizeof(secrets[0]); i++)
			if (strncmp(c + 1, secrets[i], strlen(secrets[i])) == 0) {
				bench_text_add(&text, "%s***", secrets[i]);
				c += strlen(secrets[i]) + strcspn(c + 1 + strlen(secrets[i]), "&");
			}
	}
	return bench_text_keep(&text, arena);
}

char *bench_store_beside(const char *path, struct bench_arena *arena)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (!bench_store_is_server(path))
		return bench_arena_string(arena, path);
	const char *shown = bench_store_shown(path, arena);
	const unsigned long long hash = bench_hash_bytes(BENCH_HASH_START, shown, strlen(shown));
	/* The XDG specification: a relative path is invalid and to be ignored. */
	return data && *data == '/' ? bench_arena_format(arena, "%s/bench/server-%016llx", data, hash)
				    : bench_arena_format(arena, "%s/.local/share/bench/server-%016llx",
							 home && *home == '/' ? home : "/tmp", hash);
}

int bench_store_missing(const char *path, struct bench_error *error)
{
	struct bench_arena arena = {0};
	bench_fail(error, BENCH_NOTHING,
		   "there is no history yet: no %s '%s' ('bench run' makes it, and 'bench ingest' from run "
		   "folders)",
		   bench_store_is_server(path) ? "tables in" : "file", bench_store_shown(path, &arena));
	bench_arena_free(&arena);
	return -1;
}

int bench_store_size(struct bench_store *store, int64_t *bytes, struct bench_error *error)
{
	struct store_statement *row = NULL;
	const int state = store_select(store, &row, error, store->engine->size, "");
	*bytes = state == 1 ? store_int(row, 0) : 0;
	store_finish(row);
	return state < 0 ? -1 : 0;
}

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)    ? "a folder"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

/* What SQLite puts beside the file must not be a pipe either, on which it would wait for ever. */
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

/* SQLite takes no longer path, with what it puts beside the file, and would blame the folder. */
static int check_length(const char *path, struct bench_error *error)
{
	char folder[PATH_MAX], real[PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t most = (size_t)sqlite3_vfs_find(NULL)->mxPathname - strlen("-journal");
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

int bench_store_find(const char *path, bool *there, struct bench_error *error)
{
	struct stat status;
	*there = false;
	if (bench_store_is_server(path)) {
		*there = true;
		return store_server_check(path, error);
	}
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

static int connect(struct bench_store *store, const char *address, int flags, const char *vfs,
		   struct bench_error *error)
{
	/* A store is used by one thread. */
	int code = sqlite3_open_v2(address, &store->db, flags | SQLITE_OPEN_NOMUTEX, vfs);
	if (code != SQLITE_OK)
		return store->db
			       ? store_fail(store, error)
			       : bench_fail(error, BENCH_NO_MEMORY, "database '%s': no memory", store->path);
	if (sqlite3_busy_timeout(store->db, STORE_BUSY_MS) != SQLITE_OK ||
	    store_add_repacking(store) != SQLITE_OK)
		return store_fail(store, error);
	/* The file is untrusted: nothing that it brings is run. The views of this schema are for queries by
	 * hand. */
	if (sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) != SQLITE_OK ||
	    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) != SQLITE_OK)
		return store_fail(store, error);
	/* Its schema must not call a function with a side effect. */
	if (sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK ||
	    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != SQLITE_OK)
		return store_fail(store, error);
	/* The second reads the file, so that what is wrong with it shows here. */
	return store_script(store, "PRAGMA foreign_keys = ON; SELECT count(*) FROM sqlite_schema", error);
}

/* `query`: how SQLite is to take it; NULL: as it usually does. */
static int open_file(struct bench_store *store, const char *path, int flags, const char *query,
		     const char *vfs, struct bench_error *error)
{
	char *address = query ? store_address(path, query) : NULL;
	const int result =
		connect(store, address ? address : path, flags | (address ? SQLITE_OPEN_URI : 0), vfs, error);
	free(address);
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
		const int code = result == 0 || !opened->db ? SQLITE_OK : sqlite3_errcode(opened->db);
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

int bench_store_open(const char *path, enum bench_store_mode mode, struct bench_store **store,
		     struct bench_error *error)
{
	struct bench_store *opened;
	bool there;
	if (bench_store_is_server(path))
		return store_server_open(path, mode, store, error);
	/* libpq's other form of an address would be the name of a file. */
	if (strstr(path, "password=") || strncmp(path, "host=", 5) == 0 || strncmp(path, "dbname=", 7) == 0)
		return bench_fail(error, BENCH_USAGE,
				  "a history on a server is named by an address: "
				  "postgresql://USER@HOST:PORT/NAME");
	if (bench_store_find(path, &there, error) != 0)
		return -1;
	if (!there && mode != BENCH_STORE_WRITE)
		return bench_store_missing(path, error);
	if (mode == BENCH_STORE_CHANGE)
		mode = BENCH_STORE_WRITE;
	/* SQLite would open it to be read, and leave a log of this user's beside it. */
	if (there && mode == BENCH_STORE_WRITE && access(path, W_OK) != 0)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s': it may not be written (%s); make it and its folder writable, "
			"or give another --db",
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

void bench_store_close(struct bench_store *store)
{
	if (!store)
		return;
	store->engine->close(store);
	free(store->path);
	free(store);
}

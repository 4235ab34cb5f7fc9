/* SPDX-License-Identifier: MIT */
#include "store/sqlite.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"
#include "store/engine.h"

struct statement {
	struct store_statement base;
	sqlite3_stmt *prepared;
};

/* What the user can do about it, by SQLite's primary result code. */
static const struct {
	int code;
	const char *advice;
} advices[] = {
	{SQLITE_FULL, "free some space and do it again; a run that was measured is whole in its folder, and "
		      "'bench ingest' takes it in"},
	{SQLITE_IOERR, "check the disk and do it again; a run that was measured is whole in its folder, and "
		       "'bench ingest' takes it in"},
	{SQLITE_READONLY, "make it and its folder writable, or give another --db"},
	{SQLITE_CANTOPEN,
	 "its folder must exist and be writable (SQLite puts a log beside it); or give another --db"},
	{SQLITE_PERM, "make it and its folder writable, or give another --db"},
	{SQLITE_NOTADB, "it is no SQLite database: move it away, or give another --db"},
	{SQLITE_CORRUPT, "it is damaged: 'bench db check' says what, 'bench db repair' saves the rest"},
	{SQLITE_BUSY, "another process is writing to it: try again when that has ended"},
	{SQLITE_LOCKED, "another process is writing to it: try again when that has ended"},
	{SQLITE_PROTOCOL,
	 "the locks of its file system do not work, as on some network drives: keep it on a local disk"},
	{SQLITE_NOMEM, "free some memory and do it again"},
};

/* The system's own words, where SQLite's leave open what it was. */
static const char *cause_of(struct bench_store *store, int code)
{
	int number = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL
			     ? sqlite3_system_errno(store->connection)
			     : 0;
	return number > 0 ? strerror(number) : "";
}

/* Says which file next to `path` SQLite needs and this process may not write, since another user made it.
 * NULL: there is none. malloc'd. */
static char *in_the_way(const char *path)
{
	static const char *const suffixes[] = {"-wal", "-shm"};
	char real[PATH_MAX], beside[PATH_MAX + 16];
	struct stat status;
	struct bench_text text = {0};
	if (!*path || !realpath(path, real) || access(real, W_OK) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(beside, sizeof(beside), "%s%s", real, suffixes[i]);
		if (stat(beside, &status) != 0 || access(beside, W_OK) == 0)
			continue;
		const struct passwd *owner = getpwuid(status.st_uid);
		bench_text_add(&text, "'%s' belongs to user %s and cannot be written: ", beside,
			       owner ? owner->pw_name : "of another id");
		if (i == 0 && status.st_size > 0)
			bench_text_add(
				&text,
				"it holds a part of the history; have it made writable (chmod, chown)");
		else
			bench_text_add(&text,
				       "remove it once no bench runs; it holds nothing of the history");
		break;
	}
	return text.data;
}

int store_fail(struct bench_store *store, struct bench_error *error)
{
	int code = sqlite3_errcode(store->connection) & 0xff;
	const char *advice = "", *cause = cause_of(store, code);
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
		if (advices[i].code == code)
			advice = advices[i].advice;
	}
	char *known = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM
			      ? in_the_way(store->path)
			      : NULL;
	if (known)
		advice = known;
	else if (code == SQLITE_READONLY && *store->path && access(store->path, W_OK) == 0)
		advice = "make its folder writable, unless what SQLite keeps beside it met no space, a quota "
			 "or a disk I/O error";
	bench_fail(error, code == SQLITE_NOMEM ? BENCH_NO_MEMORY : BENCH_ENVIRONMENT,
		   "database '%s': %s%s%s%s%s%s", store->path, sqlite3_errmsg(store->connection),
		   *cause ? " (" : "", cause, *cause ? ")" : "", *advice ? "; " : "", advice);
	free(known);
	return -1;
}

static sqlite3_stmt *of(const struct store_statement *statement)
{
	return ((const struct statement *)(const void *)statement)->prepared;
}

static int prepare(struct bench_store *store, const char *sql, bool once, struct store_statement **statement,
		   struct bench_error *error)
{
	sqlite3_stmt *prepared;
	(void)once;
	if (sqlite3_prepare_v2(store->connection, sql, -1, &prepared, NULL) != SQLITE_OK)
		return store_fail(store, error);
	struct statement *made = bench_memory_alloc(1, sizeof(*made));
	*made = (struct statement){{store}, prepared};
	*statement = &made->base;
	return 0;
}

static int next(struct store_statement *statement, struct bench_error *error)
{
	switch (sqlite3_step(of(statement))) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return store_fail(statement->store, error);
	}
}

static int bind(sqlite3_stmt *statement, int at, const struct store_value *value)
{
	switch (value->type) {
	case STORE_INTEGER:
		return sqlite3_bind_int64(statement, at, value->integer);
	case STORE_REAL:
		return sqlite3_bind_double(statement, at, value->real);
	case STORE_TEXT:
		return sqlite3_bind_text64(statement, at, value->data, value->bytes, SQLITE_STATIC,
					   SQLITE_UTF8);
	case STORE_BLOB:
		return sqlite3_bind_blob64(statement, at, value->data, value->bytes, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(statement, at);
	}
}

static int start(struct store_statement *statement, const struct store_parameter *parameters, int count,
		 struct bench_error *error)
{
	/* An error of the statement's previous execution has been reported. */
	(void)sqlite3_reset(of(statement));
	for (int i = 0; i < count; i++)
		if (bind(of(statement), i + 1, &parameters[i].value) != SQLITE_OK)
			return store_fail(statement->store, error);
	return next(statement, error);
}

static void finish(struct store_statement *statement)
{
	sqlite3_finalize(of(statement));
	free(statement);
}

static struct store_value column(const struct store_statement *row, int at)
{
	sqlite3_stmt *statement = of(row);
	struct store_value value = {.type = (enum store_type)sqlite3_column_type(statement, at)};
	switch (value.type) {
	case STORE_INTEGER:
		value.integer = sqlite3_column_int64(statement, at);
		break;
	case STORE_REAL:
		value.real = sqlite3_column_double(statement, at);
		break;
	case STORE_TEXT:
		value.data = sqlite3_column_text(statement, at);
		value.bytes = (size_t)sqlite3_column_bytes(statement, at);
		break;
	case STORE_BLOB:
		value.data = sqlite3_column_blob(statement, at);
		value.bytes = (size_t)sqlite3_column_bytes(statement, at);
		break;
	default:
		break;
	}
	return value;
}

static int columns(const struct store_statement *row)
{
	return sqlite3_column_count(of(row));
}

static int changed(struct bench_store *store, int64_t *count, struct bench_error *error)
{
	(void)error;
	*count = sqlite3_changes(store->connection);
	return 0;
}

static int script(struct bench_store *store, const char *sql, struct bench_error *error)
{
	return sqlite3_exec(store->connection, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
										   : store_fail(store, error);
}

/* IMMEDIATE waits for the lock here; otherwise it could fail later, when a read becomes a write. */
static int begin(struct bench_store *store, struct bench_error *error)
{
	return script(store, "BEGIN IMMEDIATE", error);
}

static void disconnect(struct bench_store *store)
{
	/* Every statement is finished where it was prepared, so that closing cannot fail. */
	(void)sqlite3_close(store->connection);
}

const struct store_engine store_sqlite = {
	.prepare = prepare,
	.start = start,
	.next = next,
	.finish = finish,
	.column = column,
	.columns = columns,
	.changed = changed,
	.script = script,
	.begin = begin,
	.close = disconnect,
	.remedy = "'bench db repair' saves the rest",
	.size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
	.compact = "VACUUM",
	.begin_reading = "BEGIN",
	/* All pages and rows, but not each index entry against its row: about a second for a gigabyte. */
	.check = "PRAGMA quick_check(1)",
	.examine = "PRAGMA integrity_check(100)",
	.claim = "SELECT printf('version %d of program %08x', user_version, application_id & 0xffffffff) "
		 "FROM pragma_user_version, pragma_application_id",
	.check_references =
		"SELECT \"table\", count(*), parent FROM pragma_foreign_key_check GROUP BY \"table\", parent",
	/* Somebody's own view may name what is not there: views are not looked into. */
	.columns_of = "SELECT m.type || ' ' || m.name || coalesce('.' || c.name, '') FROM sqlite_schema AS m "
		      "LEFT JOIN pragma_table_info(iif(m.type = 'table', m.name, '')) AS c WHERE m.name NOT "
		      "LIKE 'sqlite%' ORDER BY 1",
};

#include "store/sql.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

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
	{SQLITE_PROTOCOL, "the locks of its file system do not work, as on some network drives: keep it on a "
			  "local disk"},
	{SQLITE_NOMEM, "free some memory and do it again"},
};

/* The system's own words, where SQLite's leave open what it was. */
static const char *cause_of(struct bench_store *store, int code)
{
	int number = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL
			     ? sqlite3_system_errno(store->db)
			     : 0;
	return number > 0 ? strerror(number) : "";
}

int store_fail(struct bench_store *store, struct bench_error *error)
{
	int code = sqlite3_errcode(store->db) & 0xff;
	const char *advice = "", *cause = cause_of(store, code);
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
		if (advices[i].code == code)
			advice = advices[i].advice;
	}
	return bench_fail(error, code == SQLITE_NOMEM ? BENCH_NO_MEMORY : BENCH_ENVIRONMENT,
			  "database '%s': %s%s%s%s%s%s", store->path, sqlite3_errmsg(store->db),
			  *cause ? " (" : "", cause, *cause ? ")" : "", *advice ? "; " : "", advice);
}

int store_damaged(struct bench_store *store, const char *what, struct bench_error *error)
{
	return bench_fail(
		error, BENCH_ENVIRONMENT,
		"database '%s': %s; it is damaged: 'bench db check' says what, 'bench db repair' saves the "
		"rest",
		store->path, what);
}

int store_prepare(struct bench_store *store, const char *sql, sqlite3_stmt **statement,
		  struct bench_error *error)
{
	return sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) == SQLITE_OK
		       ? 0
		       : store_fail(store, error);
}

int store_next(struct bench_store *store, sqlite3_stmt *statement, struct bench_error *error)
{
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return store_fail(store, error);
	}
}

static int bind(sqlite3_stmt *statement, const char *types, va_list values)
{
	int code = SQLITE_OK;
	for (int i = 0; types[i] && code == SQLITE_OK; i++) {
		const void *data;
		switch (types[i]) {
		case 't':
			code = sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1,
						 SQLITE_STATIC);
			break;
		case 'i':
			code = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
			break;
		case 'r':
			code = sqlite3_bind_double(statement, i + 1, va_arg(values, double));
			break;
		case 'b':
			data = va_arg(values, const void *);
			code = sqlite3_bind_blob64(statement, i + 1, data, va_arg(values, size_t),
						   SQLITE_STATIC);
			break;
		default:
			code = SQLITE_MISUSE;
		}
	}
	return code;
}

static int start(struct bench_store *store, sqlite3_stmt *statement, struct bench_error *error,
		 const char *types, va_list values)
{
	/* An error of the statement's previous execution has been reported. */
	(void)sqlite3_reset(statement);
	return bind(statement, types, values) == SQLITE_OK ? store_next(store, statement, error)
							   : store_fail(store, error);
}

int store_start(struct bench_store *store, sqlite3_stmt *statement, struct bench_error *error,
		const char *types, ...)
{
	va_list values;
	va_start(values, types);
	int state = start(store, statement, error, types, values);
	va_end(values);
	return state;
}

static int select_with(struct bench_store *store, sqlite3_stmt **statement, struct bench_error *error,
		       const char *sql, const char *types, va_list values)
{
	if (store_prepare(store, sql, statement, error) != 0)
		return -1;
	return start(store, *statement, error, types, values);
}

int store_select(struct bench_store *store, sqlite3_stmt **statement, struct bench_error *error,
		 const char *sql, const char *types, ...)
{
	va_list values;
	va_start(values, types);
	int state = select_with(store, statement, error, sql, types, values);
	va_end(values);
	return state;
}

int store_write(struct bench_store *store, struct bench_error *error, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement = NULL;
	va_list values;
	va_start(values, types);
	int state = select_with(store, &statement, error, sql, types, values);
	va_end(values);
	sqlite3_finalize(statement);
	return state;
}

int store_texts(struct bench_store *store, struct bench_arena *arena, char ***texts, size_t *count,
		struct bench_error *error, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement = NULL;
	va_list values;
	*texts = NULL;
	*count = 0;
	va_start(values, types);
	int state = select_with(store, &statement, error, sql, types, values);
	va_end(values);
	for (; state == 1; state = store_next(store, statement, error)) {
		char **slot = bench_arena_push(arena, texts, count, sizeof(*slot));
		*slot = store_text(arena, statement, 0);
	}
	sqlite3_finalize(statement);
	return state;
}

int store_script(struct bench_store *store, const char *sql, struct bench_error *error)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(store, error);
}

/* IMMEDIATE waits for the lock here; otherwise it could fail later, when a read becomes a write. */
int bench_store_begin(struct bench_store *store, struct bench_error *error)
{
	if (store_script(store, store->depth ? "SAVEPOINT inner" : "BEGIN IMMEDIATE", error) != 0)
		return -1;
	store->depth++;
	return 0;
}

int bench_store_end(struct bench_store *store, int status, struct bench_error *error)
{
	bool inner = --store->depth > 0;
	if (status == 0)
		status = store_script(store, inner ? "RELEASE inner" : "COMMIT", error);
	/* Some errors (a full disk) have already rolled it back; a second time does no harm. */
	if (status != 0)
		(void)sqlite3_exec(store->db, inner ? "ROLLBACK TO inner; RELEASE inner" : "ROLLBACK", NULL,
				   NULL, NULL);
	return status;
}

char *store_text(struct bench_arena *arena, sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	return bench_arena_string(arena, text ? text : "");
}

double store_real(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(statement, column);
}

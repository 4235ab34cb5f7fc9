/* SQLite as the files of harness/store use it; no other room includes this. */
#ifndef BENCH_STORE_SQL_H
#define BENCH_STORE_SQL_H

#include <sqlite3.h>

#include "store/store.h"

struct bench_store {
	sqlite3 *db;
	char *path;
};

#define STORE_BUSY_MS 30000

/* The order of runs. Ids of the same second end in -2 ... -10: the longer id is the newer one. */
#define NEWEST_FIRST "ORDER BY started DESC, length(id) DESC, id DESC"
#define OLDEST_FIRST "ORDER BY started, length(id), id"

/* Fills `error` from the database's last error, with the path and what to do about it; returns -1. */
int store_fail(struct bench_store *store, struct bench_error *error);

/* Prepares one statement; the caller finalizes it. */
int store_prepare(struct bench_store *store, const char *sql, sqlite3_stmt **statement,
		  struct bench_error *error);

/*
 * Starts a statement anew with its parameters, one a letter of `types`: t (const char *; NULL
 * binds NULL), i (int64_t), r (double; a NaN binds NULL), b (const void *, size_t). Texts and blobs
 * are not copied: they stay as they are until the statement has no more rows. 1: a row; 0: done; -1.
 */
int store_start(struct bench_store *store, sqlite3_stmt *statement, struct bench_error *error,
		const char *types, ...);
int store_next(struct bench_store *store, sqlite3_stmt *statement, struct bench_error *error);

/*
 * store_select prepares and starts a statement that is run once: 1: a row; 0: none; -1. The caller finalizes
 * it in any case. store_write also finalizes it, for one that gives no rows: 0 or -1.
 */
int store_select(struct bench_store *store, sqlite3_stmt **statement, struct bench_error *error,
		 const char *sql, const char *types, ...);
int store_write(struct bench_store *store, struct bench_error *error, const char *sql, const char *types,
		...);
/* The texts in the first column of all rows; in `arena`. */
int store_texts(struct bench_store *store, struct bench_arena *arena, char ***texts, size_t *count,
		struct bench_error *error, const char *sql, const char *types, ...);

/* Runs a script and ignores its rows. */
int store_script(struct bench_store *store, const char *sql, struct bench_error *error);

/* Starts a transaction that writes; ends it: commits if `status` is 0, else rolls back. Returns the status.
 */
int store_begin(struct bench_store *store, struct bench_error *error);
int store_end(struct bench_store *store, int status, struct bench_error *error);

/* Columns of the current row. A text is copied; NULL gives "" and NaN. */
char *store_text(struct bench_arena *arena, sqlite3_stmt *statement, int column);
double store_real(sqlite3_stmt *statement, int column);

/* The row of a run: BENCH_NOTHING, with the nearest ids, where there is none. */
int store_find_run(struct bench_store *store, const char *id, int64_t *run, struct bench_error *error);
/* Fails with BENCH_NOTHING: "no <what> '<name>'", and the nearest, or the first few, of the names that `sql`
 * lists. */
int store_unknown(struct bench_store *store, const char *what, const char *name, const char *sql,
		  struct bench_error *error);

/* Checks that the file is a database of ours; in mode WRITE makes or migrates it. See bench_store_open. */
int store_migrate(struct bench_store *store, enum bench_store_mode mode, struct bench_error *error);

/* repack.c: the functions that migrate-4-5.sql calls; a code of SQLite's. */
int store_add_repacking(struct bench_store *store);

/* Fills in `accepted` of points that are sorted by key, then oldest first. */
int store_fill_accepted(struct bench_store *store, struct bench_arena *arena, struct bench_point *points,
			size_t count, struct bench_error *error);

#endif

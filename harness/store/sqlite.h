/* SQLite, and the history as its file: opened, migrated, copied. */
#ifndef BENCH_STORE_SQLITE_H
#define BENCH_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/sql.h"

extern const struct store_engine store_sqlite;

/* Fills `error` from the database's last error, with the path and what to do about it; returns -1. */
int store_fail(struct bench_store *store, struct bench_error *error);

/* From the first call on SQLite has memory or the process ends (core/memory.h). Before there are threads. */
void store_hold_memory(void);

/*
 * Opens a file with the settings that all connections have, whatever is in it; `flags` are SQLite's. A file
 * that is only read and cannot be because SQLite would put a log beside it is read as one that nobody
 * changes, if it has no log. `still`: it is known that nobody does.
 */
int store_open(const char *path, int flags, bool still, struct bench_store **store,
	       struct bench_error *error);

/* Checks that the file is a database of ours; in mode WRITE makes or migrates it. See bench_store_open. */
int store_migrate(struct bench_store *store, enum bench_store_mode mode, struct bench_error *error);
/* Takes an empty database to that version of the schema; 0: the newest. */
int store_make_schema(struct bench_store *store, int version, struct bench_error *error);
/* What the file says that it is. */
struct store_identity {
	int application, version, tables;
};
int store_identify(struct bench_store *store, struct store_identity *identity, struct bench_error *error);
bool store_is_newest(const struct store_identity *identity);

/* Copies all pages, those in the log included, in one snapshot. */
int store_copy_pages(struct bench_store *from, struct bench_store *to, struct bench_error *error);
/* Puts a copy of the file beside it, "<path>.before-schema-<version>"; the name is in *kept (malloc'd). */
int store_keep_before(struct bench_store *store, int version, char **kept, struct bench_error *error);

/* repack.c: the functions that migrate-4-5.sql calls; a code of SQLite's. */
int store_add_repacking(struct bench_store *store);

#endif

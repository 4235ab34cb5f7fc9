/* SPDX-License-Identifier: MIT */
/* SQLite, and the history as its file: opened, migrated, copied. */
#ifndef BENCH_STORE_SQLITE_H
#define BENCH_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/engine.h"

/* The connection of a store is a sqlite3. */
extern const struct store_engine store_sqlite;

/* Fills `error` from the database's last error, with the path and what to do about it; returns -1. */
int store_fail(struct bench_store *store, struct bench_error *error);

/* From the first call on SQLite has memory or the process ends (core/memory.h). Before there are threads. */
void store_hold_memory(void);

/*
 * Opens a file with the settings that all connections have, whatever its content; `flags` are SQLite's.
 * Reading leaves nothing behind in the folder (store_reading_of). `still`: the caller knows that nobody
 * changes the file.
 */
int store_open(const char *path, int flags, bool still, struct bench_store **store,
	       struct bench_error *error);

/* Checks that the file is a database of ours; in mode WRITE makes or migrates it. See bench_store_open. */
int store_migrate(struct bench_store *store, enum bench_store_mode mode, struct bench_error *error);
/* Copies all pages, those in the log included, in one snapshot. */
int store_copy_pages(struct bench_store *from, struct bench_store *to, struct bench_error *error);
/* `fill` writes a temporary file in the folder of `target`, which then gets that name. After a failure
 * nothing has changed. */
typedef int store_filling(const char *path, const char *temporary, struct bench_error *error);
int store_put_beside(const char *path, const char *target, store_filling *fill, struct bench_error *error);
/* One: copies all pages, for whoever could read the original. */
int store_copy_snapshot(const char *path, const char *temporary, struct bench_error *error);
/* Keeps a copy of the file as "<path>.before-schema-<version>"; the name is in *kept (malloc'd). */
int store_keep_before(const char *path, int version, char **kept, struct bench_error *error);

/* repack.c: the functions that migrate-4-5.sql calls; a code of SQLite's. */
int store_add_repacking(struct bench_store *store);

/* How to read a file and leave nothing behind in its folder (reading.c). */
enum store_reading {
	STORE_READING_NOT,      /* it cannot be: the error says why */
	STORE_READING_BESIDE,   /* as SQLite does it */
	STORE_READING_AS_IT_IS, /* with the existing log and index; this process makes none */
	STORE_READING_OWN,      /* as one that may write, which removes its log at the end */
	STORE_READING_COPY,     /* a copy, of another user's file or one whose folder cannot be written */
};
enum store_reading store_reading_of(const char *path, struct bench_error *error);
/* Is all of it in the file itself? */
bool store_has_empty_log(const char *path);
/* A private copy of such a file; its name into `copy`, for the caller to remove. */
int store_copy_file(const char *path, char *copy, size_t size, struct bench_error *error);
/* The file as an address of SQLite's, with the query behind it. malloc'd. */
char *store_address(const char *path, const char *query);
/* The name of SQLite's usual file system, but that it makes no log. */
const char *store_reading_vfs(void);

#endif

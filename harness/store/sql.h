/* SQLite as the files of harness/store use it; no other room includes this. */
#ifndef BENCH_STORE_SQL_H
#define BENCH_STORE_SQL_H

#include <sqlite3.h>

#include "store/store.h"

struct bench_store {
	sqlite3 *db;
	char *path;
	unsigned depth; /* transactions that are open, each in the one before */
};

#define STORE_BUSY_MS 30000

/* The order of runs. Ids of the same second end in -2 ... -10: the longer id is the newer one. */
#define NEWEST_FIRST "ORDER BY started DESC, length(id) DESC, id DESC"
#define OLDEST_FIRST "ORDER BY started, length(id), id"

/* Fills `error` from the database's last error, with the path and what to do about it; returns -1. */
int store_fail(struct bench_store *store, struct bench_error *error);

/* The same for what SQLite does not notice: `what` is wrong with the rows. */
int store_damaged(struct bench_store *store, const char *what, struct bench_error *error);

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

/* Columns of the current row. A text is copied; NULL gives "" and NaN. */
char *store_text(struct bench_arena *arena, sqlite3_stmt *statement, int column);
double store_real(sqlite3_stmt *statement, int column);

/* The row of a run: BENCH_NOTHING, with the nearest ids, where there is none. */
int store_find_run(struct bench_store *store, const char *id, int64_t *run, struct bench_error *error);
/* Fails with `code`: "no <what> '<name>'", and the nearest, or the first few, of the names that `sql`
 * lists. */
int store_unknown(struct bench_store *store, enum bench_code code, const char *what, const char *name,
		  const char *sql, struct bench_error *error);

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

/*
 * Digests (digest.c). What has one: a run, the verdicts of its comparison with a baseline, or a table with
 * what hangs on it.
 */
enum store_digest {
	STORE_DIGEST_RUN,
	STORE_DIGEST_VERDICTS,
	STORE_DIGEST_HOSTS, /* from here on, tables */
	STORE_DIGEST_DEVICES,
	STORE_DIGEST_BASELINES,
	STORE_DIGEST_ACCEPTED,
	STORE_DIGEST_TUNING,
	STORE_DIGEST_ALARMS,
	STORE_DIGEST_ANCHORS,
	STORE_DIGESTS,
};
struct store_part {
	enum store_digest kind;
	int64_t run;               /* of a run and its verdicts: the row */
	const char *id, *baseline; /* the run's id; the baseline as it was named; NULL: of neither */
};
/* Its name for people: "run:ID", "verdicts:ID:BASELINE", "baselines" ...; in `arena`. */
char *store_digest_name(const struct store_part *part, struct bench_arena *arena);
/* The digest of what the tables have of it now; *rows: how many rows that is. */
int store_digest_compute(struct bench_store *store, const struct store_part *part, int64_t *digest,
			 size_t *rows, struct bench_error *error);
/* Keeps that one; whoever changes a part does so in the same transaction. */
int store_digest_put(struct bench_store *store, const struct store_part *part, struct bench_error *error);
int store_digest_table(struct bench_store *store, enum store_digest table, struct bench_error *error);
/* Is the kept digest of a part the one of its rows? *kept: there is one. */
int store_digest_check(struct bench_store *store, const struct store_part *part, bool *kept, bool *right,
		       struct bench_error *error);
/* All parts that there are, as far as they can be read. */
int store_digest_parts(struct bench_store *store, struct bench_arena *arena, struct store_part **parts,
		       size_t *count, struct bench_error *error);
/* The names of what has a digest and is not there: it is lost. */
int store_digest_orphans(struct bench_store *store, struct bench_arena *arena, char ***names, size_t *count,
			 struct bench_error *error);
/* Keeps the digests of all that there is. */
int store_digest_all(struct bench_store *store, struct bench_error *error);

/* repack.c: the functions that migrate-4-5.sql calls; a code of SQLite's. */
int store_add_repacking(struct bench_store *store);

/* Fills in `accepted` of points that are sorted by key, then oldest first. */
int store_fill_accepted(struct bench_store *store, struct bench_arena *arena, struct bench_point *points,
			size_t count, struct bench_error *error);

#endif

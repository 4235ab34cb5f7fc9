/* SPDX-License-Identifier: MIT */
/*
 * SQL for the files of harness/store; no other room includes this. An engine runs it: SQLite on a file, or
 * PostgreSQL on a server (engine.h). Both run the same statements: parameters are ? or ?1, and SQL that only
 * one of them knows belongs in the engine.
 */
#ifndef BENCH_STORE_SQL_H
#define BENCH_STORE_SQL_H

#include "store/store.h"

struct store_statement;
struct store_engine;

struct bench_store {
	const struct store_engine *engine;
	char *path;       /* as people see it: without a password */
	unsigned depth;   /* transactions that are open, each in the one before */
	void *connection; /* the engine's: sqlite3, or postgres.c's server */
	/* An error was not about what is in it: the connection was lost, it took too long, there was no room.
	 */
	bool unreachable;
	bool as_written;  /* cases keep the names that they were measured under */
	bool has_renames; /* below: they were read */
	struct bench_rename_row *renames;
	size_t rename_count;
	struct bench_arena names; /* of these */
};

#define STORE_BUSY_MS   30000
#define STORE_BUSY_TEXT "30000"

/* The order of runs. Ids of the same second end in -2 ... -10: the longer id is the newer one. */
#define NEWEST_FIRST "ORDER BY started DESC, length(id) DESC, id DESC"
#define OLDEST_FIRST "ORDER BY started, length(id), id"

/* Fails with BENCH_NOTHING: there is no history in "file", or in the "tables in", of that name. */
int store_missing(const char *what, const char *name, struct bench_error *error);

/* What is wrong with the rows that the engine does not notice; returns -1. */
int store_damaged(struct bench_store *store, const char *what, struct bench_error *error);

/* Prepares one statement that is started more than once; the caller finishes it. */
int store_prepare(struct bench_store *store, const char *sql, struct store_statement **statement,
		  struct bench_error *error);
void store_finish(struct store_statement *statement); /* NULL is allowed */
/* In place of `struct store_statement`, for a local pointer, as BENCH_SCOPED_MEMORY (core/memory.h). */
#define STORE_SCOPED_STATEMENT __attribute__((cleanup(store_release))) struct store_statement
static inline void store_release(struct store_statement *const *statement)
{
	store_finish(*statement);
}

/*
 * Starts a statement anew with its parameters, one a letter of `types`: t (const char *; NULL
 * binds NULL), i (int64_t), r (double; a NaN binds NULL), b (const void *, size_t; NULL binds NULL). Texts
 * and blobs are not copied: they stay as they are until the statement has no more rows. 1: a row; 0: done;
 * -1. The error of a statement that gives no rows may come with a later one, or with the end of the
 * transaction.
 */
int store_start(struct bench_store *store, struct store_statement *statement, struct bench_error *error,
		const char *types, ...);
int store_next(struct bench_store *store, struct store_statement *statement, struct bench_error *error);

/*
 * store_select prepares and starts a statement that is run once: 1: a row; 0: none; -1. The caller finishes
 * it in any case. store_write also finishes it, for one that gives no rows: 0 or -1.
 */
int store_select(struct bench_store *store, struct store_statement **statement, struct bench_error *error,
		 const char *sql, const char *types, ...);
int store_write(struct bench_store *store, struct bench_error *error, const char *sql, const char *types,
		...);
/* The number in the first column of the first row, of what store_select gives; it stays where there is no
 * row. All is finished. */
int store_number(struct bench_store *store, int64_t *number, struct bench_error *error, const char *sql,
		 const char *types, ...);
/* The number of the new row, by a statement that ends in RETURNING; store_returned: of one that was started,
 * `state` is what that returned. 0 or -1. */
int store_write_new(struct bench_store *store, int64_t *id, struct bench_error *error, const char *sql,
		    const char *types, ...);
int store_returned(struct bench_store *store, struct store_statement *statement, int state, int64_t *id,
		   struct bench_error *error);
/* Of the last store_write, in *count: how many rows it has inserted, updated or deleted itself. */
int store_changed(struct bench_store *store, int64_t *count, struct bench_error *error);
/* The texts in the first column of all rows; in `arena`. */
int store_texts(struct bench_store *store, struct bench_arena *arena, char ***texts, size_t *count,
		struct bench_error *error, const char *sql, const char *types, ...);

/* Runs a script and ignores its rows. */
int store_script(struct bench_store *store, const char *sql, struct bench_error *error);

/* A value of a row, or of a parameter. The numbers are SQLite's, and part of every digest. */
enum store_type { STORE_INTEGER = 1, STORE_REAL, STORE_TEXT, STORE_BLOB, STORE_NULL };
struct store_value {
	enum store_type type;
	int64_t integer;
	double real;
	const void *data; /* of a text, with a NUL behind it, or a blob; until the next row */
	size_t bytes;
};
struct store_value store_column(const struct store_statement *row, int column);
int store_columns(const struct store_statement *row);

/* Columns of the current row. NULL gives 0, NaN, NULL and "". store_text copies; store_chars is there until
 * the next row. */
int64_t store_int(const struct store_statement *row, int column);
double store_real(const struct store_statement *row, int column);
const char *store_chars(const struct store_statement *row, int column);
char *store_text(struct bench_arena *arena, const struct store_statement *row, int column);

/*
 * rename.c. The name by which a case, or a metric of it, is known today; NULL: still this one. store_named:
 * that, or the same text. Both read the renames once. The third renames all results of a loaded record.
 */
char *store_new_name(struct bench_store *store, struct bench_arena *arena, const char *key);
char *store_named(struct bench_store *store, struct bench_arena *arena, char *key);
void store_rename_results(struct bench_store *store, struct bench_arena *arena, struct bench_run *run);

/* The row of a run. BENCH_NOTHING, with the nearest ids, if it does not exist. */
int store_find_run(struct bench_store *store, const char *id, int64_t *run, struct bench_error *error);
/* Fails with `code`: "no <what> '<name>'", and the nearest, or the first few, of the names that `sql`
 * lists. */
int store_unknown(struct bench_store *store, enum bench_code code, const char *what, const char *name,
		  const char *sql, struct bench_error *error);

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
/* bench_store_end, for a transaction that changed this table. */
int store_end_table(struct bench_store *store, int status, enum store_digest table,
		    struct bench_error *error);
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

/* One in memory, with the newest schema and nothing in it. */
int store_open_model(struct bench_store **store, struct bench_error *error);

/* All rows of a history into one that is new or empty, in one transaction, both examined. */
int store_transfer(const char *from, const char *to, struct bench_error *error);

/* Fills in `accepted` of points that are sorted by key, then oldest first. */
int store_fill_accepted(struct bench_store *store, struct bench_arena *arena, struct bench_point *points,
			size_t count, struct bench_error *error);

/* Ratios of one full name and of different references get the reference into their key; the order is kept. */
int store_name_references(struct bench_store *store, struct bench_arena *arena, struct bench_point *points,
			  size_t count, struct bench_error *error);

#endif

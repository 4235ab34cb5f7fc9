/* SPDX-License-Identifier: MIT */
/* What runs the store's SQL (sql.h): a table of functions for SQLite (sqlite.c), and one for PostgreSQL
 * (postgres.c). */
#ifndef BENCH_STORE_ENGINE_H
#define BENCH_STORE_ENGINE_H

#include "store/sql.h"

/* The part of a statement that all engines have; theirs is behind it. */
struct store_statement {
	struct bench_store *store;
};

/* A parameter. `declared` is the type in the statement, even if the value is NULL. STORE_NULL: the type of
 * the target column. */
struct store_parameter {
	struct store_value value;
	enum store_type declared;
};

struct store_engine {
	/* `once`: it is started once. */
	int (*prepare)(struct bench_store *store, const char *sql, bool once,
		       struct store_statement **statement, struct bench_error *error);
	int (*start)(struct store_statement *statement, const struct store_parameter *parameters, int count,
		     struct bench_error *error);
	int (*next)(struct store_statement *statement, struct bench_error *error);
	void (*finish)(struct store_statement *statement);
	struct store_value (*column)(const struct store_statement *row, int column);
	int (*columns)(const struct store_statement *row);
	int (*changed)(struct bench_store *store, int64_t *count, struct bench_error *error);
	int (*script)(struct bench_store *store, const char *sql, struct bench_error *error);
	/* Starts a transaction that writes, and waits until no other does. */
	int (*begin)(struct bench_store *store, struct bench_error *error);
	/* New rows of the table get numbers behind those that were copied into it. NULL: they always do. */
	int (*renumber)(struct bench_store *store, const char *table, struct bench_error *error);
	void (*close)(struct bench_store *store);
	const char *remedy;        /* what to do where it is damaged */
	bool ends_at_error;        /* a failed statement ends its transaction */
	const char *size;          /* the bytes that it takes */
	const char *compact;       /* gives back the room of rows that were removed */
	const char *begin_reading; /* starts one that sees one state of all tables */
	/* A row "ok", or what is wrong with its pages: read quickly, or with all indexes. NULL: a server
	 * looks after its pages itself. */
	const char *check, *examine;
	const char *claim; /* of which version and program it says that it is; NULL: opening it tells */
	/* Table, number of rows and the table whose rows they lack; NULL: there can be none. */
	const char *check_references;
	const char *columns_of; /* "table run", "column run.id", "index run_by_time": what the schema has,
				   sorted by bytes */
};

/* Starts a statement; sql.h's store_start with values that are read elsewhere. */
int store_start_with(struct bench_store *store, struct store_statement *statement,
		     const struct store_parameter *parameters, int count, struct bench_error *error);

#endif

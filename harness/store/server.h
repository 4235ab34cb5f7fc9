/* The history on a PostgreSQL server: its address, its connection, its schema. */
#ifndef BENCH_STORE_SERVER_H
#define BENCH_STORE_SERVER_H

#include "store/sql.h"

extern const struct store_engine store_postgres;

/*
 * Connects, whatever is there. The address is libpq's, as are the variables PG* that add to it and the file
 * of passwords.
 */
int store_server_connect(const char *address, struct bench_store **store, struct bench_error *error);
/* What bench_store_open promises, for an address. */
int store_server_open(const char *address, enum bench_store_mode mode, struct bench_store **store,
		      struct bench_error *error);
/* Is the address of the form that libpq takes? BENCH_USAGE, without a word of it where it may be a password.
 */
int store_server_check(const char *address, struct bench_error *error);

/* New rows get numbers behind those that were copied. */
int store_server_renumber(struct bench_store *store, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* The history on a PostgreSQL server: its address, its connection, its schema. */
#ifndef BENCH_STORE_SERVER_H
#define BENCH_STORE_SERVER_H

#include "store/engine.h"

extern const struct store_engine store_postgres;

/*
 * Connects, whatever is there. The address is libpq's, as are the variables PG* that add to it and the file
 * of passwords.
 */
int store_server_connect(const char *address, struct bench_store **store, struct bench_error *error);
/* address.c: what store.h says of bench_store_shown and bench_store_beside. */
char *store_address_shown(const char *address, struct bench_arena *arena);
char *store_address_beside(const char *address, struct bench_arena *arena);
/* libpq.c: is the address of the form that libpq takes? Where it may be a password, the error has no word of
 * it. */
int store_address_check(const char *address, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A history in a test's scratch folder, and what SQL says of it. With BENCH_TEST_SERVER in the environment
 * (tests/server) it is a schema of that server's instead, with the name of the folder.
 */
#ifndef BENCH_TESTS_STORE_FIXTURE_H
#define BENCH_TESTS_STORE_FIXTURE_H

#include <ctype.h>

#include "record_fixture.h"
#include "scratch.h"
#include "store/server.h"
#include "store/sqlite.h"

/* Of the call at hand. */
static struct bench_error error;

static inline void must(int status)
{
	if (status != 0)
		fail_msg("%s", error.text);
}

static inline bool on_server(void)
{
	return getenv("BENCH_TEST_SERVER") != NULL;
}

/* What is of files, or of SQLite. */
static inline void needs_file(void)
{
	if (on_server())
		skip();
}

/* The schema of that name, made where it is not there yet. */
static inline void make_schema(const char *name)
{
	static char made[80];
	char sql[128];
	struct bench_store *server;
	if (strcmp(made, name) == 0)
		return;
	snprintf(made, sizeof(made), "%s", name);
	snprintf(sql, sizeof(sql), "CREATE SCHEMA IF NOT EXISTS \"%s\"", name);
	must(store_server_connect(getenv("BENCH_TEST_SERVER"), &server, &error));
	must(store_script(server, sql, &error));
	bench_store_close(server);
}

static inline const char *store_path(void **state, const char *name)
{
	static char path[400];
	const char *folder = (char *)*state;
	char schema[80];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!on_server())
		return path;
	snprintf(schema, sizeof(schema), "%s_%s", strrchr(folder, '/') + 1, name);
	for (char *c = schema; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	make_schema(schema);
	snprintf(path, sizeof(path), "%s&options=-csearch_path%%3D%%22%s%%22", getenv("BENCH_TEST_SERVER"),
		 schema);
	return path;
}

static inline struct bench_store *open_store(void **state)
{
	struct bench_store *store = NULL;
	must(bench_store_open(store_path(state, "results.db"), BENCH_STORE_WRITE, &store, &error));
	return store;
}

/* The fixture under that id; `aside`, where not NULL, is why it is no part of the history. */
static inline struct bench_run *labelled_run(const char *id, long long started, const char *aside)
{
	struct bench_run *run = fixture_run(id, started);
	if (aside)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside", aside);
	return run;
}

static inline void must_ingest(struct bench_store *store, struct bench_run *run)
{
	bool added = false;
	must(bench_store_ingest(store, run, &added, &error));
	assert_true(added);
	bench_record_free(run);
}

/* A connection of the test's own, to what is there already. */
static inline struct bench_store *connect_to(void **state, const char *name)
{
	struct bench_store *store;
	const char *path = store_path(state, name);
	if (on_server()) {
		must(store_server_connect(path, &store, &error));
		return store;
	}
	must(store_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, &store, &error));
	sqlite3_db_config(store->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
	return store;
}

/* For somebody who does not care for them. */
static inline const char *without_references(void)
{
	return on_server() ? "SET session_replication_role = replica" : "PRAGMA foreign_keys = OFF";
}

/* As that of somebody who does not care for references. Blobs are = x'00', SQLite's way.
 */
static inline void run_sql(void **state, const char *name, const char *sql)
{
	char words[512];
	snprintf(words, sizeof(words), "%s", sql);
	for (char *blob = strstr(words, "= x'"); on_server() && blob; blob = strstr(blob, "= x'"))
		memcpy(blob, "='\\x", 4);
	struct bench_store *store = connect_to(state, name);
	must(store_script(store, without_references(), &error));
	if (store_script(store, words, &error) != 0)
		fail_msg("%s: %s", error.text, sql);
	bench_store_close(store);
}

/* A single number that SQL gives. */
static inline double query_of(void **state, const char *name, const char *sql)
{
	struct bench_store *store = connect_to(state, name);
	struct store_statement *row = NULL;
	if (store_select(store, &row, &error, sql, "") != 1)
		fail_msg("%s: %s", error.text, sql);
	const double value = store_real(row, 0);
	store_finish(row);
	bench_store_close(store);
	return value;
}

static inline double query(void **state, const char *sql)
{
	return query_of(state, "results.db", sql);
}

#endif

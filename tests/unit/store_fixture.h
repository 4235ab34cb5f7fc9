/* A history in a test's scratch folder, and what SQL says of it. */
#ifndef BENCH_TESTS_STORE_FIXTURE_H
#define BENCH_TESTS_STORE_FIXTURE_H

#include <sqlite3.h>

#include "record_fixture.h"
#include "scratch.h"
#include "store/store.h"

/* Of the call at hand. */
static struct bench_error error;

static inline void must(int status)
{
	if (status != 0)
		fail_msg("%s", error.text);
}

static inline const char *store_path(void **state, const char *name)
{
	static char path[160];
	snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
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

static inline void run_sql(void **state, const char *name, const char *sql)
{
	sqlite3 *db;
	char *cause = NULL;
	assert_int_equal(sqlite3_open(store_path(state, name), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &cause) != SQLITE_OK)
		fail_msg("%s: %s", cause, sql);
	sqlite3_close(db);
}

/* A single number that SQL gives of a file, read by a connection of the test's own. */
static inline double query_of(void **state, const char *name, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open_v2(store_path(state, name), &db, SQLITE_OPEN_READONLY, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	double value = sqlite3_column_double(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return value;
}

static inline double query(void **state, const char *sql)
{
	return query_of(state, "results.db", sql);
}

#endif

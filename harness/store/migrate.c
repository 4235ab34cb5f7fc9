/*
 * Brings the file to the newest schema, whatever it is. Each step is one script. A database is ours by its
 * application_id; user_version is the number of its schema.
 */
#include <stdbool.h>
#include <time.h>

#include "store/sql.h"

extern const char bench_schema_results_sql[], bench_schema_migrate_1_2_sql[], bench_schema_migrate_2_3_sql[],
	bench_schema_migrate_3_4_sql[], bench_schema_migrate_4_5_sql[];

/* steps[n] takes version n to n + 1. A released step is never changed; the next is added at the end. */
static const char *const steps[] = {
	bench_schema_results_sql,     bench_schema_migrate_1_2_sql, bench_schema_migrate_2_3_sql,
	bench_schema_migrate_3_4_sql, bench_schema_migrate_4_5_sql,
};
#define NEWEST ((int)(sizeof(steps) / sizeof(steps[0])))

#define APPLICATION_ID 0x42454e43 /* "BENC" */

/* What the file is, in one snapshot. */
struct identity {
	int application, version, tables;
};

static int identify(struct bench_store *store, struct identity *identity, struct bench_error *error)
{
	sqlite3_stmt *statement = NULL;
	int status = -1;
	if (store_select(store, &statement, error,
			 "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version "
			 "FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)",
			 "") == 1) {
		identity->application = sqlite3_column_int(statement, 0);
		identity->version = sqlite3_column_int(statement, 1);
		identity->tables = sqlite3_column_int(statement, 2);
		status = 0;
	}
	sqlite3_finalize(statement);
	return status;
}

static bool is_empty(const struct identity *identity)
{
	return identity->application == 0 && identity->version == 0 && identity->tables == 0;
}

static int check_identity(struct bench_store *store, enum bench_store_mode mode,
			  const struct identity *identity, struct bench_error *error)
{
	if (is_empty(identity))
		return mode == BENCH_STORE_WRITE
			       ? 0
			       : bench_fail(error, BENCH_ENVIRONMENT, "database '%s': holds nothing yet",
					    store->path);
	if (identity->application != APPLICATION_ID)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': it belongs to another program; give another --db",
				  store->path);
	if (identity->version > NEWEST)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %d and this bench knows up to %d; "
				  "use the newer bench that wrote it, or give another --db",
				  store->path, identity->version, NEWEST);
	if (identity->version < NEWEST && mode == BENCH_STORE_READ)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %d and has to become %d first; any "
				  "'bench ingest' does that",
				  store->path, identity->version, NEWEST);
	return 0;
}

/*
 * WAL allows readers and a writer at once. SQLite does not wait for the lock that the change to WAL takes, so
 * this does. On a file system that cannot do WAL the journal stays as it is: slower with several processes,
 * and as safe.
 */
static int set_wal(struct bench_store *store, struct bench_error *error)
{
	const struct timespec pause = {.tv_nsec = 10000000L};
	for (int waited_ms = 0;; waited_ms += 10) {
		int code = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (code == SQLITE_OK)
			return 0;
		if ((code & 0xff) != SQLITE_BUSY || waited_ms >= STORE_BUSY_MS)
			return store_fail(store, error);
		nanosleep(&pause, NULL);
	}
}

static int apply_steps(struct bench_store *store, int version, struct bench_error *error)
{
	for (; version < NEWEST; version++) {
		if (store_script(store, steps[version], error) != 0)
			return -1;
	}
	char pragmas[96];
	sqlite3_snprintf(sizeof(pragmas), pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 APPLICATION_ID, NEWEST);
	return store_script(store, pragmas, error);
}

/*
 * Makes or migrates under the write lock, from what the file is by then: another process may have been
 * faster. The lock is taken even if there is nothing to do, which shows before anything is measured whether
 * the file can be written.
 */
static int make(struct bench_store *store, bool *migrated, struct bench_error *error)
{
	struct identity identity;
	if (store_begin(store, error) != 0)
		return -1;
	int status = identify(store, &identity, error);
	if (status == 0)
		status = check_identity(store, BENCH_STORE_WRITE, &identity, error);
	*migrated = status == 0 && identity.version > 0 && identity.version < NEWEST;
	if (status == 0 && identity.version < NEWEST)
		status = apply_steps(store, identity.version, error);
	return store_end(store, status, error);
}

/* A database that is ours and lacks a table is damaged: better reported here than in the middle. */
static int check_tables(struct bench_store *store, struct bench_error *error)
{
	sqlite3_stmt *statement = NULL;
	int status = store_prepare(store,
				   "SELECT 1 FROM host, device, run, head, method, result, metric_key, "
				   "metric, baseline, baseline_run, verdict, accepted, tuning, alarm, "
				   "alarm_metric, anchor, anchor_level LIMIT 0",
				   &statement, error);
	sqlite3_finalize(statement);
	return status;
}

int store_migrate(struct bench_store *store, enum bench_store_mode mode, struct bench_error *error)
{
	struct identity identity;
	if (identify(store, &identity, error) != 0 || check_identity(store, mode, &identity, error) != 0)
		return -1;
	/* SQLite opens a read-only file without an error, and would report it only at the first write. */
	if (mode == BENCH_STORE_WRITE && sqlite3_db_readonly(store->db, "main") == 1)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': it may not be written; make it and its folder writable, or "
				  "give another --db",
				  store->path);
	bool migrated = false;
	if (mode == BENCH_STORE_WRITE && (set_wal(store, error) != 0 || make(store, &migrated, error) != 0))
		return -1;
	/* Gives back the room of the old tables. Where that cannot be, say beside a reader, later runs use
	 * it. */
	if (migrated)
		(void)sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
	return check_tables(store, error);
}

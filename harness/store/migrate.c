/* SPDX-License-Identifier: MIT */
/*
 * Brings the file to the newest schema, whatever it is. Each step is one script. A database is ours by its
 * application_id; user_version is the number of its schema.
 */
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "store/sqlite.h"
#include "store/tables.h"

extern const char bench_schema_results_sql[], bench_schema_migrate_1_2_sql[], bench_schema_migrate_2_3_sql[],
	bench_schema_migrate_3_4_sql[], bench_schema_migrate_4_5_sql[], bench_schema_migrate_5_6_sql[],
	bench_schema_migrate_6_7_sql[], bench_schema_migrate_7_8_sql[], bench_schema_migrate_8_9_sql[];

/* steps[n] takes version n to n + 1. A released step is never changed; the next is added at the end. */
static const char *const steps[] = {
	bench_schema_results_sql,     bench_schema_migrate_1_2_sql, bench_schema_migrate_2_3_sql,
	bench_schema_migrate_3_4_sql, bench_schema_migrate_4_5_sql, bench_schema_migrate_5_6_sql,
	bench_schema_migrate_6_7_sql, bench_schema_migrate_7_8_sql, bench_schema_migrate_8_9_sql,
};
#define NEWEST ((int)(sizeof(steps) / sizeof(steps[0])))

#define APPLICATION_ID 0x42454e43 /* "BENC" */
#define WITH_DIGESTS   5          /* the first version that has them */

static void (*tell)(const char *text);

void bench_store_on_migration(void (*handler)(const char *text))
{
	tell = handler;
}

/* What the file says that it is. */
struct identity {
	int application, version, tables;
};

/* In one snapshot. */
static int identify(struct bench_store *store, struct identity *identity, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int status = -1;
	if (store_select(store, &statement, error,
			 "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version "
			 "FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)",
			 "") == 1) {
		identity->application = (int)store_int(statement, 0);
		identity->version = (int)store_int(statement, 1);
		identity->tables = (int)store_int(statement, 2);
		status = 0;
	}
	return status;
}

static bool is_empty(const struct identity *identity)
{
	return identity->application == 0 && identity->version == 0 && identity->tables == 0;
}

/* A database that is ours and lacks a table is damaged: better reported here than in the middle. */
static int check_tables(struct bench_store *store, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	return store_prepare(store, "SELECT 1 FROM " STORE_TABLE_NAMES " LIMIT 0", &statement, error);
}

/* Triggers, and views that are called like a table of ours, would run what somebody else has written. */
static int check_trust(struct bench_store *store, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int state = store_select(store, &statement, error,
				 "SELECT type, name FROM sqlite_schema WHERE type = 'trigger' OR (rootpage = "
				 "0 AND ', " STORE_TABLE_NAMES ",' LIKE '%, ' || name || ',%')",
				 "");
	if (state == 1)
		bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s': it has a %.20s '%.80s', which no bench has made: it is not trusted",
			store->path, store_chars(statement, 0), store_chars(statement, 1));
	return state == 0 ? 0 : -1;
}

/* Is it one that this program knows how to read? Its version is a number from outside, and an index. */
static int check_identity(struct bench_store *store, const struct identity *identity,
			  struct bench_error *error)
{
	if (identity->application != APPLICATION_ID)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': it belongs to another program; give another --db",
				  store->path);
	if (identity->version > NEWEST)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %d and this bench knows up to %d; "
				  "use the newer bench that wrote it, or give another --db",
				  store->path, identity->version, NEWEST);
	if (identity->version < 1)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %d, and there is none before 1: it "
				  "is damaged ('bench db repair')",
				  store->path, identity->version);
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
		int code = sqlite3_exec(store->connection, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (code == SQLITE_OK)
			return 0;
		if ((code & 0xff) != SQLITE_BUSY || waited_ms >= STORE_BUSY_MS)
			return store_fail(store, error);
		nanosleep(&pause, NULL);
	}
}

static int apply_steps(struct bench_store *store, int version, struct bench_error *error)
{
	const bool without_digests = version < WITH_DIGESTS;
	char pragmas[96];
	for (; version < NEWEST; version++) {
		if (store_script(store, steps[version], error) != 0)
			return -1;
	}
	if (without_digests && store_digest_all(store, error) != 0)
		return -1;
	sqlite3_snprintf(sizeof(pragmas), pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 APPLICATION_ID, NEWEST);
	return store_script(store, pragmas, error);
}

/* In memory, and nowhere but in this connection. */
static int open_empty(struct bench_store **store, struct bench_error *error)
{
	return store_open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, store, error);
}

static int migrate_all(struct bench_store *store, int version, struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	return bench_store_end(store, apply_steps(store, version, error), error);
}

int store_open_model(struct bench_store **store, struct bench_error *error)
{
	struct bench_store *model;
	if (open_empty(&model, error) != 0)
		return -1;
	if (migrate_all(model, 0, error) != 0) {
		bench_store_close(model);
		return -1;
	}
	*store = model;
	return 0;
}

static void tell_migration(const struct bench_store *store, int version, const char *kept)
{
	char *text = tell ? sqlite3_mprintf("database '%s': its schema was version %d and is %d now; as it "
					    "was, it is kept in '%s'",
					    store->path, version, NEWEST, kept)
			  : NULL;
	if (text)
		tell(text);
	sqlite3_free(text);
}

/*
 * Makes or migrates under the write lock, from what the file is by then: another process may have been
 * faster. The lock is taken even if there is nothing to do, which shows before anything is measured whether
 * the file can be written.
 */
static int make(struct bench_store *store, bool *migrated, struct bench_error *error)
{
	struct identity identity = {0};
	BENCH_SCOPED_MEMORY char *kept = NULL;
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = identify(store, &identity, error);
	if (status == 0 && !is_empty(&identity))
		status = check_identity(store, &identity, error);
	/* Before anything is changed, so that there is a way back. */
	if (status == 0 && identity.version > 0 && identity.version < NEWEST)
		status = store_keep_before(store->path, NEWEST, &kept, error);
	if (status == 0 && identity.version < NEWEST)
		status = apply_steps(store, identity.version, error);
	status = bench_store_end(store, status, error);
	*migrated = kept && status == 0;
	if (*migrated)
		tell_migration(store, identity.version, kept);
	else if (kept)
		unlink(kept);
	return status;
}

/* Puts a migrated copy, which is nowhere but in this connection, in the place of an older file. */
static int open_copy(struct bench_store *store, int version, struct bench_error *error)
{
	BENCH_SCOPED_STORE *copy = NULL;
	if (open_empty(&copy, error) != 0)
		return -1;
	int status = store_copy_pages(store, copy, error);
	void *file = store->connection;
	store->connection = copy->connection;
	copy->connection = file;
	return status == 0 ? migrate_all(store, version, error) : -1;
}

/* What can still be read: where its tables are ours, what it says of itself may be damaged. */
static int open_any(struct bench_store *store, const struct identity *identity, struct bench_error *error)
{
	struct bench_error ignored;
	if (identity->version > 0 && identity->version < NEWEST && identity->application == APPLICATION_ID)
		return open_copy(store, identity->version, error);
	if (identity->version <= NEWEST && check_tables(store, &ignored) == 0)
		return 0;
	return check_identity(store, identity, error);
}

int store_migrate(struct bench_store *store, enum bench_store_mode mode, struct bench_error *error)
{
	struct identity identity;
	if (identify(store, &identity, error) != 0)
		return -1;
	if (is_empty(&identity) && mode != BENCH_STORE_WRITE)
		return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': holds nothing yet", store->path);
	if (mode == BENCH_STORE_ANY)
		return check_trust(store, error) != 0 ? -1 : open_any(store, &identity, error);
	if (!is_empty(&identity) &&
	    (check_identity(store, &identity, error) != 0 || check_trust(store, error) != 0))
		return -1;
	if (mode == BENCH_STORE_READ && identity.version < NEWEST)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %d and has to become %d first; any "
				  "'bench ingest' does that",
				  store->path, identity.version, NEWEST);
	bool migrated = false;
	if (mode == BENCH_STORE_WRITE && (set_wal(store, error) != 0 || make(store, &migrated, error) != 0))
		return -1;
	/* Gives back the room of the old tables. Where that cannot be, say beside a reader, later runs use
	 * it. */
	if (migrated)
		(void)sqlite3_exec(store->connection, "VACUUM", NULL, NULL, NULL);
	return check_tables(store, error);
}

int bench_store_is_foreign(const char *path, bool *foreign, struct bench_error *error)
{
	struct identity identity;
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_error ignored;
	*foreign = false;
	/* What cannot be opened is damaged, and might be ours. */
	if (store_open(path, SQLITE_OPEN_READONLY, false, &store, error) != 0)
		return error->code == BENCH_ENVIRONMENT ? 0 : -1;
	if (identify(store, &identity, &ignored) == 0 && !is_empty(&identity))
		*foreign = identity.version > NEWEST ||
			   (identity.application != APPLICATION_ID && check_tables(store, &ignored) != 0);
	return 0;
}

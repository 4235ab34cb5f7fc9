/* SPDX-License-Identifier: MIT */
/*
 * The history on a server: found, opened, made, migrated. It is in the schema that the session makes tables
 * in (search_path); the comment on a table says that it is ours, and of what version. Servers change their
 * tables in transactions, so that a migration happens or does not, and no copy is needed before it.
 */
#include "store/server.h"

#include <string.h>

#include "core/text.h"
#include "store/place.h"
#include "store/tables.h"

extern const char bench_schema_postgres_sql[], bench_schema_postgres_5_6_sql[],
	bench_schema_postgres_6_7_sql[], bench_schema_postgres_7_8_sql[], bench_schema_postgres_8_9_sql[];

/* Each takes the version before it to its own; the first, nothing. A released step is never changed. */
static const struct {
	int version;
	const char *sql;
} steps[] = {{5, bench_schema_postgres_sql},
	     {6, bench_schema_postgres_5_6_sql},
	     {7, bench_schema_postgres_6_7_sql},
	     {8, bench_schema_postgres_7_8_sql},
	     {9, bench_schema_postgres_8_9_sql}};
#define STEPS  (sizeof(steps) / sizeof(steps[0]))
#define NEWEST steps[STEPS - 1].version

/* What is in the session's schema. */
struct identity {
	int64_t version; /* 0: no history of ours */
	int64_t tables;  /* called as ours are */
	bool may_write, is_standby;
	const char *encoding; /* of the database */
	const char *strange;  /* what no bench has made; "": nothing */
};

#define IN_SCHEMA "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
/*
 * In one turn to the server. What is strange are views in the place of tables, rules and triggers: they would
 * run what somebody else has written.
 */
static int identify(struct bench_store *store, struct bench_arena *arena, struct identity *identity,
		    struct bench_error *error)
{
	struct store_statement *row = NULL;
	*identity = (struct identity){0};
	int state = store_select(
		store, &row, error,
		"SELECT current_schema() IS NOT NULL, count(*), coalesce(max(CASE WHEN relname = 'run' THEN "
		"substring(obj_description(oid, 'pg_class') FROM '^bench history ([0-9]{1,9})$') "
		"END)::bigint, 0), coalesce(bool_and(has_table_privilege(oid, 'INSERT')), true), max(CASE "
		"WHEN relkind NOT IN ('r', 'p') THEN 'something else than a table called ' || relname WHEN "
		"relhasrules THEN 'a rule on ' || relname WHEN relhastriggers AND EXISTS (SELECT 1 FROM "
		"pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) THEN 'a trigger on ' || relname "
		"END), pg_is_in_recovery(), current_setting('server_encoding') FROM pg_class AS c "
		"WHERE " IN_SCHEMA " AND relname = ANY (string_to_array('" STORE_TABLE_NAMES "', ', '))",
		"");
	const bool there = state == 1 && store_int(row, 0) != 0;
	if (state == 1)
		*identity = (struct identity){.version = store_int(row, 2),
					      .tables = store_int(row, 1),
					      .may_write = store_int(row, 3) != 0,
					      .strange = store_text(arena, row, 4),
					      .is_standby = store_int(row, 5) != 0,
					      .encoding = store_text(arena, row, 6)};
	store_finish(row);
	if (state == 1 && !there)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s': there is no schema of its search_path, or it may not be used: its "
			"owner makes it (CREATE SCHEMA), and allows it ('bench db grant')",
			store->path);
	return state == 1 ? 0 : -1;
}

static int check_identity(struct bench_store *store, const struct identity *identity,
			  struct bench_error *error)
{
	if (identity->version == 0 && identity->tables == STORE_TABLE_COUNT)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': it has all tables of a history, but not the comment that "
				  "says its version: if it was restored without comments, COMMENT ON TABLE "
				  "run IS 'bench history %d', or the version that it had, makes it one "
				  "again; else give it a schema of its own (?options=-csearch_path%%3DNAME)",
				  store->path, NEWEST);
	if (identity->version == 0 && identity->tables > 0)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s': it has tables of another program that are called like those of a "
			"history; give it a schema of its own (?options=-csearch_path%%3DNAME)",
			store->path);
	if (identity->version > NEWEST)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %lld and this bench knows up to %d; "
				  "use the newer bench that wrote it, or give another --db",
				  store->path, (long long)identity->version, NEWEST);
	if (identity->version > 0 && identity->version < steps[0].version)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s': its schema is version %lld, and there is none before %d on a server: "
			"it is damaged; restore a backup of the server's, or give another --db",
			store->path, (long long)identity->version, steps[0].version);
	if (*identity->strange)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s': it has %.100s, which no bench has made: it is not trusted; drop "
			"that, or give it a schema of its own (?options=-csearch_path%%3DNAME)",
			store->path, identity->strange);
	return 0;
}

static int apply_steps(struct bench_store *store, int64_t version, struct bench_error *error)
{
	for (size_t i = 0; i < STEPS; i++)
		if (steps[i].version > version && store_script(store, steps[i].sql, error) != 0)
			return -1;
	return version == 0 ? store_digest_all(store, error) : 0;
}

/* From what there is by then: another process may have been faster. */
static int make(struct bench_store *store, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct identity identity;
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = identify(store, &arena, &identity, error);
	if (status == 0)
		status = check_identity(store, &identity, error);
	if (status == 0 && identity.version < NEWEST)
		status = apply_steps(store, identity.version, error);
	return bench_store_end(store, status, error);
}

/* Can it be used for what it was opened for, as it is? */
static int check_use(struct bench_store *store, enum bench_store_mode mode, const struct identity *identity,
		     struct bench_error *error)
{
	const bool reading = mode == BENCH_STORE_READ || mode == BENCH_STORE_ANY;
	if (!reading && identity->is_standby)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': the server is a standby, which takes no writes: give the "
				  "address of its primary",
				  store->path);
	if (!reading && strcmp(identity->encoding, "UTF8") != 0 &&
	    strcmp(identity->encoding, "SQL_ASCII") != 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its encoding is %.40s, in which not all texts can be kept: "
				  "make one with ENCODING 'UTF8'",
				  store->path, identity->encoding);
	if (!reading && !identity->may_write)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': this user may not write it; its owner may allow it: 'bench "
				  "db grant writer USER'",
				  store->path);
	if (!reading && identity->version < NEWEST)
		return make(store, error);
	if (identity->version < NEWEST)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': its schema is version %lld and has to become %d first; "
				  "'bench ingest' of its owner does that",
				  store->path, (long long)identity->version, NEWEST);
	if (identity->tables < STORE_TABLE_COUNT && mode != BENCH_STORE_ANY)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "database '%s': it lacks a table: 'bench db check' says which; restore a "
				  "backup of the server's",
				  store->path);
	return 0;
}

static int open_server(const char *address, enum bench_store_mode mode, struct bench_store **store,
		       struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct identity identity;
	struct bench_store *opened;
	if (store_server_connect(address, &opened, error) != 0)
		return -1;
	int status = identify(opened, &arena, &identity, error);
	if (status == 0)
		status = check_identity(opened, &identity, error);
	if (status == 0 && identity.version == 0 && mode != BENCH_STORE_WRITE)
		status = store_missing("tables in", opened->path, error);
	else if (status == 0)
		status = check_use(opened, mode, &identity, error);
	if (status != 0) {
		bench_store_close(opened);
		return -1;
	}
	*store = opened;
	return 0;
}

/*
 * What a role (%2$I) may do with the history in the schema %1$I: with its tables and views (%3$s), and
 * nothing else that may be there. Tables that a later version adds need it again.
 */
#define NOTHING "REVOKE ALL ON %3$s FROM %2$I; "
#define READING "GRANT USAGE ON SCHEMA %1$I TO %2$I; GRANT SELECT ON %3$s TO %2$I; "
#define WRITING "GRANT INSERT, UPDATE, DELETE ON %3$s TO %2$I"
#define OURS                                                                                                 \
	"(SELECT string_agg(format('%I.%I', current_schema(), name), ', ') FROM "                            \
	"unnest(string_to_array('" STORE_TABLE_NAMES                                                         \
	", history, outcome, runs, results, measurements', ', ')) AS name)"
static const char *const grants[STORE_USES] = {NOTHING "REVOKE USAGE ON SCHEMA %1$I FROM %2$I",
					       NOTHING READING, NOTHING READING WRITING};

static int grant(struct bench_store *store, const char *commands, const char *role, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	char **sql;
	size_t count;
	int status = store_texts(store, &arena, &sql, &count, error,
				 "SELECT CASE WHEN pg_get_userbyid(relowner) = ?2 THEN '' ELSE format(?1, "
				 "current_schema(), ?2, " OURS ") END FROM pg_class WHERE " IN_SCHEMA
				 " AND relname = 'run' AND pg_has_role(relowner, 'USAGE')",
				 "tt", commands, role);
	if (status == 0 && count == 0)
		status = bench_fail(error, BENCH_ENVIRONMENT,
				    "database '%s': only the owner of its tables may grant others their use",
				    store->path);
	if (status == 0 && count > 0 && !*sql[0])
		status = bench_fail(error, BENCH_USAGE,
				    "database '%s': '%.60s' owns its tables, and may do all with them",
				    store->path, role);
	if (status == 0 && bench_store_begin(store, error) == 0)
		status = bench_store_end(store, store_script(store, sql[0], error), error);
	else
		status = -1;
	return status;
}

static int grant_use(const char *path, enum store_use use, const char *role, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	if (open_server(path, BENCH_STORE_READ, &store, error) != 0)
		return -1;
	return grant(store, grants[use], role, error);
}

/* Only opening tells whether a history is there. */
static int find(const char *path, bool *there, struct bench_error *error)
{
	*there = true;
	return store_address_check(path, error);
}

const struct store_place store_server = {
	.shown = store_address_shown,
	.beside = store_address_beside,
	.find = find,
	.open = open_server,
	.grant = grant_use,
};

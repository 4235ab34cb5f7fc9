/* SPDX-License-Identifier: MIT */
/* A history that an older program wrote: nothing of it is lost. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "store_old.h"

/* The tables of version 1 that hold the same rows in all versions, and behind them those that versions 2 to 4
 * added. */
static const char *const tables[] = {"host",         "device",       "run",      "baseline",
				     "baseline_run", "verdict",      "accepted", "tuning",
				     "alarm",        "alarm_metric", "anchor",   "anchor_level"};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* Those whose rows are as many in all versions. */
static const char *const counted[] = {"result", "metric_key", "metric"};
#define COUNTED (sizeof(counted) / sizeof(counted[0]))

/* The scripts that make a version; the first makes 1. */
static const char *const scripts[] = {
	BENCH_SOURCE_DIR "/schema/results.sql", BENCH_SOURCE_DIR "/schema/migrate-1-2.sql",
	BENCH_SOURCE_DIR "/schema/migrate-2-3.sql", BENCH_SOURCE_DIR "/schema/migrate-3-4.sql"};

static size_t tables_of(int version)
{
	static const size_t counts[] = {6, 7, 8, TABLES};
	return counts[version - 1];
}

/* What that version says of a table: its columns, as a list for SQL. */
static void read_columns(sqlite3 *db, const char *table, char *columns, size_t size)
{
	char sql[128];
	sqlite3_stmt *statement;
	snprintf(sql, sizeof(sql), "SELECT group_concat(name, ', ') FROM pragma_table_info('%s')", table);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	snprintf(columns, size, "%s", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
}

static void run_script(sqlite3 *db, const char *path)
{
	char *script, *cause = NULL;
	size_t length;
	must(bench_file_read(path, 1 << 20, &script, &length, &error));
	if (sqlite3_exec(db, script, NULL, NULL, &cause) != SQLITE_OK)
		fail_msg("%s: %s", cause, path);
	free(script);
}

/* old.db, by that version's own scripts, with all rows of results.db in those columns that it knows, and
 * results as it kept them. */
static void write_version(void **state, int version, struct bench_run *const *runs, size_t run_count)
{
	sqlite3 *db;
	char *cause = NULL, columns[512], sql[1600];
	assert_int_equal(sqlite3_open(store_path(state, "old.db"), &db), SQLITE_OK);
	for (int i = 0; i < version; i++)
		run_script(db, scripts[i]);
	snprintf(sql, sizeof(sql),
		 "PRAGMA application_id = 0x42454e43; PRAGMA user_version = %d; ATTACH '%s' AS new", version,
		 store_path(state, "results.db"));
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	for (size_t i = 0; i < tables_of(version); i++) {
		read_columns(db, tables[i], columns, sizeof(columns));
		snprintf(sql, sizeof(sql), "INSERT INTO main.%s (%s) SELECT %s FROM new.%s", tables[i],
			 columns, columns, tables[i]);
		if (sqlite3_exec(db, sql, NULL, NULL, &cause) != SQLITE_OK)
			fail_msg("%s: %s", cause, sql);
	}
	for (size_t i = 0; i < run_count; i++)
		old_put_results(db, version, runs[i]);
	sqlite3_close(db);
}

/* Samples and what was watched, of all kinds. */
static void disturb(struct bench_run *run)
{
	struct bench_result *result = &run->results[0];
	struct bench_series *series = result->metrics[0].series;
	series->disturbed = bench_arena_alloc(&run->arena, series->count, sizeof(bool));
	series->disturbed[0] = true;
	for (int i = 0; i < 2; i++)
		*(struct bench_watched *)bench_arena_push(&run->arena, &result->watched,
							  &result->watched_count, sizeof(*result->watched)) =
			(struct bench_watched){.invocation = i,
					       .disturbed = 0.5,
					       .canary = i ? NAN : 1e-3,
					       .canary_worst = 1.1,
					       .others = 0.1,
					       .frequency = 2e9,
					       .device = (char *)(i ? "cool" : "")};
	result->is_final = false;
	bench_record_finalise(run);
}

/* A history of three runs, a baseline, verdicts and a shift, as that version would have written it, in
 * results.db. */
static void make_version(void **state, int version)
{
	const struct bench_verdict_row verdict = {"k",  "slower", 1.3,  1.2, 1.4, 0.001,
						  0.04, 0.05,     0.99, "",  ""};
	const struct bench_accepted_row shift = {
		.pattern = "*", .why = "so", .since = 10, .run = "a", .fingerprint = ""};
	const struct bench_tuning_row tuned = {.fingerprint = "here",
					       .backend = "opencl",
					       .device = "gpu",
					       .driver = "1",
					       .name = "gemm.tile",
					       .run = "a"};
	struct bench_anchor_level level = {"k/time", 0.01, 0.002, 0.01};
	const struct bench_anchor_row anchor = {.fingerprint = "f00d",
						.track = "t",
						.run = "a",
						.content = "c0",
						.commit = "",
						.why = "the first night",
						.levels = &level,
						.level_count = 1};
	char empty[] = "", *const none = empty, key[] = "k/time", unit[] = "s", host[] = "f00d",
	     track[] = "t", bad[] = "b";
	struct bench_alarm_metric metric = {.key = key,
					    .unit = unit,
					    .state = BENCH_ALARM_OPEN,
					    .level = 1,
					    .ratio = 1.3,
					    .last_run = bad,
					    .closed_run = none,
					    .why = none,
					    .nights = 1};
	struct bench_alarm alarm = {.fingerprint = host,
				    .track = track,
				    .first_bad = bad,
				    .last_good = none,
				    .bad_commit = none,
				    .good_commit = none,
				    .culprit = none,
				    .since = 20,
				    .metrics = &metric,
				    .metric_count = 1};
	char *const ids[] = {(char *)"b", (char *)"a"};
	char old[160];
	struct bench_store *store = open_store(state);
	struct bench_run *runs[] = {fixture_run("a", 10), fixture_run("b", 20),
				    labelled_run("c", 30, "power")};
	bool added;
	if (version > 1)
		disturb(runs[1]);
	for (size_t i = 0; i < 3; i++)
		must(bench_store_ingest(store, runs[i], &added, &error));
	must(bench_store_baseline_set(store, "main", ids, 2, &error));
	must(bench_store_keep_verdicts(store, "b", "main", &verdict, 1, &error));
	must(bench_store_accept(store, &shift, &error));
	must(bench_store_tuning_put(store, &tuned, 1, &error));
	must(bench_store_anchor_put(store, &anchor, &error));
	must(bench_store_alarm_keep(store, &alarm, &error));
	bench_store_close(store);
	write_version(state, version, runs, 3);
	for (size_t i = 0; i < 3; i++)
		bench_record_free(runs[i]);
	snprintf(old, sizeof(old), "%s", store_path(state, "old.db"));
	assert_int_equal(rename(old, store_path(state, "results.db")), 0);
	assert_true(query(state, "SELECT user_version FROM pragma_user_version") == version);
	assert_true(query(state, "SELECT count(*) FROM sample") > 0);
}

static void must_be_whole(const char *path)
{
	struct bench_store *store = NULL;
	struct bench_store_finding *findings;
	struct bench_arena arena = {0};
	size_t count;
	must(bench_store_open(path, BENCH_STORE_ANY, &store, &error));
	must(bench_store_examine(store, &arena, &findings, &count, &error));
	if (count > 0)
		fail_msg("%s: %s: %s", path, findings[0].what, findings[0].problem);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* The newest schema, and no row lost. */
static void migrate(void **state, int version)
{
	char sql[64];
	double rows[TABLES], counts[COUNTED];
	make_version(state, version);
	for (size_t i = 0; i < COUNTED; i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", counted[i]);
		counts[i] = query(state, sql);
	}
	for (size_t i = 0; i < tables_of(version); i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
		rows[i] = query(state, sql);
		assert_true(rows[i] > 0);
	}
	bench_store_close(open_store(state));
	for (size_t i = 0; i < tables_of(version); i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
		assert_true(query(state, sql) == rows[i]);
	}
	for (size_t i = 0; i < COUNTED; i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", counted[i]);
		assert_true(query(state, sql) == counts[i]);
	}
	assert_true(query(state, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'old%'") == 0);
	assert_true(query(state, "SELECT results FROM run WHERE id = 'a'") == 5);
	assert_true(query(state, "SELECT count(*) FROM run WHERE suites = 'gemm'") == 3);
	assert_true(query(state, "SELECT user_version FROM pragma_user_version") == 9);
	assert_true(query(state, "SELECT count(*) FROM pragma_foreign_key_check") == 0);
	assert_true(query(state, "SELECT ratio FROM verdict") == 1.3);
	assert_true(query(state, "SELECT count(*) FROM tuning") == (version > 2));
	assert_true(query(state, "SELECT count(*) FROM alarm") == (version > 3));
	assert_true(query(state, "SELECT count(*) FROM anchor") == (version > 3));
	must_be_whole(store_path(state, "results.db"));
	must_be_whole(store_path(state, "results.db.before-schema-9"));
	/* What is kept is what was there. */
	assert_true(query_of(state, "results.db.before-schema-9",
			     "SELECT user_version FROM pragma_user_version") == version);
}

static void old_history_is_migrated_when_it_is_written_to(void **state)
{
	migrate(state, 1);
	assert_true(query(state, "SELECT threshold IS NULL FROM verdict") == 1);
}

static void history_of_version_2_is_migrated_when_it_is_written_to(void **state)
{
	migrate(state, 2);
	assert_true(query(state, "SELECT threshold FROM verdict") == 0.05);
	assert_true(query(state, "SELECT count(*) FROM run WHERE aside = 'power'") == 1);
}

static void history_of_version_3_is_migrated_when_it_is_written_to(void **state)
{
	migrate(state, 3);
	assert_true(query(state, "SELECT count(*) FROM tuning WHERE name = 'gemm.tile'") == 1);
}

static void history_of_version_4_is_migrated_when_it_is_written_to(void **state)
{
	migrate(state, 4);
}

/* What is there, loaded and in the history, is what a program of this version would have there. */
static void samples_are_packed_as_they_were(void **state)
{
	struct bench_arena arena = {0};
	struct bench_point *points, *fresh;
	size_t count, fresh_count;
	struct bench_run *run, *expected = fixture_run("b", 20);
	make_version(state, 4);
	disturb(expected);
	struct bench_store *store = open_store(state), *other = NULL;
	must(bench_store_load(store, "b", &run, &error));
	assert_same_run(expected, run);
	assert_int_equal(run->results[0].watched_count, 2);
	assert_true(run->results[0].metrics[0].series[0].disturbed[0]);
	bench_record_free(run);
	must(bench_store_open(store_path(state, "fresh.db"), BENCH_STORE_WRITE, &other, &error));
	must_ingest(other, fixture_run("a", 10));
	must_ingest(other, expected);
	must(bench_store_history(store, "*", &arena, &points, &count, &error));
	must(bench_store_history(other, "*", &arena, &fresh, &fresh_count, &error));
	assert_int_equal(count, fresh_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(points[i].key, fresh[i].key);
		assert_string_equal(points[i].run, fresh[i].run);
		assert_same_real(points[i].median, fresh[i].median);
		assert_same_real(points[i].ci_lo, fresh[i].ci_lo);
		assert_int_equal(points[i].disturbed, fresh[i].disturbed);
	}
	/* The cases of an old run and of a new one are the same. */
	double heads = query(state, "SELECT count(*) FROM head");
	must_ingest(store, fixture_run("d", 40));
	assert_true(query(state, "SELECT count(*) FROM head") == heads);
	bench_arena_free(&arena);
	bench_store_close(store);
	bench_store_close(other);
}

/* All else is migrated, and the damage is told where it is read. */
static void damaged_samples_are_no_reason_to_refuse_the_rest(void **state)
{
	static const char *const damages[] = {"UPDATE sample SET data = x'00112233' WHERE sample = 1",
					      "UPDATE sample SET n = 1000000000 WHERE sample = 1",
					      "UPDATE sample SET disturbed = x'' WHERE sample = 1",
					      "UPDATE result SET head = '{' WHERE result = 1"};
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct bench_run *run;
		make_version(state, 4);
		run_sql(state, "results.db", damages[i]);
		struct bench_store *store = open_store(state);
		assert_int_equal(bench_store_load(store, "a", &run, &error), -1);
		assert_non_null(strstr(error.text, "damaged"));
		must(bench_store_load(store, "b", &run, &error));
		bench_record_free(run);
		bench_store_close(store);
		assert_int_equal(remove(store_path(state, "results.db")), 0);
	}
}

/* A host's, by the program that has migrated it. */
static void migrated_history_takes_what_tune_measures(void **state)
{
	const struct bench_tuning_row row = {.fingerprint = "here",
					     .backend = "opencl",
					     .device = "gpu",
					     .driver = "1",
					     .name = "gemm.slice",
					     .run = "a"};
	make_version(state, 2);
	struct bench_store *store = open_store(state);
	must(bench_store_tuning_put(store, &row, 1, &error));
	bench_store_close(store);
	assert_true(query(state, "SELECT count(*) FROM tuning") == 1);
}

static void migrated_runs_are_those_that_were_written(void **state)
{
	static const char *const ids[] = {"a", "b"};
	struct bench_arena arena = {0};
	struct bench_baseline_row *baselines;
	struct bench_run *run;
	size_t count;
	make_version(state, 1);
	struct bench_store *store = open_store(state);
	for (size_t i = 0; i < 2; i++) {
		struct bench_run *expected = fixture_run(ids[i], i ? 20 : 10);
		must(bench_store_load(store, ids[i], &run, &error));
		assert_same_run(expected, run);
		assert_int_equal(run->results[0].watched_count, 0);
		assert_null(run->results[0].metrics[0].series[0].disturbed);
		bench_record_free(expected);
		bench_record_free(run);
	}
	must(bench_store_baselines(store, &arena, &baselines, &count, &error));
	assert_int_equal(count, 1);
	assert_string_equal(baselines[0].runs[0], "b");
	assert_string_equal(baselines[0].runs[1], "a");
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* The label was there before the column was. */
static void old_runs_that_were_aside_are_so_still(void **state)
{
	struct bench_arena arena = {0};
	struct bench_run_row *rows;
	size_t count;
	char id[64];
	make_version(state, 1);
	run_sql(state, "results.db", "UPDATE run SET head = '{' WHERE id = 'a'");
	struct bench_store *store = open_store(state);
	must(bench_store_runs(store, 0, &arena, &rows, &count, &error));
	assert_int_equal(count, 3);
	assert_string_equal(rows[0].aside, "power");
	assert_string_equal(rows[1].aside, "");
	/* A head that is damaged is said where it is read, and is no reason to refuse the rest. */
	assert_string_equal(rows[2].aside, "");
	must(bench_store_last(store, 0, id, sizeof(id), &error));
	assert_string_equal(id, "b");
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void old_history_is_not_read_before_it_is_migrated(void **state)
{
	struct bench_store *store = NULL;
	make_version(state, 1);
	assert_int_equal(bench_store_open(store_path(state, "results.db"), BENCH_STORE_READ, &store, &error),
			 -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "its schema is version 1 and has to become 9 first"));
	assert_true(query(state, "SELECT user_version FROM pragma_user_version") == 1);
	bench_store_close(open_store(state));
	must(bench_store_open(store_path(state, "results.db"), BENCH_STORE_READ, &store, &error));
	bench_store_close(store);
}

/* A step that cannot be made leaves the file as it was. */
static void migration_that_fails_changes_nothing(void **state)
{
	struct bench_store *store = NULL;
	make_version(state, 1);
	run_sql(state, "results.db", "CREATE TABLE accepted (mine TEXT)");
	assert_int_equal(bench_store_open(store_path(state, "results.db"), BENCH_STORE_WRITE, &store, &error),
			 -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "accepted"));
	assert_true(query(state, "SELECT user_version FROM pragma_user_version") == 1);
	assert_true(query(state, "SELECT count(*) FROM pragma_table_info('run') WHERE name = 'aside'") == 0);
	assert_int_not_equal(access(store_path(state, "results.db.before-schema-9"), F_OK), 0);
	run_sql(state, "results.db", "DROP TABLE accepted");
	bench_store_close(open_store(state));
}

/* Without room for the copy there is no migration. */
static void history_that_cannot_be_kept_is_not_migrated(void **state)
{
	struct bench_store *store = NULL;
	make_version(state, 3);
	/* Enough for SQLite's own files, and too little for the copy. */
	const struct rlimit little = {.rlim_cur = 40000, .rlim_max = RLIM_INFINITY},
			    enough = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	int result = bench_store_open(store_path(state, "results.db"), BENCH_STORE_WRITE, &store, &error);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &enough), 0);
	assert_int_equal(result, -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "is left as it is"));
	assert_true(query(state, "SELECT user_version FROM pragma_user_version") == 3);
	assert_int_not_equal(access(store_path(state, "results.db.before-schema-9"), F_OK), 0);
	bench_store_close(open_store(state));
	assert_true(query(state, "SELECT user_version FROM pragma_user_version") == 9);
}

/* Several processes at once: one migrates, and one file is kept. */
static void processes_that_migrate_at_once_keep_one_file(void **state)
{
	pid_t children[4];
	make_version(state, 3);
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct bench_store *store = NULL;
			_exit(bench_store_open(store_path(state, "results.db"), BENCH_STORE_WRITE, &store,
					       &error) != 0);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(access(store_path(state, "results.db.before-schema-9"), F_OK), 0);
	assert_int_not_equal(access(store_path(state, "results.db.before-schema-9-2"), F_OK), 0);
	must_be_whole(store_path(state, "results.db"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(old_history_is_migrated_when_it_is_written_to),
		in_scratch(history_of_version_2_is_migrated_when_it_is_written_to),
		in_scratch(history_of_version_3_is_migrated_when_it_is_written_to),
		in_scratch(history_of_version_4_is_migrated_when_it_is_written_to),
		in_scratch(samples_are_packed_as_they_were),
		in_scratch(damaged_samples_are_no_reason_to_refuse_the_rest),
		in_scratch(migrated_history_takes_what_tune_measures),
		in_scratch(migrated_runs_are_those_that_were_written),
		in_scratch(old_runs_that_were_aside_are_so_still),
		in_scratch(old_history_is_not_read_before_it_is_migrated),
		in_scratch(migration_that_fails_changes_nothing),
		in_scratch(history_that_cannot_be_kept_is_not_migrated),
		in_scratch(processes_that_migrate_at_once_keep_one_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

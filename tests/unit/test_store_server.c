/* SPDX-License-Identifier: MIT */
/* What a server adds to a history: connections that are lost, roles, many writers, copies from engine to
 * engine. */
#include <ctype.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_fixture.h"

enum { WRITERS = 8, RUNS_OF_EACH = 4 };

static void needs_server(void)
{
	if (!on_server())
		skip();
}

static size_t findings_of(struct bench_store *store)
{
	struct bench_arena arena = {0};
	struct bench_store_finding *findings;
	size_t count;
	must(bench_store_examine(store, &arena, &findings, &count, &error));
	if (count > 0)
		fail_msg("%s: %s", findings[0].what, findings[0].problem);
	bench_arena_free(&arena);
	return count;
}

/* As a server that goes down, or a network that fails, would. */
static void cut_connection(void **state, struct bench_store *store)
{
	struct store_statement *row = NULL;
	char sql[64];
	assert_int_equal(store_select(store, &row, &error, "SELECT pg_backend_pid()", ""), 1);
	snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%lld, 5000)", (long long)store_int(row, 0));
	store_finish(row);
	run_sql(state, "results.db", sql);
}

static void password_is_never_shown(void **state)
{
	static const struct {
		const char *path, *shown;
	} paths[] = {
		{"results.db", "results.db"},
		{"a:b@c", "a:b@c"},
		{"postgresql://u@h/d", "postgresql://u@h/d"},
		{"postgresql://h:5432/d", "postgresql://h:5432/d"},
		{"postgresql://u:secret@h:5432/d", "postgresql://u:***@h:5432/d"},
		{"postgres://u:s@cret@h,i/d", "postgres://u:***@h,i/d"},
		{"postgres://u:s/e?c&ret@h/d", "postgres://u:***@h/d"},
		{"postgresql:///d?host=/s&password=secret", "postgresql:///d?host=/s&password=***"},
		{"postgresql:///d?password=secret&user=u", "postgresql:///d?password=***&user=u"},
		{"postgresql:///d?sslpassword=secret", "postgresql:///d?sslpassword=***"},
		{"postgresql://", "postgresql://"},
		{"postgresql://:@", "postgresql://:***@"},
	};
	struct bench_arena arena = {0};
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_string_equal(bench_store_shown(paths[i].path, &arena), paths[i].shown);
	bench_arena_free(&arena);
}

static void address_that_is_none_is_refused_without_its_words(void **state)
{
	static const char *const addresses[] = {"postgresql://u:se%zzcret@h/d", "postgresql://h/d?secret",
						"postgres://u@h:port:secret/d", "postgresql://[h/secret"};
	struct bench_store *store;
	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		assert_int_equal(bench_store_open(addresses[i], BENCH_STORE_READ, &store, &error), -1);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_null(strstr(error.text, "secret"));
	}
	assert_int_equal(
		bench_store_open("postgresql://u:secret@/d?host=/nowhere", BENCH_STORE_WRITE, &store, &error),
		-1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_null(strstr(error.text, "secret"));
	assert_non_null(strstr(error.text, "bench ingest"));
}

static void ingest_whose_connection_is_lost_leaves_nothing(void **state)
{
	bool added = true;
	needs_server();
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("b", 20);
	must_ingest(store, fixture_run("a", 10));
	must(bench_store_begin(store, &error));
	cut_connection(state, store);
	assert_int_equal(bench_store_end(store, bench_store_ingest(store, run, &added, &error), &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "'bench ingest' takes it in"));
	assert_false(added);
	assert_true(query(state, "SELECT count(*) FROM run") == 1);
	/* It is done again, on the same store. */
	must_ingest(store, run);
	assert_true(query(state, "SELECT count(*) FROM run") == 2);
	findings_of(store);
	bench_store_close(store);
}

static void connection_that_was_lost_between_two_writes_is_made_anew(void **state)
{
	needs_server();
	struct bench_store *store = open_store(state);
	must_ingest(store, fixture_run("a", 10));
	cut_connection(state, store);
	must_ingest(store, fixture_run("b", 20));
	assert_true(query(state, "SELECT count(*) FROM run") == 2);
	bench_store_close(store);
}

/* Each opens the history that nobody has made yet. */
static void write_runs(const char *path, int writer)
{
	struct bench_store *store;
	bool added = false;
	if (bench_store_open(path, BENCH_STORE_WRITE, &store, &error) != 0)
		_exit(1);
	for (int i = 0; i < RUNS_OF_EACH; i++) {
		char id[32];
		snprintf(id, sizeof(id), "w%d-%d", writer, i);
		struct bench_run *run = fixture_run(id, 1000 * writer + i);
		if (bench_store_ingest(store, run, &added, &error) != 0 || !added)
			_exit(2);
		bench_record_free(run);
	}
	bench_store_close(store);
	_exit(0);
}

static void many_writers_lose_nothing(void **state)
{
	needs_server();
	const char *path = store_path(state, "results.db");
	int status;
	for (int writer = 0; writer < WRITERS; writer++)
		if (fork() == 0)
			write_runs(path, writer);
	for (int writer = 0; writer < WRITERS; writer++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	struct bench_store *store = open_store(state);
	assert_true(query(state, "SELECT count(*) FROM run") == WRITERS * RUNS_OF_EACH);
	findings_of(store);
	bench_store_close(store);
}

/* The address for a role of the server. */
static const char *path_as(void **state, const char *role)
{
	static char path[440];
	const char *own = store_path(state, "results.db"), *at = strchr(own, '@');
	snprintf(path, sizeof(path), "postgresql://%s%s", role, at);
	return path;
}

static void roles_may_do_what_they_were_granted(void **state)
{
	struct bench_store *store;
	char role[80], sql[128];
	bool added;
	needs_server();
	snprintf(role, sizeof(role), "role_%s", strrchr(*state, '-') + 1);
	for (char *c = role; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	snprintf(sql, sizeof(sql), "CREATE ROLE %s LOGIN", role);
	bench_store_close(open_store(state));
	run_sql(state, "results.db", sql);
	assert_int_equal(bench_store_open(path_as(state, role), BENCH_STORE_READ, &store, &error), -1);
	assert_non_null(strstr(error.text, "bench db grant"));

	must(bench_store_grant(store_path(state, "results.db"), "reader", role, &error));
	must(bench_store_open(path_as(state, role), BENCH_STORE_READ, &store, &error));
	bench_store_close(store);
	assert_int_equal(bench_store_open(path_as(state, role), BENCH_STORE_WRITE, &store, &error), -1);
	assert_non_null(strstr(error.text, "grant writer"));

	must(bench_store_grant(store_path(state, "results.db"), "writer", role, &error));
	must(bench_store_open(path_as(state, role), BENCH_STORE_WRITE, &store, &error));
	struct bench_run *run = fixture_run("a", 10);
	must(bench_store_ingest(store, run, &added, &error));
	bench_record_free(run);
	bench_store_close(store);
	assert_int_equal(bench_store_grant(path_as(state, role), "writer", "bench", &error), -1);

	must(bench_store_grant(store_path(state, "results.db"), "none", role, &error));
	assert_int_equal(bench_store_open(path_as(state, role), BENCH_STORE_READ, &store, &error), -1);
	assert_int_equal(bench_store_grant(store_path(state, "results.db"), "writter", role, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(bench_store_grant(store_path(state, "results.db"), "writer",
					   "x'; DROP TABLE run; --", &error),
			 -1);
	assert_non_null(strstr(error.text, "does not exist"));
}

static void schema_that_is_not_ours_is_refused(void **state)
{
	static const struct {
		const char *sql, *message;
	} others[] = {
		{"COMMENT ON TABLE run IS 'bench history 99'", "is version 99 and this bench knows up to"},
		{"COMMENT ON TABLE run IS 'bench history 4'", "there is none before"},
		{"COMMENT ON TABLE run IS NULL", "COMMENT ON TABLE run IS 'bench history 9'"},
		{"COMMENT ON TABLE run IS 'bench history 99999999999'", "restored without comments"},
		{"COMMENT ON TABLE run IS NULL; DROP TABLE tuning", "another program"},
		{"DROP TABLE run CASCADE", "another program"},
		{"DROP TABLE tuning", "lacks a table"},
		{"DROP TABLE tuning; CREATE VIEW tuning AS SELECT 1", "not trusted"},
		{"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE "
		 "TRIGGER t "
		 "BEFORE INSERT ON run FOR EACH ROW EXECUTE FUNCTION f()",
		 "a trigger on run"},
		{"CREATE RULE r AS ON INSERT TO run DO NOTHING", "a rule on run"},
	};
	needs_server();
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct bench_store *store;
		char name[16];
		snprintf(name, sizeof(name), "%zu", i);
		must(bench_store_open(store_path(state, name), BENCH_STORE_WRITE, &store, &error));
		bench_store_close(store);
		run_sql(state, name, others[i].sql);
		for (enum bench_store_mode mode = BENCH_STORE_READ; mode <= BENCH_STORE_WRITE; mode++) {
			assert_int_equal(bench_store_open(store_path(state, name), mode, &store, &error), -1);
			assert_int_equal(error.code, BENCH_ENVIRONMENT);
			if (!strstr(error.text, others[i].message))
				fail_msg("%s: '%s'", others[i].sql, error.text);
		}
	}
}

/* Version 6 had no reasons, and version 7 no events of alarms. */
static void older_schema_is_migrated_and_loses_nothing(void **state)
{
	const struct bench_verdict_row verdict = {.key = "k", .verdict = "unclear", .ratio = 1.3};
	struct bench_store *store;
	needs_server();
	store = open_store(state);
	must_ingest(store, fixture_run("a", 10));
	must(bench_store_keep_verdicts(store, "a", "main", &verdict, 1, &error));
	bench_store_close(store);
	run_sql(state, "results.db",
		"DROP VIEW runs, results, measurements; ALTER TABLE verdict DROP COLUMN reason, DROP COLUMN "
		"owner; ALTER TABLE alarm DROP COLUMN told, DROP COLUMN cause; COMMENT ON TABLE run IS "
		"'bench history 6'");
	const char *path = store_path(state, "results.db");
	assert_int_equal(bench_store_open(path, BENCH_STORE_READ, &store, &error), -1);
	assert_non_null(strstr(error.text, "is version 6 and has to become 9 first"));
	store = open_store(state);
	findings_of(store);
	bench_store_close(store);
	assert_true(query(state, "SELECT count(*) FROM verdict WHERE ratio = 1.3 AND reason IS NULL AND "
				 "owner IS NULL") == 1);
}

/* Making the tables fails in the middle, on something of another program's. */
static void half_made_history_is_none(void **state)
{
	struct bench_store *store;
	needs_server();
	const char *path = store_path(state, "results.db");
	run_sql(state, "results.db", "CREATE TABLE theirs (x int); CREATE INDEX run_by_time ON theirs (x)");
	assert_int_equal(bench_store_open(path, BENCH_STORE_WRITE, &store, &error), -1);
	assert_non_null(strstr(error.text, "\"run_by_time\" already exists"));
	assert_non_null(strstr(error.text, "schema of its own"));
	assert_true(
		query(state,
		      "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM "
		      "pg_namespace WHERE nspname = current_schema())") == 1);
	run_sql(state, "results.db", "DROP TABLE theirs");
	bench_store_close(open_store(state));
}

static void missing_table_is_the_only_damage_that_is_told(void **state)
{
	struct bench_arena arena = {0};
	struct bench_store_finding *findings;
	struct bench_store *store;
	size_t count;
	needs_server();
	store = open_store(state);
	must_ingest(store, fixture_run("a", 10));
	bench_store_close(store);
	run_sql(state, "results.db", "DROP TABLE accepted");
	must(bench_store_open(store_path(state, "results.db"), BENCH_STORE_ANY, &store, &error));
	must(bench_store_examine(store, &arena, &findings, &count, &error));
	assert_true(count > 1);
	for (size_t i = 0; i < count; i++)
		if (!strstr(findings[i].problem, "accepted"))
			fail_msg("%s: %s", findings[i].what, findings[i].problem);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void history_that_is_not_there_is_nothing(void **state)
{
	struct bench_store *store;
	needs_server();
	assert_int_equal(bench_store_open(store_path(state, "results.db"), BENCH_STORE_READ, &store, &error),
			 -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_int_equal(
		bench_store_open(store_path(state, "results.db"), BENCH_STORE_CHANGE, &store, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	run_sql(state, "results.db", "DROP SCHEMA IF EXISTS gone");
}

/* The same from the server to a file, or the other way. */
static void copy_has_every_row_and_goes_nowhere_else(void **state)
{
	const struct bench_verdict_row verdict = {"k", "slower", 1.3,  1.2,     1.4,  0.001,
						  NAN, 0.05,     0.99, "it is", "@us"};
	char *const ids[] = {(char *)"b", (char *)"a"};
	char file[200], back[200], server[400];
	struct bench_store *store;
	struct bench_run *run, *expected;
	bool added;
	needs_server();
	expected = fixture_run("a", 10);
	snprintf(file, sizeof(file), "%s/one", (char *)*state);
	snprintf(back, sizeof(back), "%s/two", (char *)*state);
	must(bench_store_open(file, BENCH_STORE_WRITE, &store, &error));
	must_ingest(store, fixture_run("a", 10));
	must_ingest(store, fixture_run("b", 20));
	must(bench_store_baseline_set(store, "main", ids, 2, &error));
	must(bench_store_keep_verdicts(store, "b", "main", &verdict, 1, &error));
	bench_store_close(store);
	snprintf(server, sizeof(server), "%s", store_path(state, "results.db"));
	must(bench_store_transfer(file, server, &error));
	must(bench_store_transfer(server, back, &error));
	assert_int_equal(bench_store_transfer(file, server, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(bench_store_transfer(server, back, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);

	/* Equal to the bit: what is written next is, too. */
	const char *const copies[] = {file, server, back};
	int64_t digests[3];
	for (size_t i = 0; i < 3; i++) {
		size_t rows;
		must(bench_store_open(copies[i], BENCH_STORE_WRITE, &store, &error));
		must(bench_store_load(store, "a", &run, &error));
		assert_same_run(expected, run);
		bench_record_free(run);
		run = fixture_run("c", 30);
		must(bench_store_ingest(store, run, &added, &error));
		bench_record_free(run);
		struct store_part part = {.kind = STORE_DIGEST_RUN};
		must(store_find_run(store, "c", &part.run, &error));
		must(store_digest_compute(store, &part, &digests[i], &rows, &error));
		findings_of(store);
		bench_store_close(store);
		assert_true(digests[i] == digests[0]);
	}
	bench_record_free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(password_is_never_shown),
		in_scratch(address_that_is_none_is_refused_without_its_words),
		in_scratch(ingest_whose_connection_is_lost_leaves_nothing),
		in_scratch(connection_that_was_lost_between_two_writes_is_made_anew),
		in_scratch(many_writers_lose_nothing),
		in_scratch(roles_may_do_what_they_were_granted),
		in_scratch(schema_that_is_not_ours_is_refused),
		in_scratch(older_schema_is_migrated_and_loses_nothing),
		in_scratch(half_made_history_is_none),
		in_scratch(missing_table_is_the_only_damage_that_is_told),
		in_scratch(history_that_is_not_there_is_nothing),
		in_scratch(copy_has_every_row_and_goes_nowhere_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

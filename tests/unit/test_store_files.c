/* SPDX-License-Identifier: MIT */
/* The history as a file: what it may not be, several processes at once, kills, full and read-only disks. */
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "record_fixture.h"
#include "scratch.h"
#include "store/store.h"

/* Of the call at hand. */
static struct bench_error error;

static const char *db_path(void **state)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/results.db", (char *)*state);
	return path;
}

/* 0, or -1 with `error` filled: also for use in child processes, which cannot fail a test. */
static int ingest(const char *path, const char *id, long long started, bool *added)
{
	struct bench_store *store = NULL;
	if (bench_store_open(path, BENCH_STORE_WRITE, &store, &error) != 0)
		return -1;
	struct bench_run *run = fixture_run(id, started);
	int status = bench_store_ingest(store, run, added, &error);
	bench_record_free(run);
	bench_store_close(store);
	return status;
}

static void must_ingest(const char *path, const char *id)
{
	bool added;
	if (ingest(path, id, 10, &added) != 0)
		fail_msg("%s", error.text);
	assert_true(added);
}

static void must_refuse(const char *path, enum bench_store_mode mode, const char *message)
{
	struct bench_store *store = NULL;
	assert_int_equal(bench_store_open(path, mode, &store, &error), -1);
	assert_null(store);
	assert_true(error.code == BENCH_ENVIRONMENT || error.code == BENCH_NOTHING);
	if (!strstr(error.text, message) || !strstr(error.text, path))
		fail_msg("'%s' lacks '%s' or the path", error.text, message);
}

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static char *read_bytes(const char *path, size_t *length)
{
	char *data = NULL;
	if (bench_file_read(path, (size_t)1 << 30, &data, length, &error) != 0)
		fail_msg("%s", error.text);
	return data;
}

static void write_bytes(const char *path, const char *data, size_t length)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* How many runs the database has, each of which loads as the fixture. */
static size_t count_whole_runs(const char *path)
{
	struct bench_store *store = NULL;
	struct bench_arena arena = {0};
	struct bench_run_row *rows = NULL;
	size_t count = 0;
	if (bench_store_open(path, BENCH_STORE_READ, &store, &error) != 0 ||
	    bench_store_runs(store, 0, &arena, &rows, &count, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < count; i++) {
		struct bench_run *run = NULL, *expected = fixture_run(rows[i].id, rows[i].started);
		if (bench_store_load(store, rows[i].id, &run, &error) != 0)
			fail_msg("%s", error.text);
		assert_same_run(expected, run);
		bench_record_free(run);
		bench_record_free(expected);
	}
	bench_arena_free(&arena);
	bench_store_close(store);
	return count;
}

static void path_that_cannot_be_a_database_is_refused_by_name(void **state)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/absent/results.db", (char *)*state);
	must_refuse(path, BENCH_STORE_WRITE, "its folder must exist");
	must_refuse(path, BENCH_STORE_READ, "there is no history yet");
	must_refuse(*state, BENCH_STORE_WRITE, "it is a folder");
	must_refuse("", BENCH_STORE_WRITE, "no file name");
	must_refuse(":memory:", BENCH_STORE_WRITE, "no file name");
	must_refuse("file:x.db", BENCH_STORE_WRITE, "'./file:x.db'");
	must_refuse("file::memory:?cache=shared", BENCH_STORE_READ, "no file name");
	must_refuse("/dev/zero", BENCH_STORE_WRITE, "it is a device");
	snprintf(path, sizeof(path), "%s/pipe", (char *)*state);
	assert_int_equal(mkfifo(path, 0600), 0);
	must_refuse(path, BENCH_STORE_WRITE, "it is a FIFO");
	must_refuse(path, BENCH_STORE_READ, "it is a FIFO");
	snprintf(path, sizeof(path), "%s/circle", (char *)*state);
	assert_int_equal(symlink("circle", path), 0);
	must_refuse(path, BENCH_STORE_WRITE, "symbolic links");
	snprintf(path, sizeof(path), "%s/pipe/results.db", (char *)*state);
	must_refuse(path, BENCH_STORE_READ, "Not a directory");
	must_refuse("/proc/bench-results.db", BENCH_STORE_WRITE, "its folder must exist and be writable");
}

static void file_of_another_kind_is_refused_and_not_touched(void **state)
{
	static const char text[] = "# My notes\n\nThese are no measurements, and must stay as they are.\n";
	size_t length;
	const char *path = db_path(state);
	write_bytes(path, text, strlen(text));
	must_refuse(path, BENCH_STORE_WRITE, "no SQLite database");
	must_refuse(path, BENCH_STORE_READ, "no SQLite database");
	char *after = read_bytes(path, &length);
	assert_int_equal(length, strlen(text));
	assert_memory_equal(after, text, length);
	free(after);
}

static void database_of_another_program_is_refused_and_not_touched(void **state)
{
	static const char *const schemas[] = {
		"CREATE TABLE bookmark (url TEXT)",
		"CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 1",
		"CREATE TABLE run (id TEXT); PRAGMA application_id = 7; PRAGMA user_version = 1",
	};
	const char *path = db_path(state);
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		size_t before_length, after_length;
		remove(path);
		run_sql(path, schemas[i]);
		char *before = read_bytes(path, &before_length);
		must_refuse(path, BENCH_STORE_WRITE, "belongs to another program");
		char *after = read_bytes(path, &after_length);
		assert_int_equal(before_length, after_length);
		assert_memory_equal(before, after, before_length);
		free(before);
		free(after);
	}
}

static void newer_schema_is_refused_and_not_touched(void **state)
{
	const char *path = db_path(state);
	size_t before_length, after_length;
	must_ingest(path, "a");
	run_sql(path, "PRAGMA user_version = 999");
	char *before = read_bytes(path, &before_length);
	must_refuse(path, BENCH_STORE_WRITE, "its schema is version 999 and this bench knows up to 9");
	must_refuse(path, BENCH_STORE_READ, "its schema is version 999");
	char *after = read_bytes(path, &after_length);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, before_length);
	free(before);
	free(after);
}

/* A version is an index: none of these may be one. */
static void version_that_is_none_is_refused_and_not_touched(void **state)
{
	static const int versions[] = {0, -1, -4, -2147483647 - 1};
	const char *path = db_path(state);
	must_ingest(path, "a");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		char sql[64];
		size_t before_length, after_length;
		snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", versions[i]);
		run_sql(path, sql);
		char *before = read_bytes(path, &before_length);
		must_refuse(path, BENCH_STORE_WRITE, "there is none before 1");
		must_refuse(path, BENCH_STORE_READ, "there is none before 1");
		char *after = read_bytes(path, &after_length);
		assert_int_equal(before_length, after_length);
		assert_memory_equal(before, after, before_length);
		free(before);
		free(after);
	}
}

static void pipe_in_the_place_of_a_log_is_refused(void **state)
{
	static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
	const char *path = db_path(state);
	must_ingest(path, "a");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char beside[160];
		snprintf(beside, sizeof(beside), "%s%s", path, suffixes[i]);
		remove(beside);
		assert_int_equal(mkfifo(beside, 0600), 0);
		must_refuse(path, BENCH_STORE_READ, "move it away");
		must_refuse(path, BENCH_STORE_WRITE, "move it away");
		assert_int_equal(remove(beside), 0);
	}
	assert_int_equal(count_whole_runs(path), 1);
}

static void name_that_looks_like_an_address_is_a_file_below_a_folder(void **state)
{
	char path[160], here[PATH_MAX];
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(*state), 0);
	must_ingest("./file:x?mode=memory", "a");
	assert_int_equal(chdir(here), 0);
	snprintf(path, sizeof(path), "%s/file:x?mode=memory", (char *)*state);
	assert_int_equal(count_whole_runs(path), 1);
}

static void empty_file_becomes_a_database_when_written(void **state)
{
	const char *path = db_path(state);
	write_bytes(path, "", 0);
	must_refuse(path, BENCH_STORE_READ, "holds nothing yet");
	must_ingest(path, "a");
	assert_int_equal(count_whole_runs(path), 1);
}

static void database_without_one_of_its_tables_is_refused(void **state)
{
	const char *path = db_path(state);
	must_ingest(path, "a");
	run_sql(path, "PRAGMA foreign_keys = OFF; DROP TABLE metric");
	must_refuse(path, BENCH_STORE_READ, "no such table: metric");
	must_refuse(path, BENCH_STORE_WRITE, "no such table: metric");
}

/* They would run with every ingest, or every question. */
static void database_with_triggers_or_views_for_tables_is_refused(void **state)
{
	static const char *const schemas[] = {
		"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
		"PRAGMA foreign_keys = OFF; DROP TABLE tuning; CREATE VIEW tuning AS SELECT 1 AS tuning",
	};
	const char *path = db_path(state);
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		remove(path);
		must_ingest(path, "a");
		run_sql(path, schemas[i]);
		must_refuse(path, BENCH_STORE_READ, "which no bench has made");
		must_refuse(path, BENCH_STORE_WRITE, "which no bench has made");
	}
	/* A view of somebody's own does no harm. */
	remove(path);
	must_ingest(path, "a");
	run_sql(path, "CREATE VIEW mine AS SELECT id FROM run");
	assert_int_equal(count_whole_runs(path), 1);
}

static void truncated_database_is_refused_at_any_length(void **state)
{
	const char *path = db_path(state);
	size_t length;
	must_ingest(path, "a");
	char *data = read_bytes(path, &length);
	static const size_t cuts[] = {50, 99, 100, 511, 512, 1000, 4095, 4096, 4097, 8192, 20000};
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct bench_store *store = NULL;
		assert_true(cuts[i] < length);
		write_bytes(path, data, cuts[i]);
		assert_int_equal(bench_store_open(path, BENCH_STORE_WRITE, &store, &error), -1);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, path));
	}
	free(data);
}

/* Damage inside of the file shows where it is read, or not at all; it is never more than an error. */
static void damaged_pages_are_an_error_at_worst(void **state)
{
	const char *path = db_path(state);
	size_t length;
	must_ingest(path, "a");
	char *data = read_bytes(path, &length);
	for (size_t at = 100; at + 32 < length; at += 509) {
		struct bench_store *store = NULL;
		struct bench_run *run = NULL;
		char kept[32];
		memcpy(kept, data + at, sizeof(kept));
		memset(data + at, (int)(at % 256), sizeof(kept));
		write_bytes(path, data, length);
		error.text[0] = '\0';
		if (bench_store_open(path, BENCH_STORE_READ, &store, &error) == 0 &&
		    bench_store_load(store, "a", &run, &error) == 0)
			bench_record_free(run);
		else
			assert_true(error.text[0] != '\0');
		bench_store_close(store);
		memcpy(data + at, kept, sizeof(kept));
	}
	free(data);
}

static void damaged_rows_are_refused_by_name(void **state)
{
	static const char *const damages[] = {
		"UPDATE run SET head = '{'",
		"UPDATE run SET head = '{\"event\":\"finish\"}'",
		"UPDATE head SET text = '{\"event\":\"nothing\"}' WHERE head = 1",
		"UPDATE result SET status = 'fine'",
		"UPDATE metric_key SET better = 'up'",
		"UPDATE result SET head = 99",
		"UPDATE result SET method = 99",
		"DELETE FROM metric_key",
		"UPDATE result SET samples = x'' WHERE samples IS NOT NULL",
		"UPDATE result SET samples = substr(samples, 1, length(samples) - 1)",
		"UPDATE result SET samples = CAST(samples || x'01' AS BLOB)",
		"UPDATE result SET samples = x'00112233445566778899'",
		"UPDATE result SET watched = x''",
		"UPDATE result SET watched = x'0500'",
	};
	const char *path = db_path(state);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct bench_store *store = NULL;
		struct bench_run *run = NULL;
		remove(path);
		must_ingest(path, "a");
		run_sql(path, damages[i]);
		assert_int_equal(bench_store_open(path, BENCH_STORE_READ, &store, &error), 0);
		if (bench_store_load(store, "a", &run, &error) == 0)
			fail_msg("loaded after: %s", damages[i]);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, path));
		assert_non_null(strstr(error.text, "damaged"));
		bench_store_close(store);
	}
}

/* Starts `count` processes that ingest at once; returns how many of them said that they had added a run. */
static int ingest_at_once(const char *path, int count, bool same_run)
{
	pid_t children[8];
	int added_count = 0;
	for (int i = 0; i < count; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			char id[32];
			bool added = false;
			snprintf(id, sizeof(id), "run-%d", same_run ? 0 : i);
			_exit(ingest(path, id, 10 + (same_run ? 0 : i), &added) != 0 ? 2 : added ? 1 : 0);
		}
	}
	for (int i = 0; i < count; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status));
		assert_int_not_equal(WEXITSTATUS(status), 2);
		added_count += WEXITSTATUS(status);
	}
	return added_count;
}

static void processes_that_make_the_database_at_once_all_succeed(void **state)
{
	const char *path = db_path(state);
	for (int round = 0; round < 5; round++) {
		char beside[160];
		remove(path);
		snprintf(beside, sizeof(beside), "%s-wal", path);
		remove(beside);
		assert_int_equal(ingest_at_once(path, 4, false), 4);
		assert_int_equal(count_whole_runs(path), 4);
	}
}

static void one_of_the_processes_with_the_same_run_adds_it(void **state)
{
	const char *path = db_path(state);
	assert_int_equal(ingest_at_once(path, 4, true), 1);
	assert_int_equal(count_whole_runs(path), 1);
}

static void reader_is_not_held_up_by_a_writer(void **state)
{
	const char *path = db_path(state);
	sqlite3 *writer;
	must_ingest(path, "a");
	assert_int_equal(sqlite3_open(path, &writer), SQLITE_OK);
	assert_int_equal(sqlite3_exec(writer, "BEGIN IMMEDIATE; UPDATE run SET id = 'b'", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(count_whole_runs(path), 1);
	sqlite3_close(writer);
}

static void kill_in_the_middle_of_ingests_leaves_whole_runs(void **state)
{
	const char *path = db_path(state);
	must_ingest(path, "first");
	for (int round = 0; round < 5; round++) {
		pid_t child = fork();
		if (child == 0) {
			for (int i = 0;; i++) {
				char id[32];
				bool added;
				snprintf(id, sizeof(id), "run-%d-%d", round, i);
				if (ingest(path, id, 20, &added) != 0)
					_exit(1);
			}
		}
		const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000 + round * 3700 * 1000};
		nanosleep(&pause, NULL);
		assert_int_equal(kill(child, SIGKILL), 0);
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_true(count_whole_runs(path) >= 1);
	}
	must_ingest(path, "afterwards");
}

/* Runs `work` in a process of its own and returns its exit status. */
static int in_child(int (*work)(const char *path), const char *path)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		_exit(work(path));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int ingest_on_full_disk(const char *path)
{
	const struct rlimit small = {.rlim_cur = 300 * 1000, .rlim_max = 300 * 1000};
	bool added = false;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &small) != 0)
		return 1;
	for (int i = 0; i < 1000; i++) {
		char id[32];
		snprintf(id, sizeof(id), "run-%d", i);
		if (ingest(path, id, 20, &added) == 0)
			continue;
		return error.code == BENCH_ENVIRONMENT && strstr(error.text, path) && !added ? 0 : 2;
	}
	return 3;
}

static void full_disk_is_an_error_and_loses_no_run(void **state)
{
	const char *path = db_path(state);
	assert_int_equal(in_child(ingest_on_full_disk, path), 0);
	if (access(path, F_OK) == 0)
		assert_true(count_whole_runs(path) < 1000);
	must_ingest(path, "afterwards");
}

/* As a user who owns nothing: root may write everywhere. */
static int open_without_rights(const char *path)
{
	struct bench_store *store = NULL;
	if (getuid() == 0 && setuid(65534) != 0)
		return 1;
	if (bench_store_open(path, BENCH_STORE_WRITE, &store, &error) == 0)
		return 2;
	return error.code == BENCH_ENVIRONMENT && strstr(error.text, path) && strstr(error.text, "writable")
		       ? 0
		       : 3;
}

static void file_and_folder_without_write_permission_are_refused(void **state)
{
	const char *path = db_path(state);
	must_ingest(path, "a");
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(*state, 0777), 0);
	assert_int_equal(in_child(open_without_rights, path), 0);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(chmod(*state, 0555), 0);
	assert_int_equal(in_child(open_without_rights, path), 0);
	assert_int_equal(chmod(*state, 0755), 0);
	assert_int_equal(count_whole_runs(path), 1);
}

static int read_without_rights(const char *path)
{
	struct bench_store *store = NULL;
	struct bench_run *run;
	if (getuid() == 0 && setuid(65534) != 0)
		return 1;
	if (bench_store_open(path, BENCH_STORE_READ, &store, &error) != 0 ||
	    bench_store_load(store, "a", &run, &error) != 0)
		return 2;
	bench_record_free(run);
	bench_store_close(store);
	return 0;
}

static void file_in_a_folder_without_write_permission_is_read(void **state)
{
	const char *path = db_path(state);
	must_ingest(path, "a");
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(*state, 0555), 0);
	assert_int_equal(in_child(read_without_rights, path), 0);
	assert_int_equal(chmod(*state, 0755), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(path_that_cannot_be_a_database_is_refused_by_name),
		in_scratch(file_of_another_kind_is_refused_and_not_touched),
		in_scratch(database_of_another_program_is_refused_and_not_touched),
		in_scratch(newer_schema_is_refused_and_not_touched),
		in_scratch(version_that_is_none_is_refused_and_not_touched),
		in_scratch(pipe_in_the_place_of_a_log_is_refused),
		in_scratch(name_that_looks_like_an_address_is_a_file_below_a_folder),
		in_scratch(empty_file_becomes_a_database_when_written),
		in_scratch(database_without_one_of_its_tables_is_refused),
		in_scratch(database_with_triggers_or_views_for_tables_is_refused),
		in_scratch(truncated_database_is_refused_at_any_length),
		in_scratch(damaged_pages_are_an_error_at_worst),
		in_scratch(damaged_rows_are_refused_by_name),
		in_scratch(processes_that_make_the_database_at_once_all_succeed),
		in_scratch(one_of_the_processes_with_the_same_run_adds_it),
		in_scratch(reader_is_not_held_up_by_a_writer),
		in_scratch(kill_in_the_middle_of_ingests_leaves_whole_runs),
		in_scratch(full_disk_is_an_error_and_loses_no_run),
		in_scratch(file_and_folder_without_write_permission_are_refused),
		in_scratch(file_in_a_folder_without_write_permission_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

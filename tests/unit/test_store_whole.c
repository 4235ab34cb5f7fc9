/* SPDX-License-Identifier: MIT */
/* Damage is told, by name; copies are whole. */
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "store_fixture.h"

/* Two runs, a baseline, verdicts, a shift, an anchor and a candidate. */
static void make_history(void **state)
{
	const struct bench_verdict_row verdict = {"k",  "slower", 1.3,  1.2,     1.4,  0.001,
						  0.04, 0.05,     0.99, "it is", "@us"};
	const struct bench_accepted_row shift = {
		.pattern = "*", .why = "so", .since = 10, .run = "a", .fingerprint = ""};
	const struct bench_tuning_row tuned = {.fingerprint = "here",
					       .backend = "opencl",
					       .device = "gpu",
					       .driver = "1",
					       .name = "gemm.tile",
					       .ratio = 0.5,
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
	char *const ids[] = {(char *)"b", (char *)"a"};
	struct bench_store *store = open_store(state);
	must_ingest(store, fixture_run("a", 10));
	must_ingest(store, fixture_run("b", 20));
	must(bench_store_baseline_set(store, "main", ids, 2, &error));
	must(bench_store_keep_verdicts(store, "b", "main", &verdict, 1, &error));
	must(bench_store_accept(store, &shift, &error));
	must(bench_store_tuning_put(store, &tuned, 1, &error));
	must(bench_store_anchor_put(store, &anchor, &error));
	bench_store_close(store);
}

/* The number of findings; the first is copied into `what`. */
static size_t examine(void **state, const char *name, char *what, size_t size)
{
	struct bench_store *store = NULL;
	struct bench_store_finding *findings;
	struct bench_arena arena = {0};
	size_t count;
	must(bench_store_open(store_path(state, name), BENCH_STORE_ANY, &store, &error));
	must(bench_store_examine(store, &arena, &findings, &count, &error));
	snprintf(what, size, "%s: %s", count ? findings[0].what : "", count ? findings[0].problem : "");
	bench_arena_free(&arena);
	bench_store_close(store);
	return count;
}

static void history_is_whole_after_every_write(void **state)
{
	char what[400];
	make_history(state);
	if (examine(state, "results.db", what, sizeof(what)) != 0)
		fail_msg("%s", what);
	run_sql(state, "results.db",
		on_server() ? "CREATE INDEX own ON run (preset)"
			    : "CREATE VIEW mine AS SELECT a FROM nowhere; CREATE INDEX own ON run (preset)");
	if (examine(state, "results.db", what, sizeof(what)) != 0)
		fail_msg("%s", what);
	struct bench_store *store = open_store(state);
	const struct bench_tuning_query all = {.fingerprint = "here"};
	size_t count;
	must(bench_store_keep_verdicts(store, "b", "main", NULL, 0, &error));
	must(bench_store_baseline_remove(store, "main", &error));
	must(bench_store_unaccept(store, "*", NULL, &error));
	must(bench_store_tuning_forget(store, &all, &count, &error));
	assert_int_equal(count, 1);
	bench_store_close(store);
	if (examine(state, "results.db", what, sizeof(what)) != 0)
		fail_msg("%s", what);
}

/* Each value that is stored: another one is told, with the name of what it is part of. */
static void changed_rows_are_told_by_name(void **state)
{
	static const struct {
		const char *sql, *what;
	} damages[] = {
		{"UPDATE run SET started = 11 WHERE id = 'a'", "run:a: its rows are not"},
		{"UPDATE result SET iterations = iterations + 1 WHERE run = 1 AND position = 0", "run:a: "},
		{"UPDATE metric SET median = median * 1.0000001 WHERE run = 1 AND metric_key = 1",
		 "run:a: its rows"},
		{"UPDATE result SET method = NULL WHERE result = 1", "run:a: its rows"},
		{"UPDATE metric_key SET key = key || 'x' WHERE metric_key = 1", "run:a: its rows"},
		{"UPDATE result SET samples = NULL WHERE result = 1", "run:a: its rows"},
		{"UPDATE head SET text = text || ' ' WHERE head = 1", "run:a: its rows"},
		{"DELETE FROM baseline_run WHERE run = 2", "baselines: its rows"},
		{"UPDATE host SET name = 'another'", "hosts: its rows"},
		{"UPDATE device SET name = 'another'", "devices: its rows"},
		{"UPDATE baseline SET name = 'mien'", "baselines: its rows"},
		{"UPDATE verdict SET verdict = 'same'", "verdicts:b:main: its rows"},
		{"UPDATE verdict SET reason = NULL", "verdicts:b:main: its rows"},
		{"UPDATE verdict SET owner = '@them'", "verdicts:b:main: its rows"},
		{"UPDATE accepted SET pattern = '?'", "accepted: its rows"},
		{"UPDATE tuning SET ratio = 0.25", "tuning: its rows"},
		{"UPDATE anchor_level SET shift = 0", "anchors: its rows"},
		{"DELETE FROM digest WHERE kind = 'run' AND id = 'b'", "run:b: it has no digest"},
		{"DELETE FROM verdict", "verdicts:b:main: it is lost"},
		{"DROP INDEX run_by_time", "schema: index run_by_time is missing"},
		{"DROP TABLE tuning", "schema: table tuning"},
		/* Of a file. */
		{"DELETE FROM host", "run: 2 of its rows refer to rows of 'host'"},
		{"PRAGMA user_version = -3", "schema: the file says that it is of version -3"},
		{"PRAGMA application_id = 7", "schema: the file says"},
	};
	const size_t count = sizeof(damages) / sizeof(damages[0]) - (on_server() ? 3 : 0);
	make_history(state);
	struct bench_store *store = connect_to(state, "results.db");
	must(store_script(store, without_references(), &error));
	for (size_t i = 0; i < count; i++) {
		struct bench_arena arena = {0};
		struct bench_store_finding *findings;
		char what[400] = "";
		size_t found;
		must(bench_store_begin(store, &error));
		must(store_script(store, damages[i].sql, &error));
		must(bench_store_examine(store, &arena, &findings, &found, &error));
		if (found > 0)
			snprintf(what, sizeof(what), "%s: %s", findings[0].what, findings[0].problem);
		bench_arena_free(&arena);
		if (strncmp(what, damages[i].what, strlen(damages[i].what)) != 0)
			fail_msg("%s: '%s', not '%s'", damages[i].sql, what, damages[i].what);
		assert_int_equal(bench_store_end(store, -1, &error), -1);
	}
	bench_store_close(store);
}

/* One bit anywhere in the rows: it is told, or changes nothing that was stored. */
static void flipped_bits_are_told(void **state)
{
	char what[400], *data;
	size_t length, told = 0, tried = 0;
	needs_file();
	struct bench_run *expected[] = {fixture_run("a", 10), fixture_run("b", 20)}, *run;
	make_history(state);
	must(bench_file_read(store_path(state, "results.db"), (size_t)1 << 30, &data, &length, &error));
	for (size_t at = 4096; at < length; at += 4093, tried++) {
		struct bench_store *store = NULL;
		data[at] = (char)(data[at] ^ 0x10);
		must(bench_file_write(store_path(state, "results.db"), data, length, &error));
		if (bench_store_open(store_path(state, "results.db"), BENCH_STORE_ANY, &store, &error) != 0 ||
		    examine(state, "results.db", what, sizeof(what)) > 0) {
			told++;
		} else {
			for (size_t i = 0; i < 2; i++) {
				must(bench_store_load(store, expected[i]->id, &run, &error));
				assert_same_run(expected[i], run);
				bench_record_free(run);
			}
		}
		bench_store_close(store);
		data[at] = (char)(data[at] ^ 0x10);
	}
	assert_true(tried > 20 && told > 0);
	for (size_t i = 0; i < 2; i++)
		bench_record_free(expected[i]);
	free(data);
}

static void backup_is_the_database_with_its_log(void **state)
{
	char what[400], target[160];
	needs_file();
	make_history(state);
	struct bench_store *store = open_store(state);
	/* What is in the log, and not yet in the file. */
	must_ingest(store, fixture_run("c", 30));
	snprintf(target, sizeof(target), "%s", store_path(state, "copy.db"));
	must(bench_store_backup(store_path(state, "results.db"), target, false, &error));
	assert_true(query_of(state, "copy.db", "SELECT count(*) FROM run") == 3);
	if (examine(state, "copy.db", what, sizeof(what)) != 0)
		fail_msg("%s", what);
	bench_store_close(store);
}

static void backup_overwrites_only_where_it_is_said(void **state)
{
	char target[160];
	size_t length;
	char *data;
	needs_file();
	make_history(state);
	snprintf(target, sizeof(target), "%s", store_path(state, "copy.db"));
	must(bench_file_write(target, "mine", 4, &error));
	assert_int_equal(bench_store_backup(store_path(state, "results.db"), target, false, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	must(bench_file_read(target, 100, &data, &length, &error));
	assert_int_equal(length, 4);
	free(data);
	must(bench_store_backup(store_path(state, "results.db"), target, true, &error));
	assert_int_equal(bench_store_backup(target, target, true, &error), -1);
	assert_non_null(strstr(error.text, "the database itself"));
}

static void damaged_database_is_no_backup(void **state)
{
	char target[160];
	make_history(state);
	run_sql(state, "results.db", "UPDATE result SET samples = x'00' WHERE result = 1");
	snprintf(target, sizeof(target), "%s/copy.db", (char *)*state);
	assert_int_equal(bench_store_backup(store_path(state, "results.db"), target, false, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "run:a"));
	assert_int_not_equal(access(target, F_OK), 0);
}

static void open_database_is_known_to_be_used(void **state)
{
	int ready[2], done[2], status;
	char byte = 0;
	bool used;
	needs_file();
	make_history(state);
	must(bench_store_is_used(store_path(state, "results.db"), &used, &error));
	assert_false(used);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	pid_t child = fork();
	if (child == 0) {
		struct bench_store *store;
		if (bench_store_open(store_path(state, "results.db"), BENCH_STORE_WRITE, &store, &error) !=
			    0 ||
		    write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
			_exit(1);
		bench_store_close(store);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	must(bench_store_is_used(store_path(state, "results.db"), &used, &error));
	assert_true(used);
	assert_int_equal(write(done[1], &byte, 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(history_is_whole_after_every_write),
		in_scratch(changed_rows_are_told_by_name),
		in_scratch(flipped_bits_are_told),
		in_scratch(backup_is_the_database_with_its_log),
		in_scratch(backup_overwrites_only_where_it_is_said),
		in_scratch(damaged_database_is_no_backup),
		in_scratch(open_database_is_known_to_be_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

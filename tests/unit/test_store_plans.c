/* SPDX-License-Identifier: MIT */
/* No statement of the store goes through all results or all values of a history: what it takes grows with
 * what is asked for. */
#include "store/sqlite.h"
#include "store_fixture.h"

enum { MOST = 200 };

/* The statements that ran, each once. */
static char *ran[MOST];
static size_t ran_count;

static int note(unsigned type, void *context, void *statement, void *text)
{
	const char *sql = sqlite3_sql(statement);
	(void)type;
	(void)context;
	(void)text;
	for (size_t i = 0; sql && i < ran_count; i++)
		if (strcmp(ran[i], sql) == 0)
			return 0;
	if (sql && ran_count < MOST)
		ran[ran_count++] = strdup(sql);
	return 0;
}

/* Everything that a store is asked. */
static void work(struct bench_store *store)
{
	struct bench_arena arena = {0};
	struct bench_run *run, *runs[2];
	struct bench_run_row *rows;
	struct bench_older_run *older;
	struct bench_run_commit *commits;
	struct bench_point *points;
	struct bench_baseline_row *baselines;
	struct bench_kept_comparison *comparisons;
	struct bench_accepted_row shift = {.why = "so", .fingerprint = ""}, *shifts;
	const struct bench_verdict_row verdict = {"k", "same", 1, 1, 1, 1, 1, 1, 0.99, "", ""};
	char *const ids[] = {(char *)"a", (char *)"b"};
	char id[64], **keys, *aside;
	size_t count;
	must_ingest(store, fixture_run("a", 10));
	must_ingest(store, fixture_run("b", 20));
	must_ingest(store, labelled_run("c", 30, "power"));
	must(bench_store_load(store, "a", &run, &error));
	bench_record_free(run);
	must(bench_store_load_head(store, "a", &run, &error));
	bench_record_free(run);
	must(bench_store_load_medians(store, ids, 2, &arena, runs, &error));
	bench_record_free(runs[0]);
	bench_record_free(runs[1]);
	must(bench_store_last(store, 0, id, sizeof(id), &error));
	must(bench_store_last_of(store, "gemm", "opencl", "pocl-cpu", "f00d", id, sizeof(id), &error));
	assert_string_equal(id, "b");
	must(bench_store_aside(store, "power", &arena, &aside, &error));
	must(bench_store_runs(store, 0, &arena, &rows, &count, &error));
	must(bench_store_runs_before(store, "f00d", "quick", "b", 20, &arena, &older, &count, &error));
	must(bench_store_commits(store, &arena, &commits, &count, &error));
	must(bench_store_history(store, "*/time", &arena, &points, &count, &error));
	must(bench_store_metrics(store, "*", &arena, &keys, &count, &error));
	shift.pattern = "*/time";
	must(bench_store_accept_from(store, "*/time", NULL, NULL, &arena, &shift, &error));
	must(bench_store_accept(store, &shift, &error));
	must(bench_store_accepted(store, NULL, &arena, &shifts, &count, &error));
	must(bench_store_unaccept(store, "*/time", NULL, &error));
	must(bench_store_baseline_set(store, "main", ids, 2, &error));
	must(bench_store_baselines(store, &arena, &baselines, &count, &error));
	must(bench_store_keep_verdicts(store, "b", "main", &verdict, 1, &error));
	must(bench_store_comparisons(store, &arena, &comparisons, &count, &error));
	must(bench_store_baseline_remove(store, "main", &error));
	bench_arena_free(&arena);
}

/* Does a line of a plan go through a whole table that grows with every run's results? */
static bool goes_through(const char *line)
{
	static const char *const tables[] = {"SCAN result", "SCAN metric"};
	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(tables[i]);
		if (strncmp(line, tables[i], length) == 0 && (line[length] == '\0' || line[length] == ' '))
			return true;
	}
	return false;
}

static void check_plan(struct bench_store *store, const char *sql)
{
	char explain[4096];
	sqlite3_stmt *plan;
	snprintf(explain, sizeof(explain), "EXPLAIN QUERY PLAN %s", sql);
	assert_int_equal(sqlite3_prepare_v2(store->connection, explain, -1, &plan, NULL), SQLITE_OK);
	while (sqlite3_step(plan) == SQLITE_ROW) {
		const char *line = (const char *)sqlite3_column_text(plan, 3);
		if (goes_through(line))
			fail_msg("%s\n%s", line, sql);
	}
	sqlite3_finalize(plan);
}

static void no_statement_goes_through_all_results_or_values(void **state)
{
	struct bench_store *store = open_store(state);
	size_t selects = 0;
	sqlite3_trace_v2(store->connection, SQLITE_TRACE_STMT, note, NULL);
	work(store);
	sqlite3_trace_v2(store->connection, 0, NULL, NULL);
	for (size_t i = 0; i < ran_count; i++) {
		selects += strncmp(ran[i], "SELECT", 6) == 0;
		/* An insert's plan has the search for rows that waited for it, which is made only if some
		 * did. */
		if (strncmp(ran[i], "SELECT", 6) == 0 || strncmp(ran[i], "DELETE", 6) == 0)
			check_plan(store, ran[i]);
		free(ran[i]);
	}
	assert_true(selects > 15);
	bench_store_close(store);
}

/* Deleting a run takes its results and values with it: each finds them by an index. */
static void children_of_a_run_are_found_by_an_index(void **state)
{
	struct bench_store *store = open_store(state);
	check_plan(store, "DELETE FROM result WHERE run = 1");
	check_plan(store, "DELETE FROM metric WHERE run = 1");
	check_plan(store, "DELETE FROM verdict WHERE run = 1");
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(no_statement_goes_through_all_results_or_values),
		in_scratch(children_of_a_run_are_found_by_an_index),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Accepted shifts: from which run on, for whom, and what the history says of them. */
#include "store_fixture.h"

#define OPENCL   "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1/time"
#define OPENBLAS "gemm/openblas:some-cpu/dtype=f32,m=1024,alpha=0.1/time"

static struct bench_run *run_of_host(const char *id, long long started, const char *fingerprint)
{
	struct bench_run *run = fixture_run(id, started);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "fingerprint", fingerprint);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "name", fingerprint);
	return run;
}

static void must_accept(struct bench_store *store, const char *pattern, int64_t since, const char *run,
			const char *fingerprint, const char *why)
{
	const struct bench_accepted_row row = {
		.pattern = pattern, .why = why, .since = since, .run = run, .fingerprint = fingerprint};
	must(bench_store_accept(store, &row, &error));
}

static void shift_counts_from_the_last_run_of_the_host_that_has_the_metric(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_accepted_row row;
	must_ingest(store, run_of_host("here-1", 10, "here"));
	must_ingest(store, run_of_host("here-2", 20, "here"));
	struct bench_run *run = run_of_host("here-3", 30, "here");
	run->results[0].metric_count = 0;
	must_ingest(store, run);
	run = run_of_host("here-4", 40, "here");
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside", "confirms here-3");
	must_ingest(store, run);
	must_ingest(store, run_of_host("there", 50, "there"));
	must(bench_store_accept_from(store, OPENCL, "here", NULL, &arena, &row, &error));
	assert_string_equal(row.run, "here-2");
	assert_int_equal(row.since, 20);
	assert_string_equal(row.fingerprint, "here");
	must(bench_store_accept_from(store, "*", "here", NULL, &arena, &row, &error));
	assert_string_equal(row.run, "here-3");
	must(bench_store_accept_from(store, OPENCL, NULL, NULL, &arena, &row, &error));
	assert_string_equal(row.run, "there");
	/* By its id any run is, of whatever host, and aside too. */
	must(bench_store_accept_from(store, OPENCL, NULL, "here-4", &arena, &row, &error));
	assert_int_equal(row.since, 40);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void pattern_that_matches_nothing_names_the_nearest(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_accepted_row row;
	must_ingest(store, run_of_host("a", 10, "here"));
	struct bench_run *run = run_of_host("b", 20, "here");
	run->results[0].metric_count = 0;
	must_ingest(store, run);
	assert_int_equal(bench_store_accept_from(store, "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1/tim",
						 "here", NULL, &arena, &row, &error),
			 -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "the nearest is '" OPENCL "'"));
	assert_int_equal(bench_store_accept_from(store, OPENCL, "there", NULL, &arena, &row, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "no run of this host"));
	assert_int_equal(bench_store_accept_from(store, OPENCL, NULL, "b", &arena, &row, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "run b has no metric"));
	assert_int_equal(bench_store_accept_from(store, OPENCL, NULL, "bb", &arena, &row, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "has no run 'bb'"));
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void shifts_are_listed_for_their_host_and_for_all(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_accepted_row *rows;
	size_t count;
	must_ingest(store, run_of_host("a", 10, "here"));
	must_accept(store, "c*", 30, "late", "here", "third");
	must_accept(store, "b*", 20, "middle", "", "second");
	must_accept(store, "a*", 10, "early", "there", "first");
	must(bench_store_accepted(store, NULL, &arena, &rows, &count, &error));
	assert_int_equal(count, 3);
	assert_string_equal(rows[0].why, "first");
	assert_string_equal(rows[0].host, "");
	assert_string_equal(rows[2].pattern, "c*");
	assert_string_equal(rows[2].run, "late");
	assert_string_equal(rows[2].host, "here");
	assert_int_equal(rows[2].since, 30);
	assert_true(rows[2].created > 1700000000);
	must(bench_store_accepted(store, "here", &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].why, "second");
	assert_string_equal(rows[1].why, "third");
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void a_removal_is_told_from_a_shift(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_accepted_row *rows;
	struct bench_accepted_row row = {.pattern = "a*",
					 .why = "gone",
					 .since = 10,
					 .run = "a",
					 .fingerprint = "here",
					 .removal = true};
	size_t count;
	must(bench_store_accept(store, &row, &error));
	must_accept(store, "b*", 20, "b", "here", "slower");
	must(bench_store_accepted(store, "here", &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_true(rows[0].removal && !rows[1].removal);
	row.removal = false;
	must(bench_store_accept(store, &row, &error));
	must(bench_store_accepted(store, "here", &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_false(rows[0].removal);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void accepting_the_same_again_replaces_why(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_accepted_row *rows;
	size_t count;
	must_accept(store, "a*", 10, "a", "here", "first");
	must_accept(store, "a*", 10, "a", "here", "better said");
	must_accept(store, "a*", 20, "b", "here", "another one");
	must(bench_store_accepted(store, NULL, &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].why, "better said");
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void shift_without_a_reason_is_refused(void **state)
{
	char longest[600];
	struct bench_store *store = open_store(state);
	struct bench_accepted_row row = {.pattern = "*", .why = "", .run = "a", .fingerprint = ""};
	assert_int_equal(bench_store_accept(store, &row, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	row.why = " \t";
	assert_int_equal(bench_store_accept(store, &row, &error), -1);
	memset(longest, 'x', sizeof(longest));
	longest[599] = '\0';
	row.why = longest;
	assert_int_equal(bench_store_accept(store, &row, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_true(query(state, "SELECT count(*) FROM accepted") == 0);
	bench_store_close(store);
}

static void shift_is_taken_back_by_its_pattern(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_accepted_row *rows;
	size_t count;
	must_accept(store, "gemm/*", 10, "a", "here", "first");
	must_accept(store, "gemm/*", 20, "b", "", "second");
	must_accept(store, "gemm/*", 30, "c", "here", "third");
	must_accept(store, "spmv/*", 10, "a", "here", "other");
	assert_int_equal(bench_store_unaccept(store, "gem/*", NULL, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "the nearest is 'gemm/*'"));
	assert_int_equal(bench_store_unaccept(store, "gemm/*", "x", &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	must(bench_store_unaccept(store, "gemm/*", "a", &error));
	must(bench_store_accepted(store, NULL, &arena, &rows, &count, &error));
	assert_int_equal(count, 3);
	assert_string_equal(rows[0].why, "other");
	must(bench_store_unaccept(store, "gemm/*", NULL, &error));
	must(bench_store_accepted(store, NULL, &arena, &rows, &count, &error));
	assert_int_equal(count, 1);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* Two metrics in three runs here, and one run of another host between them. */
static void history_says_from_which_point_a_shift_counts(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_point *points;
	size_t count;
	must_ingest(store, run_of_host("a", 10, "here"));
	must_ingest(store, run_of_host("b", 20, "there"));
	must_ingest(store, run_of_host("c", 30, "here"));
	must_ingest(store, run_of_host("d", 40, "here"));
	/* From between two runs on: the next of that host is the first that counts. */
	must_accept(store, "*opencl*", 15, "gone", "here", "one");
	must_accept(store, "*", 40, "d", "here", "two");
	must_accept(store, "*opencl*", 40, "d", "", "three");
	must_accept(store, "*", 50, "later", "", "none");
	must(bench_store_history(store, "*m=1024,alpha=0.1/time", &arena, &points, &count, &error));
	assert_int_equal(count, 8);
	for (size_t i = 0; i < 8; i++) {
		static const char *const expected[] = {"", "", "", "two", "", "", "one", "two; three"};
		assert_string_equal(points[i].key, i < 4 ? OPENBLAS : OPENCL);
		assert_string_equal(points[i].accepted, expected[i]);
	}
	bench_arena_free(&arena);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(shift_counts_from_the_last_run_of_the_host_that_has_the_metric),
		in_scratch(pattern_that_matches_nothing_names_the_nearest),
		in_scratch(shifts_are_listed_for_their_host_and_for_all),
		in_scratch(a_removal_is_told_from_a_shift),
		in_scratch(accepting_the_same_again_replaces_why),
		in_scratch(shift_without_a_reason_is_refused),
		in_scratch(shift_is_taken_back_by_its_pattern),
		in_scratch(history_says_from_which_point_a_shift_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What 'bench tune' measured: kept by host, device and driver, and forgotten. */
#include <math.h>

#include "store_fixture.h"

static struct bench_tuning_row candidate(const char *name, uint64_t value, uint64_t base, bool chosen)
{
	return (struct bench_tuning_row){.fingerprint = "here",
					 .backend = "opencl",
					 .device = "some-gpu",
					 .driver = "1.2",
					 .name = name,
					 .value = value,
					 .base = base,
					 .step = 0.9,
					 .step_lo = 0.89,
					 .step_hi = 0.91,
					 .ratio = 0.8,
					 .lo = 0.78,
					 .hi = 0.82,
					 .chosen = chosen,
					 .run = "a"};
}

static void must_put(struct bench_store *store, const struct bench_tuning_row *row)
{
	must(bench_store_tuning_put(store, row, 1, &error));
}

/* Each differs from the one before in what tells devices apart. */
static void put_everywhere(struct bench_store *store)
{
	struct bench_tuning_row row = candidate("gemm.slice", 4096, 2048, true);
	must_put(store, &row);
	row.driver = "1.3";
	must_put(store, &row);
	row.device = "other-gpu";
	must_put(store, &row);
	row.backend = "other";
	must_put(store, &row);
	row.fingerprint = "there";
	must_put(store, &row);
}

static void candidate_comes_back_as_it_was_kept(void **state)
{
	const struct bench_tuning_query query = {.fingerprint = "here"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_tuning_row *rows, row = candidate("gemm.slice", 4096, 2048, true);
	size_t count;
	must_put(store, &row);
	row = candidate("gemm.slice", UINT64_MAX, 4096, false);
	row.step = row.step_lo = row.step_hi = row.ratio = row.lo = row.hi = NAN;
	must_put(store, &row);
	must(bench_store_tuning(store, &query, &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].fingerprint, "here");
	assert_string_equal(rows[0].backend, "opencl");
	assert_string_equal(rows[0].device, "some-gpu");
	assert_string_equal(rows[0].driver, "1.2");
	assert_string_equal(rows[0].name, "gemm.slice");
	assert_string_equal(rows[0].run, "a");
	assert_int_equal(rows[0].value, 4096);
	assert_int_equal(rows[0].base, 2048);
	assert_true(rows[0].step == 0.9 && rows[0].step_lo == 0.89 && rows[0].step_hi == 0.91);
	assert_true(rows[0].ratio == 0.8 && rows[0].lo == 0.78 && rows[0].hi == 0.82);
	assert_true(rows[0].chosen);
	assert_true(rows[0].created > 1700000000);
	assert_true(rows[1].value == UINT64_MAX);
	assert_true(isnan(rows[1].step) && isnan(rows[1].ratio) && isnan(rows[1].hi));
	assert_false(rows[1].chosen);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void winner_is_the_candidate_that_was_chosen_last(void **state)
{
	const struct bench_tuning_query query = {.fingerprint = "here"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_tuning_row *rows, row;
	size_t count;
	must(bench_store_tuned(store, &query, &arena, &rows, &count, &error));
	assert_int_equal(count, 0);
	row = candidate("gemm.slice", 4096, 2048, true);
	must_put(store, &row);
	row = candidate("gemm.slice", 1024, 4096, true);
	must_put(store, &row);
	row = candidate("gemm.slice", 8192, 1024, false);
	must_put(store, &row);
	row = candidate("gemm.block", 8, 4, false);
	must_put(store, &row);
	row = candidate("spmv.rows", 2, 1, true);
	must_put(store, &row);
	must(bench_store_tuned(store, &query, &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].name, "gemm.slice");
	assert_int_equal(rows[0].value, 1024);
	assert_string_equal(rows[1].name, "spmv.rows");
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void candidate_that_is_measured_again_replaces_what_was_known(void **state)
{
	const struct bench_tuning_query query = {.fingerprint = "here"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_tuning_row *rows, row = candidate("gemm.slice", 4096, 2048, true);
	size_t count;
	must_put(store, &row);
	row = candidate("gemm.slice", 1024, 4096, true);
	must_put(store, &row);
	row = candidate("gemm.slice", 4096, 1024, true);
	row.run = "b";
	must_put(store, &row);
	must(bench_store_tuning(store, &query, &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[1].run, "b");
	must(bench_store_tuned(store, &query, &arena, &rows, &count, &error));
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].value, 4096);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void devices_and_drivers_are_kept_apart(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_tuning_row *rows;
	const struct {
		struct bench_tuning_query query;
		size_t count;
	} asked[] = {
		{{"here", NULL, NULL, NULL, NULL}, 4},
		{{"there", NULL, NULL, NULL, NULL}, 1},
		{{"here", "opencl", NULL, NULL, NULL}, 3},
		{{"here", "opencl", "some-gpu", NULL, NULL}, 2},
		{{"here", "opencl", "some-gpu", "1.2", NULL}, 1},
		{{"here", "opencl", "some-gpu", "1.4", NULL}, 0},
		{{"here", NULL, NULL, NULL, "gemm.*"}, 4},
		{{"here", NULL, NULL, NULL, "spmv.*"}, 0},
	};
	size_t count;
	put_everywhere(store);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		must(bench_store_tuning(store, &asked[i].query, &arena, &rows, &count, &error));
		assert_int_equal(count, asked[i].count);
		must(bench_store_tuned(store, &asked[i].query, &arena, &rows, &count, &error));
		assert_int_equal(count, asked[i].count);
	}
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void forgetting_takes_what_is_asked_for_alone(void **state)
{
	const struct bench_tuning_query device = {"here", "opencl", "some-gpu", NULL, NULL};
	const struct bench_tuning_query others = {"here", NULL, NULL, NULL, "spmv.*"};
	const struct bench_tuning_query host = {"here", NULL, NULL, NULL, NULL};
	struct bench_store *store = open_store(state);
	size_t count;
	put_everywhere(store);
	must(bench_store_tuning_forget(store, &others, &count, &error));
	assert_int_equal(count, 0);
	must(bench_store_tuning_forget(store, &device, &count, &error));
	assert_int_equal(count, 2);
	assert_true(query(state, "SELECT count(*) FROM tuning") == 3);
	must(bench_store_tuning_forget(store, &host, &count, &error));
	assert_int_equal(count, 2);
	assert_true(query(state, "SELECT count(*) FROM tuning WHERE fingerprint = 'there'") == 1);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(candidate_comes_back_as_it_was_kept),
		in_scratch(winner_is_the_candidate_that_was_chosen_last),
		in_scratch(candidate_that_is_measured_again_replaces_what_was_known),
		in_scratch(devices_and_drivers_are_kept_apart),
		in_scratch(forgetting_takes_what_is_asked_for_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

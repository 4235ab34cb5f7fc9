/* SPDX-License-Identifier: MIT */
/* Several columns: how runs are cut by a key, how columns are compared, and what a geometric mean is of. */
#include "compare/columns.h"

#include "compare_fixture.h"

#define COUNT 12

static void add_case(struct bench_run *run, const char *backend, unsigned n, double center, uint64_t seed)
{
	struct bench_result *result = made_result(run, "gemm", backend, "cpu", n, BENCH_STATUS_OK);
	made_metric(run, result, "time", BENCH_BETTER_LOWER, noisy(center, COUNT, seed), COUNT);
}

/* Two backends that share n = 1 and 2, where the second takes `ratio` times as long. */
static struct bench_run *two_backends(double ratio)
{
	struct bench_run *run = made_run("both");
	for (unsigned n = 1; n <= 2; n++) {
		add_case(run, "openblas", n, n, 2UL * n);
		add_case(run, "opencl", n, ratio * n, 2UL * n + 1);
	}
	return run;
}

static int cut(struct bench_columns *columns, const struct bench_run *run, const char *key,
	       struct bench_error *error)
{
	*columns = (struct bench_columns){.means = true};
	int result = bench_compare_columns_cut(columns, &run, 1, key, error);
	return result == 0 ? bench_compare_columns(columns, &nightly, error) : result;
}

static void cut_well(struct bench_columns *columns, const struct bench_run *run, const char *key)
{
	struct bench_error error;
	if (cut(columns, run, key, &error) != 0)
		fail_msg("%s", error.text);
}

static void assert_no_cut(const struct bench_run *run, const char *key, enum bench_code code,
			  const char *word)
{
	struct bench_columns columns;
	struct bench_error error = {0};
	assert_int_equal(cut(&columns, run, key, &error), -1);
	assert_int_equal(error.code, code);
	if (!strstr(error.text, word))
		fail_msg("'%s' is not in: %s", word, error.text);
	bench_compare_columns_free(&columns);
}

static void backends_of_one_run_are_compared_in_pairs(void **state)
{
	(void)state;
	struct bench_run *run = two_backends(1.3);
	struct bench_columns columns;
	cut_well(&columns, run, "backend");
	assert_int_equal(columns.count, 2);
	assert_string_equal(columns.items[0].name, "openblas");
	assert_true(columns.items[1].paired);
	const struct bench_verdict *verdict =
		bench_compare_columns_find(&columns.items[1], "gemm/*/n=1/time");
	assert_non_null(verdict);
	assert_int_equal(verdict->kind, BENCH_SLOWER);
	assert_true(fabs(verdict->ratio - 1.3) < 0.02);
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void chosen_values_are_the_columns_in_that_order(void **state)
{
	(void)state;
	struct bench_run *run = two_backends(1.3);
	struct bench_columns columns;
	cut_well(&columns, run, "backend=opencl,openblas");
	assert_string_equal(columns.items[0].name, "opencl");
	assert_int_equal(bench_compare_columns_find(&columns.items[1], "gemm/*/n=2/time")->kind,
			 BENCH_FASTER);
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void a_mean_is_close_to_the_geometric_mean_of_the_ratios(void **state)
{
	(void)state;
	struct bench_run *run = two_backends(1.3);
	struct bench_columns columns;
	cut_well(&columns, run, "backend");
	const struct bench_column *column = &columns.items[1];
	const struct bench_verdict *mean = find(column->comparison->means, "all/time");
	double first = bench_compare_columns_find(column, "gemm/*/n=1/time")->ratio;
	double second = bench_compare_columns_find(column, "gemm/*/n=2/time")->ratio;
	assert_int_equal(columns.mean_count, 2);
	assert_true(fabs(mean->ratio - sqrt(first * second)) < 0.01);
	assert_true(mean->lo < mean->ratio && mean->ratio < mean->hi);
	assert_int_equal(mean->kind, BENCH_SLOWER);
	assert_non_null(bench_compare_find(column->comparison->means, "gemm/time"));
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void what_a_column_lacks_is_in_no_mean_and_is_listed(void **state)
{
	(void)state;
	struct bench_run *run = two_backends(1);
	made_result(run, "gemm", "opencl", "cpu", 3, BENCH_STATUS_UNSUPPORTED);
	add_case(run, "openblas", 3, 3, 30);
	add_case(run, "opencl", 4, 3, 31);
	struct bench_columns columns;
	cut_well(&columns, run, "backend");
	assert_int_equal(columns.mean_count, 2);
	assert_int_equal(columns.left_out_count, 2);
	assert_string_equal(columns.left_out[0].key, "gemm/*/n=3");
	assert_non_null(strstr(columns.left_out[0].why, "unsupported"));
	assert_non_null(strstr(columns.left_out[1].why, "openblas does not have it"));
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void a_value_of_zero_is_in_no_mean(void **state)
{
	(void)state;
	const double zeros[COUNT] = {0};
	struct pair pair = make_pair(2, COUNT, 1);
	made_metric(pair.base, &pair.base->results[0], "allocs", BENCH_BETTER_LOWER, zeros, COUNT);
	made_metric(pair.candidate, &pair.candidate->results[0], "allocs", BENCH_BETTER_LOWER, zeros, COUNT);
	struct bench_column items[2] = {{.name = "base"}, {.name = "candidate"}};
	struct bench_columns columns = {.means = true, .items = items, .count = 2};
	items[1].comparison = compare(pair);
	bench_compare_columns_match(&columns);
	assert_int_equal(columns.mean_count, 2);
	assert_int_equal(columns.left_out_count, 1);
	assert_non_null(strstr(columns.left_out[0].why, "zero or below"));
	bench_compare_columns_free(&columns);
}

static void means_of_runs_allow_for_the_spread_between_them(void **state)
{
	(void)state;
	static const char *const keys[] = {"gemm/openblas:cpu/n=0/time", "gemm/openblas:cpu/n=1/time"};
	struct bench_compare_options options = nightly;
	options.mean_of = keys;
	options.mean_count = 2;
	struct bench_comparison *narrow = compare_with(make_pair(2, COUNT, 1.02), &options);
	options.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD;
	struct bench_comparison *wide = compare_with(make_pair(2, COUNT, 1.02), &options);
	const struct bench_verdict *a = find(narrow->means, "all/time"), *b = find(wide->means, "all/time");
	assert_true(b->hi / b->lo > 1.1 && a->hi / a->lo < 1.05);
	assert_int_equal(b->kind, BENCH_UNCLEAR);
	bench_compare_free(narrow);
	bench_compare_free(wide);
}

/* The errors of the two cases cancel each other in each invocation, of which one case lacks the first. */
static void a_mean_of_pairs_is_of_the_same_invocations(void **state)
{
	(void)state;
	struct bench_run *run = made_run("both");
	double ones[COUNT], errors[2][COUNT];
	for (int i = 0; i < COUNT; i++) {
		ones[i] = 1;
		errors[0][i] = i % 2 ? 1.1 : 1;
		errors[1][i] = i % 2 ? 1 : 1.1;
	}
	for (unsigned n = 0; n < 2; n++) {
		struct bench_result *base = made_result(run, "gemm", "openblas", "cpu", n, BENCH_STATUS_OK);
		made_metric(run, base, "time", BENCH_BETTER_LOWER, ones, COUNT);
		struct bench_result *other = made_result(run, "gemm", "opencl", "cpu", n, BENCH_STATUS_OK);
		struct bench_metric *time =
			made_metric(run, other, "time", BENCH_BETTER_LOWER, errors[n], COUNT);
		time->series += n;
		time->series_count -= n;
	}
	struct bench_columns columns;
	cut_well(&columns, run, "backend=openblas,opencl");
	const struct bench_verdict *mean = find(columns.items[1].comparison->means, "all/time");
	assert_true(mean->hi / mean->lo < 1.01);
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void runs_of_one_value_are_pooled(void **state)
{
	(void)state;
	struct bench_run *runs[] = {made_run("a"), made_run("b"), made_run("c")};
	const char *const branches[] = {"main", "side", "side"};
	struct bench_columns columns = {0};
	struct bench_error error;
	for (int i = 0; i < 3; i++) {
		runs[i]->git.branch = bench_arena_string(&runs[i]->arena, branches[i]);
		add_time(runs[i], 0, i ? 2 : 1, COUNT, (uint64_t)i);
	}
	assert_int_equal(bench_compare_columns_cut(&columns, (const struct bench_run *const *)runs, 3,
						   "branch", &error),
			 0);
	assert_int_equal(bench_compare_columns(&columns, &nightly, &error), 0);
	assert_false(columns.items[1].paired);
	const struct bench_verdict *verdict = bench_compare_columns_find(&columns.items[1], TIME_0);
	assert_int_equal(verdict->candidate_invocations, 2 * COUNT);
	assert_int_equal(verdict->kind, BENCH_SLOWER);
	bench_compare_columns_free(&columns);
	for (int i = 0; i < 3; i++)
		bench_record_free(runs[i]);
}

static void columns_of_other_cases_are_left_out_and_named(void **state)
{
	(void)state;
	struct bench_run *run = made_run("three");
	add_case(run, "host", 7, 1, 1);
	add_case(run, "openblas", 1, 1, 2);
	add_case(run, "opencl", 1, 1, 3);
	struct bench_columns columns;
	cut_well(&columns, run, "backend");
	assert_int_equal(columns.count, 2);
	assert_string_equal(columns.items[0].name, "openblas");
	assert_non_null(strstr(columns.notes[0], "host is left out"));
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void columns_that_measured_nothing_are_left_out_and_broken_ones_are_not(void **state)
{
	(void)state;
	struct bench_run *run = made_run("five");
	made_result(run, "gemm", "clblast", "cpu", 1, BENCH_STATUS_UNSUPPORTED);
	add_case(run, "openblas", 1, 1, 2);
	add_case(run, "opencl", 1, 1, 3);
	made_result(run, "gemm", "onednn", "cpu", 1, BENCH_STATUS_UNSUPPORTED);
	made_result(run, "gemm", "reference", "cpu", 1, BENCH_STATUS_INCORRECT);
	struct bench_columns columns;
	cut_well(&columns, run, "backend");
	assert_int_equal(columns.count, 3);
	assert_string_equal(columns.items[0].name, "openblas");
	assert_string_equal(columns.items[1].name, "opencl");
	assert_int_equal(columns.items[2].comparison->counts[BENCH_BROKEN], 1);
	assert_int_equal(columns.note_count, 2);
	bench_compare_columns_free(&columns);
	bench_record_free(run);
}

static void what_makes_no_columns_is_refused_by_name(void **state)
{
	(void)state;
	struct bench_run *run = two_backends(1);
	assert_no_cut(run, "bakend", BENCH_USAGE, "'backend'");
	assert_no_cut(run, "backend=opencl,opnblas", BENCH_USAGE, "'openblas'");
	assert_no_cut(run, "backend=opencl", BENCH_NOTHING, "one column");
	assert_no_cut(run, "device", BENCH_NOTHING, "one column");
	assert_no_cut(run, "=", BENCH_USAGE, "KEY=VALUE");
	assert_no_cut(run, "", BENCH_USAGE, "KEY=VALUE");
	for (unsigned n = 10; n < 40; n++)
		add_case(run, "opencl", n, 1, n);
	assert_no_cut(run, "n", BENCH_USAGE, "too many");
	bench_record_free(run);
}

static void a_group_is_the_suite_with_its_operation(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	assert_string_equal(bench_compare_group(&arena, "view/opencl:x/n=1,op=transpose,m=2/time"),
			    "view transpose");
	assert_string_equal(bench_compare_group(&arena, "view/opencl:x/op=add/time"), "view add");
	assert_string_equal(bench_compare_group(&arena, "gemm/opencl:x/top=1/time"), "gemm");
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backends_of_one_run_are_compared_in_pairs),
		cmocka_unit_test(chosen_values_are_the_columns_in_that_order),
		cmocka_unit_test(a_mean_is_close_to_the_geometric_mean_of_the_ratios),
		cmocka_unit_test(what_a_column_lacks_is_in_no_mean_and_is_listed),
		cmocka_unit_test(a_value_of_zero_is_in_no_mean),
		cmocka_unit_test(means_of_runs_allow_for_the_spread_between_them),
		cmocka_unit_test(a_mean_of_pairs_is_of_the_same_invocations),
		cmocka_unit_test(runs_of_one_value_are_pooled),
		cmocka_unit_test(columns_of_other_cases_are_left_out_and_named),
		cmocka_unit_test(columns_that_measured_nothing_are_left_out_and_broken_ones_are_not),
		cmocka_unit_test(what_makes_no_columns_is_refused_by_name),
		cmocka_unit_test(a_group_is_the_suite_with_its_operation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

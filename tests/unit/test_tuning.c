/* SPDX-License-Identifier: MIT */
/* How values for tunables are read, and that the backends' tables can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backends.h"
#include "measure/worker/tuning.h"

static struct bench_arena arena;

static int free_all(void **state)
{
	(void)state;
	bench_arena_free(&arena);
	return 0;
}

static void values_are_read_by_name(void **state)
{
	(void)state;
	struct bench_tuned *tuned;
	struct bench_error error;
	size_t count;
	assert_int_equal(bench_worker_tuning_parse("", &arena, &tuned, &count, &error), 0);
	assert_int_equal(count, 0);
	assert_int_equal(
		bench_worker_tuning_parse("gemm.slice=4096,gemm.block=8", &arena, &tuned, &count, &error), 0);
	assert_int_equal(count, 2);
	assert_string_equal(tuned[0].name, "gemm.slice");
	assert_int_equal(tuned[0].value, 4096);
	assert_string_equal(tuned[1].name, "gemm.block");
	assert_int_equal(tuned[1].value, 8);
}

static void what_is_none_is_refused_by_name(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"gemm.slices=4096", "did you mean 'gemm.slice'?"},
		{"gemm.slice", "'gemm.slice' is not NAME=VALUE"},
		{"gemm.slice=", "gemm.slice='': it can be 1024"},
		{"gemm.slice=4097", "gemm.slice='4097': it can be 1024"},
		{"gemm.slice=4096x", "gemm.slice='4096x': it can be 1024"},
		{"gemm.slice=-1", "gemm.slice='-1': it can be 1024"},
		{"gemm.slice=4096,gemm.slice=2048", "'gemm.slice' stands twice"},
		{"gemm.slice=4096,,", "'' is not NAME=VALUE"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_tuned *tuned;
		struct bench_error error = {0};
		size_t count;
		assert_int_equal(bench_worker_tuning_parse(cases[i].text, &arena, &tuned, &count, &error),
				 -1);
		assert_int_equal(error.code, BENCH_USAGE);
		if (!strstr(error.text, cases[i].expected))
			fail_msg("'%s': %s", cases[i].text, error.text);
	}
}

static void what_is_not_said_is_none(void **state)
{
	(void)state;
	struct bench_tuned *tuned;
	struct bench_error error;
	size_t count;
	assert_int_equal(bench_worker_tuning_parse(NULL, &arena, &tuned, &count, &error), 0);
	assert_int_equal(count, 0);
	assert_int_equal(bench_worker_tuning_parse("", &arena, &tuned, &count, &error), 0);
	assert_int_equal(count, 0);
	assert_int_equal(bench_worker_tuning_parse("spmv.span=65536", &arena, &tuned, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(tuned[0].value, 65536);
}

/* Candidates ascend, and the default is one of them. */
static void every_tunable_is_whole(void **state)
{
	(void)state;
	size_t seen = 0;
	for (size_t i = 0; bench_backends[i]; i++)
		for (const struct bench_tunable *tunable = bench_backends[i]->tunables;
		     tunable && tunable->name; tunable++, seen++) {
			size_t defaults = 0;
			assert_true(tunable->help && tunable->suite && tunable->sets &&
				    tunable->value_count > 1);
			for (size_t v = 0; v < tunable->value_count; v++) {
				defaults += tunable->values[v] == tunable->fallback;
				assert_true(v == 0 || tunable->values[v] > tunable->values[v - 1]);
			}
			assert_int_equal(defaults, 1);
		}
	assert_true(seen >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_by_name),
		cmocka_unit_test(what_is_none_is_refused_by_name),
		cmocka_unit_test(what_is_not_said_is_none),
		cmocka_unit_test(every_tunable_is_whole),
	};
	return cmocka_run_group_tests(tests, NULL, free_all);
}

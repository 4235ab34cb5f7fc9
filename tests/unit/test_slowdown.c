/* SPDX-License-Identifier: MIT */
/* Slowdowns that are put in: what is asked for, and that it is just that, on a clock that only reading moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/worker/slowdown.h"

#define READING_NS 25

static uint64_t tick(void *context)
{
	uint64_t *now_ns = context;
	return *now_ns += READING_NS;
}

/* What a call of so long comes to, from its start to the end of the spinning. */
static uint64_t slowed(uint64_t call_ns, double fraction)
{
	uint64_t now_ns = 1000;
	const struct bench_clock clock = {tick, &now_ns};
	uint64_t start = clock.now_ns(clock.context);
	now_ns += call_ns;
	bench_worker_slowdown_spin(&clock, start, fraction);
	return now_ns - start;
}

static void assert_slowed(uint64_t call_ns, double fraction)
{
	double wanted = (double)call_ns * (1 + fraction), took = (double)slowed(call_ns, fraction);
	/* The first reading counts as the call's, and the last comes up to one late. */
	if (took < wanted || took > wanted + READING_NS * (3 + fraction))
		fail_msg("%g ns, and not %g", took, wanted);
}

static void a_call_takes_longer_by_just_the_fraction(void **state)
{
	(void)state;
	assert_slowed(2000000, 0.01);
	assert_slowed(2000000, 0.1);
	assert_slowed(2000000, 1);
	assert_slowed(50, 10);
	assert_slowed(UINT64_C(3000000), 0.03);
}

static void without_one_not_even_the_clock_is_read(void **state)
{
	(void)state;
	assert_int_equal(slowed(1000, 0), 1000);
}

static void a_fraction_and_a_pattern_are_read(void **state)
{
	struct bench_slowdown slowdown;
	struct bench_error error;

	(void)state;
	assert_int_equal(bench_worker_slowdown_parse("3%", &slowdown, &error), 0);
	assert_true(slowdown.fraction == 0.03);
	assert_true(bench_worker_slowdown_of(&slowdown, "gemm/openblas:cpu/n=8") == 0.03);
	assert_int_equal(bench_worker_slowdown_parse("0.5:gemm/openblas:*", &slowdown, &error), 0);
	assert_true(slowdown.fraction == 0.5);
	assert_string_equal(slowdown.pattern, "gemm/openblas:*");
	assert_true(bench_worker_slowdown_of(&slowdown, "gemm/openblas:cpu/n=8") == 0.5);
	assert_true(bench_worker_slowdown_of(&slowdown, "gemm/opencl:cpu/n=8") == 0);
}

static void what_is_no_slowdown_is_refused_by_name(void **state)
{
	static const char *const wrong[] = {"",    "%",     "abc", "0",      "0%",   "-3%",  "nan",
					    "inf", "1001%", "3%:", ":gemm*", "3 %x", "3%3%", "3"};
	char too_long[BENCH_SLOWDOWN_MAX + 1] = "3%:";
	struct bench_slowdown slowdown;
	struct bench_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (bench_worker_slowdown_parse(wrong[i], &slowdown, &error) != -1)
			fail_msg("'%s' is taken for %g", wrong[i], slowdown.fraction);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_non_null(strstr(error.text, "BENCH_SLOWDOWN"));
		assert_true(slowdown.fraction == 0);
	}
	assert_int_equal(bench_worker_slowdown_parse("3:gemm*", &slowdown, &error), -1);
	assert_string_equal(error.text, "BENCH_SLOWDOWN 3: say 3% (or 0.03)");
	memset(too_long + 3, 'x', sizeof(too_long) - 4);
	assert_int_equal(bench_worker_slowdown_parse(too_long, &slowdown, &error), -1);
}

static void what_is_not_said_is_none(void **state)
{
	struct bench_slowdown slowdown;
	struct bench_error error;

	(void)state;
	assert_int_equal(bench_worker_slowdown_read(NULL, &slowdown, &error), 0);
	assert_true(slowdown.fraction == 0);
	assert_int_equal(bench_worker_slowdown_read("", &slowdown, &error), 0);
	assert_true(slowdown.fraction == 0);
	assert_int_equal(bench_worker_slowdown_read("2%", &slowdown, &error), 0);
	assert_true(slowdown.fraction == 0.02);
	assert_int_equal(bench_worker_slowdown_read("two", &slowdown, &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_takes_longer_by_just_the_fraction),
		cmocka_unit_test(without_one_not_even_the_clock_is_read),
		cmocka_unit_test(a_fraction_and_a_pattern_are_read),
		cmocka_unit_test(what_is_no_slowdown_is_refused_by_name),
		cmocka_unit_test(what_is_not_said_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

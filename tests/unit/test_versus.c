/* SPDX-License-Identifier: MIT */
/* The same case on two targets: the ratio, its interval and its verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/record.h"

/* A result with one time an invocation; those of `disturbed` (bits) are marked. */
struct made {
	struct bench_result result;
	struct bench_metric time;
	struct bench_series series[16];
	double values[16];
	bool marks[16];
};

static void make(struct made *made, const double *times, size_t count, unsigned disturbed)
{
	static char name[] = "time";
	*made = (struct made){.result = {.status = BENCH_STATUS_OK, .metric_count = 1}};
	for (size_t i = 0; i < count; i++) {
		made->values[i] = times[i];
		made->marks[i] = disturbed >> i & 1;
		made->series[i] = (struct bench_series){(int)i, &made->values[i], 1, &made->marks[i]};
	}
	made->time = (struct bench_metric){.name = name, .series = made->series, .series_count = count};
	made->result.metrics = &made->time;
}

static const double around_2[] = {2.01, 1.99, 2.02, 2, 1.98, 2.03, 2, 1.99};
static const double around_1[] = {1, 1.01, 0.99, 1, 1.02, 0.98, 1, 1.01};

static void assert_versus(const double *own, const double *other, size_t count,
			  enum bench_versus_verdict verdict)
{
	struct made a, b;
	struct bench_versus versus;
	make(&a, own, count, 0);
	make(&b, other, count, 0);
	assert_true(bench_record_versus(&a.result, &b.result, &versus));
	assert_int_equal(versus.verdict, verdict);
	assert_int_equal(versus.ratio.count, count);
}

static void six_pairs_give_a_verdict_and_fewer_give_none(void **state)
{
	(void)state;
	assert_versus(around_1, around_2, 6, BENCH_VERSUS_FASTER);
	assert_versus(around_2, around_1, 6, BENCH_VERSUS_SLOWER);
	assert_versus(around_1, around_1 + 1, 6, BENCH_VERSUS_NOT_DIFFERENT);
	for (size_t count = 1; count < 6; count++)
		assert_versus(around_1, around_2, count, BENCH_VERSUS_UNKNOWN);
}

static void a_ratio_says_how_many_times_as_fast(void **state)
{
	(void)state;
	struct made a, b;
	struct bench_versus versus;
	make(&a, around_1, 6, 0);
	make(&b, around_2, 6, 0);
	assert_true(bench_record_versus(&a.result, &b.result, &versus));
	assert_true(versus.ratio.median > 1.97 && versus.ratio.median < 2.03);
	assert_true(versus.ratio.ci_lo < versus.ratio.median && versus.ratio.median < versus.ratio.ci_hi);
}

/* A slow machine is slow for both: the pairs agree where the times do not. */
static void drift_that_hits_both_does_not_widen_the_interval(void **state)
{
	(void)state;
	static const double drifting[] = {1, 3, 2, 5, 4, 1.5}, doubled[] = {2, 6, 4, 10, 8, 3};
	struct made a, b;
	struct bench_versus versus;
	make(&a, drifting, 6, 0);
	make(&b, doubled, 6, 0);
	assert_true(bench_record_versus(&a.result, &b.result, &versus));
	assert_true(versus.ratio.ci_lo == 2 && versus.ratio.ci_hi == 2);
}

static void disturbed_pairs_are_left_out_where_enough_remain(void **state)
{
	(void)state;
	static const double spoiled[] = {1, 1, 1, 1, 1, 1, 9, 9}, steady[] = {2, 2, 2, 2, 2, 2, 2, 2};
	struct made a, b;
	struct bench_versus versus;
	make(&a, spoiled, 8, 1U << 6);
	make(&b, steady, 8, 1U << 7);
	assert_true(bench_record_versus(&a.result, &b.result, &versus));
	assert_true(versus.ratio.ci_lo == 2);
	/* With six disturbed, two would be left: all count. */
	make(&a, spoiled, 8, 0x3f);
	assert_true(bench_record_versus(&a.result, &b.result, &versus));
	assert_true(versus.ratio.ci_lo < 1);
	assert_int_equal(versus.verdict, BENCH_VERSUS_UNDECIDED);
}

/* A tie is an interval that excludes a difference of 5%; a wide one around 1 says nothing. */
static void a_wide_interval_is_no_tie(void **state)
{
	(void)state;
	static const double ones[] = {1, 1, 1, 1, 1, 1}, near[] = {0.97, 0.98, 1, 1.01, 1.02, 1.04},
			    wide[] = {0.7, 0.9, 1, 1.1, 1.3, 1.5};
	assert_versus(ones, near, 6, BENCH_VERSUS_NOT_DIFFERENT);
	assert_versus(ones, wide, 6, BENCH_VERSUS_UNDECIDED);
	assert_string_equal(bench_record_versus_name(BENCH_VERSUS_UNDECIDED), "not different");
	assert_true(bench_record_is_tie(1 / 1.05, 1.05));
	assert_false(bench_record_is_tie(1 / 1.06, 1.05));
	assert_false(bench_record_is_tie(1 / 1.05, 1.06));
	/* Twice as wide takes four times as many; none fewer than there are. */
	double four_times = bench_record_count_for_tie(10, 1 / (1.05 * 1.05), 1.05 * 1.05);
	assert_true(four_times >= 40 && four_times <= 41);
	assert_true(bench_record_count_for_tie(10, 1, 1.1) == 10);
}

static void only_invocations_of_both_are_paired(void **state)
{
	(void)state;
	struct made a, b;
	struct bench_versus versus;
	make(&a, around_1, 8, 0);
	make(&b, around_2, 8, 0);
	for (size_t i = 0; i < 8; i++)
		b.series[i].invocation += 5;
	assert_true(bench_record_versus(&a.result, &b.result, &versus));
	assert_int_equal(versus.ratio.count, 3);
	for (size_t i = 0; i < 8; i++)
		b.series[i].invocation += 5;
	assert_false(bench_record_versus(&a.result, &b.result, &versus));
	b.result.status = BENCH_STATUS_INCORRECT;
	make(&a, around_1, 8, 0);
	assert_false(bench_record_versus(&a.result, &b.result, &versus));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_pairs_give_a_verdict_and_fewer_give_none),
		cmocka_unit_test(a_ratio_says_how_many_times_as_fast),
		cmocka_unit_test(drift_that_hits_both_does_not_widen_the_interval),
		cmocka_unit_test(disturbed_pairs_are_left_out_where_enough_remain),
		cmocka_unit_test(a_wide_interval_is_no_tie),
		cmocka_unit_test(only_invocations_of_both_are_paired),
	};
	return cmocka_run_group_tests_name("versus", tests, NULL, NULL);
}

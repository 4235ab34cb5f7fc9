/* SPDX-License-Identifier: MIT */
/* The tests that the gate is set beside, against known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "statistics/textbook.h"

/* Two-sided critical values of Student's t as tables have them (5%, and 1% for 5 degrees). */
static void student_agrees_with_tables(void **state)
{
	static const struct {
		double t, degrees, p;
	} known[] = {{12.706205, 1, 0.05}, {2.570582, 5, 0.05},   {4.032143, 5, 0.01},
		     {2.228139, 10, 0.05}, {1.983972, 100, 0.05}, {0, 7, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(fabs(textbook_student_p(known[i].t, known[i].degrees) - known[i].p) < 1e-6);
		assert_true(fabs(textbook_student_p(-known[i].t, known[i].degrees) - known[i].p) < 1e-6);
	}
}

static const double steady[] = {100, 101, 99, 100, 102, 98, 100, 101};

static struct textbook_sample scaled(double *out, double factor)
{
	for (size_t i = 0; i < 8; i++)
		out[i] = steady[i] * factor;
	return (struct textbook_sample){out, 8};
}

static void each_finds_what_it_looks_for(void **state)
{
	struct textbook_sample base = {steady, 8};
	double slower[8], little[8], faster[8];

	(void)state;
	assert_true(textbook_fixed_threshold(base, scaled(slower, 1.06)));
	assert_false(textbook_fixed_threshold(base, scaled(little, 1.04)));
	assert_true(textbook_rank_test(base, scaled(slower, 1.06)));
	assert_true(textbook_welch(base, scaled(slower, 1.06)));
	assert_false(textbook_rank_test(base, base));
	assert_false(textbook_welch(base, base));
	/* A change to the better is none to the worse. */
	assert_false(textbook_rank_test(base, scaled(faster, 0.9)));
	assert_false(textbook_welch(base, scaled(faster, 0.9)));
	assert_false(textbook_fixed_threshold(base, scaled(faster, 0.9)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_agrees_with_tables),
		cmocka_unit_test(each_finds_what_it_looks_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

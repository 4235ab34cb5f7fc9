/* SPDX-License-Identifier: MIT */
/* The next commit that a backfill measures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/backfill.h"

enum { COMMITS = 33, KEYS = 2 };

/* A history whose second metric is slower from commit `step` on; commits of which nothing is known. */
struct world {
	size_t step;
	bool wanted[COMMITS];
	double shifts[COMMITS * KEYS], errors[COMMITS * KEYS];
};

static void begin(struct world *world, size_t step)
{
	world->step = step;
	for (size_t i = 0; i < COMMITS; i++)
		world->wanted[i] = true;
	for (size_t i = 0; i < (size_t)COMMITS * KEYS; i++)
		world->shifts[i] = world->errors[i] = NAN;
}

static bool choose(const struct world *world, size_t *next)
{
	const struct bench_backfill_history history = {COMMITS, KEYS, world->wanted, world->shifts,
						       world->errors};
	return bench_compare_backfill_next(&history, next);
}

static void measure(struct world *world, size_t commit)
{
	world->wanted[commit] = false;
	for (size_t k = 0; k < KEYS; k++) {
		world->shifts[commit * KEYS + k] = k == 1 && commit >= world->step ? 0.05 : 0;
		world->errors[commit * KEYS + k] = 0.005;
	}
}

static void the_ends_come_first_and_then_the_middle(void **unused)
{
	(void)unused;
	static const size_t order[] = {32, 0, 16};
	struct world world;
	size_t next;
	begin(&world, COMMITS);
	for (size_t i = 0; i < 3; i++) {
		assert_true(choose(&world, &next) && next == order[i]);
		measure(&world, next);
	}
}

static void a_step_is_closed_in_on_before_the_rest_is_filled(void **unused)
{
	(void)unused;
	for (size_t step = 1; step < COMMITS; step++) {
		struct world world;
		size_t next, count = 0;
		begin(&world, step);
		while (world.wanted[step] || world.wanted[step - 1]) {
			assert_true(choose(&world, &next) && world.wanted[next]);
			measure(&world, next);
			count++;
		}
		assert_true(count <= 2 + 6);
	}
}

static void commits_that_are_not_wanted_are_passed_over(void **unused)
{
	(void)unused;
	struct world world;
	size_t next;
	begin(&world, COMMITS);
	world.wanted[32] = world.wanted[31] = world.wanted[0] = world.wanted[16] = false;
	assert_true(choose(&world, &next) && next == 30);
	measure(&world, next);
	assert_true(choose(&world, &next) && next == 1);
	measure(&world, next);
	assert_true(choose(&world, &next) && next == 15);
}

static void everything_is_measured_once_and_then_nothing_is_left(void **unused)
{
	(void)unused;
	struct world world;
	size_t next, count = 0;
	begin(&world, 7);
	while (choose(&world, &next)) {
		assert_true(world.wanted[next]);
		measure(&world, next);
		count++;
	}
	assert_true(count == COMMITS);
}

static void a_metric_without_an_error_says_nothing(void **unused)
{
	(void)unused;
	struct world world;
	size_t next;
	begin(&world, 20);
	measure(&world, 0);
	measure(&world, 16);
	measure(&world, 32);
	world.errors[32 * KEYS + 1] = NAN;
	assert_true(choose(&world, &next) && next == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ends_come_first_and_then_the_middle),
		cmocka_unit_test(a_step_is_closed_in_on_before_the_rest_is_filled),
		cmocka_unit_test(commits_that_are_not_wanted_are_passed_over),
		cmocka_unit_test(everything_is_measured_once_and_then_nothing_is_left),
		cmocka_unit_test(a_metric_without_an_error_says_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

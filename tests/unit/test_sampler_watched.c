/* SPDX-License-Identifier: MIT */
/* The sampler while something watches: disturbed visits are taken again, and those alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/worker/sampler.h"

struct world {
	uint64_t now_ns;
	size_t calls, visits, judgements, forced, samples[3], relatives;
	size_t disturbed_for; /* so many visits from the first on; SIZE_MAX: all */
	size_t window;        /* visits that are judged together */
	size_t open;          /* visits not judged */
};

static uint64_t world_now(void *context)
{
	return ((struct world *)context)->now_ns += 20;
}

/* 20 us an iteration; three times that while the machine is disturbed, and unevenly so. */
static int run(void *context, uint64_t iterations, struct bench_error *error)
{
	(void)error;
	struct world *world = context;
	world->calls++;
	bool slow = world->visits < world->disturbed_for;
	world->now_ns += iterations * (slow ? 40000 + 1000 * (world->calls % 40) : 20000);
	return 0;
}

static int sample(void *context, size_t item, enum bench_sample_kind kind, double value, uint64_t iterations)
{
	struct world *world = context;
	(void)value;
	(void)iterations;
	world->samples[item] += kind == BENCH_SAMPLE_TIME;
	world->relatives += kind == BENCH_SAMPLE_RELATIVE;
	return 0;
}

static enum bench_visits visited(void *context, bool last)
{
	struct world *world = context;
	/* A last one repeats no visit: the one before it was of the last. */
	if (!last) {
		world->visits++;
		world->open++;
	}
	world->forced += last;
	assert_true(world->open > 0);
	if (!last && world->open < world->window)
		return BENCH_VISITS_OPEN;
	bool disturbed = world->visits - world->open < world->disturbed_for;
	world->open = 0;
	world->judgements++;
	return disturbed ? BENCH_VISITS_DISTURBED : BENCH_VISITS_FINE;
}

static struct bench_sampler_options sampling(struct world *world, const struct bench_clock *clock)
{
	return (struct bench_sampler_options){.clock = clock,
					      .quality = {20, 20},
					      .precision = 0.01,
					      .slice_seconds = 2,
					      .sample_seconds = 1e-3,
					      .visit_samples = 3,
					      .set_seconds = 0.01,
					      .max_samples = 1000,
					      .seed = 5,
					      .sample = sample,
					      .visited = visited,
					      .context = world};
}

static struct bench_sampler_item item_of(struct world *world)
{
	return (struct bench_sampler_item){.run = run, .context = world};
}

static void what_was_disturbed_is_measured_again(void **state)
{
	(void)state;
	struct world quiet = {.window = 1}, world = {.window = 1, .disturbed_for = 30};
	struct bench_clock quiet_clock = {world_now, &quiet}, clock = {world_now, &world};
	struct bench_sampler_options options = sampling(&quiet, &quiet_clock);
	struct bench_sampler_item item = item_of(&quiet);
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
	size_t enough = item.samples;
	options = sampling(&world, &clock);
	item = item_of(&world);
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	/* As many undisturbed ones as a quiet machine needs, behind 30 visits of 3. */
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
	assert_int_equal(item.samples, 90 + enough);
	assert_int_equal(world.samples[0], item.samples);
}

static void a_disturbance_without_end_ends_with_the_slice(void **state)
{
	(void)state;
	struct world world = {.window = 4, .disturbed_for = SIZE_MAX};
	struct bench_clock clock = {world_now, &world};
	struct bench_sampler_options options = sampling(&world, &clock);
	options.precision = 10; /* which any two samples would do for */
	options.slice_seconds = 0.5;
	struct bench_sampler_item item = item_of(&world);
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.stopped, BENCH_STOP_BUDGET);
	assert_true(world.now_ns >= 500000000 && world.now_ns < 600000000);
	/* Nothing is left unjudged. */
	assert_int_equal(world.open, 0);
}

static void the_last_window_is_judged_before_it_is_enough(void **state)
{
	(void)state;
	/* Windows of a hundred visits: precise long before the first is over, but for what the judge says. */
	struct world world = {.window = 100, .disturbed_for = 1};
	struct bench_clock clock = {world_now, &world};
	struct bench_sampler_options options = sampling(&world, &clock);
	struct bench_sampler_item item = item_of(&world);
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
	assert_int_equal(world.forced, 2);
	assert_int_equal(world.judgements, 2);
	assert_int_equal(world.open, 0);
	/* Twice as many as would have done. */
	assert_true(world.visits >= 4);
}

static void a_fixed_number_is_neither_more_nor_less(void **state)
{
	(void)state;
	struct world world = {.window = 1, .disturbed_for = SIZE_MAX};
	struct bench_clock clock = {world_now, &world};
	struct bench_sampler_options options = sampling(&world, &clock);
	struct bench_sampler_item item = item_of(&world);
	item.fixed = 7;
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.samples, 7);
	assert_int_equal(world.visits, 7);
	assert_int_equal(world.judgements, 7);
}

static void pairs_that_were_disturbed_are_taken_again(void **state)
{
	(void)state;
	struct world worlds[] = {{.window = 1}, {.window = 1, .disturbed_for = 5}};
	for (size_t i = 0; i < 2; i++) {
		struct bench_clock clock = {world_now, &worlds[i]};
		struct bench_sampler_options options = sampling(&worlds[i], &clock);
		options.visit_samples = 1;
		options.set_seconds = 0; /* a pair a visit, so that it takes several to know anything */
		struct bench_sampler_item items[2] = {item_of(&worlds[i]), item_of(&worlds[i])};
		items[1].reference = &items[0];
		assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
		assert_int_equal(items[1].stopped, BENCH_STOP_PRECISION);
		assert_int_equal(worlds[i].relatives, items[1].relative_samples);
	}
	/* As many undisturbed pairs as a quiet machine needs. */
	assert_int_equal(worlds[1].visits, worlds[0].visits + 5);
}

static void what_is_precise_at_once_goes_on_until_it_can_be_judged(void **state)
{
	(void)state;
	struct world world = {.window = 1};
	struct bench_clock clock = {world_now, &world};
	struct bench_sampler_options options = sampling(&world, &clock);
	options.least_seconds = 0.25;
	struct bench_sampler_item item = item_of(&world);
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
	assert_true(world.now_ns >= 250000000 && world.now_ns < 300000000);
	/* Not beyond the slice. */
	options.slice_seconds = 0.05;
	item = item_of(&world);
	world.now_ns = 0;
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_true(world.now_ns < 100000000);
}

static void nothing_watches_and_nothing_is_asked(void **state)
{
	(void)state;
	struct world world = {.window = 1};
	struct bench_clock clock = {world_now, &world};
	struct bench_sampler_options options = sampling(&world, &clock);
	options.visited = NULL;
	struct bench_sampler_item item = item_of(&world);
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
	assert_int_equal(world.judgements, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_disturbed_is_measured_again),
		cmocka_unit_test(a_disturbance_without_end_ends_with_the_slice),
		cmocka_unit_test(the_last_window_is_judged_before_it_is_enough),
		cmocka_unit_test(a_fixed_number_is_neither_more_nor_less),
		cmocka_unit_test(pairs_that_were_disturbed_are_taken_again),
		cmocka_unit_test(what_is_precise_at_once_goes_on_until_it_can_be_judged),
		cmocka_unit_test(nothing_watches_and_nothing_is_asked),
	};
	return cmocka_run_group_tests_name("sampler_watched", tests, NULL, NULL);
}

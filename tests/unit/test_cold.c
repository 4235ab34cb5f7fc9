/* SPDX-License-Identifier: MIT */
/* Cold caches and unshuffled rounds in the sampler, on a clock that only work moves; and the flush itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/worker/copies.h"
#include "measure/worker/flush.h"
#include "measure/worker/sampler.h"
#include "measure_fixture.h"

enum { ITEMS = 3, EVENTS = 4096 };

struct world {
	uint64_t now_ns;
	char events[EVENTS]; /* F and the item's digit for a flush, R likewise for a run, S for a sample */
	size_t count;
	uint64_t most_iterations;
	size_t ready;          /* of each item */
	size_t flush_fails_at; /* item; ITEMS: none */
};

struct fake_item {
	struct world *world;
	size_t index;
};

static void note(struct world *world, char kind, size_t item)
{
	if (world->count + 2 >= EVENTS)
		return;
	world->events[world->count++] = kind;
	world->events[world->count++] = (char)('0' + item);
}

static uint64_t world_now(void *context)
{
	return ((struct world *)context)->now_ns += 20;
}

static int run(void *context, uint64_t iterations, struct bench_error *error)
{
	struct fake_item *item = context;
	(void)error;
	note(item->world, 'R', item->index);
	item->world->now_ns += iterations * 1000;
	if (iterations > item->world->most_iterations)
		item->world->most_iterations = iterations;
	return 0;
}

static int flush(void *context, size_t item, struct bench_error *error)
{
	struct world *world = context;
	note(world, 'F', item);
	world->now_ns += 50000000; /* far more than a run, and in no sample */
	return item == world->flush_fails_at ? bench_fail(error, BENCH_NO_MEMORY, "no thread") : 0;
}

static int take(void *context, size_t item, enum bench_sample_kind kind, double seconds, uint64_t iterations)
{
	assert_int_equal(kind, BENCH_SAMPLE_TIME);
	assert_true(seconds < 1e-3 && iterations > 0);
	note(context, 'S', item);
	return 0;
}

static void sample(struct world *world, struct bench_sampler_item *items, bool cold, bool in_order)
{
	struct bench_clock clock = {world_now, world};
	struct fake_item fakes[ITEMS];
	const struct bench_sampler_options options = {.clock = &clock,
						      .quality = {20, 20},
						      .precision = 1e-9,
						      .slice_seconds = cold ? 2 : 0.05,
						      .sample_seconds = 1e-4,
						      .visit_samples = 2,
						      .max_samples = 50,
						      .seed = 5,
						      .in_order = in_order,
						      .flush = cold ? flush : NULL,
						      .sample = take,
						      .context = world};
	for (size_t i = 0; i < ITEMS; i++) {
		fakes[i] = (struct fake_item){world, i};
		items[i] = (struct bench_sampler_item){
			.run = run, .context = &fakes[i], .ready = world->ready, .pool = (int)i};
	}
	assert_int_equal(bench_worker_sampler_run(items, ITEMS, &options), 0);
}

static void a_cold_sample_is_one_iteration_behind_a_flush(void **state)
{
	(void)state;
	struct world world = {.flush_fails_at = ITEMS};
	struct bench_sampler_item items[ITEMS];
	size_t runs = 0;
	sample(&world, items, true, false);
	assert_int_equal(world.most_iterations, 1);
	for (size_t i = 0; i < world.count; i += 2) {
		if (world.events[i] != 'R')
			continue;
		runs++;
		assert_true(i >= 2);
		assert_int_equal(world.events[i - 2], 'F');
		assert_int_equal(world.events[i - 1], world.events[i + 1]);
	}
	assert_true(runs > ITEMS && items[0].samples > 1);
	world = (struct world){.flush_fails_at = ITEMS};
	sample(&world, items, false, false);
	assert_true(world.most_iterations > 1);
	assert_null(memchr(world.events, 'F', world.count));
}

static void a_cold_sample_is_as_many_iterations_as_are_ready(void **state)
{
	(void)state;
	struct world world = {.flush_fails_at = ITEMS, .ready = 7};
	struct bench_sampler_item items[ITEMS];
	sample(&world, items, true, false);
	assert_int_equal(world.most_iterations, 7);
	for (size_t i = 2; i < world.count; i += 2)
		if (world.events[i] == 'R')
			assert_int_equal(world.events[i - 2], 'F');
	assert_int_equal(items[1].iterations, 7);
	assert_true(items[1].estimate > 0.9e-6 && items[1].estimate < 1.1e-6);
}

static void a_flush_that_fails_is_its_items_failure(void **state)
{
	(void)state;
	struct world world = {.flush_fails_at = 1};
	struct bench_sampler_item items[ITEMS];
	sample(&world, items, true, false);
	assert_true(items[1].failed);
	assert_string_equal(items[1].error.text, "no thread");
	assert_int_equal(items[1].samples, 0);
	assert_false(items[0].failed || items[2].failed);
	assert_true(items[0].samples > 0 && items[2].samples > 0);
}

/* Does the order of the items' visits ever differ from that of the table? */
static bool is_shuffled(const struct world *world)
{
	size_t last = ITEMS - 1;
	for (size_t i = 0; i < world->count; i += 2) {
		size_t item = (size_t)(world->events[i + 1] - '0');
		if (world->events[i] != 'S' || item == last)
			continue;
		if (item != (last + 1) % ITEMS)
			return true;
		last = item;
	}
	return false;
}

static void rounds_in_order_are_those_of_the_table(void **state)
{
	(void)state;
	struct world world = {.flush_fails_at = ITEMS};
	struct bench_sampler_item items[ITEMS];
	sample(&world, items, false, true);
	assert_false(is_shuffled(&world));
	assert_true(items[0].samples > 4);
	world = (struct world){.flush_fails_at = ITEMS};
	sample(&world, items, false, false);
	assert_true(is_shuffled(&world));
}

/* A device of 1 MiB that counts. */
static size_t allocated, added;

static int fake_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		      struct bench_error *error)
{
	(void)device;
	(void)error;
	allocated += bytes;
	*buffer = malloc(bytes);
	return 0;
}

static void fake_release(struct bench_device *device, struct bench_buffer *buffer)
{
	(void)device;
	free(buffer);
}

static int fake_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
		       size_t bytes, struct bench_error *error)
{
	(void)device;
	(void)error;
	memcpy(buffer, host, bytes);
	return 0;
}

static int fake_add(struct bench_device *device, const struct bench_elementwise *sum,
		    struct bench_error *error)
{
	(void)device;
	(void)error;
	added += sum->count;
	return 0;
}

static void caches_of_host_and_device_are_flushed(void **state)
{
	(void)state;
	struct bench_backend backend = board_backend;
	struct bench_device device;
	const struct bench_case gpu = {.backend = &backend, .device = &device, .info = &board[1]},
				cpu = {.backend = &backend, .device = &device, .info = &board[0]}, host = {0};
	struct bench_flush *made;
	struct bench_error error;
	backend.alloc = fake_alloc;
	backend.release = fake_release;
	backend.upload = fake_upload;
	if (bench_worker_flush_new(&made, &error) != 0)
		fail_msg("%s", error.text);
	/* The host's alone. */
	assert_int_equal(bench_worker_flush_add(made, &host, &error), 0);
	assert_int_equal(bench_worker_flush_add(made, &cpu, &error), 0);
	assert_int_equal(bench_worker_flush_run(made, &host, &error), 0);
	assert_int_equal(bench_worker_flush_run(made, &cpu, &error), 0);
	assert_int_equal(allocated, 0);
	/* By what? */
	assert_int_equal(bench_worker_flush_add(made, &gpu, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "board"));
	/* Once for all cases on it, and no more than a quarter of its memory. */
	backend.elementwise = fake_add;
	assert_int_equal(bench_worker_flush_add(made, &gpu, &error), 0);
	assert_int_equal(bench_worker_flush_add(made, &gpu, &error), 0);
	assert_int_equal(allocated, board[1].memory_bytes / 4);
	assert_int_equal(bench_worker_flush_run(made, &gpu, &error), 0);
	assert_int_equal(added, allocated / 2 / sizeof(float));
	bench_worker_flush_free(made);
	bench_worker_flush_free(NULL);
}

static void copies_fill_half_a_millisecond_and_no_memory(void **state)
{
	(void)state;
	static const struct {
		uint64_t device, host; /* bytes of each */
		double seconds;
		size_t wanted;
	} cases[] = {{0, 0, 1e-3, 0},           {0, 0, 2e-3, 0},       {0, 0, 0.1e-3, 4},
		     {0, 0, 1e-6, 63},          {0, 0, 0, 63},         {1 << 20, 0, 1e-6, 63},
		     {1 << 23, 0, 1e-6, 16},    {1 << 30, 0, 1e-6, 0}, {1 << 20, 1 << 24, 1e-6, 32},
		     {1 << 20, 1 << 30, 0.1, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct bench_work work = {.device_bytes = cases[i].device, .host_bytes = cases[i].host};
		assert_int_equal(bench_worker_copies_wanted(&work, UINT64_C(1) << 30, UINT64_C(1) << 32,
							    cases[i].seconds),
				 cases[i].wanted);
	}
}

static int set_up, torn_down;

static int limited_setup(struct bench_case *bench_case, struct bench_error *error)
{
	return set_up++ == 5 ? bench_fail(error, BENCH_NO_MEMORY, "full") : toy_setup(bench_case, error);
}

static void counted_teardown(struct bench_case *bench_case)
{
	torn_down++;
	toy_teardown(bench_case);
}

static void copies_run_once_each_and_stop_where_memory_does(void **state)
{
	(void)state;
	struct bench_suite suite = toy_suite;
	struct bench_value values[P_X + 1] = {{.integer = 0}};
	struct bench_copies copies;
	struct bench_error error;
	suite.setup = limited_setup;
	suite.teardown = counted_teardown;
	struct bench_case of = {.suite = &suite, .values = values};
	assert_int_equal(suite.setup(&of, &error), 0);
	bench_worker_copies_make(&copies, &of, 8);
	assert_int_equal(copies.count, 4);
	assert_int_equal(torn_down, 1);
	assert_int_equal(bench_worker_copies_run(&copies, &of, 5, &error), 0);
	assert_int_equal(bench_worker_copies_run(&copies, &of, 3, &error), 0);
	assert_int_equal(copies.first_ran, 2);
	assert_int_equal(((const struct toy *)of.state)->total, 2);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(((const struct toy *)copies.cases[i].state)->total, i < 2 ? 2 : 1);
	assert_int_equal(bench_worker_copies_run(&copies, &of, 1, &error), 0);
	assert_int_equal(copies.first_ran, 2);
	bench_worker_copies_free(&copies);
	assert_int_equal(torn_down, 5);
	bench_worker_copies_free(&copies);
	bench_worker_copies_make(&copies, &of, 0);
	assert_int_equal(copies.count, 0);
	bench_worker_copies_free(&copies);
	toy_teardown(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cold_sample_is_one_iteration_behind_a_flush),
		cmocka_unit_test(a_cold_sample_is_as_many_iterations_as_are_ready),
		cmocka_unit_test(a_flush_that_fails_is_its_items_failure),
		cmocka_unit_test(rounds_in_order_are_those_of_the_table),
		cmocka_unit_test(caches_of_host_and_device_are_flushed),
		cmocka_unit_test(copies_fill_half_a_millisecond_and_no_memory),
		cmocka_unit_test(copies_run_once_each_and_stop_where_memory_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

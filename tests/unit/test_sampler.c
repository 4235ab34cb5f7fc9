/* SPDX-License-Identifier: MIT */
/* The sampler, on a clock that only work moves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "measure/worker/sampler.h"
#include "stats/stats.h"

struct world {
	uint64_t now_ns;
	struct bench_rng rng;
	size_t order[4096]; /* of the items' samples */
	size_t samples[4], device_samples[4], latency_samples[4], settled;
	double last[4];
	size_t end_after; /* sample() asks to end after so many; 0: never */
	size_t taken;
	double relatives[4][1024];
	size_t relative_samples[4];
	double drift; /* a call takes so much longer than the one before, in parts of its cost */
	size_t calls;
	size_t gaps, rows; /* rows that are none; asked for */
	double device_value;
	size_t spike_at; /* that call takes a hundred times as long; 0: none */
};

struct fake_item {
	struct world *world;
	double cost_ns; /* of one iteration */
	double noise;   /* relative standard deviation of a call */
	int fail_after; /* calls; 0: never */
	int calls;
	size_t looks, look_fails_after; /* 0: never */
};

static uint64_t world_now(void *context)
{
	struct world *world = context;
	return world->now_ns += 20;
}

static int fake_run(void *context, uint64_t iterations, struct bench_error *error)
{
	struct fake_item *item = context;
	if (item->fail_after && ++item->calls > item->fail_after)
		return bench_fail(error, BENCH_FAILED, "it broke");
	struct world *world = item->world;
	double factor = item->noise > 0 ? exp(item->noise * bench_rng_normal(&world->rng)) : 1;
	factor += world->drift * (double)world->calls++;
	if (world->spike_at && world->calls == world->spike_at)
		factor *= 100;
	world->now_ns += (uint64_t)((double)iterations * item->cost_ns * factor);
	return 0;
}

static int fake_run_device(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	struct fake_item *item = context;
	*seconds = 0.5e-9 * item->cost_ns * (double)iterations;
	return fake_run(context, iterations, error);
}

static int fake_observe(void *context, struct bench_error *error)
{
	struct fake_item *item = context;
	item->looks++;
	if (item->look_fails_after && item->looks > item->look_fails_after)
		return bench_fail(error, BENCH_FAILED, "it looked away");
	return 0;
}

static int take(void *context, size_t item, enum bench_sample_kind kind, double seconds, uint64_t iterations)
{
	struct world *world = context;
	if (kind == BENCH_SAMPLE_DEVICE_TIME)
		world->device_samples[item]++, world->device_value = seconds;
	if (kind == BENCH_SAMPLE_LATENCY) {
		world->latency_samples[item]++;
		assert_int_equal(iterations, 1);
	}
	if (kind == BENCH_SAMPLE_RELATIVE)
		world->relatives[item][world->relative_samples[item]++] = seconds;
	if (kind != BENCH_SAMPLE_TIME)
		return 0;
	size_t all = world->samples[0] + world->samples[1] + world->samples[2] + world->samples[3];
	if (all < sizeof(world->order) / sizeof(world->order[0]))
		world->order[all] = item;
	world->samples[item]++;
	world->last[item] = seconds;
	return world->end_after && ++world->taken >= world->end_after ? -1 : 0;
}

static void quiesce(void *context)
{
	((struct world *)context)->settled++;
}

static struct bench_clock clock_of(struct world *world)
{
	return (struct bench_clock){world_now, world};
}

static struct bench_sampler_options sampling(struct world *world, const struct bench_clock *clock)
{
	return (struct bench_sampler_options){.clock = clock,
					      .quality = {20, 20},
					      .precision = 0.01,
					      .slice_seconds = 1,
					      .sample_seconds = 1e-3,
					      .visit_samples = 1,
					      .max_samples = 200,
					      .seed = 5,
					      .quiesce = quiesce,
					      .sample = take,
					      .context = world};
}

static void a_sample_is_long_against_the_clock(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	options.sample_seconds = 1e-9; /* then 1000 ticks decide */
	struct fake_item fake = {&world, 3.0, 0, 0, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .context = &fake};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_true((double)item.iterations * fake.cost_ns >= 1000 * 20);
	/* The clock's own 20 ns a reading is all that may be in it. */
	assert_true(fabs(world.last[0] - 3.0e-9) < 0.02e-9);
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
}

static void one_long_call_is_a_sample_as_soon_as_it_is_known_to_be_one(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	options.slice_seconds = 0.1;
	struct fake_item fake = {&world, 4e8, 0, 0, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .context = &fake};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(item.iterations, 1);
	assert_int_equal(item.samples, 1);
	assert_true((double)world.now_ns < 4.1e8);
	assert_int_equal(item.stopped, BENCH_STOP_BUDGET);
}

static void rounds_are_interleaved_and_mirrored(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	options.precision = 0; /* the budget alone ends it */
	struct fake_item fakes[3] = {{&world, 1e5, 0.1, 0, 0, 0, 0},
				     {&world, 2e5, 0.1, 0, 0, 0, 0},
				     {&world, 3e5, 0.1, 0, 0, 0, 0}};
	struct bench_sampler_item items[3];
	for (int i = 0; i < 3; i++)
		items[i] = (struct bench_sampler_item){.run = fake_run, .context = &fakes[i], .pool = i};
	assert_int_equal(bench_worker_sampler_run(items, 3, &options), 0);
	size_t rounds = world.samples[0] < world.samples[2] ? world.samples[0] : world.samples[2];
	assert_true(rounds >= 4);
	for (size_t i = 0; i < 3; i++)
		assert_true(world.samples[i] >= rounds && world.samples[i] <= rounds + 1);
	bool shuffled = false;
	for (size_t pair = 0; pair + 2 <= rounds; pair += 2) {
		const size_t *round = &world.order[3 * pair];
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(round[i], round[5 - i]);
		shuffled |= memcmp(round, world.order, 3 * sizeof(*round)) != 0;
	}
	assert_true(shuffled);
	assert_true(world.settled > 0);
}

static void a_visit_may_take_several_samples(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	options.precision = 0;
	options.visit_samples = 3;
	options.slice_seconds = 0.1;
	struct fake_item fakes[2] = {{&world, 1e5, 0.1, 0, 0, 0, 0}, {&world, 1e5, 0.1, 0, 0, 0, 0}};
	struct bench_sampler_item items[2] = {
		{.run = fake_run, .run_device = fake_run_device, .context = &fakes[0]},
		{.run = fake_run, .context = &fakes[1], .pool = 1}};
	assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
	assert_true(world.samples[0] >= 6);
	assert_int_equal(world.samples[0] % 3, 0);
	assert_int_equal(world.samples[0], 3 * world.device_samples[0]);
	for (size_t i = 0; i < world.samples[0] + world.samples[1]; i++)
		assert_int_equal(world.order[i], world.order[i / 3 * 3]);
}

static void a_noisy_item_takes_more_samples_than_a_quiet_one_needs(void **state)
{
	(void)state;
	size_t needed[2];
	for (int i = 0; i < 2; i++) {
		struct world world = {0};
		struct bench_clock clock = clock_of(&world);
		struct bench_sampler_options options = sampling(&world, &clock);
		struct fake_item fake = {&world, 1e5, i ? 0.03 : 0, 0, 0, 0, 0};
		struct bench_sampler_item item = {.run = fake_run, .context = &fake};
		bench_rng_start(&world.rng, 11, 0);
		assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
		assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
		needed[i] = item.samples;
	}
	assert_int_equal(needed[0], 5);
	assert_true(needed[1] > 2 * needed[0]);
}

static void an_item_that_fails_does_not_take_the_others_with_it(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[2] = {{&world, 1e5, 0.1, 30, 0, 0, 0}, {&world, 1e5, 0.1, 0, 0, 0, 0}};
	struct bench_sampler_item items[2] = {{.run = fake_run, .context = &fakes[0]},
					      {.run = fake_run, .context = &fakes[1]}};
	options.precision = 0;
	assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
	assert_true(items[0].failed);
	assert_string_equal(items[0].error.text, "it broke");
	assert_false(items[1].failed);
	assert_true(world.samples[1] > world.samples[0]);
}

static void device_time_is_sampled_apart_from_the_whole(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fake = {&world, 1e5, 0, 0, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .run_device = fake_run_device, .context = &fake};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(world.samples[0], world.device_samples[0]);
	assert_int_equal(world.samples[0], world.latency_samples[0]);
}

/* A device whose rows are none, except for those after the first `gaps`. */
static int fake_run_row(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	struct fake_item *item = context;
	bool gap = item->world->gaps > 0;
	item->world->gaps -= gap;
	item->world->rows++;
	assert_true(iterations <= 64 && (double)iterations * item->cost_ns <= 1e6);
	*seconds = gap ? NAN : 0.25e-9 * item->cost_ns * (double)iterations;
	return fake_run(context, iterations, error);
}

static void rows_are_preferred_until_three_were_none(void **state)
{
	(void)state;
	for (size_t gaps = 0; gaps < 5; gaps++) {
		struct world world = {.gaps = gaps};
		struct bench_clock clock = clock_of(&world);
		struct bench_sampler_options options = sampling(&world, &clock);
		struct fake_item fake = {&world, 1e4, 0, 0, 0, 0, 0};
		struct bench_sampler_item item = {.run = fake_run,
						  .run_device = fake_run_device,
						  .run_row = fake_run_row,
						  .context = &fake};
		assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
		assert_false(item.failed);
		assert_true(world.device_samples[0] > 0);
		assert_int_equal(item.gaps, gaps < 3 ? gaps : 3);
		assert_int_equal(world.rows, gaps < 3 ? world.device_samples[0] + gaps : 3);
		assert_true(fabs(world.device_value / (gaps < 3 ? 2.5e-6 : 5e-6) - 1) < 1e-9);
	}
}

static void sampling_ends_when_asked_to(void **state)
{
	(void)state;
	struct world world = {.end_after = 3};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fake = {&world, 1e5, 0, 0, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .context = &fake};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), -1);
	assert_int_equal(world.taken, 3);
}

/* A base and its variants, of 1 ms and the given multiples of it; `items` are wired to each other. */
static void make_variants(struct world *world, struct fake_item *fakes, struct bench_sampler_item *items,
			  size_t count)
{
	static const double costs[] = {1e6, 1.1e6, 0.5e6};
	for (size_t i = 0; i < count; i++) {
		fakes[i] = (struct fake_item){.world = world, .cost_ns = costs[i]};
		items[i] = (struct bench_sampler_item){
			.run = fake_run, .context = &fakes[i], .reference = i ? &items[0] : NULL};
	}
}

static void variants_are_timed_there_and_back(void **state)
{
	(void)state;
	for (size_t count = 2; count <= 3; count++) {
		struct world world = {0};
		struct bench_clock clock = clock_of(&world);
		struct bench_sampler_options options = sampling(&world, &clock);
		struct fake_item fakes[3];
		struct bench_sampler_item items[3];
		options.precision = -1; /* the budget alone ends it */
		make_variants(&world, fakes, items, count);
		assert_int_equal(bench_worker_sampler_run(items, count, &options), 0);
		assert_true(world.samples[0] >= 20);
		assert_int_equal(items[0].iterations, items[1].iterations);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(world.samples[i], world.samples[0]);
			assert_int_equal(world.relative_samples[i], i ? world.samples[0] / 2 : 0);
			assert_int_equal(items[i].relative_samples, world.relative_samples[i]);
		}
		for (size_t i = 0; i < count * world.samples[0]; i++) {
			size_t place = i % (2 * count);
			size_t member = place < count ? place : 2 * count - 1 - place;
			bool backwards = i / (2 * count) % 2;
			assert_int_equal(world.order[i], backwards ? count - 1 - member : member);
		}
	}
}

static void variants_that_may_differ_make_as_many_iterations_as_each_needs(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[3];
	struct bench_sampler_item items[3];
	options.uneven = true;
	make_variants(&world, fakes, items, 3);
	assert_int_equal(bench_worker_sampler_run(items, 3, &options), 0);
	/* The last takes half as long. */
	assert_true(items[2].iterations > items[0].iterations);
	assert_true(fabs(world.relatives[2][0] - 0.5) < 1e-3);
}

static void a_linear_drift_falls_out_of_the_relative_time(void **state)
{
	(void)state;
	struct world world = {.drift = 0.01};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[3];
	struct bench_sampler_item items[3];
	options.precision = -1; /* the budget alone ends it */
	make_variants(&world, fakes, items, 3);
	assert_int_equal(bench_worker_sampler_run(items, 3, &options), 0);
	assert_true(world.last[0] > 1.5e-3); /* it did drift */
	for (size_t i = 0; i < world.relative_samples[1]; i++) {
		/* 20 ns a reading of the clock are all that differs. */
		assert_true(fabs(world.relatives[1][i] - 1.1) < 1e-5);
		assert_true(fabs(world.relatives[2][i] - 0.5) < 2e-5);
	}
}

static void a_spike_spoils_one_pair_and_not_the_median(void **state)
{
	(void)state;
	struct world world = {.spike_at = 40};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[2];
	struct bench_sampler_item items[2];
	options.precision = -1; /* the budget alone ends it */
	make_variants(&world, fakes, items, 2);
	assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
	size_t spoilt = 0;
	for (size_t i = 0; i < world.relative_samples[1]; i++)
		spoilt += fabs(world.relatives[1][i] - 1.1) > 0.1;
	assert_int_equal(spoilt, 1);
	double median = bench_stats_median(world.relatives[1], world.relative_samples[1]);
	assert_true(fabs(median - 1.1) < 1e-5);
}

static void precision_is_asked_of_the_relative_time_too(void **state)
{
	(void)state;
	size_t pairs[2];
	for (int noisy = 0; noisy < 2; noisy++) {
		struct world world = {0};
		struct bench_clock clock = clock_of(&world);
		struct bench_sampler_options options = sampling(&world, &clock);
		struct fake_item fakes[2];
		struct bench_sampler_item items[2];
		options.precision = 0.02;
		make_variants(&world, fakes, items, 2);
		bench_rng_start(&world.rng, 3, 0);
		fakes[0].noise = fakes[1].noise = noisy ? 0.015 : 0;
		assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
		assert_int_equal(items[1].stopped, BENCH_STOP_PRECISION);
		pairs[noisy] = items[1].relative_samples;
		struct bench_interval interval =
			bench_stats_median_interval(world.relatives[1], world.relative_samples[1], 0.95);
		assert_true(interval.hi - interval.lo <= 0.02 * interval.estimate);
	}
	assert_int_equal(pairs[0], 5);
	assert_true(pairs[1] > pairs[0]);
}

static void variants_go_on_without_a_base_that_failed(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[3];
	struct bench_sampler_item items[3];
	options.precision = -1; /* the budget alone ends it */
	make_variants(&world, fakes, items, 3);
	fakes[0].fail_after = 40;
	assert_int_equal(bench_worker_sampler_run(items, 3, &options), 0);
	assert_true(items[0].failed && !items[1].failed && !items[2].failed);
	assert_true(items[1].samples > items[0].samples && items[2].samples > items[0].samples);
	assert_true(items[1].relative_samples < items[1].samples / 2);
	assert_int_equal(items[1].stopped, BENCH_STOP_BUDGET);
}

static void a_variant_that_failed_leaves_the_others_their_pairs(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[3];
	struct bench_sampler_item items[3];
	options.precision = -1; /* the budget alone ends it */
	make_variants(&world, fakes, items, 3);
	fakes[1].fail_after = 40;
	assert_int_equal(bench_worker_sampler_run(items, 3, &options), 0);
	assert_true(!items[0].failed && items[1].failed && !items[2].failed);
	assert_true(items[2].relative_samples > items[1].relative_samples + 10);
}

static void fixed_samples_are_taken_and_nothing_else(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fakes[2] = {{&world, 3e8, 0, 0, 0, 0, 0}, {&world, 1e5, 0, 0, 0, 0, 0}};
	struct bench_sampler_item items[2] = {
		{.run = fake_run, .observe = fake_observe, .context = &fakes[0], .fixed = 9},
		{.run = fake_run, .context = &fakes[1], .pool = 1}};
	fakes[0].fail_after = 1000; /* counts the calls */
	options.max_samples = 5;
	assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
	assert_int_equal(items[0].samples, 9); /* 2.7 s of a slice of 1 s */
	assert_int_equal(fakes[0].calls, 9);
	assert_int_equal(fakes[0].looks, 9);
	assert_int_equal(items[0].iterations, 1);
	assert_int_equal(items[0].stopped, BENCH_STOP_NONE);
	assert_true(items[1].samples > 0 && items[1].samples <= 5);
}

/* The calls that an item had when it was spoiled, up to the last. */
struct spoiled {
	struct fake_item fake; /* first: the context of both */
	uint64_t calls[16];
	size_t count;
};

static int fake_spoil(void *context, struct bench_error *error)
{
	struct spoiled *spoiled = context;
	(void)error;
	assert_true(spoiled->count < 16);
	spoiled->calls[spoiled->count++] = (uint64_t)spoiled->fake.calls;
	return 0;
}

static void an_item_is_spoiled_ever_more_rarely_and_always_called_after_it(void **state)
{
	(void)state;
	uint64_t firsts[2] = {0};
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct world world = {0};
		struct bench_clock clock = clock_of(&world);
		struct bench_sampler_options options = sampling(&world, &clock);
		struct spoiled some = {.fake = {.world = &world,
						.cost_ns = 1e5,
						.fail_after = 100000000,
						.noise = 0.5}},
			       fixed = {.fake = {.world = &world, .cost_ns = 1e6}};
		struct bench_sampler_item items[2] = {
			{.run = fake_run, .spoil = fake_spoil, .context = &some},
			{.run = fake_run, .spoil = fake_spoil, .context = &fixed, .fixed = 20, .pool = 1}};
		options.seed = seed;
		options.precision = 1e-6;
		assert_int_equal(bench_worker_sampler_run(items, 2, &options), 0);
		assert_int_equal(fixed.count, 0);
		assert_true(items[0].samples >= 20 && some.count >= 2 && some.count <= 10);
		assert_true(some.calls[some.count - 1] < (uint64_t)some.fake.calls);
		firsts[some.calls[0] != firsts[0] && seed > 0] = some.calls[0];
	}
	assert_int_not_equal(firsts[1], 0); /* not always at the same moment */
}

static void each_sample_is_looked_at_once(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fake = {.world = &world, .cost_ns = 1e5};
	struct bench_sampler_item item = {
		.run = fake_run, .run_device = fake_run_device, .observe = fake_observe, .context = &fake};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(fake.looks, item.samples);
	fake = (struct fake_item){.world = &world, .cost_ns = 1e5, .look_fails_after = 3};
	item = (struct bench_sampler_item){.run = fake_run, .observe = fake_observe, .context = &fake};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_true(item.failed);
	assert_string_equal(item.error.text, "it looked away");
}

struct prepared {
	struct fake_item item; /* first: what is run takes it for this */
	size_t before, runs;
	uint64_t most; /* iterations of a run */
};

static int prepare(void *context, struct bench_error *error)
{
	struct prepared *prepared = context;
	(void)error;
	prepared->before++;
	prepared->item.world->now_ns += 1000000000;
	return 0;
}

static int run_prepared(void *context, uint64_t iterations, struct bench_error *error)
{
	struct prepared *prepared = context;
	prepared->runs++;
	prepared->most = iterations > prepared->most ? iterations : prepared->most;
	return fake_run(&prepared->item, iterations, error);
}

static void what_comes_before_a_sample_is_not_in_it(void **state)
{
	(void)state;
	struct world world = {0};
	struct prepared prepared = {.item = {.world = &world, .cost_ns = 1000}};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct bench_sampler_item item = {
		.run = run_prepared, .before = prepare, .fresh = true, .context = &prepared};
	options.least_samples = 7;
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	assert_int_equal(prepared.before, prepared.runs);
	assert_int_equal(prepared.most, 1);
	assert_true(world.last[0] < 1.1e-6);
	/* The slice is over with the first, and there are as many as were asked for. */
	assert_int_equal(world.samples[0], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_is_long_against_the_clock),
		cmocka_unit_test(one_long_call_is_a_sample_as_soon_as_it_is_known_to_be_one),
		cmocka_unit_test(rounds_are_interleaved_and_mirrored),
		cmocka_unit_test(a_visit_may_take_several_samples),
		cmocka_unit_test(a_noisy_item_takes_more_samples_than_a_quiet_one_needs),
		cmocka_unit_test(an_item_that_fails_does_not_take_the_others_with_it),
		cmocka_unit_test(device_time_is_sampled_apart_from_the_whole),
		cmocka_unit_test(rows_are_preferred_until_three_were_none),
		cmocka_unit_test(sampling_ends_when_asked_to),
		cmocka_unit_test(variants_are_timed_there_and_back),
		cmocka_unit_test(variants_that_may_differ_make_as_many_iterations_as_each_needs),
		cmocka_unit_test(a_linear_drift_falls_out_of_the_relative_time),
		cmocka_unit_test(a_spike_spoils_one_pair_and_not_the_median),
		cmocka_unit_test(precision_is_asked_of_the_relative_time_too),
		cmocka_unit_test(variants_go_on_without_a_base_that_failed),
		cmocka_unit_test(a_variant_that_failed_leaves_the_others_their_pairs),
		cmocka_unit_test(fixed_samples_are_taken_and_nothing_else),
		cmocka_unit_test(an_item_is_spoiled_ever_more_rarely_and_always_called_after_it),
		cmocka_unit_test(each_sample_is_looked_at_once),
		cmocka_unit_test(what_comes_before_a_sample_is_not_in_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

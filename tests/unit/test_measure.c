/* Measure: the plan, the targets, the sampler on a fake clock, the worker over suites and backends of our
 * own. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/json.h"
#include "core/rng.h"
#include "core/text.h"
#include "measure/environment.h"
#include "measure/plan.h"
#include "measure/process.h"
#include "measure/sampler.h"
#include "measure/session.h"
#include "measure/worker.h"

/* ---- a backend with three devices, and one with none ---- */

static const struct bench_device_info board[] = {
	{.slug = "slow-cpu", .name = "Slow CPU", .kind = BENCH_DEVICE_CPU, .memory_bytes = UINT64_C(1) << 34},
	{.slug = "big-gpu",
	 .name = "Big GPU",
	 .kind = BENCH_DEVICE_GPU,
	 .memory_bytes = 1 << 20,
	 .max_buffer_bytes = 1 << 18},
	{.slug = "big-gpu",
	 .name = "Big GPU",
	 .kind = BENCH_DEVICE_GPU,
	 .memory_bytes = 1 << 20,
	 .max_buffer_bytes = 1 << 18},
};

static int board_devices(struct bench_device_info *info, size_t capacity, size_t *count,
			 struct bench_error *error)
{
	(void)error;
	*count = 3;
	for (size_t i = 0; i < capacity && i < 3; i++)
		info[i] = board[i];
	return 0;
}

static int no_devices(struct bench_device_info *info, size_t capacity, size_t *count,
		      struct bench_error *error)
{
	(void)info;
	(void)capacity;
	(void)count;
	return bench_fail(error, BENCH_UNSUPPORTED, "no platform: install a driver");
}

struct bench_device {
	int unused;
};

static int board_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		      struct bench_error *error)
{
	static struct bench_device opened;
	(void)options;
	*device = &opened;
	return index == 2 ? bench_fail(error, BENCH_FAILED, "device 2 is on fire") : 0;
}

static void board_close(struct bench_device *device)
{
	(void)device;
}

static int board_finish(struct bench_device *device, struct bench_error *error)
{
	(void)device;
	(void)error;
	return 0;
}

static const struct bench_backend board_backend = {.abi = BENCH_BACKEND_ABI,
						   .name = "board",
						   .summary = "test",
						   .devices = board_devices,
						   .open = board_open,
						   .close = board_close,
						   .finish = board_finish};
static const struct bench_backend bare_backend = {.abi = BENCH_BACKEND_ABI,
						  .name = "bare",
						  .summary = "test",
						  .devices = no_devices,
						  .open = board_open};
static const struct bench_backend *const backends[] = {&board_backend, &bare_backend, NULL};

/* ---- a suite whose behaviour a parameter chooses ---- */

enum { P_MODE, P_M, P_N, P_X };

static const struct bench_param params[] = {
	{"mode", BENCH_PARAM_CHOICE, "right", "right|wrong|late|crash|hang|unable|broken", 0, 0,
	 "what it does"},
	{"m", BENCH_PARAM_INT, "=n", NULL, 1, 1000000000, "rows"},
	{"n", BENCH_PARAM_INT, "8", NULL, 1, 1000000000, "columns"},
	{"x", BENCH_PARAM_REAL, "1", NULL, 0, 0, "factor"},
	{0},
};

static const char *const quick[] = {"n=8,16 x=1,0.5", "m=4 n=16", "n=16 x=1", NULL};
static const char *const nightly[] = {"n=32", NULL};

static int toy_work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	uint64_t bytes;
	uint64_t m = (uint64_t)bench_case->values[P_M].integer, n = (uint64_t)bench_case->values[P_N].integer;
	if (__builtin_mul_overflow(m, n, &bytes) || bytes > UINT64_C(1) << 58)
		return bench_fail(error, BENCH_USAGE, "m x n overflows");
	*work = (struct bench_work){.flops = (double)bytes, .device_bytes = bytes, .largest_bytes = bytes};
	return 0;
}

struct toy {
	uint64_t total, prepared, expected;
	unsigned checks;
};

static int mode_of(const struct bench_case *bench_case)
{
	return (int)bench_case->values[P_MODE].integer;
}

static int toy_setup(struct bench_case *bench_case, struct bench_error *error)
{
	if (mode_of(bench_case) == 5)
		return bench_fail(error, BENCH_UNSUPPORTED, "cannot do that here");
	bench_case->state = calloc(1, sizeof(struct toy));
	return 0;
}

static int toy_prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct toy *toy = bench_case->state;
	toy->prepared = 0;
	return 0;
}

static int toy_run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct toy *toy = bench_case->state;
	toy->total += iterations;
	toy->prepared += iterations;
	if (mode_of(bench_case) == 3 && toy->total > 20)
		abort();
	if (mode_of(bench_case) == 4 && toy->total > 20)
		for (;;)
			pause();
	if (mode_of(bench_case) == 6 && toy->total > 20)
		return bench_fail(error, BENCH_FAILED, "the device was lost");
	return 0;
}

static int toy_check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		     struct bench_error *error)
{
	(void)error;
	struct toy *toy = bench_case->state;
	toy->checks++;
	*check = (struct bench_check){.tolerance = 1, .method = "by hand"};
	/* The harness must say truly how often it ran. */
	check->error = toy->prepared == iterations ? 0 : 100;
	if (mode_of(bench_case) == 1)
		check->error = 7;
	if (mode_of(bench_case) == 2 && toy->checks == 2)
		check->error = NAN;
	return 0;
}

static void toy_teardown(struct bench_case *bench_case)
{
	free(bench_case->state);
	bench_case->state = NULL;
}

static const struct bench_suite toy_suite = {.abi = BENCH_SUITE_ABI,
					     .name = "toy",
					     .summary = "test",
					     .params = params,
					     .sweeps = {quick, nightly, NULL},
					     .work = toy_work,
					     .setup = toy_setup,
					     .run = toy_run,
					     .prepare = toy_prepare,
					     .check = toy_check,
					     .teardown = toy_teardown};
static const struct bench_suite host_suite = {.abi = BENCH_SUITE_ABI,
					      .name = "hosty",
					      .summary = "test",
					      .params = params,
					      .sweeps = {nightly, NULL, NULL},
					      .host_only = true,
					      .work = toy_work,
					      .setup = toy_setup,
					      .run = toy_run,
					      .prepare = toy_prepare,
					      .check = toy_check,
					      .teardown = toy_teardown};
static const struct bench_suite *const suites[] = {&toy_suite, NULL};
static const struct bench_suite *const both_suites[] = {&toy_suite, &host_suite, NULL};

static struct bench_plan *plan_of(const struct bench_plan_options *options)
{
	struct bench_plan *plan = NULL;
	struct bench_error error = {0};
	if (bench_plan_make(options, &plan, &error) != 0)
		fail_msg("%s", error.text);
	return plan;
}

static void refuse(const struct bench_plan_options *options, enum bench_code code, const char *said)
{
	struct bench_plan *plan = NULL;
	struct bench_error error = {0};
	assert_int_equal(bench_plan_make(options, &plan, &error), -1);
	assert_int_equal(error.code, code);
	if (!strstr(error.text, said))
		fail_msg("'%s' does not say '%s'", error.text, said);
}

/* ---- targets ---- */

static size_t resolve(const char *text, struct bench_arena *arena, struct bench_target **targets)
{
	struct bench_error error;
	size_t count = 0;
	if (bench_target_resolve(backends, text, arena, targets, &count, &error) != 0)
		fail_msg("%s", error.text);
	return count;
}

static void a_device_is_chosen_by_index_kind_or_part_of_its_name(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t count, first;
	} rows[] = {{"board", 1, 1},     {"board:0", 1, 0},        {"board:gpu", 2, 1},
		    {"board:cpu", 1, 0}, {"board:slow", 1, 0},     {"board:all", 3, 0},
		    {"board:BIG", 2, 1}, {"board:2,board:2", 1, 2}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_target *targets;
		assert_int_equal(resolve(rows[i].text, &arena, &targets), rows[i].count);
		assert_int_equal(targets[0].index, rows[i].first);
		bench_arena_free(&arena);
	}
}

static void two_devices_of_one_kind_have_keys_of_their_own(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_target *targets;
	assert_int_equal(resolve("board:gpu", &arena, &targets), 2);
	assert_string_equal(targets[0].info.slug, "big-gpu");
	assert_string_equal(targets[1].info.slug, "big-gpu-2");
	bench_arena_free(&arena);
}

static void a_backend_without_a_device_stays_with_its_reason(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_target *targets;
	assert_int_equal(resolve(NULL, &arena, &targets), 2);
	assert_null(targets[0].unavailable);
	assert_non_null(strstr(targets[1].unavailable, "install a driver"));
	bench_arena_free(&arena);
}

static void an_unknown_backend_or_device_is_named_with_the_nearest(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_target *targets;
	size_t count;
	struct bench_error error;
	assert_int_equal(bench_target_resolve(backends, "bord", &arena, &targets, &count, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "'bord'"));
	assert_non_null(strstr(error.text, "did you mean 'board'"));
	assert_int_equal(bench_target_resolve(backends, "board:99", &arena, &targets, &count, &error), -1);
	assert_non_null(strstr(error.text, "board:1 (big-gpu, gpu)"));
	assert_int_equal(bench_target_resolve(backends, "board:bug-gpu", &arena, &targets, &count, &error),
			 -1);
	assert_non_null(strstr(error.text, "did you mean 'big-gpu'"));
	assert_int_equal(bench_target_resolve(backends, "", &arena, &targets, &count, &error), -1);
	bench_arena_free(&arena);
}

/* ---- the plan ---- */

static void sweeps_are_crossed_and_a_shared_point_is_measured_once(void **state)
{
	(void)state;
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .preset = BENCH_PRESET_QUICK};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 5);
	assert_int_equal(plan->group_count, 5);
	assert_string_equal(plan->cases[0].key, "toy/board:slow-cpu/mode=right,m=8,n=8,x=1");
	assert_string_equal(plan->cases[1].key, "toy/board:slow-cpu/mode=right,m=8,n=8,x=0.5");
	assert_string_equal(plan->cases[4].key, "toy/board:slow-cpu/mode=right,m=4,n=16,x=1");
	bench_plan_free(plan);
}

static void set_replaces_the_first_sweep_and_drops_the_others(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=3,5,3", "x=2"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .preset = BENCH_PRESET_QUICK,
					     .sets = sets,
					     .set_count = 2};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 2);
	assert_string_equal(plan->cases[1].key, "toy/board:slow-cpu/mode=right,m=5,n=5,x=2");
	bench_plan_free(plan);
}

static void a_preset_without_sweeps_takes_the_one_before(void **state)
{
	(void)state;
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .preset = BENCH_PRESET_FULL};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 1);
	assert_string_equal(plan->cases[0].values[P_N].text, "32");
	bench_plan_free(plan);
}

static void a_group_holds_one_point_on_every_target(void **state)
{
	(void)state;
	struct bench_plan_options options = {
		.suites = both_suites, .backends = backends, .preset = BENCH_PRESET_NIGHTLY};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 3);
	assert_int_equal(plan->group_count, 2);
	assert_int_equal(plan->cases[0].group, plan->cases[1].group);
	assert_string_equal(plan->cases[1].key, "toy/bare:none/mode=right,m=32,n=32,x=1");
	assert_non_null(strstr(plan->cases[1].unsupported, "install a driver"));
	/* A suite of the host runs once, whatever backends there are. */
	assert_string_equal(plan->cases[2].key, "hosty/host:cpu/mode=right,m=32,n=32,x=1");
	assert_null(plan->cases[2].unsupported);
	bench_plan_free(plan);
}

static void a_device_that_is_too_small_is_unsupported_where_another_can(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=1024"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0,board:1",
					     .sets = sets,
					     .set_count = 1};
	struct bench_plan *plan = plan_of(&options);
	assert_null(plan->cases[0].unsupported);
	assert_non_null(strstr(plan->cases[1].unsupported, "1.000 MiB in one buffer"));
	bench_plan_free(plan);
	options.backend_text = "board:1";
	refuse(&options, BENCH_USAGE, "1.000 MiB in one buffer; big-gpu has 256.0 KiB");
}

static void what_does_not_exist_is_refused_before_anything_runs(void **state)
{
	(void)state;
	static const struct {
		const char *set, *filter, *said;
		enum bench_code code;
	} rows[] = {
		{"nn=5", NULL, "did you mean 'n'", BENCH_USAGE},
		{"n", NULL, "expected key=value", BENCH_USAGE},
		{"n=", NULL, "expected key=value", BENCH_USAGE},
		{"=5", NULL, "expected key=value", BENCH_USAGE},
		{"n=0", NULL, "out of range", BENCH_USAGE},
		{"n=5,,6", NULL, "no whole number", BENCH_USAGE},
		{"n=1000000000", NULL, "m x n overflows", BENCH_USAGE},
		{"n=1000000", NULL, "of memory; this machine has", BENCH_USAGE},
		{"mode=wrogn", NULL, "did you mean 'wrong'", BENCH_USAGE},
		{NULL, "k=3", "no suite of this run has a parameter 'k'", BENCH_USAGE},
		{NULL, "n>x", "'x' is no number", BENCH_USAGE},
		{NULL, "n=", "an empty term", BENCH_USAGE},
		{NULL, "n=7", "leaves no case", BENCH_NOTHING},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *sets[] = {rows[i].set};
		struct bench_plan_options options = {.suites = suites,
						     .backends = backends,
						     .backend_text = "board:0",
						     .sets = sets,
						     .set_count = rows[i].set != NULL,
						     .filter = rows[i].filter};
		refuse(&options, rows[i].code, rows[i].said);
	}
}

static void filters_pick_by_parameter_name_and_pattern(void **state)
{
	(void)state;
	static const struct {
		const char *filter;
		size_t cases;
	} rows[] = {{"n=8", 2},           {"n>8", 3},
		    {"n>=8", 5},          {"n<16", 2},
		    {"n<=8,x=1", 1},      {"n!=8", 3},
		    {"x=1.0", 3},         {"x=0.5", 2},
		    {"m=4", 1},           {"slow", 5},
		    {"m=4,n=1?", 1},      {"device=slow-*", 5},
		    {"backend=board", 5}, {"suite=toy,n==16", 3},
		    {"mode=ri*", 5}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_plan_options options = {.suites = suites,
						     .backends = backends,
						     .backend_text = "board:0",
						     .filter = rows[i].filter};
		struct bench_plan *plan = plan_of(&options);
		if (plan->case_count != rows[i].cases)
			fail_msg("%s leaves %zu cases, not %zu", rows[i].filter, plan->case_count,
				 rows[i].cases);
		bench_plan_free(plan);
	}
}

/* ---- the sampler, on a clock that only work moves ---- */

struct world {
	uint64_t now_ns;
	struct bench_rng rng;
	size_t order[4096]; /* of the items' samples */
	size_t samples[4], device_samples[4], settled;
	double last[4];
	size_t end_after; /* sample() asks to end after so many; 0: never */
	size_t taken;
};

struct fake_item {
	struct world *world;
	double cost_ns; /* of one iteration */
	double noise;   /* relative standard deviation of a call */
	int fail_after; /* calls; 0: never */
	int calls;
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
	double factor = exp(item->noise * bench_rng_normal(&item->world->rng));
	item->world->now_ns += (uint64_t)((double)iterations * item->cost_ns * factor);
	return 0;
}

static int fake_run_device(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	struct fake_item *item = context;
	*seconds = 0.5e-9 * item->cost_ns * (double)iterations;
	return fake_run(context, iterations, error);
}

static int take(void *context, size_t item, enum bench_sample_kind kind, double seconds, uint64_t iterations)
{
	struct world *world = context;
	(void)iterations;
	if (kind == BENCH_SAMPLE_DEVICE_TIME) {
		world->device_samples[item]++;
		return 0;
	}
	size_t all = world->samples[0] + world->samples[1] + world->samples[2] + world->samples[3];
	if (all < sizeof(world->order) / sizeof(world->order[0]))
		world->order[all] = item;
	world->samples[item]++;
	world->last[item] = seconds;
	return world->end_after && ++world->taken >= world->end_after ? -1 : 0;
}

static void settle(void *context)
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
					      .max_samples = 200,
					      .seed = 5,
					      .settle = settle,
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
	struct fake_item fake = {&world, 3.0, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .context = &fake};
	assert_int_equal(bench_sampler_run(&item, 1, &options), 0);
	assert_true((double)item.iterations * fake.cost_ns >= 1000 * 20);
	/* The clock's own 20 ns a reading is all that may be in it. */
	assert_true(fabs(world.last[0] - 3.0e-9) < 0.02e-9);
	assert_int_equal(item.stopped, BENCH_STOP_PRECISION);
}

static void one_long_call_is_a_sample_without_further_warm_up(void **state)
{
	(void)state;
	struct world world = {0};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	options.slice_seconds = 0.1;
	struct fake_item fake = {&world, 4e8, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .context = &fake, .known_seconds = 0.4};
	assert_int_equal(bench_sampler_run(&item, 1, &options), 0);
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
	struct fake_item fakes[3] = {
		{&world, 1e5, 0.1, 0, 0}, {&world, 2e5, 0.1, 0, 0}, {&world, 3e5, 0.1, 0, 0}};
	struct bench_sampler_item items[3];
	for (int i = 0; i < 3; i++)
		items[i] = (struct bench_sampler_item){.run = fake_run, .context = &fakes[i], .pool = i};
	assert_int_equal(bench_sampler_run(items, 3, &options), 0);
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

static void a_noisy_item_takes_more_samples_than_a_quiet_one_needs(void **state)
{
	(void)state;
	size_t needed[2];
	for (int i = 0; i < 2; i++) {
		struct world world = {0};
		struct bench_clock clock = clock_of(&world);
		struct bench_sampler_options options = sampling(&world, &clock);
		struct fake_item fake = {&world, 1e5, i ? 0.03 : 0, 0, 0};
		struct bench_sampler_item item = {.run = fake_run, .context = &fake};
		bench_rng_start(&world.rng, 11, 0);
		assert_int_equal(bench_sampler_run(&item, 1, &options), 0);
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
	struct fake_item fakes[2] = {{&world, 1e5, 0.1, 30, 0}, {&world, 1e5, 0.1, 0, 0}};
	struct bench_sampler_item items[2] = {{.run = fake_run, .context = &fakes[0]},
					      {.run = fake_run, .context = &fakes[1]}};
	options.precision = 0;
	assert_int_equal(bench_sampler_run(items, 2, &options), 0);
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
	struct fake_item fake = {&world, 1e5, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .run_device = fake_run_device, .context = &fake};
	assert_int_equal(bench_sampler_run(&item, 1, &options), 0);
	assert_int_equal(world.samples[0], world.device_samples[0]);
}

static void sampling_ends_when_asked_to(void **state)
{
	(void)state;
	struct world world = {.end_after = 3};
	struct bench_clock clock = clock_of(&world);
	struct bench_sampler_options options = sampling(&world, &clock);
	struct fake_item fake = {&world, 1e5, 0, 0, 0};
	struct bench_sampler_item item = {.run = fake_run, .context = &fake};
	assert_int_equal(bench_sampler_run(&item, 1, &options), -1);
	assert_int_equal(world.taken, 3);
}

/* ---- the worker and the session, in real processes ---- */

static void a_job_is_the_same_after_its_journey(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=5", "mode=late", "x=0.1"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:1",
					     .sets = sets,
					     .set_count = 3};
	struct bench_plan *plan = plan_of(&options);
	struct bench_job_case cases[] = {{3, &board_backend, 1, "big-gpu"}, {4, NULL, 0, "cpu"}};
	struct bench_job job = {.invocation = 7,
				.seed = UINT64_MAX,
				.threads = 2,
				.precision = 0.015,
				.slice_seconds = 1.25,
				.suite = &toy_suite,
				.values = plan->cases[0].values,
				.value_count = 4,
				.cases = cases,
				.case_count = 2};
	char *text = bench_job_to_json(&job);
	struct bench_arena arena = {0};
	struct bench_job read;
	struct bench_error error;
	assert_int_equal(bench_job_from_json(text, strlen(text), suites, backends, &arena, &read, &error), 0);
	assert_int_equal(read.invocation, 7);
	assert_true(read.seed == UINT64_MAX);
	assert_int_equal(read.threads, 2);
	assert_true(read.precision == 0.015 && read.slice_seconds == 1.25);
	assert_ptr_equal(read.suite, &toy_suite);
	assert_int_equal(read.values[P_N].integer, 5);
	assert_true(read.values[P_X].real == 0.1);
	assert_int_equal(read.case_count, 2);
	assert_int_equal(read.cases[0].index, 3);
	assert_ptr_equal(read.cases[0].backend, &board_backend);
	assert_int_equal(read.cases[0].device, 1);
	assert_string_equal(read.cases[0].slug, "big-gpu");
	assert_null(read.cases[1].backend);
	/* A job that was cut or does not fit this program is refused, not guessed at. */
	for (size_t length = 0; length < strlen(text); length += 7)
		assert_int_equal(bench_job_from_json(text, length, suites, backends, &arena, &read, &error),
				 -1);
	bench_arena_free(&arena);
	free(text);
	bench_plan_free(plan);
}

static const char *program; /* this test, which is its own worker */

/* Measures the toy suite in modes "a,b,.." in real worker processes; the caller frees the run. */
static struct bench_run *measure(const char *modes, const char *backend, unsigned invocations,
				 char *folder_path)
{
	char scratch[256], set[128];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-measure-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(scratch));
	snprintf(set, sizeof(set), "mode=%s", modes);
	const char *const sets[] = {set, "n=8", "x=1"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = backend,
					     .sets = sets,
					     .set_count = 3};
	struct bench_plan *plan = plan_of(&options);
	struct bench_run *run = bench_run_new();
	struct bench_folder folder;
	struct bench_error error;
	run->started = 1764000000;
	run->command = bench_arena_string(&run->arena, "bench run --suite toy");
	run->preset = bench_arena_string(&run->arena, "quick");
	run->invocations = invocations;
	run->precision = 0.5;
	run->budget_seconds = 0.3;
	run->seed = 3;
	if (bench_folder_create(&folder, scratch, run, &error) != 0)
		fail_msg("%s", error.text);
	const char *const arguments[] = {"test_measure", "worker", NULL};
	struct bench_session_options session = {
		.executable = program, .arguments = arguments, .time_limit_seconds = 1.5};
	if (bench_session_run(run, plan, &folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_folder_finish(&folder, run, &error), 0);
	if (folder_path)
		snprintf(folder_path, 256, "%s", scratch);
	bench_folder_close(&folder);
	bench_plan_free(plan);
	return run;
}

static void remove_scratch(const char *path)
{
	char command[300];
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(system(command), 0);
}

static const struct bench_result *of_mode(const struct bench_run *run, const char *mode)
{
	for (size_t i = 0; i < run->result_count; i++)
		if (strcmp(bench_pair_get(run->results[i].params, run->results[i].param_count, "mode"),
			   mode) == 0)
			return &run->results[i];
	fail_msg("no result for mode %s", mode);
	return NULL;
}

static void every_case_ends_as_what_it_is(void **state)
{
	(void)state;
	char scratch[256];
	struct bench_run *run = measure("right,wrong,late,crash,hang,unable,broken", "board:0", 2, scratch);
	static const struct {
		const char *mode;
		enum bench_status status;
		const char *reason;
	} rows[] = {
		{"right", BENCH_STATUS_OK, ""},
		{"wrong", BENCH_STATUS_INCORRECT, "error 7, tolerance 1 (by hand)"},
		{"late", BENCH_STATUS_INCORRECT, "nan"}, /* right at first, wrong after it was timed */
		{"crash", BENCH_STATUS_FAILED, "signal 6"},
		{"hang", BENCH_STATUS_FAILED, "no sign of life"},
		{"unable", BENCH_STATUS_UNSUPPORTED, "cannot do that here"},
		{"broken", BENCH_STATUS_FAILED, "the device was lost"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct bench_result *result = of_mode(run, rows[i].mode);
		assert_string_equal(bench_status_name(result->status), bench_status_name(rows[i].status));
		if (!strstr(result->reason, rows[i].reason))
			fail_msg("%s: '%s' does not say '%s'", rows[i].mode, result->reason, rows[i].reason);
		assert_int_equal(result->metric_count > 0, rows[i].status == BENCH_STATUS_OK);
	}
	const struct bench_metric *time = bench_result_metric(of_mode(run, "right"), "time");
	assert_non_null(time);
	assert_int_equal(time->series_count, 2);
	assert_int_equal(time->series[0].invocation, 0);
	assert_int_equal(time->series[1].invocation, 1);
	assert_non_null(bench_result_metric(of_mode(run, "right"), "first_call"));
	assert_false(run->interrupted);
	bench_run_free(run);
	remove_scratch(scratch);
}

static void a_case_that_crashes_costs_its_group_nothing_but_itself(void **state)
{
	(void)state;
	char scratch[256];
	struct bench_run *run = measure("right", "board:0,board:2,board:1,bare", 1, scratch);
	assert_int_equal(run->result_count, 4);
	assert_int_equal(run->results[0].status, BENCH_STATUS_OK);
	assert_int_equal(run->results[1].status, BENCH_STATUS_FAILED);
	assert_string_equal(run->results[1].reason, "device 2 is on fire");
	assert_int_equal(run->results[2].status, BENCH_STATUS_OK);
	assert_int_equal(run->results[3].status, BENCH_STATUS_UNSUPPORTED);
	bench_run_free(run);
	run = measure("crash", "board:0,board:1", 1, NULL);
	/* Both crash, each in its turn, and each is blamed for its own. */
	assert_int_equal(run->results[0].status, BENCH_STATUS_FAILED);
	assert_int_equal(run->results[1].status, BENCH_STATUS_FAILED);
	bench_run_free(run);
	remove_scratch(scratch);
}

static void the_events_on_disk_are_the_record(void **state)
{
	(void)state;
	char scratch[256], path[PATH_MAX];
	struct bench_run *run = measure("right,wrong,crash", "board:0", 2, scratch), *again = NULL;
	struct bench_error error;
	assert_true(bench_file_join(path, sizeof(path), run->folder, "metrics.json"));
	assert_int_equal(unlink(path), 0);
	if (bench_record_load_folder(run->folder, &again, &error) != 0)
		fail_msg("%s", error.text);
	char *one = bench_record_to_json(run), *two = bench_record_to_json(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	bench_run_free(again);
	bench_run_free(run);
	remove_scratch(scratch);
}

static void the_host_has_a_stable_fingerprint(void **state)
{
	(void)state;
	struct bench_run *a = bench_run_new(), *b = bench_run_new();
	bench_environment_host(a, 0);
	bench_environment_host(b, 1);
	const char *fingerprint = bench_pair_get(a->host, a->host_count, "fingerprint");
	assert_int_equal(strlen(fingerprint), 16);
	assert_string_equal(fingerprint, bench_pair_get(b->host, b->host_count, "fingerprint"));
	assert_string_equal(bench_pair_get(b->host, b->host_count, "threads"), "1");
	static const char *const names[] = {"name", "cpu",      "cores",      "threads", "memory_bytes",
					    "kernel",   "compiler", "build_type", "version"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_not_equal(bench_pair_get(a->host, a->host_count, names[i]), "");
	bench_run_free(a);
	bench_run_free(b);
}

static void the_work_tree_is_described_with_what_is_dirty(void **state)
{
	(void)state;
	char scratch[256], before[PATH_MAX], command[2048];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-git-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(scratch));
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(scratch), 0);
	struct bench_run *run = bench_run_new();
	setenv("GIT_CEILING_DIRECTORIES", scratch, 1);
	bench_environment_git(run);
	assert_false(run->git.present);
	bench_run_free(run);
	snprintf(command, sizeof(command),
		 "git init -q -b side . && touch 'a b' c && git add . && "
		 "git -c user.name=n -c user.email=e commit -q -m x && git mv c d && echo x >'a b' && touch "
		 "new");
	assert_int_equal(system(command), 0);
	run = bench_run_new();
	bench_environment_git(run);
	assert_true(run->git.present && run->git.dirty);
	assert_int_equal(strlen(run->git.commit), 40);
	assert_string_equal(run->git.branch, "side");
	assert_int_equal(run->git.dirty_count, 3);
	bool spaced = false, renamed = false, fresh = false;
	for (size_t i = 0; i < run->git.dirty_count; i++) {
		spaced |= strcmp(run->git.dirty_files[i], "a b") == 0;
		renamed |= strcmp(run->git.dirty_files[i], "d") == 0;
		fresh |= strcmp(run->git.dirty_files[i], "new") == 0;
	}
	assert_true(spaced && renamed && fresh);
	bench_run_free(run);
	assert_int_equal(chdir(before), 0);
	remove_scratch(scratch);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_session_worker(suites, backends);
	(void)argv;
	program = "/proc/self/exe";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_chosen_by_index_kind_or_part_of_its_name),
		cmocka_unit_test(two_devices_of_one_kind_have_keys_of_their_own),
		cmocka_unit_test(a_backend_without_a_device_stays_with_its_reason),
		cmocka_unit_test(an_unknown_backend_or_device_is_named_with_the_nearest),
		cmocka_unit_test(sweeps_are_crossed_and_a_shared_point_is_measured_once),
		cmocka_unit_test(set_replaces_the_first_sweep_and_drops_the_others),
		cmocka_unit_test(a_preset_without_sweeps_takes_the_one_before),
		cmocka_unit_test(a_group_holds_one_point_on_every_target),
		cmocka_unit_test(a_device_that_is_too_small_is_unsupported_where_another_can),
		cmocka_unit_test(what_does_not_exist_is_refused_before_anything_runs),
		cmocka_unit_test(filters_pick_by_parameter_name_and_pattern),
		cmocka_unit_test(a_sample_is_long_against_the_clock),
		cmocka_unit_test(one_long_call_is_a_sample_without_further_warm_up),
		cmocka_unit_test(rounds_are_interleaved_and_mirrored),
		cmocka_unit_test(a_noisy_item_takes_more_samples_than_a_quiet_one_needs),
		cmocka_unit_test(an_item_that_fails_does_not_take_the_others_with_it),
		cmocka_unit_test(device_time_is_sampled_apart_from_the_whole),
		cmocka_unit_test(sampling_ends_when_asked_to),
		cmocka_unit_test(a_job_is_the_same_after_its_journey),
		cmocka_unit_test(every_case_ends_as_what_it_is),
		cmocka_unit_test(a_case_that_crashes_costs_its_group_nothing_but_itself),
		cmocka_unit_test(the_events_on_disk_are_the_record),
		cmocka_unit_test(the_host_has_a_stable_fingerprint),
		cmocka_unit_test(the_work_tree_is_described_with_what_is_dirty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

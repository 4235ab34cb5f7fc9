/*
 * A backend with three devices and one with none, and a suite whose behaviour a parameter
 * chooses, for the tests of plan, targets, worker and session.
 */
#ifndef TESTS_UNIT_MEASURE_FIXTURE_H
#define TESTS_UNIT_MEASURE_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/plan.h"

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
/* The same with a parameter that may be a path. */
static const struct bench_param file_params[] = {
	{"mode", BENCH_PARAM_CHOICE, "right", "right|wrong|late|crash|hang|unable|broken", 0, 0,
	 "what it does"},
	{"m", BENCH_PARAM_INT, "=n", NULL, 1, 1000000000, "rows"},
	{"n", BENCH_PARAM_INT, "8", NULL, 1, 1000000000, "columns"},
	{"file", BENCH_PARAM_TEXT, "made", NULL, 0, 0, "data"},
	{"copy", BENCH_PARAM_TEXT, "=file", NULL, 0, 0, "the same data"},
	{0},
};
static const struct bench_suite file_suite = {.abi = BENCH_SUITE_ABI,
					      .name = "filed",
					      .summary = "test",
					      .params = file_params,
					      .sweeps = {nightly, NULL, NULL},
					      .work = toy_work,
					      .setup = toy_setup,
					      .run = toy_run,
					      .prepare = toy_prepare,
					      .check = toy_check,
					      .teardown = toy_teardown};
static const struct bench_suite *const file_suites[] = {&file_suite, NULL};
static const struct bench_suite *const suites[] = {&toy_suite, NULL};
static const struct bench_suite *const both_suites[] = {&toy_suite, &host_suite, NULL};

static inline struct bench_plan *plan_of(const struct bench_plan_options *options)
{
	struct bench_plan *plan = NULL;
	struct bench_error error = {0};
	if (bench_plan_make(options, &plan, &error) != 0)
		fail_msg("%s", error.text);
	return plan;
}

#endif

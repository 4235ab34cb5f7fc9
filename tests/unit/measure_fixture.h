/* SPDX-License-Identifier: MIT */
/*
 * A backend with three devices and one with none, and a suite whose behavior a parameter
 * chooses, for the tests of plan, targets, worker and session.
 */
#ifndef TESTS_UNIT_MEASURE_FIXTURE_H
#define TESTS_UNIT_MEASURE_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "plan/plan.h"

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
	{"mode", BENCH_PARAM_CHOICE, "right", "right|wrong|late|crash|hang|unable|broken|print", 0, 0,
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
	/* As much at once, and with no disk behind it. */
	while (mode_of(bench_case) == 7 && toy->total > 20)
		assert_int_equal(ftruncate(STDOUT_FILENO, (off_t)65 << 20) || usleep(10000), 0);
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

/*
 * A suite with variants, metrics of its own, looks between samples and samples of a fixed number.
 * `base` says what becomes of the first variant.
 */
enum { V_BASE, V_KIND, V_N, V_SAMPLES };

static const struct bench_param variant_params[] = {
	{"base", BENCH_PARAM_CHOICE, "right", "right|wrong|late|broken", 0, 0, "what the plain one does"},
	{"kind", BENCH_PARAM_CHOICE, "plain", "plain|other|third|nan|inf|stranger", 0, 0, "which variant"},
	{"n", BENCH_PARAM_INT, "8", NULL, 1, 1000000000, "size"},
	{"samples", BENCH_PARAM_INT, "0", NULL, 0, 1000000000, "how many; 0: as it comes"},
	{0},
};

static const char *const variant_quick[] = {"kind=plain,other,third n=8,16", NULL};

static const struct bench_metric_spec variant_metrics[] = {
	{"looks", "count", BENCH_BETTER_NONE, "how often it was looked at"},
	{"ran", "count", BENCH_BETTER_NONE, "iterations at the last look"},
	{"level", "share", BENCH_BETTER_HIGHER, "a number, twice"},
	{0},
};

struct varied {
	uint64_t prepared, looks, ran;
	unsigned checks;
};

static int varied_work(const struct bench_case *bench_case, struct bench_work *work,
		       struct bench_error *error)
{
	(void)error;
	uint64_t n = (uint64_t)bench_case->values[V_N].integer;
	*work = (struct bench_work){.items = 1, .device_bytes = n, .largest_bytes = n};
	work->samples = (uint64_t)bench_case->values[V_SAMPLES].integer;
	return 0;
}

static int varied_setup(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	bench_case->state = calloc(1, sizeof(struct varied));
	return 0;
}

static int varied_prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	((struct varied *)bench_case->state)->prepared = 0;
	return 0;
}

/* What becomes of this case: 0 where it is no plain one. */
static int fate_of(const struct bench_case *bench_case)
{
	return bench_case->values[V_KIND].integer == 0 ? (int)bench_case->values[V_BASE].integer : 0;
}

static int varied_run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct varied *varied = bench_case->state;
	varied->prepared += iterations;
	if (fate_of(bench_case) == 3 && varied->checks > 0)
		return bench_fail(error, BENCH_FAILED, "the plain one broke");
	usleep(bench_case->values[V_KIND].integer == 0 ? 2100 : 4200);
	return 0;
}

static int varied_check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
			struct bench_error *error)
{
	(void)error;
	struct varied *varied = bench_case->state;
	varied->checks++;
	bool wrong = fate_of(bench_case) == 1 || (fate_of(bench_case) == 2 && varied->checks == 2);
	*check = (struct bench_check){.tolerance = 1, .method = "by hand"};
	check->error = wrong || varied->prepared != iterations ? 7 : 0;
	return 0;
}

static int varied_observe(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct varied *varied = bench_case->state;
	varied->looks++;
	varied->ran = iterations;
	return iterations == varied->prepared
		       ? 0
		       : bench_fail(error, BENCH_FAILED,
				    "it ran another number of times since it was prepared");
}

static int varied_report(struct bench_case *bench_case, const struct bench_report *report,
			 struct bench_error *error)
{
	(void)error;
	static const struct bench_metric_spec stranger = {"stranger", "s", BENCH_BETTER_NONE, "not its own"};
	const struct varied *varied = bench_case->state;
	int64_t kind = bench_case->values[V_KIND].integer;
	report->value(report->context, &variant_metrics[0], (double)varied->looks);
	report->value(report->context, &variant_metrics[1], (double)varied->ran);
	report->value(report->context, kind == 5 ? &stranger : &variant_metrics[2],
		      kind == 3   ? (double)NAN
		      : kind == 4 ? (double)INFINITY
				  : 0.25);
	report->value(report->context, &variant_metrics[2], 0.75);
	return 0;
}

static const struct bench_suite variant_suite = {.abi = BENCH_SUITE_ABI,
						 .name = "varied",
						 .summary = "test",
						 .params = variant_params,
						 .sweeps = {variant_quick, NULL, NULL},
						 .variants = "kind",
						 .metrics = variant_metrics,
						 .work = varied_work,
						 .setup = varied_setup,
						 .run = varied_run,
						 .prepare = varied_prepare,
						 .check = varied_check,
						 .observe = varied_observe,
						 .report = varied_report,
						 .teardown = toy_teardown};
static const struct bench_suite *const variant_suites[] = {&variant_suite, NULL};
static const struct bench_suite *const all_suites[] = {&toy_suite, &host_suite, &variant_suite, NULL};

static inline struct bench_plan *plan_of(const struct bench_plan_options *options)
{
	struct bench_plan *plan = NULL;
	struct bench_error error = {0};
	if (bench_plan_make(options, &plan, &error) != 0)
		fail_msg("%s", error.text);
	return plan;
}

#endif

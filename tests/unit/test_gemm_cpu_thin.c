/* SPDX-License-Identifier: MIT */
/*
 * Which kernel, tile and work-items a product of few rows or columns gets on a CPU. The device is made up:
 * choosing looks at nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/opencl/gemm/cpu_thin.h"

/* `bytes` of a vector. */
static struct bench_device cpu(size_t bytes)
{
	static struct bench_device caller;
	return (struct bench_device){.info = {.kind = BENCH_DEVICE_CPU, .compute_units = 16},
				     .native_width = {bytes / 4, bytes / 8},
				     .caller = &caller,
				     .queue = {.idle = true}};
}

static bool plan_of(const struct bench_device *device, size_t m, size_t n, size_t k, const char *trans,
		    enum bench_dtype dtype, struct bench_opencl_thin *plan)
{
	const struct bench_gemm gemm = {.dtype = dtype,
					.m = m,
					.n = n,
					.k = k,
					.trans_a = trans[0] == 'T',
					.trans_b = trans[1] == 'T'};
	return bench_opencl_gemm_cpu_thin_plan(device, &gemm, plan);
}

static void the_kernel_is_chosen_by_how_the_long_operand_is_stored(void **state)
{
	(void)state;
	static const struct {
		size_t m, n, k;
		const char *trans;
		enum bench_opencl_thin_way way;
		bool thin_m;
	} cases[] = {
		{1, 4096, 4096, "NN", BENCH_OPENCL_THIN_ACROSS, true},
		{1, 4096, 4096, "NT", BENCH_OPENCL_THIN_ALONG, true},
		{16, 4096, 4096, "TT", BENCH_OPENCL_THIN_BESIDE, true},
		{4096, 1, 4096, "NN", BENCH_OPENCL_THIN_ALONG, false},
		{256, 10, 128, "NN", BENCH_OPENCL_THIN_BESIDE, false},
		{256, 10, 128, "TN", BENCH_OPENCL_THIN_ACROSS, false},
		/* Fewer steps than lanes are not added up along them. */
		{1, 4096, 7, "NT", BENCH_OPENCL_THIN_BESIDE, true},
		/* Both thin: not across fewer elements than lanes. */
		{3, 7, 100, "NN", BENCH_OPENCL_THIN_BESIDE, false},
	};
	struct bench_device device = cpu(64);
	struct bench_opencl_thin plan;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(plan_of(&device, cases[i].m, cases[i].n, cases[i].k, cases[i].trans, BENCH_F32,
				    &plan));
		if (plan.way != cases[i].way || plan.thin_m != cases[i].thin_m)
			fail_msg("%zu x %zu x %zu %s: way %d, thin_m %d", cases[i].m, cases[i].n, cases[i].k,
				 cases[i].trans, (int)plan.way, plan.thin_m);
	}
	assert_false(plan_of(&device, 17, 17, 100, "NN", BENCH_F32, &plan));
	assert_false(plan_of(&device, 3, 7, 100, "TN", BENCH_F32, &plan));
}

/* Whatever the shape: tiles that fit the registers and the problem, and no work-item without work. */
static void every_plan_is_within_its_bounds(void **state)
{
	(void)state;
	static const char *const storages[] = {"NN", "NT", "TN", "TT"};
	static const enum bench_dtype dtypes[] = {BENCH_F32, BENCH_F64, BENCH_F16, BENCH_BF16};
	for (size_t bytes = 16; bytes <= 64; bytes *= 2)
		for (size_t i = 0; i < (size_t)4 * 4 * 16 * 5; i++) {
			struct bench_device device = cpu(bytes);
			size_t thin = i / 16 % 16 + 1,
			       length = (const size_t[]){1, 9, 40, 777, 5000}[i / 256];
			struct bench_opencl_thin plan;
			bool turn = i % 3 == 0;
			if (!plan_of(&device, turn ? thin : length, turn ? length : thin, 300,
				     storages[i % 4], dtypes[i / 4 % 4], &plan))
				continue;
			size_t sums = plan.rows * plan.columns;
			bool across = plan.way == BENCH_OPENCL_THIN_ACROSS;
			assert_true(plan.rows >= 1 && plan.rows <= 16 && plan.columns >= 1 &&
				    plan.columns <= 8);
			assert_true(sums <= (bytes == 64 ? 28 : 16));
			assert_true(plan.rows <= (across ? plan.thin : plan.length));
			assert_true(!across || plan.length >= plan.lanes);
			assert_true(plan.parts >= 1 && plan.parts <= (plan.ahead ? 16 : 64));
			assert_true(plan.parts <=
				    bench_opencl_divide_up(plan.length, across ? plan.lanes : plan.rows));
			assert_true(plan.block >= 1 && plan.block <= 300);
		}
}

static void what_is_little_work_is_the_calling_threads(void **state)
{
	(void)state;
	struct bench_device device = cpu(64);
	struct bench_opencl_thin plan;
	assert_true(plan_of(&device, 256, 10, 128, "NN", BENCH_F32, &plan));
	assert_true(plan.by_caller);
	assert_int_equal(plan.parts, 1);
	assert_true(plan_of(&device, 1, 4096, 4096, "NN", BENCH_F32, &plan));
	assert_false(plan.by_caller);
	/* 64 MiB come from memory: 8 parts of 32 vectors each would be too few for 16 units. */
	assert_int_equal(plan.parts, 16);
	assert_false(plan.ahead);
	assert_true(plan_of(&device, 1, 1000, 4096, "NN", BENCH_F32, &plan));
	assert_true(plan.ahead);
	assert_true(plan_of(&device, 1, 65536, 4096, "NN", BENCH_F32, &plan));
	assert_int_equal(plan.parts, 64);
	device.queue.idle = false;
	assert_true(plan_of(&device, 256, 10, 128, "NN", BENCH_F32, &plan));
	assert_false(plan.by_caller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_is_chosen_by_how_the_long_operand_is_stored),
		cmocka_unit_test(every_plan_is_within_its_bounds),
		cmocka_unit_test(what_is_little_work_is_the_calling_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

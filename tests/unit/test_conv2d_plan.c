/* SPDX-License-Identifier: MIT */
/*
 * Which tile and number of groups a convolution gets on tensor cores. The device is made up, as an H200
 * describes itself: choosing looks at nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/opencl/conv2d/tensor.h"
#include "kit/rng.h"

static const struct bench_device h200 = {
	.info = {.compute_units = 132}, .nvidia_capability = 9, .has_fence = true};

static struct bench_conv2d layer(enum bench_conv2d_layout layout, size_t n, size_t c, size_t h, size_t k,
				 size_t r, size_t stride)
{
	return (struct bench_conv2d){.dtype = BENCH_F16,
				     .layout = layout,
				     .n = n,
				     .c = c,
				     .h = h,
				     .w = h,
				     .k = k,
				     .r = r,
				     .s = r,
				     .stride = stride,
				     .pad = r / 2,
				     .dilation = 1,
				     .groups = 1};
}

/* Where a tile was at least 8% faster than the others that were measured, with any number of groups: f16, an
 * H200. */
static void layers_get_the_plan_that_was_fastest_when_measured(void **state)
{
	(void)state;
	static const struct {
		bool nhwc;
		size_t n, c, h, k, r, stride, rows, columns, groups;
	} rows[] = {
		{0, 1, 64, 56, 64, 3, 1, 64, 64, 1},     {0, 8, 64, 56, 64, 3, 1, 64, 64, 1},
		{0, 1, 128, 28, 128, 3, 1, 64, 64, 4},   {0, 8, 128, 28, 128, 3, 1, 64, 64, 1},
		{0, 1, 256, 14, 256, 3, 1, 64, 64, 4},   {0, 32, 256, 14, 256, 3, 1, 64, 64, 1},
		{0, 1, 256, 56, 512, 1, 2, 64, 64, 1},   {0, 1, 320, 7, 1280, 1, 1, 64, 64, 1},
		{0, 1, 512, 7, 512, 3, 1, 64, 64, 8},    {0, 8, 512, 7, 512, 3, 1, 64, 64, 4},
		{0, 1, 512, 14, 512, 3, 1, 64, 64, 4},   {0, 8, 512, 28, 128, 1, 1, 64, 64, 1},
		{0, 1, 512, 32, 512, 3, 1, 128, 128, 4}, {0, 1, 1024, 14, 256, 1, 1, 64, 64, 4},
		{1, 8, 3, 224, 64, 7, 2, 64, 64, 1},     {1, 1, 48, 35, 64, 5, 1, 64, 64, 4},
		{1, 1, 64, 56, 64, 3, 1, 64, 64, 1},     {1, 8, 64, 56, 64, 3, 1, 64, 64, 1},
		{1, 32, 64, 56, 64, 3, 1, 64, 64, 1},    {1, 16, 64, 112, 64, 3, 1, 64, 64, 1},
		{1, 1, 96, 28, 128, 3, 1, 64, 64, 1},    {1, 1, 128, 28, 128, 3, 1, 64, 64, 3},
		{1, 1, 256, 14, 256, 3, 1, 64, 64, 6},   {1, 1, 256, 56, 512, 1, 2, 64, 64, 1},
		{1, 1, 320, 7, 1280, 1, 1, 64, 64, 1},   {1, 2, 384, 13, 256, 3, 1, 64, 64, 4},
		{1, 1, 512, 7, 512, 3, 1, 64, 64, 8},    {1, 1, 512, 14, 512, 3, 1, 64, 64, 4},
		{1, 8, 512, 28, 128, 1, 1, 64, 64, 1},   {1, 8, 512, 28, 512, 3, 1, 64, 128, 2},
		{1, 1, 512, 64, 512, 3, 1, 64, 128, 1},  {1, 1, 1024, 14, 256, 1, 1, 64, 64, 4},
		{1, 8, 1024, 14, 2048, 1, 2, 64, 64, 1}, {1, 1, 2048, 7, 512, 1, 1, 64, 64, 4},
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	size_t wrong = 0;
	for (size_t i = 0; i < count; i++) {
		const struct bench_conv2d conv =
			layer(rows[i].nhwc ? BENCH_CONV2D_NHWC : BENCH_CONV2D_NCHW, rows[i].n, rows[i].c,
			      rows[i].h, rows[i].k, rows[i].r, rows[i].stride);
		const struct bench_opencl_conv2d_plan plan = bench_opencl_conv2d_tensor_plan(&h200, &conv);
		if (plan.tile->rows == rows[i].rows && plan.tile->columns == rows[i].columns &&
		    plan.groups <= 2 * rows[i].groups && rows[i].groups <= 2 * plan.groups)
			continue;
		wrong++;
		print_message("row %zu: tiles of %zu x %zu, shared by %zu\n", i, plan.tile->rows,
			      plan.tile->columns, plan.groups);
	}
	assert_true(wrong * 10 <= count); /* the model is one: 9 of 10 */
}

/* The groups of a tile share its rounds out, all of them, and none has nothing to do. */
static void all_rounds_are_shared_out(void **state)
{
	(void)state;
	struct bench_rng rng;
	bench_rng_start(&rng, 1, 0);
	size_t shared = 0;
	for (size_t i = 0; i < 2000; i++) {
		struct bench_conv2d conv =
			layer(bench_rng_below(&rng, 2) ? BENCH_CONV2D_NHWC : BENCH_CONV2D_NCHW,
			      1 + bench_rng_below(&rng, 8), 1 + bench_rng_below(&rng, 600),
			      1 + bench_rng_below(&rng, 60), 1 + bench_rng_below(&rng, 600),
			      1 + 2 * bench_rng_below(&rng, 3), 1 + bench_rng_below(&rng, 2));
		const struct bench_opencl_conv2d_plan plan = bench_opencl_conv2d_tensor_plan(&h200, &conv);
		assert_true(plan.groups * plan.rounds_each >= plan.rounds);
		assert_true((plan.groups - 1) * plan.rounds_each < plan.rounds);
		assert_true(plan.groups == 1 || plan.tiles * plan.groups <= plan.tile->together * 132);
		shared += plan.groups > 1;
	}
	assert_in_range(shared, 100, 1900);
}

/* Without wgmma there is one tile, and nobody shares it. */
static void other_devices_have_one_tile(void **state)
{
	(void)state;
	const struct bench_conv2d conv = layer(BENCH_CONV2D_NHWC, 1, 512, 14, 512, 3, 1);
	struct bench_device device = h200;
	device.no_wgmma = true;
	assert_int_equal(bench_opencl_conv2d_tensor_plan(&device, &conv).groups, 1);
	device = h200;
	device.nvidia_capability = 8;
	assert_int_equal(bench_opencl_conv2d_tensor_plan(&device, &conv).tile->warps_columns, 2);
	device = h200;
	device.has_fence = false;
	assert_int_equal(bench_opencl_conv2d_tensor_plan(&device, &conv).groups, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_get_the_plan_that_was_fastest_when_measured),
		cmocka_unit_test(all_rounds_are_shared_out),
		cmocka_unit_test(other_devices_have_one_tile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

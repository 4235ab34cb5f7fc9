/* SPDX-License-Identifier: MIT */
/*
 * Which kernel, tile and number of groups a product gets on a GPU. The device is made up, as an H200
 * describes itself: choosing looks at nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/opencl/gemm/choice.h"
#include "backends/opencl/tuning/tuning.h"

static struct bench_device h200(void)
{
	struct bench_device device = {.info = {.compute_units = 132},
				      .nvidia_capability = 9,
				      .has_fence = true,
				      .local_bytes = 49152};
	bench_opencl_tune(&device, NULL);
	return device;
}

/* Without gaps between rows and products. */
static struct bench_gemm product(enum bench_dtype dtype, size_t m, size_t n, size_t k)
{
	return (struct bench_gemm){.dtype = dtype,
				   .m = m,
				   .n = n,
				   .k = k,
				   .lda = k,
				   .ldb = n,
				   .ldc = n,
				   .alpha = 1,
				   .stride_a = m * k,
				   .stride_b = k * n,
				   .stride_c = m * n};
}

static struct bench_opencl_gemm_choice choose(const struct bench_device *device,
					      const struct bench_gemm *gemm)
{
	return bench_opencl_gemm_choose(device, gemm, (gemm->m | gemm->n | gemm->k) % 128 == 0);
}

/* The groups of a tile share its rounds out, all of them, and none has nothing to do. */
static void expect_shares(const struct bench_opencl_gemm_choice *choice, size_t k)
{
	size_t rounds = (k + choice->scheme->tile_k - 1) / choice->scheme->tile_k;
	assert_true(choice->groups >= 1 && choice->groups * choice->rounds >= rounds);
	assert_true((choice->groups - 1) * choice->rounds < rounds);
	assert_true(choice->groups == 1 || choice->groups * choice->tiles <= BENCH_OPENCL_GEMM_SPLIT_GROUPS);
}

/* The fastest of all choices as measured on an H200 (docs/notes/kernel-experiments.md), where every one was
 * forced. */
static void small_and_deep_products_get_what_was_fastest_when_measured(void **state)
{
	(void)state;
	static const struct {
		size_t m, n, k, tile_m, groups;
	} rows[] = {{256, 256, 256, 64, 4},
		    {512, 512, 512, 64, 2},
		    {1024, 1024, 1024, 64, 1},
		    {64, 64, 16384, 64, 64},
		    {256, 128, 784, 64, 13}};
	const struct bench_device device = h200();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_gemm gemm = product(BENCH_F32, rows[i].m, rows[i].n, rows[i].k);
		struct bench_opencl_gemm_choice choice = choose(&device, &gemm);
		if (choice.scheme->tile_m != rows[i].tile_m || choice.groups != rows[i].groups)
			fail_msg("%zu x %zu x %zu: tiles of %zu, %zu groups to each", rows[i].m, rows[i].n,
				 rows[i].k, choice.scheme->tile_m, choice.groups);
		expect_shares(&choice, rows[i].k);
	}
}

static void large_products_get_the_widest_tile_where_it_can_be_had(void **state)
{
	(void)state;
	struct bench_device device = h200();
	struct bench_gemm gemm = product(BENCH_F32, 4096, 4096, 4096);
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_WIDE);
	assert_false(choose(&device, &gemm).turn_a || choose(&device, &gemm).turn_b);
	gemm.trans_b = true; /* which the widest does not take as it is */
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_WIDE);
	assert_true(choose(&device, &gemm).turn_b && !choose(&device, &gemm).turn_a);
	gemm.trans_b = false;
	gemm.m = 4095, gemm.lda = 4097; /* no vectors */
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_LARGE);
	device.local_bytes = 16384;
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_SMALL);
}

static void tensor_cores_take_short_types_whose_rows_lie_at_16_bytes(void **state)
{
	(void)state;
	struct bench_device device = h200();
	static const enum bench_dtype types[] = {BENCH_F16, BENCH_BF16, BENCH_TF32};
	for (size_t i = 0; i < 3; i++) {
		struct bench_gemm gemm = product(types[i], 4096, 4096, 4096);
		struct bench_opencl_gemm_choice choice = choose(&device, &gemm);
		assert_true(choice.mma);
		assert_string_equal(choice.scheme->name, "gemm_tma");
		device.no_wgmma = true;
		assert_string_equal(choose(&device, &gemm).scheme->name, "gemm_mma");
		device.no_wgmma = false;
		gemm.lda = 4098; /* which is copied to rows at 16 bytes */
		choice = choose(&device, &gemm);
		assert_true(choice.mma && choice.pad_a && !choice.pad_b);
		assert_string_equal(choice.scheme->name, "gemm_tma");
		device.no_wgmma = true;
		choice = choose(&device, &gemm);
		assert_true(!choice.mma && !choice.pad_a);
		assert_int_equal(choice.dtype, types[i] == BENCH_TF32 ? BENCH_F32 : types[i]);
		device.no_wgmma = false;
		gemm.lda = 4096;
		device.nvidia_capability = 7;
		assert_false(choose(&device, &gemm).mma);
		device.nvidia_capability = 12;
		assert_string_equal(choose(&device, &gemm).scheme->name, "gemm_mma");
		device.nvidia_capability = 9;
	}
	struct bench_gemm plain = product(BENCH_F32, 4096, 4096, 4096);
	assert_false(choose(&device, &plain).mma);
}

static void an_operand_is_turned_where_the_kernel_takes_it_the_other_way(void **state)
{
	(void)state;
	const struct bench_device device = h200();
	for (int i = 0; i < 4; i++) {
		bool trans_a = i & 1, trans_b = i & 2;
		struct bench_gemm gemm = product(BENCH_TF32, 4096, 4096, 4096);
		gemm.trans_a = trans_a, gemm.trans_b = trans_b;
		struct bench_opencl_gemm_choice choice = choose(&device, &gemm);
		assert_true(choice.scheme->maps);
		assert_true(choice.turn_a == trans_a && choice.turn_b == !trans_b);
		gemm.dtype = BENCH_F16; /* of which wgmma takes all */
		choice = choose(&device, &gemm);
		assert_false(choice.turn_a || choice.turn_b);
	}
	/* Not where it would take longer than it saves. */
	struct bench_gemm small = product(BENCH_TF32, 512, 512, 512);
	assert_false(choose(&device, &small).turn_b);
}

static void tiles_are_shared_only_where_groups_see_each_others_sums(void **state)
{
	(void)state;
	struct bench_device device = h200();
	device.has_fence = false;
	for (size_t n = 1; n < 5000; n += n / 3 + 1) {
		struct bench_gemm gemm = product(BENCH_F32, n, n, n);
		assert_int_equal(choose(&device, &gemm).groups, 1);
	}
	device.has_fence = true;
	device.tuned[BENCH_OPENCL_GEMM_SHARE] = 1000000; /* "none do" */
	struct bench_gemm deep = product(BENCH_F32, 64, 64, 16384);
	assert_int_equal(choose(&device, &deep).groups, 1);
}

static void every_product_is_shared_out_whole(void **state)
{
	(void)state;
	const struct bench_device device = h200();
	for (int dtype = 0; dtype < BENCH_DTYPES; dtype++)
		for (size_t m = 1; m < 3000; m += m / 2 + 3)
			for (size_t k = 1; k < 100000; k += k + 5)
				for (size_t batch = 0; batch < 200; batch += batch + 7) {
					struct bench_gemm gemm =
						product((enum bench_dtype)dtype, m, 3 * m + 1, k);
					gemm.batch = batch;
					struct bench_opencl_gemm_choice choice = choose(&device, &gemm);
					assert_non_null(choice.scheme);
					expect_shares(&choice, k);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_and_deep_products_get_what_was_fastest_when_measured),
		cmocka_unit_test(large_products_get_the_widest_tile_where_it_can_be_had),
		cmocka_unit_test(tensor_cores_take_short_types_whose_rows_lie_at_16_bytes),
		cmocka_unit_test(an_operand_is_turned_where_the_kernel_takes_it_the_other_way),
		cmocka_unit_test(tiles_are_shared_only_where_groups_see_each_others_sums),
		cmocka_unit_test(every_product_is_shared_out_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

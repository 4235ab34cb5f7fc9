/* SPDX-License-Identifier: MIT */
/*
 * Which kernel, tile and number of groups a product gets on a GPU. The device is made up, as an H100
 * describes itself: choosing looks at nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/opencl/gemm/choice.h"
#include "backends/opencl/tuning/tuning.h"

static struct bench_device h100(void)
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

/*
 * The tile that was at least an eighth faster than all others when each of them was measured on an H200:
 * every second or fourth (f32) of the problems that tests/measure_gemm.c draws from seeds 5 to 7. Rows of
 * some of them are at multiples of 16 bytes.
 */
static void products_get_the_tile_that_was_fastest_when_measured(void **state)
{
	(void)state;
	static const struct {
		enum bench_dtype dtype;
		bool aligned;
		const char *trans;
		size_t m, n, k, tile_m, tile_n;
	} rows[] = {
		{BENCH_F32, false, "TN", 291, 4851, 18, 128, 64},
		{BENCH_F32, false, "NT", 26, 37, 53, 32, 32},
		{BENCH_F32, false, "NN", 191, 2425, 439, 64, 64},
		{BENCH_F32, false, "NT", 89, 365, 660, 32, 32},
		{BENCH_F32, true, "TN", 145, 4097, 6117, 64, 64},
		{BENCH_F32, false, "NT", 401, 22, 100, 32, 32},
		{BENCH_F32, false, "NN", 457, 35, 279, 32, 32},
		{BENCH_F32, false, "TN", 91, 85, 638, 32, 32},
		{BENCH_F32, false, "TN", 29, 783, 50, 32, 32},
		{BENCH_F32, false, "TN", 7964, 185, 973, 128, 64},
		{BENCH_F32, false, "NN", 17, 7670, 3047, 32, 32},
		{BENCH_F32, true, "NT", 2073, 32, 16, 32, 32},
		{BENCH_F32, true, "NN", 31, 17, 2871, 32, 32},
		{BENCH_F32, false, "TN", 916, 26, 21, 32, 32},
		{BENCH_F32, false, "TN", 130, 1422, 296, 32, 32},
		{BENCH_F32, false, "NN", 17, 2941, 2428, 32, 32},
		{BENCH_F32, false, "NT", 309, 109, 169, 32, 32},
		{BENCH_F32, false, "NN", 21, 412, 1189, 32, 32},
		{BENCH_F32, false, "NN", 53, 46, 177, 32, 32},
		{BENCH_F32, false, "TN", 1974, 2361, 201, 128, 64},
		{BENCH_F32, false, "TN", 257, 72, 91, 32, 32},
		{BENCH_F64, false, "TN", 1529, 307, 180, 64, 64},
		{BENCH_F64, false, "TN", 369, 210, 43, 32, 32},
		{BENCH_F64, true, "TN", 80, 240, 47, 32, 32},
		{BENCH_F64, false, "NN", 255, 85, 379, 32, 32},
		{BENCH_F64, false, "NT", 38, 1143, 151, 32, 32},
		{BENCH_F64, true, "NN", 84, 38, 50, 32, 32},
		{BENCH_F64, false, "TN", 1447, 56, 842, 32, 32},
		{BENCH_F64, true, "NN", 31, 42, 586, 32, 32},
		{BENCH_F64, true, "NT", 1833, 218, 393, 64, 64},
		{BENCH_F64, true, "NN", 112, 31, 660, 32, 32},
		{BENCH_F64, false, "TN", 182, 171, 2212, 32, 32},
		{BENCH_F64, false, "TN", 876, 81, 1239, 32, 32},
		{BENCH_F64, false, "TN", 94, 183, 4226, 32, 32},
		{BENCH_F64, false, "TN", 19, 64, 4048, 32, 32},
		{BENCH_F64, true, "TN", 56, 150, 2885, 32, 32},
		{BENCH_TF32, false, "NT", 1372, 42, 47, 32, 32},
		{BENCH_TF32, true, "TN", 62, 497, 306, 32, 32},
		{BENCH_TF32, false, "NN", 117, 76, 50, 32, 32},
		{BENCH_TF32, true, "TN", 52, 760, 3230, 64, 64},
		{BENCH_TF32, true, "NN", 145, 147, 136, 32, 32},
		{BENCH_TF32, false, "NT", 624, 100, 114, 32, 32},
		{BENCH_TF32, false, "NT", 260, 59, 176, 32, 32},
		{BENCH_TF32, false, "TN", 770, 17, 3534, 32, 32},
		{BENCH_TF32, false, "TN", 356, 61, 35, 32, 32},
		{BENCH_TF32, false, "TN", 33, 4459, 8030, 64, 64},
		{BENCH_TF32, false, "NN", 123, 79, 1472, 32, 32},
		{BENCH_TF32, false, "TN", 686, 341, 1624, 128, 64},
		{BENCH_TF32, false, "NT", 43, 334, 466, 32, 32},
		{BENCH_TF32, true, "TN", 3697, 152, 179, 64, 64},
		{BENCH_TF32, true, "TN", 76, 24, 1459, 32, 32},
		{BENCH_TF32, true, "NT", 38, 60, 2344, 32, 32},
		{BENCH_F16, true, "NN", 698, 24, 1324, 32, 32},
		{BENCH_F16, false, "NT", 37, 89, 95, 32, 32},
		{BENCH_F16, false, "TN", 4703, 124, 1988, 128, 64},
		{BENCH_F16, false, "NN", 135, 27, 6465, 32, 32},
		{BENCH_F16, false, "TN", 2105, 558, 1978, 128, 128},
		{BENCH_F16, false, "NT", 2229, 2142, 7071, 128, 128},
		{BENCH_F16, false, "TN", 786, 2633, 7186, 128, 256},
		{BENCH_F16, false, "NN", 72, 211, 666, 32, 32},
		{BENCH_F16, false, "TN", 70, 23, 1552, 32, 32},
		{BENCH_F16, false, "NT", 615, 39, 4432, 128, 64},
		{BENCH_F16, false, "TN", 22, 1805, 101, 32, 32},
		{BENCH_BF16, false, "TN", 460, 1825, 24, 64, 64},
		{BENCH_BF16, false, "NN", 51, 1783, 3607, 64, 64},
		{BENCH_BF16, false, "NN", 87, 4319, 39, 64, 64},
	};
	const struct bench_device device = h100();
	size_t wrong = 0, count = sizeof(rows) / sizeof(rows[0]);
	for (size_t i = 0; i < count; i++) {
		struct bench_gemm gemm = product(rows[i].dtype, rows[i].m, rows[i].n, rows[i].k);
		gemm.trans_a = rows[i].trans[0] == 'T', gemm.trans_b = rows[i].trans[1] == 'T';
		gemm.lda = gemm.trans_a ? gemm.m : gemm.k;
		gemm.ldb = gemm.trans_b ? gemm.k : gemm.n;
		if (rows[i].aligned) {
			gemm.lda = (gemm.lda + 7) / 8 * 8;
			gemm.ldb = (gemm.ldb + 7) / 8 * 8;
			gemm.ldc = (gemm.ldc + 7) / 8 * 8;
		}
		struct bench_opencl_gemm_choice choice = bench_opencl_gemm_choose(&device, &gemm, false);
		expect_shares(&choice, rows[i].k);
		if (choice.scheme->tile_m == rows[i].tile_m && choice.scheme->tile_n == rows[i].tile_n)
			continue;
		wrong++;
		print_message("type %d %s %zu x %zu x %zu: tiles of %zu x %zu, not %zu x %zu\n",
			      (int)rows[i].dtype, rows[i].trans, rows[i].m, rows[i].n, rows[i].k,
			      choice.scheme->tile_m, choice.scheme->tile_n, rows[i].tile_m, rows[i].tile_n);
	}
	assert_true(wrong * 10 <= count); /* the model is one: 9 of 10 */
}

static void large_products_get_the_widest_tile_where_it_can_be_had(void **state)
{
	(void)state;
	struct bench_device device = h100();
	struct bench_gemm gemm = product(BENCH_F32, 4096, 4096, 4096);
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_WIDE);
	assert_false(choose(&device, &gemm).turn_a || choose(&device, &gemm).turn_b);
	gemm.trans_b = true; /* which the widest does not take as it is */
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_WIDE);
	assert_true(choose(&device, &gemm).turn_b && !choose(&device, &gemm).turn_a);
	gemm.trans_b = false;
	gemm.m = 4095, gemm.lda = 4097; /* no vectors */
	assert_int_equal(choose(&device, &gemm).scheme->tile_m, 128);
	device.local_bytes = 16384;
	assert_int_equal(choose(&device, &gemm).size, BENCH_OPENCL_GEMM_SMALL);
}

static void tensor_cores_take_all_types_but_f32_wherever_rows_lie(void **state)
{
	(void)state;
	struct bench_device device = h100();
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
		device.no_wgmma = true; /* or to other places by elements */
		choice = bench_opencl_gemm_choose(&device, &gemm, false);
		assert_true(choice.mma && !choice.pad_a && choice.fit == BENCH_OPENCL_GEMM_ANY);
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
	plain.dtype = BENCH_F64;
	assert_true(choose(&device, &plain).mma);
	device.nvidia_capability = 12; /* whose units for f64 are no faster */
	assert_false(choose(&device, &plain).mma);
}

static void an_operand_is_turned_where_the_kernel_takes_it_the_other_way(void **state)
{
	(void)state;
	const struct bench_device device = h100();
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
	struct bench_gemm small = product(BENCH_TF32, 256, 256, 256);
	assert_false(choose(&device, &small).turn_b);
}

static void tiles_are_shared_only_where_groups_see_each_others_sums(void **state)
{
	(void)state;
	struct bench_device device = h100();
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
	const struct bench_device device = h100();
	for (int dtype = 0; dtype < BENCH_C32; dtype++) /* which has one kernel */
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
		cmocka_unit_test(products_get_the_tile_that_was_fastest_when_measured),
		cmocka_unit_test(large_products_get_the_widest_tile_where_it_can_be_had),
		cmocka_unit_test(tensor_cores_take_all_types_but_f32_wherever_rows_lie),
		cmocka_unit_test(an_operand_is_turned_where_the_kernel_takes_it_the_other_way),
		cmocka_unit_test(tiles_are_shared_only_where_groups_see_each_others_sums),
		cmocka_unit_test(every_product_is_shared_out_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

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
 * The tile that was at least an eighth faster than all others when each of them was measured: every third of
 * the problems that tests/measure_gemm.c draws from seed 7 (f64, tf32, H100), and every second one of 180 of
 * scripts/compare_frameworks, seeds 31 to 34 (H200). Rows of some of them are at multiples of 16 bytes.
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
		{BENCH_F32, false, "NN", 17, 16, 74, 64, 32},
		{BENCH_F32, false, "TN", 40, 7177, 1543, 64, 64},
		{BENCH_F32, false, "NN", 28, 4892, 2767, 64, 64},
		{BENCH_F32, false, "NN", 172, 221, 226, 64, 32},
		{BENCH_F32, false, "TN", 50, 68, 173, 64, 32},
		{BENCH_F32, false, "NN", 211, 2550, 55, 64, 64},
		{BENCH_F32, false, "NT", 346, 629, 84, 64, 32},
		{BENCH_F32, false, "TN", 19, 217, 296, 64, 32},
		{BENCH_F32, false, "NN", 325, 824, 126, 64, 64},
		{BENCH_F32, false, "NN", 321, 93, 114, 64, 32},
		{BENCH_F64, false, "TN", 1529, 307, 180, 64, 64},
		{BENCH_F64, true, "NN", 17, 64, 2086, 32, 32},
		{BENCH_F64, false, "NN", 255, 85, 379, 32, 32},
		{BENCH_F64, false, "NN", 139, 19, 577, 32, 32},
		{BENCH_F64, false, "NN", 480, 65, 40, 32, 32},
		{BENCH_F64, true, "NT", 1833, 218, 393, 64, 64},
		{BENCH_F64, true, "TN", 147, 4846, 78, 64, 64},
		{BENCH_F64, false, "TN", 876, 81, 1239, 32, 32},
		{BENCH_F64, false, "TN", 19, 64, 4048, 32, 32},
		{BENCH_F64, false, "TN", 26, 329, 2280, 32, 32},
		{BENCH_TF32, false, "NN", 41, 278, 193, 32, 32},
		{BENCH_TF32, false, "TN", 6116, 3178, 1169, 128, 256},
		{BENCH_TF32, true, "NN", 24, 24, 1194, 32, 32},
		{BENCH_TF32, false, "NN", 1584, 1173, 104, 128, 64},
		{BENCH_TF32, false, "NN", 145, 1476, 5355, 64, 64},
		{BENCH_TF32, true, "NN", 188, 34, 23, 64, 64},
		{BENCH_TF32, true, "TN", 39, 865, 349, 32, 32},
		{BENCH_TF32, false, "TN", 120, 1117, 871, 64, 64},
		{BENCH_TF32, true, "TN", 76, 24, 1459, 32, 32},
		{BENCH_TF32, false, "NN", 6755, 2145, 2456, 128, 256},
		{BENCH_F16, false, "NT", 65, 940, 238, 32, 32},
		{BENCH_F16, false, "NT", 4247, 5083, 2132, 128, 256},
		{BENCH_F16, false, "NN", 394, 5613, 55, 64, 64},
		{BENCH_F16, false, "NN", 1787, 200, 62, 64, 64},
		{BENCH_F16, false, "NN", 37, 23, 1634, 32, 32},
		{BENCH_F16, false, "NT", 330, 1187, 2688, 128, 64},
		{BENCH_F16, false, "NT", 215, 1323, 5420, 128, 64},
		{BENCH_F16, false, "TN", 59, 136, 2045, 32, 32},
		{BENCH_BF16, false, "NN", 654, 55, 96, 32, 32},
		{BENCH_BF16, false, "NN", 968, 109, 36, 64, 64},
		{BENCH_BF16, false, "TN", 349, 442, 42, 64, 64},
		{BENCH_BF16, false, "NT", 236, 795, 31, 64, 64},
		{BENCH_BF16, false, "NT", 880, 41, 156, 32, 32},
		{BENCH_BF16, false, "NN", 308, 93, 170, 32, 32},
		{BENCH_BF16, false, "NT", 3888, 61, 4793, 64, 64},
		{BENCH_BF16, false, "NT", 94, 21, 242, 32, 32},
		{BENCH_BF16, false, "NN", 24, 1372, 247, 32, 32},
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
	struct bench_gemm small = product(BENCH_TF32, 512, 512, 512);
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

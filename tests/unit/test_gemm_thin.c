/* SPDX-License-Identifier: MIT */
/* How products of few rows or columns are shared out on a GPU: one made up, as an H200 describes itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/opencl/gemm/thin.h"
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
static struct bench_gemm product(enum bench_dtype dtype, size_t m, size_t n, size_t k, bool trans_a,
				 bool trans_b)
{
	return (struct bench_gemm){.dtype = dtype,
				   .trans_a = trans_a,
				   .trans_b = trans_b,
				   .m = m,
				   .n = n,
				   .k = k,
				   .lda = trans_a ? m : k,
				   .ldb = trans_b ? k : n,
				   .ldc = n,
				   .alpha = 1,
				   .stride_a = m * k,
				   .stride_b = k * n,
				   .stride_c = m * n};
}

static void few_rows_or_columns_are_thin_as_far_as_the_tunable_says(void **state)
{
	(void)state;
	struct bench_device device = h200();
	struct bench_gemm rows = product(BENCH_F32, 16, 4096, 4096, false, false);
	struct bench_gemm columns = product(BENCH_F32, 4096, 16, 4096, false, false);
	struct bench_gemm neither = product(BENCH_F32, 17, 17, 1, false, false);
	assert_true(bench_opencl_gemm_is_thin(&device, &rows));
	assert_true(bench_opencl_gemm_is_thin(&device, &columns));
	assert_false(bench_opencl_gemm_is_thin(&device, &neither));
	device.tuned[BENCH_OPENCL_GEMM_THIN] = 8;
	assert_false(bench_opencl_gemm_is_thin(&device, &rows));
	device.tuned[BENCH_OPENCL_GEMM_THIN] = 16;
	device.local_bytes = 16384; /* too few for its sums */
	assert_false(bench_opencl_gemm_is_thin(&device, &rows));
}

/* Which operand is the thin one, and how the other one is stored. */
static void the_larger_operand_is_read_as_it_is_stored(void **state)
{
	(void)state;
	const struct bench_device device = h200();
	for (unsigned trans = 0; trans < 4; trans++) {
		const struct bench_gemm rows = product(BENCH_F32, 2, 1000, 512, trans & 1, trans & 2);
		const struct bench_gemm columns = product(BENCH_F32, 1000, 2, 512, trans & 1, trans & 2);
		assert_false(bench_opencl_gemm_choose_thin(&device, &rows).columns);
		assert_true(bench_opencl_gemm_choose_thin(&device, &columns).columns);
		assert_int_equal(bench_opencl_gemm_choose_thin(&device, &rows).along, (trans & 2) != 0);
		assert_int_equal(bench_opencl_gemm_choose_thin(&device, &columns).along, (trans & 1) == 0);
	}
	/* A single column is a vector of steps, however it is called. */
	const struct bench_gemm dot = product(BENCH_F32, 1, 1, 1000, false, false);
	assert_true(bench_opencl_gemm_choose_thin(&device, &dot).along);
}

static enum bench_opencl_gemm_thin_reads reads(enum bench_dtype dtype, size_t n, size_t k, bool trans_b,
					       unsigned capability)
{
	struct bench_device device = h200();
	device.nvidia_capability = capability;
	const struct bench_gemm gemm = product(dtype, 3, n, k, false, trans_b);
	return bench_opencl_gemm_choose_thin(&device, &gemm).reads;
}

static void vectors_are_read_where_rows_lie_at_multiples_of_them(void **state)
{
	(void)state;
	assert_int_equal(reads(BENCH_F32, 1000, 33, false, 9), BENCH_OPENCL_GEMM_THIN_VECTORS);
	assert_int_equal(reads(BENCH_F32, 1002, 33, false, 9), BENCH_OPENCL_GEMM_THIN_ELEMENTS);
	assert_int_equal(reads(BENCH_F64, 1002, 33, false, 9), BENCH_OPENCL_GEMM_THIN_VECTORS);
	assert_int_equal(reads(BENCH_F32, 1001, 32, true, 9), BENCH_OPENCL_GEMM_THIN_VECTORS);
	assert_int_equal(reads(BENCH_F32, 1000, 33, true, 9), BENCH_OPENCL_GEMM_THIN_ELEMENTS);
	assert_int_equal(reads(BENCH_F16, 1000, 64, false, 9), BENCH_OPENCL_GEMM_THIN_TENSOR_VECTORS);
	assert_int_equal(reads(BENCH_BF16, 1000, 33, false, 9), BENCH_OPENCL_GEMM_THIN_TENSOR);
	assert_int_equal(reads(BENCH_F16, 1004, 64, false, 9), BENCH_OPENCL_GEMM_THIN_VECTORS);
	assert_int_equal(reads(BENCH_F16, 1000, 64, false, 0), BENCH_OPENCL_GEMM_THIN_VECTORS);
	/* One of several products that lie anywhere. */
	const struct bench_device device = h200();
	struct bench_gemm batch = product(BENCH_F32, 3, 1000, 32, false, false);
	batch.batch = 2, batch.stride_b++;
	assert_int_equal(bench_opencl_gemm_choose_thin(&device, &batch).reads,
			 BENCH_OPENCL_GEMM_THIN_ELEMENTS);
}

/* All lanes have a tile and all rounds a group, none has nothing to do, and there are counters for tiles that
 * are shared. */
static void expect_shared(const struct bench_device *device, const struct bench_gemm *gemm)
{
	const struct bench_opencl_gemm_thin thin = bench_opencl_gemm_choose_thin(device, gemm);
	size_t length = thin.columns ? gemm->m : gemm->n, rows = thin.columns ? gemm->n : gemm->m;
	size_t batch = gemm->batch ? gemm->batch : 1, rounds = (gemm->k + thin.round - 1) / thin.round;
	assert_true(rows <= (size_t)1 << thin.rows_log);
	assert_int_equal(thin.tiles, (length + thin.tile - 1) / thin.tile * batch);
	assert_true(thin.groups >= 1 && thin.groups * thin.rounds >= rounds);
	assert_true((thin.groups - 1) * thin.rounds < rounds);
	assert_true(thin.groups == 1 || thin.groups * thin.tiles <= BENCH_OPENCL_GEMM_SPLIT_GROUPS);
	assert_true(thin.groups == 1 || device->has_fence);
}

static void steps_are_shared_out_among_groups_and_all_are_done(void **state)
{
	(void)state;
	static const enum bench_dtype types[] = {BENCH_F32, BENCH_F64, BENCH_F16, BENCH_TF32};
	static const size_t sizes[] = {1, 2, 5, 16, 33, 128, 4096, 100000};
	const size_t count = sizeof(sizes) / sizeof(*sizes);
	struct bench_device device = h200();
	for (size_t at = 0; at < count * count * 64; at++) {
		size_t rest = at / 64, flags = at % 64;
		device.has_fence = flags < 48;
		struct bench_gemm gemm = product(types[flags % 4], rest % 4 + 13, sizes[rest % count],
						 sizes[rest / count], flags & 4, flags & 8);
		gemm.batch = flags & 16 ? 300 : 0;
		expect_shared(&device, &gemm);
	}
}

static void a_large_matrix_keeps_all_units_busy(void **state)
{
	(void)state;
	const struct bench_device device = h200();
	for (unsigned trans = 0; trans < 4; trans++)
		for (int half = 0; half < 2; half++) {
			const struct bench_gemm gemm =
				product(half ? BENCH_F16 : BENCH_F32, 1, 4096, 4096, trans & 1, trans & 2);
			const struct bench_opencl_gemm_thin thin =
				bench_opencl_gemm_choose_thin(&device, &gemm);
			size_t groups = thin.tiles * thin.groups;
			assert_true(groups * 32 >=
				    device.info.compute_units * 31); /* 97% of them, at least */
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_rows_or_columns_are_thin_as_far_as_the_tunable_says),
		cmocka_unit_test(the_larger_operand_is_read_as_it_is_stored),
		cmocka_unit_test(vectors_are_read_where_rows_lie_at_multiples_of_them),
		cmocka_unit_test(steps_are_shared_out_among_groups_and_all_are_done),
		cmocka_unit_test(a_large_matrix_keeps_all_units_busy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

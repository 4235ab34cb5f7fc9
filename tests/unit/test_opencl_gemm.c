/* SPDX-License-Identifier: MIT */
/* GEMM of the OpenCL backend, both schemes, against plain sums in double. */
#include "backends/opencl/gemm/choice.h"
#include "backends/opencl/gemm/thin.h"
#include "backends/opencl/tuning/tuning.h"
#include "gemm_fixture.h"
#include "sample.h"

static const size_t mixed_sizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 65, 127, 129};
#define MIXED (sizeof(mixed_sizes) / sizeof(*mixed_sizes))

/* The device with its schemes for large C alone: thin products have tests of their own. */
static struct bench_device *open_without_thin(const char *scheme)
{
	struct bench_device *device = open_first(scheme);
	device->tuned[BENCH_OPENCL_GEMM_THIN] = 0;
	return device;
}

/* Every size in every place, each beside several of the others: a sample of the pairs, which has each size
 * once as m. */
static void check_mixed(const char *scheme, enum bench_dtype dtype)
{
	struct bench_device *device = open_without_thin(scheme);
	size_t step = is_sampled() ? 3 : 1;
	for (size_t turn = 0; turn < 3; turn++)
		for (size_t i = turn % step; i < MIXED; i += step) {
			struct bench_gemm gemm = {.dtype = dtype,
						  .m = mixed_sizes[i],
						  .n = mixed_sizes[(i * (2 * turn + 1) + 5 * turn) % MIXED],
						  .k = mixed_sizes[(i * 7 + 3 * turn) % MIXED],
						  .alpha = turn == 1 ? -1.5 : 1,
						  .beta = turn == 2 ? 0.75 : 0};
			check_transposes(device, gemm, turn == 0 ? 0 : turn + 2);
		}
	cl->close(device);
}

/* Tall, wide, deep: several slices of the reduction, several blocks and bands, few rows or columns. */
static void check_shapes(const char *scheme, enum bench_dtype dtype)
{
	static const size_t shapes[][3] = {{1, 300, 7},    {300, 1, 7},     {513, 2, 65},   {2, 513, 65},
					   {3, 5, 1500},   {40, 70, 600},   {333, 40, 257}, {600, 33, 9},
					   {160, 192, 96}, {257, 259, 300}, {5, 900, 300},  {700, 11, 300}};
	struct bench_device *device = open_without_thin(scheme);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i += sample_step()) {
		struct bench_gemm gemm = {.dtype = dtype,
					  .m = shapes[i][0],
					  .n = shapes[i][1],
					  .k = shapes[i][2],
					  .alpha = 0.5,
					  .beta = i / 2 % 2 ? 0 : -2};
		check_transposes(device, gemm, i % 3);
	}
	cl->close(device);
}

/* Both, for a type. */
static void check_scheme(const char *scheme, enum bench_dtype dtype)
{
	check_mixed(scheme, dtype);
	check_shapes(scheme, dtype);
}

static void skip_without_f64(void)
{
	if (first_info().f64)
		return;
	print_message("skipped: the device has no double precision\n");
	skip();
}

static void gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f32(void **state)
{
	(void)state;
	skip_without_device();
	check_scheme("cpu", BENCH_F32);
}

static void gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f64(void **state)
{
	(void)state;
	skip_without_device();
	skip_without_f64();
	check_scheme("cpu", BENCH_F64);
}

static void gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f32(void **state)
{
	(void)state;
	skip_without_device();
	check_scheme("gpu", BENCH_F32);
}

static void gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f64(void **state)
{
	(void)state;
	skip_without_device();
	skip_without_f64();
	check_scheme("gpu", BENCH_F64);
}

static void gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f16(void **state)
{
	(void)state;
	skip_without_device();
	check_scheme("cpu", BENCH_F16);
}

static void gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f16(void **state)
{
	(void)state;
	skip_without_device();
	check_scheme("gpu", BENCH_F16);
}

/* Their kernels are those of f16 and f32, but for loads and stores, and on tensor cores for two instructions.
 */
static void gemm_is_right_at_all_shapes_in_bf16_and_tf32(void **state)
{
	(void)state;
	skip_without_device();
	check_shapes("cpu", BENCH_BF16);
	check_shapes("gpu", BENCH_BF16);
	check_shapes("gpu", BENCH_TF32);
}

/*
 * Where the fastest kernel does not take an operand as it is stored. A tile of 128 x 256 for each compute
 * unit, with edges, is what that kernel is for.
 */
static void an_operand_is_turned_for_a_kernel_that_takes_it_the_other_way(void **state)
{
	(void)state;
	skip_without_device();
	bool pocl = strncmp(first_info().slug, "pocl", 4) == 0;
	struct bench_device *device = open_without_thin("gpu");
	for (int tf32 = 0; tf32 <= !pocl; tf32++) {
		size_t m = 64 * first_info().compute_units - 4, n = 508, k = tf32 ? 516 : 132;
		struct bench_gemm gemm = {.dtype = tf32 ? BENCH_TF32 : BENCH_F32,
					  .trans_b = !tf32,
					  .m = m,
					  .n = n,
					  .k = k,
					  .lda = k,
					  .ldb = tf32 ? n : k,
					  .ldc = n,
					  .alpha = 1};
		assert_true(bench_opencl_gemm_choose(device, &gemm, false).turn_b);
		check_gemm(device, gemm, 0);
		gemm.batch = 2;
		check_gemm(device, gemm, 0);
		check_gemm_with(device, gemm, 0, ONE_B_FOR_ALL);
	}
	cl->close(device);
}

static const char *const schemes[] = {"cpu", "gpu"};
static const enum bench_dtype dtypes[] = {BENCH_F32, BENCH_F64, BENCH_F16, BENCH_BF16, BENCH_TF32};

/* check() of every type on every scheme, with the program cache off; on PoCL tf32 is f32, and not checked
 * twice. */
static void on_all(void (*check)(struct bench_device *device, enum bench_dtype dtype))
{
	bool pocl = strncmp(first_info().slug, "pocl", 4) == 0;
	for (size_t scheme = 0; scheme < 2; scheme++) {
		struct bench_device *device = open_without_thin(schemes[scheme]);
		for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++)
			if ((dtypes[i] != BENCH_F64 || first_info().f64) &&
			    (dtypes[i] != BENCH_TF32 || !pocl))
				check(device, dtypes[i]);
		cl->close(device);
	}
}

static void check_batches(struct bench_device *device, enum bench_dtype dtype)
{
	/* Direct, packed, several slices, and more than are packed at one time. */
	static const size_t shapes[][4] = {{64, 64, 64, 5}, {17, 33, 65, 3},  {1, 1, 1, 7},
					   {3, 130, 9, 2},  {40, 70, 600, 3}, {150, 130, 520, 9}};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct bench_gemm gemm = {.dtype = dtype,
					  .trans_b = i == 1,
					  .m = shapes[i][0],
					  .n = shapes[i][1],
					  .k = shapes[i][2],
					  .batch = shapes[i][3],
					  .alpha = 0.5,
					  .beta = i % 2 ? -2 : 0};
		check_gemm_with(device, gemm, i % 3, PLAIN);
		check_gemm_with(device, gemm, 0, i % 2 ? ONE_A_FOR_ALL : ONE_B_FOR_ALL);
	}
}

static void a_batch_is_right_in_every_type_and_scheme(void **state)
{
	(void)state;
	skip_without_device();
	on_all(check_batches);
}

static void check_end(struct bench_device *device, enum bench_dtype dtype, unsigned end,
		      const size_t shape[3])
{
	check_gemm_with(device,
			(struct bench_gemm){.dtype = dtype,
					    .m = shape[0],
					    .n = shape[1],
					    .k = shape[2],
					    .batch = 2,
					    .alpha = -0.5,
					    .beta = end % 2 ? 0.75 : 0,
					    .activation = (enum bench_activation)(end % 4)},
			0, end / 4 ? WITH_BIAS : PLAIN);
}

/* 1 to 3: an activation, 4: a bias, 5 to 7: both. Each is a program to compile, so not all of each type. */
static void check_ends(struct bench_device *device, enum bench_dtype dtype)
{
	/* Direct with and without edges, packed, and several slices, of which only the last may end. */
	static const size_t shapes[][3] = {{128, 128, 128}, {65, 67, 33}, {5, 3, 9}, {20, 70, 1100}};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		check_end(device, dtype, 5, shapes[i]);
	for (unsigned end = 1; end < 8 && dtype == BENCH_F32; end++)
		check_end(device, dtype, end, shapes[1]);
}

static void a_bias_and_an_activation_end_the_product_in_every_type_and_scheme(void **state)
{
	(void)state;
	skip_without_device();
	on_all(check_ends);
}

static void check_raw(struct bench_device *device, enum bench_dtype dtype)
{
	static const size_t shapes[][3] = {{128, 128, 128}, {256, 128, 640}, {128, 384, 256}};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		for (int variant = 0; variant < 4; variant += dtype == BENCH_F32 ? 1 : 3)
			check_gemm_with(device,
					(struct bench_gemm){.dtype = dtype,
							    .trans_a = variant & 1,
							    .trans_b = variant & 2,
							    .m = shapes[i][0],
							    .n = shapes[i][1],
							    .k = shapes[i][2],
							    .batch = i == 0 ? 3 : 0,
							    .alpha = 1,
							    .beta = variant == 1 ? 0.5 : 0,
							    .activation = variant == 2
										  ? BENCH_ACTIVATION_RELU
										  : BENCH_ACTIVATION_NONE,
							    .raw = true},
					0, variant == 3 ? WITH_BIAS : PLAIN);
}

static void a_raw_product_is_right_in_every_type_and_scheme(void **state)
{
	(void)state;
	skip_without_device();
	on_all(check_raw);
}

/* Of one tile, with so many steps that several groups share it: they end in any order. */
static void the_same_product_is_the_same_to_the_last_bit_every_time(void **state)
{
	(void)state;
	enum { M = 20, N = 30, K = 3000, BYTES = M * N * sizeof(float) };
	static float first[M * N], again[M * N];
	struct bench_error error;
	skip_without_device();
	for (size_t scheme = 0; scheme < 2; scheme++) {
		struct bench_device *device = open_without_thin(schemes[scheme]);
		struct matrix a = make_matrix(device, BENCH_F32, M, K, 0, 1, 1);
		struct matrix b = make_matrix(device, BENCH_F32, K, N, 0, 1, 2);
		struct matrix c = make_matrix(device, BENCH_F32, M, N, 0, 1, 3);
		send(device, &a);
		send(device, &b);
		const struct bench_gemm gemm = {.m = M,
						.n = N,
						.k = K,
						.alpha = 1,
						.a = a.buffer,
						.b = b.buffer,
						.c = c.buffer,
						.lda = K,
						.ldb = N,
						.ldc = N};
		for (int i = 0; i < 20; i++) {
			send(device, &c);
			require(cl->gemm(device, &gemm, &error), &error);
			require(cl->download(device, c.buffer, i ? again : first, BYTES, &error), &error);
			assert_true(i == 0 || memcmp(first, again, BYTES) == 0);
		}
		free_matrix(device, &a);
		free_matrix(device, &b);
		free_matrix(device, &c);
		cl->close(device);
	}
}

/*
 * Few rows, few columns, or both: each way to store the other operand, in vectors or not, one group to a tile
 * and several, narrow and wide, a batch, ends. Each is a program to compile.
 */
static void a_thin_product_is_right_whatever_its_shape_and_type(void **state)
{
	(void)state;
	static const struct {
		enum bench_dtype dtype;
		bool trans_a, trans_b;
		size_t m, n, k, padding, batch;
		double beta;
		unsigned extras;
	} rows[] = {
		{BENCH_F32, false, false, 1, 200, 900, 0, 0, 0, PLAIN},
		{BENCH_F32, true, true, 1, 201, 70, 3, 0, 0.5, PLAIN},
		{BENCH_F32, false, false, 3, 90, 1100, 1, 0, -2, PLAIN},
		{BENCH_F32, false, true, 7, 40, 60, 0, 0, 0, WITH_BIAS},
		{BENCH_F64, true, false, 70, 2, 90, 0, 3, 0.75, WITH_BIAS},
	};
	skip_without_device();
	struct bench_device *device = open_first("gpu");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct bench_gemm gemm = {.dtype = rows[i].dtype,
						.trans_a = rows[i].trans_a,
						.trans_b = rows[i].trans_b,
						.m = rows[i].m,
						.n = rows[i].n,
						.k = rows[i].k,
						.batch = rows[i].batch,
						.alpha = -0.5,
						.beta = rows[i].beta};
		if (gemm.dtype == BENCH_F64 && !first_info().f64)
			continue;
		assert_true(bench_opencl_gemm_is_thin(device, &gemm));
		check_gemm_with(device, gemm, rows[i].padding, rows[i].extras);
	}
	cl->close(device);
}

static struct bench_device_stats stats_of(struct bench_device *device)
{
	struct bench_device_stats stats;
	cl->device_stats(device, &stats);
	return stats;
}

/* Guarded at multiples of everything: the program is there already. Anything else is another one. */
static void the_guard_takes_the_raw_kernel_where_all_is_a_multiple_and_no_other(void **state)
{
	(void)state;
	skip_without_device();
	for (size_t i = 0; i < 2; i++) {
		struct bench_device *device = open_without_thin(schemes[i]);
		/* On a CPU a product of this size is packed then: others have no code for edges of rows. */
		device->tuned[BENCH_OPENCL_GEMM_DIRECT] = 64;
		struct bench_gemm gemm = {
			.trans_b = true, .m = 256, .n = 128, .k = 128, .alpha = 1, .raw = true};
		check_gemm(device, gemm, 0);
		gemm.raw = false;
		unsigned compiled = stats_of(device).compiled;
		check_gemm(device, gemm, 0);
		assert_int_equal(stats_of(device).compiled, compiled);
		gemm.m--;
		check_gemm(device, gemm, 0);
		assert_int_equal(stats_of(device).compiled, compiled + 1);
		cl->close(device);
	}
}

static void a_device_of_one_thread_computes_the_same(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device;
	int opened = cl->open(0, &(struct bench_open_options){.threads = 1}, &device, &error);
	if (opened != 0 && error.code == BENCH_UNSUPPORTED) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	require(opened, &error);
	check_transposes(device,
			 (struct bench_gemm){.dtype = BENCH_F32, .m = 100, .n = 90, .k = 310, .alpha = 1}, 0);
	cl->close(device);
}

static void a_gemm_that_does_not_fit_its_buffers_is_refused(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device = open_first(NULL);
	struct bench_buffer *buffer, *bias;
	require(cl->alloc(device, 64 * sizeof(float), &buffer, &error), &error);
	require(cl->alloc(device, 7 * sizeof(float), &bias, &error), &error);
	const struct bench_gemm fits = {.m = 8,
					.n = 8,
					.k = 8,
					.alpha = 1,
					.a = buffer,
					.b = buffer,
					.c = buffer,
					.lda = 8,
					.ldb = 8,
					.ldc = 8};
	struct bench_gemm wrong[] = {fits, fits, fits, fits, fits, fits, fits, fits, fits, fits, fits};
	wrong[0].m = 9;
	wrong[1].ldb = 7;
	wrong[2].k = 0;
	wrong[3].ldc = SIZE_MAX;
	wrong[4].dtype = BENCH_F64;
	wrong[5].n = (size_t)1 << 32;
	/* A batch that exceeds a buffer, that overflows, whose C overlap; a bias that is too short. */
	wrong[6].batch = 2, wrong[6].stride_c = 64;
	wrong[7].batch = SIZE_MAX, wrong[7].stride_a = 3;
	wrong[8].m = 2, wrong[8].batch = 4, wrong[8].stride_c = 15;
	wrong[9].bias = bias;
	wrong[10].activation = (enum bench_activation)4;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(cl->gemm(device, &wrong[i], &error), -1);
		if (wrong[i].activation != BENCH_ACTIVATION_NONE)
			assert_int_equal(error.code, BENCH_UNSUPPORTED);
		else if (wrong[i].dtype == BENCH_F32)
			assert_int_equal(error.code, BENCH_USAGE);
	}
	cl->release(device, buffer);
	cl->release(device, bias);
	cl->close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f32),
		cmocka_unit_test(gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f64),
		cmocka_unit_test(gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f32),
		cmocka_unit_test(gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f64),
		cmocka_unit_test(gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f16),
		cmocka_unit_test(gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f16),
		cmocka_unit_test(gemm_is_right_at_all_shapes_in_bf16_and_tf32),
		cmocka_unit_test(an_operand_is_turned_for_a_kernel_that_takes_it_the_other_way),
		cmocka_unit_test(a_batch_is_right_in_every_type_and_scheme),
		cmocka_unit_test(a_bias_and_an_activation_end_the_product_in_every_type_and_scheme),
		cmocka_unit_test(a_raw_product_is_right_in_every_type_and_scheme),
		cmocka_unit_test(a_thin_product_is_right_whatever_its_shape_and_type),
		cmocka_unit_test(the_same_product_is_the_same_to_the_last_bit_every_time),
		cmocka_unit_test(the_guard_takes_the_raw_kernel_where_all_is_a_multiple_and_no_other),
		cmocka_unit_test(a_device_of_one_thread_computes_the_same),
		cmocka_unit_test(a_gemm_that_does_not_fit_its_buffers_is_refused),
	};
	sample_set_up();
	return cmocka_set_test_filter(getenv("ONLY")),
	       cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}

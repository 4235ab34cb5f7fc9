/* GEMM of the OpenCL backend, both schemes, against plain sums in double. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "opencl_fixture.h"

/* A matrix on host and device; elements are kept as double and rounded to the type. */
struct matrix {
	size_t rows, columns, ld;
	void *data;
	struct bench_buffer *buffer;
};

static double get(enum bench_dtype dtype, const void *data, size_t i)
{
	return dtype == BENCH_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void put(enum bench_dtype dtype, void *data, size_t i, double value)
{
	if (dtype == BENCH_F64)
		((double *)data)[i] = value;
	else
		((float *)data)[i] = (float)value;
}

static struct matrix make_matrix(struct bench_device *device, enum bench_dtype dtype, size_t rows,
				 size_t columns, size_t padding, uint64_t stream)
{
	struct bench_error error;
	struct matrix matrix = {.rows = rows, .columns = columns, .ld = columns + padding};
	size_t count = rows * matrix.ld, bytes = count * bench_dtype_bytes(dtype);
	matrix.data = malloc(bytes);
	assert_non_null(matrix.data);
	bench_rng_fill(7, stream, dtype, matrix.data, count);
	require(cl->alloc(device, bytes, &matrix.buffer, &error), &error);
	return matrix;
}

static void send(struct bench_device *device, enum bench_dtype dtype, struct matrix *matrix)
{
	struct bench_error error;
	require(cl->upload(device, matrix->buffer, matrix->data,
			   matrix->rows * matrix->ld * bench_dtype_bytes(dtype), &error),
		&error);
}

static void free_matrix(struct bench_device *device, struct matrix *matrix)
{
	cl->release(device, matrix->buffer);
	free(matrix->data);
}

/*
 * Compares every element of `after` with the plain sum in double, within the bound of a
 * sum of k products in the type: Higham, Accuracy and Stability, section 3.1.
 */
static void compare(const struct bench_gemm *gemm, const struct matrix *a, const struct matrix *b,
		    const struct matrix *c, const void *after)
{
	enum bench_dtype dtype = gemm->dtype;
	double unit = dtype == BENCH_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
	for (size_t i = 0; i < gemm->m; i++) {
		for (size_t j = 0; j < gemm->n; j++) {
			double sum = 0, size = 0;
			for (size_t s = 0; s < gemm->k; s++) {
				double x = get(dtype, a->data, gemm->trans_a ? s * a->ld + i : i * a->ld + s);
				double y = get(dtype, b->data, gemm->trans_b ? j * b->ld + s : s * b->ld + j);
				sum += x * y;
				size += fabs(x * y);
			}
			double old = gemm->beta == 0 ? 0 : gemm->beta * get(dtype, c->data, i * c->ld + j);
			double want = gemm->alpha * sum + old, got = get(dtype, after, i * c->ld + j);
			double bound = (double)(gemm->k + 4) * unit * (fabs(gemm->alpha) * size + fabs(old));
			if (!(fabs(got - want) <= bound))
				fail_msg("%s %c%c m=%zu n=%zu k=%zu alpha=%g beta=%g: C[%zu][%zu] is %.9g, "
					 "not "
					 "%.9g (bound %.2g)",
					 dtype == BENCH_F64 ? "f64" : "f32", gemm->trans_a ? 'T' : 'N',
					 gemm->trans_b ? 'T' : 'N', gemm->m, gemm->n, gemm->k, gemm->alpha,
					 gemm->beta, i, j, got, want, bound);
		}
		for (size_t j = gemm->n; j < c->ld; j++)
			if (memcmp(&((const char *)after)[(i * c->ld + j) * bench_dtype_bytes(dtype)],
				   &((const char *)c->data)[(i * c->ld + j) * bench_dtype_bytes(dtype)],
				   bench_dtype_bytes(dtype)) != 0)
				fail_msg("m=%zu n=%zu k=%zu: row %zu was written beyond its end", gemm->m,
					 gemm->n, gemm->k, i);
	}
}

/* Runs one product on the device and compares. `padding`: elements between rows. */
static void check_gemm(struct bench_device *device, struct bench_gemm gemm, size_t padding)
{
	struct bench_error error;
	enum bench_dtype dtype = gemm.dtype;
	struct matrix a = make_matrix(device, dtype, gemm.trans_a ? gemm.k : gemm.m,
				      gemm.trans_a ? gemm.m : gemm.k, padding, 1);
	struct matrix b = make_matrix(device, dtype, gemm.trans_b ? gemm.n : gemm.k,
				      gemm.trans_b ? gemm.k : gemm.n, padding ? padding + 2 : 0, 2);
	struct matrix c = make_matrix(device, dtype, gemm.m, gemm.n, padding ? padding + 1 : 0, 3);
	size_t bytes = c.rows * c.ld * bench_dtype_bytes(dtype);
	void *after = malloc(bytes);
	assert_non_null(after);
	if (gemm.beta == 0)
		for (size_t i = 0; i < gemm.m; i++)
			for (size_t j = 0; j < gemm.n; j++)
				put(dtype, c.data, i * c.ld + j, NAN);
	gemm.a = a.buffer, gemm.b = b.buffer, gemm.c = c.buffer;
	gemm.lda = a.ld, gemm.ldb = b.ld, gemm.ldc = c.ld;
	send(device, dtype, &a);
	send(device, dtype, &b);
	send(device, dtype, &c);
	require(cl->gemm(device, &gemm, &error), &error);
	require(cl->finish(device, &error), &error);
	require(cl->download(device, c.buffer, after, bytes, &error), &error);
	compare(&gemm, &a, &b, &c, after);
	free(after);
	free_matrix(device, &a);
	free_matrix(device, &b);
	free_matrix(device, &c);
}

static void check_transposes(struct bench_device *device, struct bench_gemm gemm, size_t padding)
{
	for (int i = 0; i < 4; i++) {
		gemm.trans_a = i & 1;
		gemm.trans_b = i & 2;
		check_gemm(device, gemm, padding);
	}
}

static const size_t mixed_sizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 65, 127, 129};
#define MIXED (sizeof(mixed_sizes) / sizeof(*mixed_sizes))

/* Every size in every place, each beside several of the others. */
static void check_mixed(const char *scheme, enum bench_dtype dtype)
{
	struct bench_device *device = open_first(scheme);
	for (size_t turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < MIXED; i++) {
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
	static const size_t shapes[][3] = {{1, 300, 7},    {300, 1, 7},    {513, 2, 65},   {2, 513, 65},
					   {3, 5, 1500},   {40, 70, 600},  {333, 40, 257}, {600, 33, 9},
					   {160, 192, 96}, {257, 259, 300}};
	struct bench_device *device = open_first(scheme);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct bench_gemm gemm = {.dtype = dtype,
					  .m = shapes[i][0],
					  .n = shapes[i][1],
					  .k = shapes[i][2],
					  .alpha = 0.5,
					  .beta = i % 2 ? 0 : -2};
		check_transposes(device, gemm, i % 3);
	}
	cl->close(device);
}

/* Both, for a type. Without the cache on disk, which would cost PoCL a second compilation of each kernel. */
static void check_scheme(const char *scheme, enum bench_dtype dtype)
{
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	check_mixed(scheme, dtype);
	check_shapes(scheme, dtype);
	unsetenv("BENCH_PROGRAM_CACHE");
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
	struct bench_buffer *buffer;
	require(cl->alloc(device, 64 * sizeof(float), &buffer, &error), &error);
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
	struct bench_gemm wrong[] = {fits, fits, fits, fits, fits, fits};
	wrong[0].m = 9;
	wrong[1].ldb = 7;
	wrong[2].k = 0;
	wrong[3].ldc = SIZE_MAX;
	wrong[4].dtype = BENCH_F64;
	wrong[5].n = (size_t)1 << 32;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(cl->gemm(device, &wrong[i], &error), -1);
		if (wrong[i].dtype == BENCH_F32)
			assert_int_equal(error.code, BENCH_USAGE);
	}
	cl->release(device, buffer);
	cl->close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f32),
		cmocka_unit_test(gemm_of_the_cpu_scheme_is_right_at_all_mixes_of_sizes_f64),
		cmocka_unit_test(gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f32),
		cmocka_unit_test(gemm_of_the_gpu_scheme_is_right_at_all_mixes_of_sizes_f64),
		cmocka_unit_test(a_device_of_one_thread_computes_the_same),
		cmocka_unit_test(a_gemm_that_does_not_fit_its_buffers_is_refused),
	};
	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}

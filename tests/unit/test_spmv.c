/* SPDX-License-Identifier: MIT */
/* Sparse matrix times vector: the operation on every backend. */
#include <stdlib.h>

#include "kit/rng.h"
#include "suite_fixture.h"
#include "suites/spmv/matrix.h"
#include "suites/spmv/plan.h"

enum { STEP_ROWS = 45 };
enum { GUARD = 32 }; /* elements behind y that must stay as they are */

static const enum bench_spmv_kernel kernels[] = {BENCH_SPMV_ROW, BENCH_SPMV_GROUP, BENCH_SPMV_ADAPTIVE};

static void require(int result, const struct bench_backend *backend, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s: %s", backend->name, error->text);
}

/* The first device of a backend, NULL where there is none, which is said. */
static struct bench_device *open_first(const struct bench_backend *backend, struct bench_device_info *info)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	size_t count = 0;
	if (backend->devices(info, 1, &count, &error) != 0 || count == 0) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return NULL;
	}
	require(backend->open(0, &(struct bench_open_options){0}, &device, &error), backend, &error);
	return device;
}

static struct bench_buffer *upload_new(const struct bench_backend *backend, struct bench_device *device,
				       const void *host, size_t bytes)
{
	struct bench_error error = {0};
	struct bench_buffer *buffer = NULL;
	require(backend->alloc(device, bytes ? bytes : 1, &buffer, &error), backend, &error);
	require(backend->upload(device, buffer, host, bytes, &error), backend, &error);
	return buffer;
}

/* Doubles as elements of `dtype`, malloc'd. */
static void *elements(enum bench_dtype dtype, const double *from, size_t count)
{
	void *to = malloc((count + 1) * sizeof(double));
	assert_non_null(to);
	for (size_t i = 0; i < count; i++) {
		if (dtype == BENCH_F64)
			((double *)to)[i] = from[i];
		else
			((float *)to)[i] = (float)from[i];
	}
	return to;
}

static double element(enum bench_dtype dtype, const void *data, size_t i)
{
	return dtype == BENCH_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Entries of a part: of some sizes of blocks the same, of others more. */
static size_t part_of(size_t block_entries)
{
	return block_entries % 3 ? block_entries : 2 * block_entries + 1;
}

/* y = A x on a device; `y` has room for rows + GUARD doubles, and is in `dtype` afterwards. */
static void multiply(const struct bench_backend *backend, struct bench_device *device,
		     const struct bench_csr *csr, enum bench_dtype dtype, enum bench_spmv_kernel kernel,
		     size_t block_entries, const double *x, void *y)
{
	struct bench_error error = {0};
	size_t real = bench_dtype_bytes(dtype), y_bytes = (csr->rows + GUARD) * real;
	void *values = elements(dtype, csr->values, csr->entries), *narrow_x = elements(dtype, x, csr->cols);
	struct bench_spmv_blocks blocks;
	require(bench_spmv_make_blocks(csr, block_entries, part_of(block_entries), &blocks, &error), backend,
		&error);
	memset(y, 0xff, y_bytes); /* NaN in either type */
	struct bench_buffer *buffers[] = {
		upload_new(backend, device, csr->offsets, (csr->rows + 1) * sizeof(uint32_t)),
		upload_new(backend, device, csr->columns, csr->entries * sizeof(uint32_t)),
		upload_new(backend, device, values, csr->entries * real),
		upload_new(backend, device, narrow_x, csr->cols * real),
		upload_new(backend, device, y, y_bytes),
		upload_new(backend, device, blocks.places, (blocks.count + 1) * sizeof(*blocks.places)),
		upload_new(backend, device, blocks.splits, blocks.split_count * sizeof(*blocks.splits)),
	};
	const struct bench_spmv spmv = {
		.dtype = dtype,
		.kernel = kernel,
		.rows = csr->rows,
		.cols = csr->cols,
		.entries = csr->entries,
		.offsets = buffers[0],
		.columns = buffers[1],
		.values = buffers[2],
		.x = buffers[3],
		.y = buffers[4],
		.blocks = kernel == BENCH_SPMV_ADAPTIVE ? buffers[5] : NULL,
		.splits = kernel == BENCH_SPMV_ADAPTIVE ? buffers[6] : NULL,
		.block_count = blocks.count,
		.split_count = blocks.split_count,
		.block_entries = block_entries,
		.part_entries = part_of(block_entries),
	};
	require(backend->spmv(device, &spmv, &error), backend, &error);
	require(backend->finish(device, &error), backend, &error);
	require(backend->download(device, buffers[4], y, y_bytes, &error), backend, &error);
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		backend->release(device, buffers[i]);
	free(values);
	free(narrow_x);
	bench_spmv_blocks_free(&blocks);
}

/* Which places of a matrix have an entry. */
enum pattern { NOWHERE, EVERYWHERE, ONE_ROW, SCATTERED, STEPS, PATTERNS };

static bool has_entry(enum pattern pattern, size_t rows, size_t cols, size_t row, size_t col,
		      struct bench_rng *rng)
{
	switch (pattern) {
	case NOWHERE:
		return false;
	case EVERYWHERE:
		return true;
	case ONE_ROW:
		return row == rows / 2 || bench_rng_below(rng, 50) == 0;
	case STEPS: /* rows of 1, 2, .. 10 entries, as many of each as a vector has lanes, and some more */
		return (row + col * 7) % cols < row / STEP_ROWS % 10 + 1;
	default:
		return row % 3 != 1 && bench_rng_below(rng, 4) == 0;
	}
}

/*
 * Whole numbers so small that every sum is exact in any order: the result is the dense
 * product's to the last bit.
 */
static void expect_exact(const struct bench_backend *backend, struct bench_device *device,
			 enum bench_dtype dtype, size_t rows, size_t cols, enum pattern pattern)
{
	struct bench_error error = {0};
	struct bench_rng rng;
	bench_rng_start(&rng, rows * 1000 + cols, pattern);
	struct bench_csr_entry *entries = calloc(rows * cols, sizeof(*entries));
	double *x = calloc(cols, sizeof(*x)), *expected = calloc(rows, sizeof(*expected)),
	       *y = calloc(rows + GUARD, sizeof(*y));
	assert_true(entries && x && expected && y);
	size_t count = 0;
	for (size_t i = 0; i < cols; i++)
		x[i] = (double)bench_rng_below(&rng, 17) - 8;
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < cols; j++)
			if (has_entry(pattern, rows, cols, i, j, &rng)) {
				double value = (double)bench_rng_below(&rng, 9) - 4;
				entries[count++] = (struct bench_csr_entry){(uint32_t)i, (uint32_t)j, value};
				expected[i] += value * x[j];
			}
	struct bench_csr csr;
	require(bench_csr_assemble(&csr, rows, cols, entries, count, &error), backend, &error);
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
		for (size_t block = 16; block <= BENCH_SPMV_BLOCK_GPU; block *= 64) {
			multiply(backend, device, &csr, dtype, kernels[k], block, x, y);
			for (size_t i = 0; i < rows; i++)
				if (element(dtype, y, i) != expected[i])
					fail_msg("%s: %zu x %zu, pattern %d, kernel %d, blocks of %zu: row "
						 "%zu is "
						 "%g, not %g",
						 backend->name, rows, cols, (int)pattern, (int)kernels[k],
						 block, i, element(dtype, y, i), expected[i]);
			for (size_t i = 0; i < GUARD; i++)
				assert_true(isnan(element(dtype, y, rows + i)));
		}
	bench_csr_free(&csr);
	free(entries);
	free(x);
	free(expected);
	free(y);
}

static void every_kernel_is_exact_at_every_edge_on_every_backend(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
	enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
	for (size_t b = 0; bench_backends[b]; b++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(bench_backends[b], &info);
		if (!device)
			continue;
		for (size_t i = 0; i < SIZES; i++)
			for (int pattern = 0; pattern < PATTERNS; pattern++) {
				expect_exact(bench_backends[b], device, BENCH_F32, sizes[i],
					     sizes[SIZES - 1 - i], (enum pattern)pattern);
				if (info.f64 && i % 3 == 0)
					expect_exact(bench_backends[b], device, BENCH_F64, sizes[i], sizes[i],
						     (enum pattern)pattern);
			}
		/* Rows longer than a block of a GPU, and more rows than one of its groups has work-items. */
		expect_exact(bench_backends[b], device, BENCH_F32, 3, 5000, EVERYWHERE);
		expect_exact(bench_backends[b], device, BENCH_F32, 700, 300, SCATTERED);
		expect_exact(bench_backends[b], device, BENCH_F32, 2000, 3, ONE_ROW);
		expect_exact(bench_backends[b], device, BENCH_F32, 1000, 23, STEPS);
		if (info.f64)
			expect_exact(bench_backends[b], device, BENCH_F64, 1000, 23, STEPS);
		bench_backends[b]->close(device);
	}
}

static void the_kernels_of_a_gpu_are_exact_on_a_cpu_too(void **state)
{
	(void)state;
	struct bench_device_info info;
	struct bench_device *device = open_first(&bench_backend_opencl, &info);
	if (!device)
		skip();
	setenv("BENCH_OPENCL_KIND", "gpu", 1);
	static const size_t sizes[] = {1, 2, 3, 8, 17, 33, 64, 127, 129};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int pattern = 0; pattern < PATTERNS; pattern++)
			expect_exact(&bench_backend_opencl, device, BENCH_F32, sizes[i], 130 - sizes[i],
				     (enum pattern)pattern);
	expect_exact(&bench_backend_opencl, device, BENCH_F32, 3, 5000, EVERYWHERE);
	expect_exact(&bench_backend_opencl, device, BENCH_F32, 700, 300, SCATTERED);
	expect_exact(&bench_backend_opencl, device, BENCH_F32, 2000, 3, ONE_ROW);
	if (info.f64)
		expect_exact(&bench_backend_opencl, device, BENCH_F64, 129, 65, SCATTERED);
	unsetenv("BENCH_OPENCL_KIND");
	bench_backend_opencl.close(device);
}

static void ones_stay_ones_on_a_cycle(void **state)
{
	(void)state;
	enum { N = 40000 };
	const struct bench_spmv_source source = {.kind = BENCH_SPMV_CYCLE, .n = N, .f32 = true};
	struct bench_error error = {0};
	struct bench_csr csr;
	double *x = calloc(N, sizeof(*x)), *y = calloc(N + GUARD, sizeof(*y));
	assert_true(x && y);
	for (size_t i = 0; i < N; i++)
		x[i] = 1;
	for (size_t b = 0; bench_backends[b]; b++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(bench_backends[b], &info);
		if (!device)
			continue;
		require(bench_spmv_matrix_make(&source, &csr, &error), bench_backends[b], &error);
		for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
			multiply(bench_backends[b], device, &csr, BENCH_F32, kernels[k], 1024, x, y);
			for (size_t i = 0; i < N; i++)
				assert_true(element(BENCH_F32, y, i) == 1);
		}
		bench_csr_free(&csr);
		bench_backends[b]->close(device);
	}
	free(x);
	free(y);
}

static void what_cannot_be_is_refused_by_every_backend(void **state)
{
	(void)state;
	/* On buffers that hold 8 rows, 8 columns and 16 entries of f32, 4 blocks and 1 row in parts. */
	static const struct {
		struct bench_spmv spmv;
		enum bench_code code;
	} rows[] = {
		{{.rows = 0, .cols = 8, .entries = 16}, BENCH_USAGE},
		{{.rows = 8, .cols = 0, .entries = 16}, BENCH_USAGE},
		{{.rows = 9, .cols = 8, .entries = 16}, BENCH_USAGE},
		{{.rows = 8, .cols = 9, .entries = 16}, BENCH_USAGE},
		{{.rows = 8, .cols = 8, .entries = 17}, BENCH_USAGE},
		{{.rows = SIZE_MAX, .cols = 8, .entries = 16}, BENCH_USAGE},
		{{.rows = 8, .cols = 8, .entries = SIZE_MAX / 4 + 2}, BENCH_USAGE},
		{{.dtype = BENCH_F64, .rows = 8, .cols = 8, .entries = 16}, BENCH_USAGE},
		{{.dtype = BENCH_F16, .rows = 8, .cols = 8, .entries = 16}, BENCH_UNSUPPORTED},
		{{.kernel = BENCH_SPMV_ADAPTIVE, .rows = 8, .cols = 8, .entries = 16, .block_entries = 16},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE, .rows = 8, .cols = 8, .entries = 16, .block_count = 4},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE,
		  .rows = 8,
		  .cols = 8,
		  .entries = 16,
		  .block_count = 5,
		  .block_entries = 16},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE,
		  .rows = 8,
		  .cols = 8,
		  .entries = 16,
		  .block_count = 4,
		  .block_entries = BENCH_SPMV_BLOCK_MAX + 1},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE,
		  .rows = 8,
		  .cols = 8,
		  .entries = 16,
		  .block_count = 4,
		  .block_entries = 4,
		  .split_count = 2},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE,
		  .rows = 8,
		  .cols = 8,
		  .entries = 16,
		  .block_count = 4,
		  .block_entries = 16,
		  .split_count = 2},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE,
		  .rows = 8,
		  .cols = 8,
		  .entries = 16,
		  .block_count = 4,
		  .block_entries = 16,
		  .part_entries = 15},
		 BENCH_USAGE},
		{{.kernel = BENCH_SPMV_ADAPTIVE,
		  .rows = 2,
		  .cols = 8,
		  .entries = 16,
		  .block_count = 4,
		  .block_entries = 16},
		 BENCH_USAGE},
	};
	for (size_t b = 0; bench_backends[b]; b++) {
		const struct bench_backend *backend = bench_backends[b];
		struct bench_device_info info;
		struct bench_error error = {0};
		struct bench_device *device = open_first(backend, &info);
		if (!device)
			continue;
		static const size_t bytes[] = {36, 64, 64, 32, 32, 40, 4};
		enum { BUFFERS = sizeof(bytes) / sizeof(bytes[0]) };
		struct bench_buffer *buffers[BUFFERS];
		for (size_t i = 0; i < BUFFERS; i++)
			require(backend->alloc(device, bytes[i], &buffers[i], &error), backend, &error);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct bench_spmv spmv = rows[i].spmv;
			if (spmv.dtype == BENCH_F64 && !info.f64)
				continue;
			spmv.offsets = buffers[0], spmv.columns = buffers[1], spmv.values = buffers[2];
			spmv.x = buffers[3], spmv.y = buffers[4], spmv.blocks = buffers[5];
			spmv.splits = buffers[6];
			spmv.part_entries = spmv.part_entries ? spmv.part_entries : spmv.block_entries;
			error = (struct bench_error){0};
			assert_int_equal(backend->spmv(device, &spmv, &error), -1);
			if (error.code != rows[i].code)
				fail_msg("%s: row %zu: %s", backend->name, i, error.text);
		}
		const struct bench_spmv one = {.rows = 8,
					       .cols = 8,
					       .entries = 16,
					       .offsets = buffers[0],
					       .columns = buffers[1],
					       .values = buffers[2],
					       .x = buffers[4],
					       .y = buffers[4]};
		assert_int_equal(backend->spmv(device, &one, &error), -1);
		assert_non_null(strstr(error.text, "one buffer"));
		for (size_t i = 0; i < BUFFERS; i++)
			backend->release(device, buffers[i]);
		backend->close(device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_is_exact_at_every_edge_on_every_backend),
		cmocka_unit_test(the_kernels_of_a_gpu_are_exact_on_a_cpu_too),
		cmocka_unit_test(ones_stay_ones_on_a_cycle),
		cmocka_unit_test(what_cannot_be_is_refused_by_every_backend),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

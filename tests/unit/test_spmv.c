/* Sparse matrix times vector: the operation on every backend, made matrices, blocks, the suite, and wrong
 * kernels. */
#include <float.h>
#include <stdlib.h>

#include "core/rng.h"
#include "scratch.h"
#include "suite_fixture.h"
#include "suites/spmv_check.h"
#include "suites/spmv_matrix.h"
#include "suites/spmv_plan.h"

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

/* y = A x on a device; `y` has room for rows + GUARD doubles, and is in `dtype` afterwards. */
static void multiply(const struct bench_backend *backend, struct bench_device *device,
		     const struct bench_csr *csr, enum bench_dtype dtype, enum bench_spmv_kernel kernel,
		     size_t block_entries, const double *x, void *y)
{
	struct bench_error error = {0};
	size_t real = bench_dtype_bytes(dtype), y_bytes = (csr->rows + GUARD) * real, block_count = 0;
	void *values = elements(dtype, csr->values, csr->entries), *narrow_x = elements(dtype, x, csr->cols);
	uint32_t *blocks = NULL;
	require(bench_spmv_make_blocks(csr, block_entries, &blocks, &block_count, &error), backend, &error);
	memset(y, 0xff, y_bytes); /* NaN in either type */
	struct bench_buffer *buffers[] = {
		upload_new(backend, device, csr->offsets, (csr->rows + 1) * sizeof(uint32_t)),
		upload_new(backend, device, csr->columns, csr->entries * sizeof(uint32_t)),
		upload_new(backend, device, values, csr->entries * real),
		upload_new(backend, device, narrow_x, csr->cols * real),
		upload_new(backend, device, y, y_bytes),
		upload_new(backend, device, blocks, (block_count + 1) * sizeof(uint32_t)),
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
		.block_count = block_count,
		.block_entries = block_entries,
	};
	require(backend->spmv(device, &spmv, &error), backend, &error);
	require(backend->finish(device, &error), backend, &error);
	require(backend->download(device, buffers[4], y, y_bytes, &error), backend, &error);
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		backend->release(device, buffers[i]);
	free(values);
	free(narrow_x);
	free(blocks);
}

/* Which places of a matrix have an entry. */
enum pattern { NOWHERE, EVERYWHERE, ONE_ROW, SCATTERED, PATTERNS };

static bool has_entry(enum pattern pattern, size_t rows, size_t row, struct bench_rng *rng)
{
	switch (pattern) {
	case NOWHERE:
		return false;
	case EVERYWHERE:
		return true;
	case ONE_ROW:
		return row == rows / 2 || bench_rng_below(rng, 50) == 0;
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
			if (has_entry(pattern, rows, i, &rng)) {
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
	/* On buffers that hold 8 rows, 8 columns and 16 entries of f32, and 4 blocks. */
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
	};
	for (size_t b = 0; bench_backends[b]; b++) {
		const struct bench_backend *backend = bench_backends[b];
		struct bench_device_info info;
		struct bench_error error = {0};
		struct bench_device *device = open_first(backend, &info);
		if (!device)
			continue;
		static const size_t bytes[] = {36, 64, 64, 32, 32, 20};
		struct bench_buffer *buffers[6];
		for (size_t i = 0; i < 6; i++)
			require(backend->alloc(device, bytes[i], &buffers[i], &error), backend, &error);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct bench_spmv spmv = rows[i].spmv;
			if (spmv.dtype == BENCH_F64 && !info.f64)
				continue;
			spmv.offsets = buffers[0], spmv.columns = buffers[1], spmv.values = buffers[2];
			spmv.x = buffers[3], spmv.y = buffers[4], spmv.blocks = buffers[5];
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
		for (size_t i = 0; i < 6; i++)
			backend->release(device, buffers[i]);
		backend->close(device);
	}
}

static void made_matrices_are_sound_and_have_the_sizes_that_work_counts(void **state)
{
	(void)state;
	static const struct {
		struct bench_spmv_source source;
		size_t entries, longest; /* 0: not said */
	} rows[] = {
		{{.kind = BENCH_SPMV_CYCLE, .n = 3}, 6, 2},
		{{.kind = BENCH_SPMV_CYCLE, .n = 1000}, 2000, 2},
		{{.kind = BENCH_SPMV_POISSON2D, .n = 4}, 12, 3},
		{{.kind = BENCH_SPMV_POISSON2D, .n = 100}, 460, 5},
		{{.kind = BENCH_SPMV_RANDOM, .n = 1000}, 8000, 8},
		{{.kind = BENCH_SPMV_RANDOM, .n = 7, .per_row = 7}, 49, 7},
		{{.kind = BENCH_SPMV_BANDED, .n = 1000}, 0, 32},
		{{.kind = BENCH_SPMV_BANDED, .n = 5, .per_row = 3}, 13, 3},
		{{.kind = BENCH_SPMV_POWERLAW, .n = 10000}, 0, 0},
		{{.kind = BENCH_SPMV_POWERLAW, .n = 3, .per_row = 3}, 0, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint64_t seed = 1; seed < 4; seed++) {
			struct bench_csr csr, sizes;
			struct bench_error error = {0};
			struct bench_spmv_source source = rows[i].source;
			source.seed = seed;
			assert_int_equal(bench_spmv_matrix_sizes(&source, &sizes, &error), 0);
			assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
			assert_int_equal(csr.rows, source.n);
			assert_int_equal(csr.entries, sizes.entries);
			assert_int_equal(csr.offsets[csr.rows], csr.entries);
			for (size_t row = 0; row < csr.rows; row++)
				for (uint32_t k = csr.offsets[row]; k < csr.offsets[row + 1]; k++) {
					assert_true(csr.columns[k] < csr.cols && csr.values[k] != 0);
					assert_true(k == csr.offsets[row] ||
						    csr.columns[k - 1] < csr.columns[k]);
				}
			if (rows[i].entries)
				assert_int_equal(csr.entries, rows[i].entries);
			if (rows[i].longest)
				assert_int_equal(bench_csr_count_rows(&csr).longest, rows[i].longest);
			bench_csr_free(&csr);
		}
}

static void a_power_law_has_long_rows_and_empty_ones_and_its_mean(void **state)
{
	(void)state;
	const struct bench_spmv_source source = {.kind = BENCH_SPMV_POWERLAW, .n = 100000, .per_row = 10};
	struct bench_csr csr;
	struct bench_error error = {0};
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
	struct bench_csr_rows rows = bench_csr_count_rows(&csr);
	assert_true(rows.mean > 6 && rows.mean < 12);
	assert_true(rows.longest > 10000);
	assert_int_equal(bench_spmv_choose(&rows), BENCH_SPMV_ADAPTIVE);
	bench_csr_free(&csr);
}

static void blocks_hold_what_they_may_and_all_rows(void **state)
{
	(void)state;
	static const size_t entries[] = {1, 2, 64, 1024, BENCH_SPMV_BLOCK_MAX};
	static const struct bench_spmv_source sources[] = {{.kind = BENCH_SPMV_CYCLE, .n = 1000},
							   {.kind = BENCH_SPMV_POWERLAW, .n = 5000},
							   {.kind = BENCH_SPMV_BANDED, .n = 300}};
	for (size_t s = 0; s < sizeof(sources) / sizeof(sources[0]); s++)
		for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
			struct bench_csr csr;
			struct bench_error error = {0};
			uint32_t *blocks;
			size_t count;
			assert_int_equal(bench_spmv_matrix_make(&sources[s], &csr, &error), 0);
			assert_int_equal(bench_spmv_make_blocks(&csr, entries[i], &blocks, &count, &error),
					 0);
			assert_int_equal(blocks[0], 0);
			assert_int_equal(blocks[count], csr.rows);
			for (size_t b = 0; b < count; b++) {
				assert_true(blocks[b] < blocks[b + 1]);
				assert_true(blocks[b + 1] - blocks[b] == 1 ||
					    csr.offsets[blocks[b + 1]] - csr.offsets[blocks[b]] <=
						    entries[i]);
			}
			free(blocks);
			bench_csr_free(&csr);
		}
}

static void auto_takes_the_kernel_that_the_lengths_of_the_rows_ask_for(void **state)
{
	(void)state;
	static const struct {
		struct bench_csr_rows rows;
		enum bench_spmv_kernel kernel;
	} rows[] = {
		{{.longest = 2, .mean = 2}, BENCH_SPMV_ROW},
		{{.longest = 5, .mean = 4.99, .deviation = 0.1}, BENCH_SPMV_ROW},
		{{.longest = 64, .mean = 60, .deviation = 4}, BENCH_SPMV_GROUP},
		{{.longest = 46500, .mean = 3, .deviation = 215}, BENCH_SPMV_ADAPTIVE},
		{{.longest = 100000, .mean = 64, .deviation = 60}, BENCH_SPMV_ADAPTIVE},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(bench_spmv_choose(&rows[i].rows), rows[i].kernel);
}

/* The whole sequence of bench/suite.h. */
static void expect_suite_right(const struct bench_backend *backend, const char *settings)
{
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_work work = {0};
	if (!open_fixture(&fixture, &bench_suite_spmv, backend, settings, &error)) {
		print_message("skipped: spmv on %s: %s\n", backend->name, error.text);
		return;
	}
	if (fixture.info.f64 || !strstr(settings, "f64")) {
		must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
		assert_true(work.flops > 0 && work.bytes > work.flops && work.device_bytes > 0);
		must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		for (int i = 0; i < 2; i++) {
			struct bench_check check =
				prepare_run_check(&fixture, (const uint64_t[]){1, 3, 2}, 3);
			if (!(check.error <= check.tolerance))
				fail_msg("%s on %s: error %g is above tolerance %g (%s)", settings,
					 backend->name, check.error, check.tolerance, check.method);
		}
	}
	close_fixture(&fixture);
}

static char file_path[200]; /* of a matrix with an empty row, and no square one */

static void write_matrix(const char *folder, const char *text)
{
	snprintf(file_path, sizeof(file_path), "%s/m.mtx", folder);
	FILE *file = fopen(file_path, "we");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void the_suite_is_right_on_every_backend(void **state)
{
	static const char *const settings[] = {
		"n=3",
		"n=1000 repeat=2",
		"n=50000 repeat=7 dtype=f64",
		"n=3000 repeat=100 kernel=adaptive",
		"matrix=poisson2d n=10000",
		"matrix=poisson2d n=2500 repeat=20 kernel=group",
		"matrix=random n=20000 per_row=5 dtype=f64",
		"matrix=random n=2000 per_row=40",
		"matrix=powerlaw n=20000",
		"matrix=powerlaw n=20000 kernel=row repeat=3",
		"matrix=powerlaw n=20000 kernel=group dtype=f64",
		"matrix=banded n=3000 per_row=100",
		"matrix=banded n=3000 kernel=adaptive repeat=4",
	};
	char file[256];
	write_matrix(*state,
		     "%%MatrixMarket matrix coordinate real general\n5 4 4\n1 1 2\n2 4 -3\n5 1 1\n5 2 1\n");
	snprintf(file, sizeof(file), "matrix=%s", file_path);
	for (size_t b = 0; bench_backends[b]; b++) {
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
			expect_suite_right(bench_backends[b], settings[i]);
		expect_suite_right(bench_backends[b], file);
	}
}

static void expect_refused(const char *settings, const char *said)
{
	struct fixture fixture = {.suite = &bench_suite_spmv};
	struct bench_error error = {0};
	struct bench_work work = {0};
	set_values(&bench_suite_spmv, settings, fixture.values);
	fixture.bench_case = (struct bench_case){.values = fixture.values};
	assert_int_equal(bench_suite_spmv.work(&fixture.bench_case, &work, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	if (!strstr(error.text, said))
		fail_msg("'%s' does not say '%s'", error.text, said);
}

static void sizes_that_cannot_be_are_refused_before_anything_is_made(void **state)
{
	char settings[256];
	expect_refused("n=2", "3 to 2147483647");
	expect_refused("n=1000 per_row=3", "leave it at 0");
	expect_refused("matrix=poisson2d n=1000", "1024 is near");
	expect_refused("matrix=random n=10 per_row=11", "rows of 10");
	expect_refused("matrix=random n=2000000000 per_row=100", "smaller n or per_row");
	expect_refused("n=2000000000", "smaller n or per_row");
	expect_refused("n=100000000 repeat=100000", "smaller repeat");
	expect_refused("matrix=nowhere.mtx", "No such file");
	expect_refused("matrix=nowhere.txt", "FILE.mtx or FILE.mtx.gz");
	expect_refused("matrix=x.mtx n=5", "leave both at 0");
	write_matrix(*state, "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\n");
	snprintf(settings, sizeof(settings), "matrix=%s repeat=2", file_path);
	expect_refused(settings, "not square");
}

static void work_counts_two_operations_an_entry_and_each_array_once(void **state)
{
	(void)state;
	struct fixture fixture = {.suite = &bench_suite_spmv};
	struct bench_error error = {0};
	struct bench_work work = {0};
	set_values(&bench_suite_spmv, "n=1000 repeat=10", fixture.values);
	fixture.bench_case = (struct bench_case){.values = fixture.values};
	assert_int_equal(bench_suite_spmv.work(&fixture.bench_case, &work, &error), 0);
	assert_true(work.flops == 10 * 2 * 2000);
	assert_true(work.bytes == 10 * (2000 * 8 + 1001 * 4 + 2 * 1000 * 4));
}

static void a_value_too_large_for_the_type_and_a_vector_worn_out_are_refused(void **state)
{
	struct bench_csr csr;
	struct bench_error error = {0};
	write_matrix(*state, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e300\n");
	struct bench_spmv_source source = {.kind = BENCH_SPMV_FILE, .path = file_path, .f32 = true};
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), -1);
	assert_non_null(strstr(error.text, "dtype=f64"));
	bench_csr_free(&csr);
	source.f32 = false;
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
	bench_csr_free(&csr);

	/* x -> (x + y, x - y) / 2 shrinks by sqrt(1/2) each time. */
	write_matrix(*state, "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n-1\n");
	source.normalised = true;
	const double x[] = {0.5, -0.25};
	struct bench_spmv_expected expected;
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
	assert_int_equal(bench_spmv_expect(&csr, BENCH_F64, x, 4, &expected, &error), 0);
	assert_float_equal(expected.y[0], 0.5 / 4, 1e-15);
	assert_float_equal(expected.y[1], -0.25 / 4, 1e-15);
	bench_spmv_expected_free(&expected);
	assert_int_equal(bench_spmv_expect(&csr, BENCH_F64, x, 1000, &expected, &error), -1);
	assert_non_null(strstr(error.text, "smaller repeat"));
	bench_spmv_expected_free(&expected);
	bench_csr_free(&csr);
}

/*
 * Wrong kernels: openblas but for what `spoil` does to the arguments or to the result.
 */
static const struct bench_backend *const real = &bench_backend_openblas;

static int does_nothing(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error)
{
	(void)device;
	(void)spmv;
	(void)error;
	return 0;
}

static int drops_last_row(struct bench_device *device, const struct bench_spmv *spmv,
			  struct bench_error *error)
{
	struct bench_spmv less = *spmv;
	less.kernel = BENCH_SPMV_ROW; /* which goes by the number of rows */
	less.rows--;
	return real->spmv(device, &less, error);
}

static int is_wrong_about_one_column(struct bench_device *device, const struct bench_spmv *spmv,
				     struct bench_error *error)
{
	size_t bytes = spmv->entries * sizeof(uint32_t);
	uint32_t *columns = malloc(bytes);
	struct bench_buffer *copy = NULL;
	struct bench_spmv wrong = *spmv;
	assert_non_null(columns);
	int status = real->download(device, spmv->columns, columns, bytes, error);
	uint32_t *last = &columns[spmv->entries - 1];
	*last = *last ? *last - 1 : 1;
	status |=
		real->alloc(device, bytes, &copy, error) || real->upload(device, copy, columns, bytes, error);
	wrong.columns = copy;
	status |= real->spmv(device, &wrong, error);
	real->release(device, copy);
	free(columns);
	return status;
}

/* The product, after which `spoil` changes y, given the offsets. */
static int spmv_then(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error,
		     void (*spoil)(const uint32_t *offsets, size_t rows, float *y))
{
	size_t y_bytes = spmv->rows * sizeof(float), bytes = (spmv->rows + 1) * sizeof(uint32_t);
	float *y = malloc(y_bytes);
	uint32_t *offsets = malloc(bytes);
	assert_true(y && offsets);
	int status = real->spmv(device, spmv, error) || real->download(device, spmv->y, y, y_bytes, error) ||
		     real->download(device, spmv->offsets, offsets, bytes, error);
	spoil(offsets, spmv->rows, y);
	status |= real->upload(device, spmv->y, y, y_bytes, error);
	free(y);
	free(offsets);
	return status ? -1 : 0;
}

static void leave_empty_rows(const uint32_t *offsets, size_t rows, float *y)
{
	for (size_t row = 0; row < rows; row++)
		if (offsets[row] == offsets[row + 1])
			y[row] = NAN;
}

static int does_not_write_empty_rows(struct bench_device *device, const struct bench_spmv *spmv,
				     struct bench_error *error)
{
	return spmv_then(device, spmv, error, leave_empty_rows);
}

static void change_one(const uint32_t *offsets, size_t rows, float *y)
{
	(void)offsets;
	y[rows / 3] += 0.01F;
}

static int is_wrong_about_one_row(struct bench_device *device, const struct bench_spmv *spmv,
				  struct bench_error *error)
{
	return spmv_then(device, spmv, error, change_one);
}

/* The longest row without its last quarter: what a kernel with too few passes over it would give. */
static int drops_the_tail_of_the_longest_row(struct bench_device *device, const struct bench_spmv *spmv,
					     struct bench_error *error)
{
	size_t offset_bytes = (spmv->rows + 1) * sizeof(uint32_t), bytes = spmv->entries * sizeof(float);
	uint32_t *offsets = malloc(offset_bytes);
	float *values = malloc(bytes);
	struct bench_buffer *copy = NULL;
	struct bench_spmv wrong = *spmv;
	size_t longest = 0;
	assert_true(offsets && values);
	int status = real->download(device, spmv->offsets, offsets, offset_bytes, error) ||
		     real->download(device, spmv->values, values, bytes, error);
	for (size_t row = 1; row < spmv->rows; row++)
		if (offsets[row + 1] - offsets[row] > offsets[longest + 1] - offsets[longest])
			longest = row;
	uint32_t length = offsets[longest + 1] - offsets[longest];
	for (uint32_t k = offsets[longest] + length * 3 / 4; k < offsets[longest + 1]; k++)
		values[k] = 0;
	status |=
		real->alloc(device, bytes, &copy, error) || real->upload(device, copy, values, bytes, error);
	wrong.values = copy;
	status |= real->spmv(device, &wrong, error);
	real->release(device, copy);
	free(offsets);
	free(values);
	return status ? -1 : 0;
}

static void every_wrong_kernel_is_seen(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		int (*spmv)(struct bench_device *device, const struct bench_spmv *spmv,
			    struct bench_error *error);
	} wrong[] = {
		{"nothing", does_nothing},
		{"last row", drops_last_row},
		{"column", is_wrong_about_one_column},
		{"empty rows", does_not_write_empty_rows},
		{"one row", is_wrong_about_one_row},
		{"tail of the longest row", drops_the_tail_of_the_longest_row},
	};
	static const char *const settings[] = {"matrix=powerlaw n=2000", "matrix=powerlaw n=2000 repeat=3"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		for (size_t j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
			struct bench_backend backend = *real;
			struct fixture fixture;
			struct bench_error error = {0};
			backend.spmv = wrong[i].spmv;
			assert_true(open_fixture(&fixture, &bench_suite_spmv, &backend, settings[j], &error));
			must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
			struct bench_check check = once(&fixture);
			if (check.error <= check.tolerance)
				fail_msg("%s: not seen at %s: %g", wrong[i].what, settings[j], check.error);
			close_fixture(&fixture);
		}
}

/* One application too few, or too many: the operation itself is right. */
static unsigned applications;

static int forgets_an_application(struct bench_device *device, const struct bench_spmv *spmv,
				  struct bench_error *error)
{
	return applications++ == 2 ? 0 : real->spmv(device, spmv, error);
}

static void an_application_left_out_is_seen(void **state)
{
	(void)state;
	struct bench_backend backend = *real;
	struct fixture fixture;
	struct bench_error error = {0};
	backend.spmv = forgets_an_application;
	assert_true(open_fixture(&fixture, &bench_suite_spmv, &backend, "n=1000 repeat=10", &error));
	must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	applications = 0;
	struct bench_check check = once(&fixture);
	assert_false(check.error <= check.tolerance);
	close_fixture(&fixture);
}

static void add_value(void *context, const struct bench_metric_spec *metric, double value)
{
	struct bench_text *text = context;
	if (strcmp(metric->name, "analysis_time") == 0)
		assert_true(value >= 0 && value < 60);
	else
		bench_text_add(text, "%s=%g ", metric->name, value);
}

static void the_suite_reports_the_matrix_and_what_its_analysis_took(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_text text = {0};
	const struct bench_report report = {.context = &text, .value = add_value};
	assert_true(open_fixture(&fixture, &bench_suite_spmv, real, "matrix=poisson2d n=100", &error));
	must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	once(&fixture);
	must(fixture.suite->report(&fixture.bench_case, &report, &error), &fixture, "report", &error);
	assert_string_equal(text.data, "rows=100 entries=460 longest_row=5 ");
	bench_text_free(&text);
	close_fixture(&fixture);
}

static void a_backend_without_the_operation_is_unsupported(void **state)
{
	(void)state;
	struct bench_backend backend = *real;
	struct fixture fixture;
	struct bench_error error = {0};
	backend.spmv = NULL;
	assert_true(open_fixture(&fixture, &bench_suite_spmv, &backend, "n=10", &error));
	assert_int_equal(fixture.suite->setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	close_fixture(&fixture);
}

int main(void)
{
	/* Without the cache on disk, which would cost PoCL a second compilation of each kernel. */
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_is_exact_at_every_edge_on_every_backend),
		cmocka_unit_test(the_kernels_of_a_gpu_are_exact_on_a_cpu_too),
		cmocka_unit_test(ones_stay_ones_on_a_cycle),
		cmocka_unit_test(what_cannot_be_is_refused_by_every_backend),
		cmocka_unit_test(made_matrices_are_sound_and_have_the_sizes_that_work_counts),
		cmocka_unit_test(a_power_law_has_long_rows_and_empty_ones_and_its_mean),
		cmocka_unit_test(blocks_hold_what_they_may_and_all_rows),
		cmocka_unit_test(auto_takes_the_kernel_that_the_lengths_of_the_rows_ask_for),
		in_scratch(the_suite_is_right_on_every_backend),
		in_scratch(sizes_that_cannot_be_are_refused_before_anything_is_made),
		cmocka_unit_test(work_counts_two_operations_an_entry_and_each_array_once),
		in_scratch(a_value_too_large_for_the_type_and_a_vector_worn_out_are_refused),
		cmocka_unit_test(every_wrong_kernel_is_seen),
		cmocka_unit_test(an_application_left_out_is_seen),
		cmocka_unit_test(the_suite_reports_the_matrix_and_what_its_analysis_took),
		cmocka_unit_test(a_backend_without_the_operation_is_unsupported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The CPU backends, the oracle that they and the checks stand on, and the check of the table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backends.h"
#include "backends/cpu.h"
#include "kit/half.h"
#include "kit/reference.h"
#include "kit/rng.h"

/* Read by AddressSanitizer where it is linked: an allocation too large then fails, as it does without. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static const struct bench_backend *const cpu_backends[] = {&bench_backend_openblas, &bench_backend_reference};
enum { CPU_BACKENDS = 2 };

static struct bench_device *open_first(const struct bench_backend *backend)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	if (backend->open(0, &(struct bench_open_options){0}, &device, &error))
		fail_msg("%s: %s", backend->name, error.text);
	return device;
}

static double element(enum bench_dtype dtype, const void *data, size_t index)
{
	return dtype == BENCH_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

/* Independent of everything under test: the definition, in long double. */
static long double product_element(const struct bench_gemm *gemm, const void *a, const void *b, size_t row,
				   size_t column)
{
	long double sum = 0;
	for (size_t i = 0; i < gemm->k; i++) {
		size_t at_a = gemm->trans_a ? i * gemm->lda + row : row * gemm->lda + i;
		size_t at_b = gemm->trans_b ? column * gemm->ldb + i : i * gemm->ldb + column;
		sum += (long double)element(gemm->dtype, a, at_a) * element(gemm->dtype, b, at_b);
	}
	return sum;
}

struct host_gemm {
	size_t a_count, b_count, c_count; /* elements, gaps between rows included */
	void *a, *b, *c0, *c;
};

static void make_host(const struct bench_gemm *gemm, struct host_gemm *host)
{
	size_t bytes = bench_dtype_bytes(gemm->dtype);
	host->a_count = gemm->lda * (gemm->trans_a ? gemm->k : gemm->m);
	host->b_count = gemm->ldb * (gemm->trans_b ? gemm->n : gemm->k);
	host->c_count = gemm->ldc * gemm->m;
	host->a = malloc(host->a_count * bytes);
	host->b = malloc(host->b_count * bytes);
	host->c0 = malloc(host->c_count * bytes);
	host->c = malloc(host->c_count * bytes);
	bench_rng_fill(7, 1, gemm->dtype, host->a, host->a_count);
	bench_rng_fill(7, 2, gemm->dtype, host->b, host->b_count);
	bench_rng_fill(7, 3, gemm->dtype, host->c0, host->c_count);
	if (gemm->beta == 0) /* all bits set: NaN in either type */
		memset(host->c0, 0xff, host->c_count * bytes);
}

static void free_host(struct host_gemm *host)
{
	free(host->a);
	free(host->b);
	free(host->c0);
	free(host->c);
}

static void expect_result(const struct bench_backend *backend, const struct bench_gemm *gemm,
			  const struct host_gemm *host)
{
	long double unit = gemm->dtype == BENCH_F64 ? 0x1p-53L : 0x1p-24L;
	long double bound =
		unit * ((long double)gemm->k + 6) *
		(fabsl((long double)gemm->alpha) * (long double)gemm->k + fabsl((long double)gemm->beta));
	for (size_t row = 0; row < gemm->m; row++)
		for (size_t column = 0; column < gemm->ldc; column++) {
			size_t at = row * gemm->ldc + column;
			if (column >= gemm->n) { /* between rows nothing is written */
				size_t bytes = bench_dtype_bytes(gemm->dtype);
				assert_memory_equal((char *)host->c + at * bytes,
						    (char *)host->c0 + at * bytes, bytes);
				continue;
			}
			long double expected =
				gemm->alpha * product_element(gemm, host->a, host->b, row, column);
			if (gemm->beta != 0)
				expected += (long double)gemm->beta * element(gemm->dtype, host->c0, at);
			long double found = element(gemm->dtype, host->c, at);
			if (!(fabsl(found - expected) <= bound))
				fail_msg("%s m=%zu n=%zu k=%zu %c%c: C[%zu][%zu] is %Lg, not %Lg",
					 backend->name, gemm->m, gemm->n, gemm->k, gemm->trans_a ? 'T' : 'N',
					 gemm->trans_b ? 'T' : 'N', row, column, found, expected);
		}
}

static struct bench_buffer *upload_new(const struct bench_backend *backend, struct bench_device *device,
				       const void *host, size_t bytes)
{
	struct bench_buffer *buffer = NULL;
	assert_int_equal(backend->alloc(device, bytes, &buffer, NULL), 0);
	assert_int_equal(backend->upload(device, buffer, host, bytes, NULL), 0);
	return buffer;
}

static void expect_gemm(const struct bench_backend *backend, struct bench_device *device,
			struct bench_gemm gemm)
{
	struct host_gemm host;
	struct bench_error error = {0};
	size_t bytes = bench_dtype_bytes(gemm.dtype);
	make_host(&gemm, &host);
	struct bench_buffer *a = upload_new(backend, device, host.a, host.a_count * bytes);
	struct bench_buffer *b = upload_new(backend, device, host.b, host.b_count * bytes);
	struct bench_buffer *c = upload_new(backend, device, host.c0, host.c_count * bytes);
	gemm.a = a;
	gemm.b = b;
	gemm.c = c;
	if (backend->gemm(device, &gemm, &error) || backend->finish(device, &error) ||
	    backend->download(device, c, host.c, host.c_count * bytes, &error))
		fail_msg("%s: %s", backend->name, error.text);
	expect_result(backend, &gemm, &host);
	backend->release(device, a);
	backend->release(device, b);
	backend->release(device, c);
	free_host(&host);
}

static void gemm_agrees_with_the_definition_for_every_shape_transpose_and_stride(void **state)
{
	(void)state;
	static const size_t shapes[][3] = {{1, 1, 1},   {4, 4, 4},    {8, 8, 8},    {17, 1, 33}, {1, 29, 5},
					   {31, 33, 1}, {64, 64, 64}, {5, 130, 19}, {3, 7, 1100}};
	for (size_t i = 0; i < CPU_BACKENDS; i++) {
		struct bench_device *device = open_first(cpu_backends[i]);
		for (size_t shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++)
			for (unsigned variant = 0; variant < 32; variant++) {
				size_t m = shapes[shape][0], n = shapes[shape][1], k = shapes[shape][2];
				bool trans_a = variant & 1, trans_b = variant & 2;
				size_t gap = variant & 4 ? 3 : 0;
				expect_gemm(cpu_backends[i], device,
					    (struct bench_gemm){
						    .dtype = variant & 8 ? BENCH_F64 : BENCH_F32,
						    .trans_a = trans_a,
						    .trans_b = trans_b,
						    .m = m,
						    .n = n,
						    .k = k,
						    .alpha = variant & 16 ? -1.25 : 1,
						    .beta = variant & 16 ? 0.75 : 0,
						    .lda = (trans_a ? m : k) + gap,
						    .ldb = (trans_b ? k : n) + gap,
						    .ldc = n + gap,
					    });
			}
		cpu_backends[i]->close(device);
	}
}

/* Small problems, one by one in long double, against one call for all of them. */
static void a_batch_is_its_products_one_by_one(void **state)
{
	(void)state;
	enum { M = 5, N = 7, K = 9, BATCH = 3, GAP = 4 };
	for (size_t i = 0; i < CPU_BACKENDS; i++) {
		struct bench_device *device = open_first(cpu_backends[i]);
		for (unsigned variant = 0; variant < 4; variant++) {
			float a[BATCH * (M * K + GAP)], b[BATCH * (K * N + GAP)], c[BATCH * (M * N + GAP)],
				c0[BATCH * (M * N + GAP)];
			bench_rng_fill(7, 1, BENCH_F32, a, sizeof(a) / sizeof(*a));
			bench_rng_fill(7, 2, BENCH_F32, b, sizeof(b) / sizeof(*b));
			bench_rng_fill(7, 3, BENCH_F32, c0, sizeof(c0) / sizeof(*c0));
			struct bench_gemm gemm = {.m = M,
						  .n = N,
						  .k = K,
						  .alpha = 1,
						  .beta = 0.5,
						  .lda = K,
						  .ldb = N,
						  .ldc = N,
						  .batch = BATCH,
						  .stride_a = variant & 1 ? 0 : M * K + GAP,
						  .stride_b = variant & 2 ? 0 : K * N + GAP,
						  .stride_c = M * N + GAP};
			struct bench_buffer *on_a = upload_new(cpu_backends[i], device, a, sizeof(a));
			struct bench_buffer *on_b = upload_new(cpu_backends[i], device, b, sizeof(b));
			struct bench_buffer *on_c = upload_new(cpu_backends[i], device, c0, sizeof(c0));
			gemm.a = on_a, gemm.b = on_b, gemm.c = on_c;
			assert_int_equal(cpu_backends[i]->gemm(device, &gemm, NULL), 0);
			assert_int_equal(cpu_backends[i]->download(device, on_c, c, sizeof(c), NULL), 0);
			for (size_t product = 0; product < BATCH; product++) {
				struct host_gemm host = {.a = a + product * gemm.stride_a,
							 .b = b + product * gemm.stride_b,
							 .c0 = c0 + product * gemm.stride_c,
							 .c = c + product * gemm.stride_c};
				expect_result(cpu_backends[i], &gemm, &host);
				assert_memory_equal((float *)host.c + M * N, (float *)host.c0 + M * N,
						    GAP * sizeof(float));
			}
			cpu_backends[i]->release(device, on_a);
			cpu_backends[i]->release(device, on_b);
			cpu_backends[i]->release(device, on_c);
		}
		cpu_backends[i]->close(device);
	}
}

static void the_reference_ends_a_product_with_bias_and_activation_rounded_once(void **state)
{
	(void)state;
	/* A row of alpha A B = x, and then x + 1 activated; the values are from tables of erf and tanh. */
	static const double x[] = {-3, -1, 0, 2}, bias[] = {1, 1, 1, 1}, a[] = {1};
	static const double want[][4] = {{-2, 0, 1, 3},
					 {0, 0, 1, 3},
					 {-0.045500263896358414, 0, 0.8413447460685429, 2.99595030590511},
					 {-0.045402305912224575, 0, 0.8411919906082768, 2.996362607918227}};
	const struct bench_backend *backend = &bench_backend_reference;
	struct bench_device *device = open_first(backend);
	for (unsigned i = 0; i < 8; i++) {
		bool half = i & 4;
		uint16_t halves[3][4];
		double c[4] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
		for (size_t j = 0; j < 4; j++) {
			halves[0][j] = bench_half_from_double(x[j]);
			halves[1][j] = bench_half_from_double(1);
		}
		struct bench_buffer *on_a =
			upload_new(backend, device, half ? (void *)halves[1] : (void *)a, 8);
		struct bench_buffer *on_b =
			upload_new(backend, device, half ? (void *)halves[0] : (void *)x, half ? 8 : 32);
		struct bench_buffer *on_bias =
			upload_new(backend, device, half ? (void *)halves[1] : (void *)bias, half ? 8 : 32);
		struct bench_buffer *on_c = upload_new(backend, device, c, 32);
		struct bench_gemm gemm = {.dtype = half ? BENCH_F16 : BENCH_F64,
					  .m = 1,
					  .n = 4,
					  .k = 1,
					  .alpha = 1,
					  .a = on_a,
					  .b = on_b,
					  .c = on_c,
					  .lda = 1,
					  .ldb = 4,
					  .ldc = 4,
					  .bias = on_bias,
					  .activation = (enum bench_activation)(i % 4)};
		assert_int_equal(backend->gemm(device, &gemm, NULL), 0);
		assert_int_equal(backend->download(device, on_c, half ? (void *)halves[2] : (void *)c,
						   half ? 8 : 32, NULL),
				 0);
		for (size_t j = 0; j < 4; j++) {
			if (half)
				assert_int_equal(halves[2][j], bench_half_from_double(want[i % 4][j]));
			else
				assert_true(fabs(c[j] - want[i % 4][j]) < 1e-14);
		}
		backend->release(device, on_a);
		backend->release(device, on_b);
		backend->release(device, on_bias);
		backend->release(device, on_c);
	}
	backend->close(device);
}

static void openblas_refuses_half_precision_a_bias_and_an_activation(void **state)
{
	(void)state;
	struct bench_device *device = open_first(&bench_backend_openblas);
	struct bench_buffer bias = {0};
	const struct bench_gemm plain = {.m = 1, .n = 1, .k = 1, .alpha = 1, .lda = 1, .ldb = 1, .ldc = 1};
	struct bench_gemm asked[] = {plain, plain, plain};
	static const char *const reasons[] = {"f16", "bias", "activation"};
	asked[0].dtype = BENCH_F16;
	asked[1].bias = &bias;
	asked[2].activation = BENCH_ACTIVATION_RELU;
	for (size_t i = 0; i < 3; i++) {
		struct bench_error error = {0};
		assert_int_equal(bench_backend_openblas.gemm(device, &asked[i], &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, reasons[i]));
	}
	bench_backend_openblas.close(device);
}

static double mapped(enum bench_map map, double value)
{
	return map == BENCH_MAP_ABS ? fabs(value) : map == BENCH_MAP_SQUARE ? value * value : value;
}

static void matrix_vectors_agree_with_the_definition_across_blocks(void **state)
{
	(void)state;
	enum { STORED_ROWS = 530, STORED_COLS = 517, LD = 520, VECTORS = 3 };
	float *data = malloc(sizeof(float) * STORED_ROWS * LD);
	double *x = malloc(sizeof(double) * VECTORS * STORED_ROWS),
	       *y = malloc(sizeof(double) * VECTORS * LD * 2), *row_values = malloc(sizeof(double) * LD * 2);
	bench_rng_fill(1, 1, BENCH_F32, data, (size_t)STORED_ROWS * LD);
	bench_rng_fill(1, 2, BENCH_F64, x, (size_t)VECTORS * STORED_ROWS);
	for (unsigned variant = 0; variant < 6; variant++) {
		enum bench_map map = (enum bench_map)(variant / 2);
		struct bench_matrix matrix = {BENCH_F32, false, STORED_ROWS, STORED_COLS, LD, data};
		if (variant % 2)
			matrix = bench_matrix_transposed(matrix);
		bench_matrix_vectors(&matrix, map, VECTORS, x, y);
		for (size_t row = 0; row < matrix.rows; row++) {
			bench_matrix_row(&matrix, map, row, row_values);
			for (size_t v = 0; v < VECTORS; v++) {
				long double sum = 0;
				for (size_t i = 0; i < matrix.cols; i++) {
					size_t at = matrix.trans ? i * LD + row : row * LD + i;
					double value = mapped(map, (double)data[at]);
					assert_true(row_values[i] == value);
					sum += (long double)value * x[v * matrix.cols + i];
				}
				assert_true(fabsl(sum - y[v * matrix.rows + row]) < 1e-12L);
			}
		}
	}
	free(data);
	free(x);
	free(y);
	free(row_values);
}

static void openblas_refuses_sizes_that_its_integers_cannot_hold(void **state)
{
	(void)state;
	struct bench_device *device = open_first(&bench_backend_openblas);
	struct bench_gemm gemm = {
		.m = (size_t)1 << 63, .n = 1, .k = 1, .alpha = 1, .lda = 1, .ldb = 1, .ldc = 1};
	struct bench_error error = {0};
	assert_int_equal(bench_backend_openblas.gemm(device, &gemm, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "m=9223372036854775808"));
	bench_backend_openblas.close(device);
}

static void openblas_takes_the_threads_asked_for_or_says_that_it_cannot(void **state)
{
	(void)state;
	const struct bench_backend *backend = &bench_backend_openblas;
	struct bench_device *device = NULL;
	struct bench_error error = {0};
	assert_int_equal(backend->open(0, &(struct bench_open_options){.threads = 1}, &device, &error), 0);
	expect_gemm(
		backend, device,
		(struct bench_gemm){.m = 40, .n = 40, .k = 40, .alpha = 1, .lda = 40, .ldb = 40, .ldc = 40});
	backend->close(device);
	device = NULL;
	assert_int_equal(
		backend->open(0, &(struct bench_open_options){.threads = UINT32_MAX}, &device, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_null(device);
}

static void buffers_are_aligned_and_bound_their_transfers(void **state)
{
	(void)state;
	for (size_t i = 0; i < CPU_BACKENDS; i++) {
		const struct bench_backend *backend = cpu_backends[i];
		struct bench_device *device = open_first(backend);
		struct bench_buffer *buffer = NULL;
		struct bench_error error = {0};
		char bytes[4] = "abc", back[4] = "";
		assert_int_equal(backend->alloc(device, 3, &buffer, &error), 0);
		assert_int_equal((uintptr_t)buffer->data % 64, 0);
		assert_int_equal(backend->upload(device, buffer, bytes, 3, &error), 0);
		assert_int_equal(backend->download(device, buffer, back, 3, &error), 0);
		assert_string_equal(back, "abc");
		assert_int_equal(backend->upload(device, buffer, bytes, 4, &error), -1);
		assert_int_equal(backend->download(device, buffer, back, 4, &error), -1);
		backend->release(device, buffer);
		backend->release(device, NULL);
		assert_int_equal(backend->alloc(device, PTRDIFF_MAX - 64, &buffer, &error), -1);
		assert_int_equal(error.code, BENCH_NO_MEMORY);
		assert_null(buffer);
		backend->close(device);
		backend->close(NULL);
	}
}

static void host_memory_is_page_aligned_and_never_claims_to_be_pinned(void **state)
{
	(void)state;
	for (size_t i = 0; i < CPU_BACKENDS; i++) {
		const struct bench_backend *backend = cpu_backends[i];
		struct bench_device *device = open_first(backend);
		struct bench_error error = {0};
		void *host = NULL;
		assert_int_equal(backend->host_alloc(device, 10, BENCH_HOST_PAGEABLE, &host, &error), 0);
		assert_int_equal((uintptr_t)host % 4096, 0);
		backend->host_free(device, host);
		for (int kind = BENCH_HOST_PINNED; kind <= BENCH_HOST_STAGED; kind++) {
			assert_int_equal(
				backend->host_alloc(device, 10, (enum bench_host_memory)kind, &host, &error),
				-1);
			assert_int_equal(error.code, BENCH_UNSUPPORTED);
			assert_non_null(strstr(error.text, "page-locked"));
		}
		backend->close(device);
	}
}

static void devices_are_described_and_there_is_only_device_0(void **state)
{
	(void)state;
	for (size_t i = 0; i < CPU_BACKENDS; i++) {
		struct bench_device_info info = {0};
		struct bench_device *device = NULL;
		struct bench_error error = {0};
		size_t count = 0;
		assert_int_equal(cpu_backends[i]->devices(NULL, 0, &count, &error), 0);
		assert_int_equal(count, 1);
		assert_int_equal(cpu_backends[i]->devices(&info, 1, &count, &error), 0);
		assert_int_equal(strncmp(info.slug, "cpu", 3), 0);
		assert_int_equal(strspn(info.slug, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				 strlen(info.slug));
		assert_true(info.name[0] && info.platform[0] && info.memory_bytes > 0 &&
			    info.compute_units > 0);
		assert_int_equal(cpu_backends[i]->open(1, &(struct bench_open_options){0}, &device, &error),
				 -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
	struct bench_device_info info = {0};
	size_t count;
	assert_int_equal(bench_backend_openblas.devices(&info, 1, &count, NULL), 0);
	assert_int_equal(strncmp(info.platform, "OpenBLAS 0.", 11), 0);
	assert_non_null(strstr(info.platform, " kernels"));
}

static void the_slug_says_what_the_silicon_is_on_any_architecture(void **state)
{
	(void)state;
	static const struct {
		const char *cpuinfo, *machine, *slug, *name;
	} cases[] = {
		{"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\n"
		 "model name\t: Intel(R) Xeon(R) Processor\nstepping: 2\n",
		 "x86_64", "cpu-intel-6-207", "Intel(R) Xeon(R) Processor"},
		{"vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763\n",
		 "x86_64", "cpu-amd-25-1", "AMD EPYC 7763"},
		{"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n",
		 "aarch64", "cpu-0x41-0xd0c", "aarch64 CPU"},
		{"processor\t: 0\nhart\t: 0\nisa\t: rv64imafdc\n", "riscv64", "cpu-riscv64", "riscv64 CPU"},
		{"", "x86_64", "cpu-x86-64", "x86_64 CPU"},
		{"vendor_id", "x86_64", "cpu-x86-64", "x86_64 CPU"},
		{"vendor_id\t:\ncpu family:\nmodel:", "x86_64", "cpu-x86-64", "x86_64 CPU"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_device_info info = {0};
		bench_cpu_identify(cases[i].cpuinfo, cases[i].machine, &info);
		assert_string_equal(info.slug, cases[i].slug);
		assert_string_equal(info.name, cases[i].name);
	}
	char longest[5000];
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "model name:", 11);
	longest[sizeof(longest) - 1] = '\0';
	struct bench_device_info info = {0};
	bench_cpu_identify(longest, "m", &info);
	assert_int_equal(strlen(info.name), sizeof(info.name) - 1);
}

static void expect_refused(struct bench_backend backend, const char *part_1, const char *part_2)
{
	struct bench_error error = {0};
	assert_int_equal(bench_backend_check(&backend, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	if (!strstr(error.text, part_1) || !strstr(error.text, part_2))
		fail_msg("'%s' names neither '%s' nor '%s'", error.text, part_1, part_2);
}

static void a_faulty_backend_is_refused_by_its_name_and_hook(void **state)
{
	(void)state;
	struct bench_backend bad = bench_backend_reference;
#define REFUSED_WITHOUT(hook)                                                                                \
	bad = bench_backend_reference;                                                                       \
	bad.hook = NULL;                                                                                     \
	expect_refused(bad, "'reference'", "'" #hook "'")
	REFUSED_WITHOUT(summary);
	REFUSED_WITHOUT(devices);
	REFUSED_WITHOUT(open);
	REFUSED_WITHOUT(close);
	REFUSED_WITHOUT(alloc);
	REFUSED_WITHOUT(release);
	REFUSED_WITHOUT(upload);
	REFUSED_WITHOUT(download);
	REFUSED_WITHOUT(finish);
	REFUSED_WITHOUT(host_alloc);
	REFUSED_WITHOUT(host_free);
#undef REFUSED_WITHOUT
	bad = bench_backend_reference;
	bad.abi = BENCH_BACKEND_ABI + 1;
	expect_refused(bad, "ABI 3", "ABI");
	bad = bench_backend_reference;
	bad.time_end = (int (*)(struct bench_device *, double *, struct bench_error *))(void (*)(void))abort;
	expect_refused(bad, "'reference'", "'time_begin'");
	bad = bench_backend_opencl;
	bad.row_end = NULL;
	expect_refused(bad, "'opencl'", "'row_end'");
	const struct bench_peer_hooks no_copies = {.open = bench_backend_opencl.peer->open};
	bad = bench_backend_reference;
	bad.peer = &no_copies;
	expect_refused(bad, "'reference'", "'peer'");
	bad = bench_backend_reference;
	bad.name = NULL;
	expect_refused(bad, "no name", "backend");
	static const char *const illegal[] = {"", "Ref", "9ref", "a b", "a/b", "a:b", "a-b", "r\xc3\xa9"};
	for (size_t i = 0; i < sizeof(illegal) / sizeof(illegal[0]); i++) {
		bad = bench_backend_reference;
		bad.name = illegal[i];
		expect_refused(bad, illegal[i], "name");
	}
}

static void the_built_in_table_is_sound_and_a_name_twice_is_refused(void **state)
{
	(void)state;
	struct bench_error error = {0};
	if (bench_backends_check(bench_backends, &error))
		fail_msg("%s", error.text);
	const struct bench_backend *const twice[] = {&bench_backend_openblas, &bench_backend_reference,
						     &bench_backend_openblas, NULL};
	assert_int_equal(bench_backends_check(twice, &error), -1);
	assert_non_null(strstr(error.text, "'openblas'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemm_agrees_with_the_definition_for_every_shape_transpose_and_stride),
		cmocka_unit_test(a_batch_is_its_products_one_by_one),
		cmocka_unit_test(the_reference_ends_a_product_with_bias_and_activation_rounded_once),
		cmocka_unit_test(openblas_refuses_half_precision_a_bias_and_an_activation),
		cmocka_unit_test(matrix_vectors_agree_with_the_definition_across_blocks),
		cmocka_unit_test(openblas_refuses_sizes_that_its_integers_cannot_hold),
		cmocka_unit_test(openblas_takes_the_threads_asked_for_or_says_that_it_cannot),
		cmocka_unit_test(buffers_are_aligned_and_bound_their_transfers),
		cmocka_unit_test(host_memory_is_page_aligned_and_never_claims_to_be_pinned),
		cmocka_unit_test(devices_are_described_and_there_is_only_device_0),
		cmocka_unit_test(the_slug_says_what_the_silicon_is_on_any_architecture),
		cmocka_unit_test(a_faulty_backend_is_refused_by_its_name_and_hook),
		cmocka_unit_test(the_built_in_table_is_sound_and_a_name_twice_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

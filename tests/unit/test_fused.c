/* SPDX-License-Identifier: MIT */
/* Fused operations and the bias of a layer on every backend, and the suite on right and wrong ones. */
#include <stdlib.h>

#include "kit/rng.h"
#include "operation_fixture.h"
#include "suite_fixture.h"

enum { GUARD = 64 }; /* elements behind a result that must stay as they are */
enum { OPS = 3 };

/* Those that have the operations. */
static const struct bench_backend *const backends[] = {&bench_backend_opencl, &bench_backend_openblas,
						       &bench_backend_reference};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static double element(enum bench_dtype dtype, const void *data, size_t i)
{
	return dtype == BENCH_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* What an operation on vectors, a, b and c, is to leave in element i, and how far it may err. */
struct expectation {
	double value, error;
};

typedef struct expectation expect(enum bench_dtype dtype, char *const *inputs, size_t i, size_t param);

/* Fills three inputs of `count`, runs, and compares; `param` goes to both functions. */
struct trial {
	enum bench_dtype dtype;
	size_t count, param;
	unsigned width;
	int (*operate)(const struct trial *trial, const struct bench_backend *backend,
		       struct bench_device *device, struct bench_buffer *const *buffers,
		       struct bench_error *error);
	expect *expect;
};

static void expect_right(const struct bench_backend *backend, struct bench_device *device,
			 const struct trial *trial)
{
	struct bench_error error = {0};
	size_t real = bench_dtype_bytes(trial->dtype), bytes = (trial->count + GUARD) * real;
	char *host[4], guard[GUARD * sizeof(double)];
	struct bench_buffer *buffers[4];
	memset(guard, 0xff, sizeof(guard));
	for (size_t i = 0; i < 4; i++) {
		host[i] = malloc(bytes);
		assert_non_null(host[i]);
		bench_rng_fill(3, i, trial->dtype, host[i], trial->count + GUARD);
		if (i == 3)
			memset(host[i], 0xff, bytes); /* NaN in either type */
		buffers[i] = upload_new(backend, device, host[i], bytes);
	}
	require(trial->operate(trial, backend, device, buffers, &error), backend, &error);
	require(backend->finish(device, &error), backend, &error);
	require(backend->download(device, buffers[3], host[3], bytes, &error), backend, &error);
	for (size_t i = 0; i < trial->count; i++) {
		struct expectation right = trial->expect(trial->dtype, host, i, trial->param);
		double found = element(trial->dtype, host[3], i);
		if (!(fabs(found - right.value) <= right.error))
			fail_msg("%s: %zu of %zu elements of %zu bytes, %zu: %g, not %g", backend->name, i,
				 trial->count, real, trial->param, found, right.value);
	}
	assert_memory_equal(host[3] + trial->count * real, guard, GUARD * real);
	for (size_t i = 0; i < 4; i++) {
		backend->release(device, buffers[i]);
		free(host[i]);
	}
}

static double roundoff(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? 0x1p-53 : 0x1p-24;
}

static int operate_fused(const struct trial *trial, const struct bench_backend *backend,
			 struct bench_device *device, struct bench_buffer *const *buffers,
			 struct bench_error *error)
{
	const struct bench_fused fused = {.op = (enum bench_fused_op)trial->param,
					  .dtype = trial->dtype,
					  .count = trial->count,
					  .width = trial->width,
					  .a = buffers[0],
					  .b = buffers[1],
					  .c = trial->param == BENCH_FUSED_AFFINE ? buffers[2] : NULL,
					  .d = buffers[3]};
	return backend->fused(device, &fused, error);
}

static struct expectation expect_fused(enum bench_dtype dtype, char *const *inputs, size_t i, size_t param)
{
	double a = element(dtype, inputs[0], i), b = element(dtype, inputs[1], i),
	       c = element(dtype, inputs[2], i), u = roundoff(dtype);
	if (param == BENCH_FUSED_AFFINE)
		return (struct expectation){a * b + c, 4 * u * (fabs(a * b) + fabs(c))};
	double value = param == BENCH_FUSED_ADD_RELU ? a + b : a * b;
	return value > 0 ? (struct expectation){value, u * value} : (struct expectation){0, 0};
}

/* The matrix has `param` columns. */
static int operate_bias_add(const struct trial *trial, const struct bench_backend *backend,
			    struct bench_device *device, struct bench_buffer *const *buffers,
			    struct bench_error *error)
{
	const struct bench_bias_add bias_add = {.dtype = trial->dtype,
						.rows = trial->count / trial->param,
						.cols = trial->param,
						.a = buffers[0],
						.bias = buffers[1],
						.c = buffers[3]};
	return backend->bias_add(device, &bias_add, error);
}

static struct expectation expect_bias_add(enum bench_dtype dtype, char *const *inputs, size_t i, size_t param)
{
	double value = element(dtype, inputs[0], i) + element(dtype, inputs[1], i % param);
	return (struct expectation){value, roundoff(dtype) * fabs(value)};
}

static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void every_operation_is_right_and_nothing_beyond_is_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		for (int dtype = BENCH_F32; device && dtype <= (info.f64 ? BENCH_F64 : BENCH_F32); dtype++) {
			struct trial trial = {.dtype = (enum bench_dtype)dtype,
					      .operate = operate_fused,
					      .expect = expect_fused};
			unsigned widest = backends[i] == &bench_backend_opencl ? 16 : 1;
			for (size_t j = 0; j < (size_t)OPS * (SIZES + 1); j++)
				for (trial.width = 1; trial.width <= widest; trial.width *= 2) {
					trial.param = j / (SIZES + 1);
					size_t size = j % (SIZES + 1);
					trial.count = size < SIZES ? sizes[size] : 65537;
					expect_right(backends[i], device, &trial);
				}
			trial.operate = operate_bias_add;
			trial.expect = expect_bias_add;
			for (size_t j = 0; j < (size_t)SIZES * SIZES; j++) {
				trial.param = sizes[j / SIZES];
				trial.count = trial.param * sizes[j % SIZES];
				expect_right(backends[i], device, &trial);
			}
			trial.param = 1000;
			trial.count = 70000;
			expect_right(backends[i], device, &trial);
		}
		if (device)
			backends[i]->close(device);
	}
}

static void half_precision_and_a_width_in_plain_c_are_unsupported(void **state)
{
	(void)state;
	static const float zeros[64] = {0};
	for (size_t i = 0; i < BACKENDS; i++) {
		const struct bench_backend *backend = backends[i];
		struct bench_device_info info;
		struct bench_error error = {0};
		struct bench_device *device = open_first(backend, &info);
		if (!device)
			continue;
		struct bench_buffer *buffer = upload_new(backend, device, zeros, sizeof(zeros));
		const struct bench_fused fused = {
			.dtype = BENCH_F16, .count = 8, .width = 1, .a = buffer, .b = buffer, .d = buffer};
		assert_int_equal(backend->fused(device, &fused, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		struct bench_fused wide = fused;
		wide.dtype = BENCH_F32;
		wide.width = 4;
		if (backend != &bench_backend_opencl) {
			assert_int_equal(backend->fused(device, &wide, &error), -1);
			assert_int_equal(error.code, BENCH_UNSUPPORTED);
		}
		const struct bench_bias_add bias_add = {
			.dtype = BENCH_F16, .rows = 2, .cols = 2, .a = buffer, .bias = buffer, .c = buffer};
		assert_int_equal(backend->bias_add(device, &bias_add, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		backend->release(device, buffer);
		backend->close(device);
	}
}

static void what_does_not_fit_its_buffers_is_refused_in_opencl(void **state)
{
	(void)state;
	const struct bench_backend *backend = &bench_backend_opencl;
	static const float zeros[64] = {0};
	struct bench_device_info info;
	struct bench_error error = {0};
	struct bench_device *device = open_first(backend, &info);
	if (!device)
		skip();
	struct bench_buffer *large = upload_new(backend, device, zeros, sizeof(zeros));
	struct bench_buffer *small = upload_new(backend, device, zeros, sizeof(zeros) / 2);
	const struct bench_fused fused[] = {
		{.op = BENCH_FUSED_ADD_RELU, .count = 0, .width = 1, .a = large, .b = large, .d = large},
		{.op = BENCH_FUSED_ADD_RELU, .count = 65, .width = 1, .a = large, .b = large, .d = large},
		{.op = BENCH_FUSED_MUL_RELU, .count = 64, .width = 1, .a = large, .b = small, .d = large},
		{.op = BENCH_FUSED_AFFINE,
		 .count = 64,
		 .width = 1,
		 .a = large,
		 .b = large,
		 .c = small,
		 .d = large},
		{.op = (enum bench_fused_op)3,
		 .count = 64,
		 .width = 1,
		 .a = large,
		 .b = large,
		 .c = large,
		 .d = large},
		{.op = BENCH_FUSED_ADD_RELU, .count = 64, .width = 3, .a = large, .b = large, .d = large},
	};
	for (size_t i = 0; i < sizeof(fused) / sizeof(fused[0]); i++) {
		assert_int_equal(backend->fused(device, &fused[i], &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
	const struct bench_bias_add bias_add[] = {
		{.rows = 0, .cols = 8, .a = large, .bias = large, .c = large},
		{.rows = 8, .cols = 9, .a = large, .bias = large, .c = large},
		{.rows = SIZE_MAX, .cols = 2, .a = large, .bias = large, .c = large},
		{.rows = 8, .cols = 8, .a = large, .bias = large, .c = small},
		{.rows = 1, .cols = 64, .a = large, .bias = small, .c = large},
	};
	for (size_t i = 0; i < sizeof(bias_add) / sizeof(bias_add[0]); i++) {
		assert_int_equal(backend->bias_add(device, &bias_add[i], &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
	backend->release(device, large);
	backend->release(device, small);
	backend->close(device);
}

/* A product with its end, made of three operations: what a backend's own must come to (f32). */
static int gemm_with_end(struct bench_device *device, const struct bench_gemm *gemm,
			 struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_openblas;
	size_t bytes = gemm->m * gemm->n * bench_dtype_bytes(gemm->dtype);
	struct bench_gemm bare = *gemm;
	struct bench_buffer *sum = NULL;
	bare.bias = NULL;
	bare.activation = BENCH_ACTIVATION_NONE;
	if (!gemm->bias && gemm->activation == BENCH_ACTIVATION_NONE)
		return real->gemm(device, &bare, error);
	struct bench_bias_add bias_add = {
		.dtype = gemm->dtype, .rows = gemm->m, .cols = gemm->n, .a = gemm->c, .bias = gemm->bias};
	struct bench_activate activate = {.function = gemm->activation,
					  .dtype = gemm->dtype,
					  .count = gemm->m * gemm->n,
					  .width = 1,
					  .c = gemm->c};
	if (real->alloc(device, bytes, &sum, error))
		return -1;
	bias_add.c = sum;
	bare.c = gemm->bias ? gemm->c : sum;
	activate.a = sum;
	int status = real->gemm(device, &bare, error) ||
		     (gemm->bias && real->bias_add(device, &bias_add, error)) ||
		     real->activate(device, &activate, error);
	real->release(device, sum);
	return status ? -1 : 0;
}

static void the_suite_is_right_on_every_backend(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"chain=add_relu n=1",
		"chain=add_relu n=1023 dtype=f64",
		"chain=mul_relu n=17",
		"chain=mul_relu n=65537",
		"chain=affine n=1023",
		"chain=affine n=33 dtype=f64",
		"chain=gemm_bias_relu n=1",
		"chain=gemm_bias_relu n=15",
		"chain=gemm_bias_gelu n=64",
		"chain=gemm_bias_gelu n=129",
		"chain=gemm_bias_relu n=130 dtype=f64",
	};
	struct bench_backend with_end = bench_backend_openblas;
	with_end.gemm = gemm_with_end;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		for (size_t j = 0; j < (size_t)2 * (BACKENDS + 1); j++) {
			char text[96];
			struct bench_check check;
			bool fused = j & 1;
			const struct bench_backend *backend = j / 2 < BACKENDS ? backends[j / 2] : &with_end;
			if (fused && strstr(settings[i], "gemm") && backend == &bench_backend_openblas)
				continue;
			snprintf(text, sizeof(text), "%s variant=%s", settings[i],
				 fused ? "fused" : "unfused");
			if (check_suite(&bench_suite_fused, backend, text, &check) &&
			    !(check.error <= check.tolerance))
				fail_msg("%s on %s: error %g, tolerance %g", text, backend->name, check.error,
					 check.tolerance);
		}
}

/* The wrong operations: each does what is right, but for one thing. */

static int fused_nothing(struct bench_device *device, const struct bench_fused *fused,
			 struct bench_error *error)
{
	(void)device;
	(void)fused;
	(void)error;
	return 0;
}

static int fused_drops_last(struct bench_device *device, const struct bench_fused *fused,
			    struct bench_error *error)
{
	struct bench_fused other = *fused;
	other.count--;
	return bench_backend_openblas.fused(device, &other, error);
}

static int fused_next_op(struct bench_device *device, const struct bench_fused *fused,
			 struct bench_error *error)
{
	struct bench_fused other = *fused;
	other.op = (enum bench_fused_op)((other.op + 1) % OPS);
	if (!other.c)
		other.c = other.b;
	return bench_backend_openblas.fused(device, &other, error);
}

/* The right values, but for one (f32): halfway, off by an eighth of an input. */
static int spoil_one(struct bench_device *device, struct bench_buffer *buffer, size_t count,
		     struct bench_error *error)
{
	size_t bytes = count * sizeof(float);
	float *values = malloc(bytes);
	int status = bench_backend_openblas.download(device, buffer, values, bytes, error);
	if (status == 0) {
		values[count / 2] += 0.125F;
		status = bench_backend_openblas.upload(device, buffer, values, bytes, error);
	}
	free(values);
	return status;
}

static int fused_one_wrong(struct bench_device *device, const struct bench_fused *fused,
			   struct bench_error *error)
{
	if (bench_backend_openblas.fused(device, fused, error))
		return -1;
	return spoil_one(device, fused->d, fused->count, error);
}

static int gemm_one_wrong(struct bench_device *device, const struct bench_gemm *gemm,
			  struct bench_error *error)
{
	if (gemm_with_end(device, gemm, error))
		return -1;
	return spoil_one(device, gemm->c, gemm->m * gemm->n, error);
}

static int gemm_without_bias(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.bias = NULL;
	return gemm_with_end(device, &other, error);
}

static int gemm_without_activation(struct bench_device *device, const struct bench_gemm *gemm,
				   struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.activation =
		other.activation == BENCH_ACTIVATION_RELU ? BENCH_ACTIVATION_GELU : BENCH_ACTIVATION_RELU;
	return gemm_with_end(device, &other, error);
}

static int gemm_drops_last_term(struct bench_device *device, const struct bench_gemm *gemm,
				struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.k--;
	return gemm_with_end(device, &other, error);
}

static int gemm_drops_last_row(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.m--;
	return gemm_with_end(device, &other, error);
}

static int bias_add_drops_last_row(struct bench_device *device, const struct bench_bias_add *bias_add,
				   struct bench_error *error)
{
	struct bench_bias_add other = *bias_add;
	other.rows--;
	return bench_backend_openblas.bias_add(device, &other, error);
}

static int activate_nothing(struct bench_device *device, const struct bench_activate *activate,
			    struct bench_error *error)
{
	(void)device;
	(void)activate;
	(void)error;
	return 0;
}

static void expect_incorrect(const struct bench_backend *wrong, const char *settings, const char *fault)
{
	struct bench_check check;
	if (!check_suite(&bench_suite_fused, wrong, settings, &check))
		skip();
	if (check.error <= check.tolerance)
		fail_msg("%s did not see: %s (error %g, tolerance %g)", settings, fault, check.error,
			 check.tolerance);
}

static void a_wrong_fused_operation_is_incorrect(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		int (*fused)(struct bench_device *device, const struct bench_fused *fused,
			     struct bench_error *error);
	} wrongs[] = {
		{"an operation that does nothing", fused_nothing},
		{"the last element dropped", fused_drops_last},
		{"another operation", fused_next_op},
		{"one wrong element", fused_one_wrong},
	};
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct bench_backend wrong = bench_backend_openblas;
		wrong.fused = wrongs[i].fused;
		expect_incorrect(&wrong, "chain=add_relu n=1023 variant=fused", wrongs[i].fault);
		expect_incorrect(&wrong, "chain=mul_relu n=65537 variant=fused", wrongs[i].fault);
		expect_incorrect(&wrong, "chain=affine n=17 variant=fused", wrongs[i].fault);
	}
}

static void a_wrong_layer_is_incorrect(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		int (*gemm)(struct bench_device *device, const struct bench_gemm *gemm,
			    struct bench_error *error);
	} wrongs[] = {
		{"bias left out", gemm_without_bias},
		{"another activation", gemm_without_activation},
		{"the last term dropped", gemm_drops_last_term},
		{"the last row dropped", gemm_drops_last_row},
		{"one wrong element", gemm_one_wrong},
	};
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct bench_backend wrong = bench_backend_openblas;
		wrong.gemm = wrongs[i].gemm;
		expect_incorrect(&wrong, "chain=gemm_bias_relu n=24 variant=fused", wrongs[i].fault);
		expect_incorrect(&wrong, "chain=gemm_bias_gelu n=300 variant=fused", wrongs[i].fault);
	}
}

static void a_chain_with_a_wrong_link_is_incorrect(void **state)
{
	(void)state;
	struct bench_backend wrong = bench_backend_openblas;
	wrong.bias_add = bias_add_drops_last_row;
	expect_incorrect(&wrong, "chain=gemm_bias_relu n=24", "the last row without bias");
	wrong = bench_backend_openblas;
	wrong.activate = activate_nothing;
	expect_incorrect(&wrong, "chain=gemm_bias_gelu n=24", "no activation");
	expect_incorrect(&wrong, "chain=add_relu n=100", "no activation");
}

static void keep_value(void *context, const struct bench_metric_spec *metric, double value)
{
	double *values = context;
	values[strcmp(metric->name, "launches") == 0 ? 0 : 1] = value;
}

static void launches_and_bytes_are_those_of_the_variant(void **state)
{
	(void)state;
	static const struct {
		const char *settings;
		double launches, bytes;
	} cases[] = {
		{"chain=add_relu n=1000", 2, 20000},
		{"chain=add_relu n=1000 variant=fused", 1, 12000},
		{"chain=affine n=1000 dtype=f64", 2, 48000},
		{"chain=affine n=1000 dtype=f64 variant=fused", 1, 32000},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct bench_error error = {0};
		struct bench_work work = {0};
		double values[2] = {0};
		if (!open_fixture(&fixture, &bench_suite_fused, &bench_backend_opencl, cases[i].settings,
				  &error))
			skip();
		must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
		assert_true(work.bytes == cases[i].bytes && work.flops == 2000);
		if (fixture.info.f64 || !strstr(cases[i].settings, "f64")) {
			must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
			prepare_run_check(&fixture, (const uint64_t[]){1, 5}, 2);
			const struct bench_report report = {.context = values, .value = keep_value};
			must(fixture.suite->report(&fixture.bench_case, &report, &error), &fixture, "report",
			     &error);
			assert_true(values[0] == cases[i].launches && values[1] == cases[i].bytes);
		}
		close_fixture(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_is_right_and_nothing_beyond_is_written),
		cmocka_unit_test(half_precision_and_a_width_in_plain_c_are_unsupported),
		cmocka_unit_test(what_does_not_fit_its_buffers_is_refused_in_opencl),
		cmocka_unit_test(the_suite_is_right_on_every_backend),
		cmocka_unit_test(a_wrong_fused_operation_is_incorrect),
		cmocka_unit_test(a_wrong_layer_is_incorrect),
		cmocka_unit_test(a_chain_with_a_wrong_link_is_incorrect),
		cmocka_unit_test(launches_and_bytes_are_those_of_the_variant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

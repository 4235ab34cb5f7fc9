/* SPDX-License-Identifier: MIT */
/* Activation functions on every backend, and the suite that measures them on right and wrong ones. */
#include <stdlib.h>

#include "kit/reference.h"
#include "kit/rng.h"
#include "operation_fixture.h"
#include "suite_fixture.h"

enum { GUARD = 64 }; /* elements behind C that must stay as they are */

static const enum bench_activation functions[] = {BENCH_ACTIVATION_RELU, BENCH_ACTIVATION_GELU,
						  BENCH_ACTIVATION_GELU_TANH};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* Those that have the operations. */
static const struct bench_backend *const backends[] = {&bench_backend_opencl, &bench_backend_openblas,
						       &bench_backend_reference};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static void the_reference_knows_what_is_known(void **state)
{
	(void)state;
	/* gelu(x) = x Phi(x), with the normal distribution's Phi from tables; gelu_tanh's own values. */
	static const struct {
		enum bench_activation function;
		double x, expected, tolerance;
	} known[] = {
		{BENCH_ACTIVATION_NONE, -2.5, -2.5, 0},
		{BENCH_ACTIVATION_RELU, -2.5, 0, 0},
		{BENCH_ACTIVATION_RELU, 2.5, 2.5, 0},
		{BENCH_ACTIVATION_GELU, 0, 0, 0},
		{BENCH_ACTIVATION_GELU, 1, 0.8413447460685429, 1e-15},
		{BENCH_ACTIVATION_GELU, -1, -0.15865525393145705, 1e-15},
		{BENCH_ACTIVATION_GELU, 2, 2 * 0.9772498680518208, 2e-15},
		{BENCH_ACTIVATION_GELU, -1e30, 0, 0},
		{BENCH_ACTIVATION_GELU, 1e30, 1e30, 0},
		{BENCH_ACTIVATION_GELU_TANH, 0, 0, 0},
		{BENCH_ACTIVATION_GELU_TANH, 1, 0.8411919906082768, 1e-15},
		{BENCH_ACTIVATION_GELU_TANH, -1, -0.15880800939172324, 1e-15},
		{BENCH_ACTIVATION_GELU_TANH, -1e200, 0, 0},
		{BENCH_ACTIVATION_GELU_TANH, 1e200, 1e200, 0},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		double found = bench_reference_activation(known[i].function, known[i].x);
		if (!(fabs(found - known[i].expected) <= known[i].tolerance))
			fail_msg("function %d of %g is %.17g, not %.17g", (int)known[i].function, known[i].x,
				 found, known[i].expected);
	}
}

static double element(enum bench_dtype dtype, const void *data, size_t i)
{
	return dtype == BENCH_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void expect_right(const struct bench_backend *backend, struct bench_device *device,
			 struct bench_activate activate)
{
	struct bench_error error = {0};
	size_t real = bench_dtype_bytes(activate.dtype), count = activate.count;
	size_t bytes = count * real, c_bytes = bytes + GUARD * real;
	double tolerance = activate.function == BENCH_ACTIVATION_RELU ? 0
			   : activate.dtype == BENCH_F64              ? 16 * 0x1p-53
								      : 16 * 0x1p-24;
	char *a = malloc(bytes), *c = malloc(c_bytes), guard[GUARD * sizeof(double)];
	assert_true(a && c);
	bench_rng_fill(3, 1, activate.dtype, a, count);
	memset(c, 0xff, c_bytes); /* NaN in either type */
	memset(guard, 0xff, sizeof(guard));
	struct bench_buffer *on_a = upload_new(backend, device, a, bytes),
			    *on_c = upload_new(backend, device, c, c_bytes);
	activate.a = on_a, activate.c = on_c;
	require(backend->activate(device, &activate, &error), backend, &error);
	require(backend->finish(device, &error), backend, &error);
	require(backend->download(device, on_c, c, c_bytes, &error), backend, &error);
	for (size_t i = 0; i < count; i++) {
		double x = element(activate.dtype, a, i), y = element(activate.dtype, c, i);
		double expected = bench_reference_activation(activate.function, x);
		if (!(fabs(y - expected) <= tolerance * fabs(x)))
			fail_msg("%s: function %d of %zu elements of %zu bytes, width %u: f(%g) is %g",
				 backend->name, (int)activate.function, count, real, activate.width, x, y);
	}
	assert_memory_equal(c + bytes, guard, GUARD * real);
	backend->release(device, on_a);
	backend->release(device, on_c);
	free(a);
	free(c);
}

static void expect_right_at_all_counts(const struct bench_backend *backend, unsigned largest_width)
{
	static const size_t counts[] = {1,  2,  3,  4,  7,  8,   15,  16,  17,   31,
					32, 33, 63, 64, 65, 127, 128, 129, 1023, 65537};
	struct bench_device_info info;
	struct bench_device *device = open_first(backend, &info);
	if (!device)
		return;
	for (unsigned width = 1; width <= largest_width; width *= 2)
		for (unsigned variant = 0; variant < 2 * FUNCTIONS; variant++) {
			enum bench_dtype dtype = variant & 1 ? BENCH_F64 : BENCH_F32;
			if (dtype == BENCH_F64 && !info.f64)
				continue;
			for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
				expect_right(backend, device,
					     (struct bench_activate){.function = functions[variant / 2],
								     .dtype = dtype,
								     .count = counts[i],
								     .width = width});
		}
	backend->close(device);
}

static void every_function_is_right_and_nothing_beyond_is_written_on_the_cpu(void **state)
{
	(void)state;
	expect_right_at_all_counts(&bench_backend_openblas, 1);
	expect_right_at_all_counts(&bench_backend_reference, 1);
}

static void every_width_has_its_tail_and_nothing_beyond_is_written_in_opencl(void **state)
{
	(void)state;
	/* Without the cache on disk, which would cost PoCL a second compilation of each kernel. */
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	expect_right_at_all_counts(&bench_backend_opencl, 16);
	unsetenv("BENCH_PROGRAM_CACHE");
}

/* Runs on two buffers of 64 floats; gives the code of the error. */
static enum bench_code refusal(const struct bench_backend *backend, struct bench_device *device,
			       struct bench_activate activate)
{
	struct bench_error error = {0};
	struct bench_buffer *a, *c;
	require(backend->alloc(device, 64 * sizeof(float), &a, &error), backend, &error);
	require(backend->alloc(device, 64 * sizeof(float), &c, &error), backend, &error);
	activate.a = a, activate.c = c;
	assert_int_equal(backend->activate(device, &activate, &error), -1);
	backend->release(device, a);
	backend->release(device, c);
	return error.code;
}

static void what_no_backend_computes_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < BACKENDS; i++) {
		const struct bench_backend *backend = backends[i];
		struct bench_device_info info;
		struct bench_device *device = open_first(backend, &info);
		if (!device)
			continue;
		struct bench_activate activate = {.function = BENCH_ACTIVATION_NONE, .count = 64, .width = 1};
		assert_int_equal(refusal(backend, device, activate), BENCH_USAGE);
		activate.function = (enum bench_activation)17;
		assert_int_equal(refusal(backend, device, activate), BENCH_USAGE);
		activate.function = BENCH_ACTIVATION_GELU;
		activate.dtype = BENCH_F16;
		assert_int_equal(refusal(backend, device, activate), BENCH_UNSUPPORTED);
		activate.dtype = BENCH_F32;
		if (backend != &bench_backend_opencl) {
			activate.width = 4;
			assert_int_equal(refusal(backend, device, activate), BENCH_UNSUPPORTED);
		}
		backend->close(device);
	}
}

static void what_does_not_fit_its_buffers_or_has_no_width_is_refused_in_opencl(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		unsigned width;
	} wrong[] = {{65, 1}, {0, 1}, {SIZE_MAX, 16}, {64, 3}, {64, 5}, {64, 32}};
	struct bench_device_info info;
	struct bench_device *device = open_first(&bench_backend_opencl, &info);
	if (!device)
		skip();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(refusal(&bench_backend_opencl, device,
					 (struct bench_activate){.function = BENCH_ACTIVATION_RELU,
								 .count = wrong[i].count,
								 .width = wrong[i].width}),
				 BENCH_USAGE);
	bench_backend_opencl.close(device);
}

static const char *const settings[] = {
	"function=relu count=17",   "function=relu count=1023",    "function=gelu count=17",
	"function=gelu count=1023", "function=gelu_tanh count=17", "function=gelu_tanh count=65537",
};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static void the_suite_is_right_on_every_backend_and_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < BACKENDS; i++)
		for (size_t j = 0; j < (size_t)2 * SETTINGS; j++) {
			char text[96];
			struct bench_check check;
			snprintf(text, sizeof(text), "%s dtype=%s", settings[j / 2], j & 1 ? "f64" : "f32");
			if (!check_suite(&bench_suite_activation, backends[i], text, &check))
				break;
			if (!(check.error <= check.tolerance))
				fail_msg("%s on %s: error %g, tolerance %g", text, backends[i]->name,
					 check.error, check.tolerance);
		}
}

typedef int activate_hook(struct bench_device *device, const struct bench_activate *activate,
			  struct bench_error *error);

static int does_nothing(struct bench_device *device, const struct bench_activate *activate,
			struct bench_error *error)
{
	(void)device;
	(void)activate;
	(void)error;
	return 0;
}

static int drops_last(struct bench_device *device, const struct bench_activate *activate,
		      struct bench_error *error)
{
	struct bench_activate other = *activate;
	other.count--;
	return bench_backend_openblas.activate(device, &other, error);
}

static int takes_next_function(struct bench_device *device, const struct bench_activate *activate,
			       struct bench_error *error)
{
	struct bench_activate other = *activate;
	other.function = activate->function == BENCH_ACTIVATION_GELU_TANH ? BENCH_ACTIVATION_RELU
									  : activate->function + 1;
	return bench_backend_openblas.activate(device, &other, error);
}

/* The right result, but for one element (f32) that is 30 roundoffs of its input off. */
static int one_element_off(struct bench_device *device, const struct bench_activate *activate,
			   struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_openblas;
	size_t bytes = activate->count * sizeof(float), middle = activate->count / 2 + 1;
	float *a = malloc(bytes), *c = malloc(bytes);
	if (middle >= activate->count)
		middle = 0;
	int status = real->activate(device, activate, error) ||
		     real->download(device, activate->a, a, bytes, error) ||
		     real->download(device, activate->c, c, bytes, error);
	if (status == 0) {
		c[middle] += 30 * 0x1p-24F * a[middle];
		status = real->upload(device, activate->c, c, bytes, error);
	}
	free(a);
	free(c);
	return status ? -1 : 0;
}

static void a_wrong_activation_is_incorrect(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		activate_hook *activate;
	} wrongs[] = {
		{"an operation that does nothing", does_nothing},
		{"the last element dropped", drops_last},
		{"another function", takes_next_function},
		{"one element 30 roundoffs off", one_element_off},
	};
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		for (size_t j = 0; j < SETTINGS; j++) {
			struct bench_backend wrong = bench_backend_openblas;
			struct bench_check check;
			wrong.activate = wrongs[i].activate;
			if (!check_suite(&bench_suite_activation, &wrong, settings[j], &check))
				skip();
			if (check.error <= check.tolerance)
				fail_msg("%s did not see: %s (error %g, tolerance %g)", settings[j],
					 wrongs[i].fault, check.error, check.tolerance);
		}
}

static void a_width_or_count_that_cannot_be_is_refused(void **state)
{
	(void)state;
	struct fixture fixture = {.suite = &bench_suite_activation};
	struct bench_work work = {0};
	struct bench_error error = {0};
	fixture.bench_case.values = fixture.values;
	set_values(fixture.suite, "width=3", fixture.values);
	assert_int_equal(fixture.suite->work(&fixture.bench_case, &work, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	set_values(fixture.suite, "function=gelu count=1000 dtype=f64", fixture.values);
	assert_int_equal(fixture.suite->work(&fixture.bench_case, &work, &error), 0);
	assert_true(work.flops == 5000 && work.bytes == 16000 && work.largest_bytes == 8000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reference_knows_what_is_known),
		cmocka_unit_test(every_function_is_right_and_nothing_beyond_is_written_on_the_cpu),
		cmocka_unit_test(every_width_has_its_tail_and_nothing_beyond_is_written_in_opencl),
		cmocka_unit_test(what_no_backend_computes_is_refused),
		cmocka_unit_test(what_does_not_fit_its_buffers_or_has_no_width_is_refused_in_opencl),
		cmocka_unit_test(the_suite_is_right_on_every_backend_and_type),
		cmocka_unit_test(a_wrong_activation_is_incorrect),
		cmocka_unit_test(a_width_or_count_that_cannot_be_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

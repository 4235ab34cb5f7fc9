/* SPDX-License-Identifier: MIT */
/* Sums and products element by element, on every backend: exactly rounded, at any tail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/opencl/vector/vectors.h"
#include "kit/rng.h"
#include "operation_fixture.h"

enum { GUARD = 64 }; /* elements behind C that must stay as they are */

/* What IEEE 754 says: the exact result, rounded once to the type. */
static bool is_right(enum bench_elementwise_op op, enum bench_dtype dtype, const void *a, const void *b,
		     const void *c, size_t i)
{
	bool product = op == BENCH_ELEMENTWISE_MUL;
	if (dtype == BENCH_F64) {
		double x = ((const double *)a)[i], y = ((const double *)b)[i];
		return ((const double *)c)[i] == (product ? x * y : x + y);
	}
	float x = ((const float *)a)[i], y = ((const float *)b)[i];
	return ((const float *)c)[i] == (product ? x * y : x + y);
}

static void expect_right(const struct bench_backend *backend, struct bench_device *device,
			 struct bench_elementwise elementwise)
{
	struct bench_error error = {0};
	size_t real = bench_dtype_bytes(elementwise.dtype), count = elementwise.count;
	size_t bytes = count * real, c_bytes = bytes + GUARD * real;
	char *a = malloc(bytes), *b = malloc(bytes), *c = malloc(c_bytes), guard[GUARD * sizeof(double)];
	assert_true(a && b && c);
	bench_rng_fill(3, 1, elementwise.dtype, a, count);
	bench_rng_fill(3, 2, elementwise.dtype, b, count);
	memset(c, 0xff, c_bytes); /* NaN in either type */
	memset(guard, 0xff, sizeof(guard));
	struct bench_buffer *on_a = upload_new(backend, device, a, bytes),
			    *on_b = upload_new(backend, device, b, bytes),
			    *on_c = upload_new(backend, device, c, c_bytes);
	elementwise.a = on_a, elementwise.b = on_b, elementwise.c = on_c;
	require(backend->elementwise(device, &elementwise, &error), backend, &error);
	require(backend->finish(device, &error), backend, &error);
	require(backend->download(device, on_c, c, c_bytes, &error), backend, &error);
	for (size_t i = 0; i < count; i++)
		if (!is_right(elementwise.op, elementwise.dtype, a, b, c, i))
			fail_msg("%s: op %d of %zu elements of %zu bytes, width %u: element %zu is wrong",
				 backend->name, (int)elementwise.op, count, real, elementwise.width, i);
	assert_memory_equal(c + bytes, guard, GUARD * real);
	backend->release(device, on_a);
	backend->release(device, on_b);
	backend->release(device, on_c);
	free(a);
	free(b);
	free(c);
}

static const size_t counts[] = {1, 2, 3, 15, 16, 17, 31, 33, 1000, 1023, 65537};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

static void expect_right_at_all_counts(const struct bench_backend *backend, unsigned largest_width)
{
	struct bench_device_info info;
	struct bench_device *device = open_first(backend, &info);
	if (!device)
		return;
	for (unsigned width = 0; width <= largest_width; width = width ? 2 * width : 1)
		for (unsigned variant = 0; variant < 4; variant++) {
			enum bench_dtype dtype = variant & 1 ? BENCH_F64 : BENCH_F32;
			if (dtype == BENCH_F64 && !info.f64)
				continue;
			for (size_t i = 0; i < COUNTS; i++)
				expect_right(backend, device,
					     (struct bench_elementwise){
						     .op = variant & 2 ? BENCH_ELEMENTWISE_MUL
								       : BENCH_ELEMENTWISE_ADD,
						     .dtype = dtype,
						     .count = counts[i],
						     .width = width,
					     });
		}
	backend->close(device);
}

static void every_element_is_rounded_once_and_nothing_beyond_is_written_on_the_cpu(void **state)
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

static void what_threads_share_and_what_goes_past_the_caches_is_right_in_opencl(void **state)
{
	(void)state;
	struct bench_device_info info;
	struct bench_elementwise large = {.count = 300001};
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	struct bench_device *device = open_first(&bench_backend_opencl, &info);
	if (!device)
		return;
	expect_right(&bench_backend_opencl, device, large);
	device->cache_bytes = 1;
	assert_true(bench_opencl_goes_past(device, 2) == (info.kind == BENCH_DEVICE_CPU));
	assert_false(bench_opencl_goes_past(device, 1));
	expect_right(&bench_backend_opencl, device, large);
	assert_true(device->info.compute_units == 1 || bench_opencl_runner(device, SIZE_MAX, true) == device);
	bench_backend_opencl.close(device);
	unsetenv("BENCH_PROGRAM_CACHE");
}

/* Runs on three buffers of 64 floats; gives the code of the error. */
static enum bench_code refusal(const struct bench_backend *backend, struct bench_device *device,
			       struct bench_elementwise elementwise, struct bench_error *error)
{
	struct bench_buffer *buffers[3];
	for (size_t i = 0; i < 3; i++)
		require(backend->alloc(device, 64 * sizeof(float), &buffers[i], error), backend, error);
	elementwise.a = buffers[0], elementwise.b = buffers[1], elementwise.c = buffers[2];
	assert_int_equal(backend->elementwise(device, &elementwise, error), -1);
	for (size_t i = 0; i < 3; i++)
		backend->release(device, buffers[i]);
	return error->code;
}

static void a_width_that_plain_c_does_not_have_is_unsupported_with_the_reason(void **state)
{
	(void)state;
	static const struct bench_backend *const backends[] = {&bench_backend_openblas,
							       &bench_backend_reference};
	for (size_t i = 0; i < 2; i++) {
		struct bench_device_info info;
		struct bench_error error = {0};
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		assert_int_equal(refusal(backends[i], device,
					 (struct bench_elementwise){.count = 8, .width = 4}, &error),
				 BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, "width=1 only"));
		backends[i]->close(device);
	}
}

static void what_does_not_fit_its_buffers_or_has_no_width_is_refused_in_opencl(void **state)
{
	(void)state;
	struct bench_device_info info;
	struct bench_device *device = open_first(&bench_backend_opencl, &info);
	if (!device)
		skip();
	static const struct bench_elementwise wrong[] = {
		{.count = 65, .width = 1}, {.count = 0, .width = 1},  {.count = SIZE_MAX, .width = 16},
		{.count = 64, .width = 3}, {.count = 64, .width = 5}, {.count = 64, .width = 32}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bench_error error = {0};
		assert_int_equal(refusal(&bench_backend_opencl, device, wrong[i], &error), BENCH_USAGE);
	}
	bench_backend_opencl.close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_element_is_rounded_once_and_nothing_beyond_is_written_on_the_cpu),
		cmocka_unit_test(every_width_has_its_tail_and_nothing_beyond_is_written_in_opencl),
		cmocka_unit_test(what_threads_share_and_what_goes_past_the_caches_is_right_in_opencl),
		cmocka_unit_test(a_width_that_plain_c_does_not_have_is_unsupported_with_the_reason),
		cmocka_unit_test(what_does_not_fit_its_buffers_or_has_no_width_is_refused_in_opencl),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The second thread for short work on CPU devices: that what it takes a part of is the same with and without
 * it. */
#include <string.h>

#include "backends/opencl/runtime/helper.h"
#include "core/clock.h"
#include "opencl_fixture.h"

enum { TIMES = 400 };

/* A device with such a thread; skips where there is none. */
static struct bench_device *open_helped(void)
{
	skip_without_device();
	struct bench_device *device = open_first(NULL);
	if (device->caller && device->caller->helper)
		return device;
	print_message("skipped: the device has no second thread for short work\n");
	cl->close(device);
	skip();
	return NULL;
}

static bool is_awake(struct bench_device *device)
{
	return bench_opencl_helper_ready(device->caller->helper);
}

static void skip_unless(unsigned awake)
{
	if (awake)
		return;
	print_message("skipped: the second thread never had a processor\n");
	skip();
}

/* A buffer of f32, value(i) each. */
static struct bench_buffer *make_vector(struct bench_device *device, size_t count, float (*value)(size_t))
{
	struct bench_error error;
	struct bench_buffer *buffer;
	float *data = malloc(count * sizeof(*data));
	assert_non_null(data);
	for (size_t i = 0; i < count; i++)
		data[i] = value(i);
	require(cl->alloc(device, count * sizeof(*data), &buffer, &error), &error);
	require(cl->upload(device, buffer, data, count * sizeof(*data), &error), &error);
	free(data);
	return buffer;
}

static float *download(struct bench_device *device, const struct bench_buffer *buffer, size_t count)
{
	struct bench_error error;
	float *data = malloc(count * sizeof(*data));
	assert_non_null(data);
	require(cl->download(device, buffer, data, count * sizeof(*data), &error), &error);
	return data;
}

static float small(size_t i)
{
	return (float)(i % 7) - 2;
}

static float nothing(size_t i)
{
	(void)i;
	return 0;
}

/* Sums of small whole numbers are exact, and tell how often each element was added to. */
static void each_element_is_added_to_once(void **state)
{
	(void)state;
	static const size_t counts[] = {20000, 100001, 262144};
	struct bench_device *device = open_helped();
	struct bench_error error;
	unsigned awake = 0;
	for (size_t n = 0; n < sizeof(counts) / sizeof(*counts); n++) {
		struct bench_buffer *a = make_vector(device, counts[n], small),
				    *c = make_vector(device, counts[n], nothing);
		const struct bench_elementwise add = {
			.op = BENCH_ELEMENTWISE_ADD, .count = counts[n], .a = a, .b = c, .c = c};
		require(cl->finish(device, &error), &error);
		for (int i = 0; i < TIMES; i++) {
			awake += is_awake(device);
			require(cl->elementwise(device, &add, &error), &error);
		}
		require(cl->finish(device, &error), &error);
		float *sums = download(device, c, counts[n]);
		for (size_t i = 0; i < counts[n]; i++)
			if (sums[i] != TIMES * small(i))
				fail_msg("element %zu of %zu is %g, not %g", i, counts[n], (double)sums[i],
					 (double)(TIMES * small(i)));
		free(sums);
		cl->release(device, a);
		cl->release(device, c);
	}
	cl->close(device);
	skip_unless(awake);
}

static void every_element_is_activated(void **state)
{
	(void)state;
	enum { COUNT = 70003 };
	struct bench_device *device = open_helped();
	struct bench_error error;
	unsigned awake = 0;
	struct bench_buffer *a = make_vector(device, COUNT, small);
	for (int round = 0; round < 4; round++) {
		struct bench_buffer *c = make_vector(device, COUNT, nothing);
		const struct bench_activate relu = {
			.function = BENCH_ACTIVATION_RELU, .count = COUNT, .a = a, .c = c};
		require(cl->finish(device, &error), &error);
		for (int i = 0; i < TIMES; i++) {
			awake += is_awake(device);
			require(cl->activate(device, &relu, &error), &error);
		}
		require(cl->finish(device, &error), &error);
		float *values = download(device, c, COUNT);
		for (size_t i = 0; i < COUNT; i++)
			assert_true(values[i] == (small(i) > 0 ? small(i) : 0));
		free(values);
		cl->release(device, c);
	}
	cl->release(device, a);
	cl->close(device);
	skip_unless(awake);
}

/* The largest of all twice: the first of them counts. */
static size_t largest[2];
static float one_peak(size_t i)
{
	return i == largest[0] || i == largest[1] ? 9 : small(i);
}

static void a_reduction_in_two_halves_is_that_of_the_whole(void **state)
{
	(void)state;
	enum { COUNT = 100003 };
	static const size_t peaks[][2] = {{0, 5}, {49000, 99999}, {60001, 100002}, {100002, 100002}};
	struct bench_device *device = open_helped();
	struct bench_error error;
	unsigned awake = 0;
	for (size_t n = 0; n < sizeof(peaks) / sizeof(*peaks); n++) {
		double sum = 0, dot = 0;
		memcpy(largest, peaks[n], sizeof(largest));
		for (size_t i = 0; i < COUNT; i++) {
			sum += (double)one_peak(i);
			dot += (double)(one_peak(i) * small(i));
		}
		struct bench_buffer *a = make_vector(device, COUNT, one_peak),
				    *b = make_vector(device, COUNT, small);
		require(cl->finish(device, &error), &error);
		for (int i = 0; i < TIMES; i++) {
			float value = 0;
			uint64_t index = 0;
			struct bench_reduction reduction = {.op = (enum bench_reduction_op)(i % 4),
							    .count = COUNT,
							    .a = a,
							    .b = b,
							    .result = &value};
			if (reduction.op == BENCH_REDUCTION_ARGMAX)
				reduction.result = &index;
			awake += is_awake(device);
			require(cl->reduction(device, &reduction, &error), &error);
			if (reduction.op == BENCH_REDUCTION_ARGMAX)
				assert_int_equal(index, peaks[n][0]);
			else
				assert_true((double)value == (reduction.op == BENCH_REDUCTION_SUM   ? sum
							      : reduction.op == BENCH_REDUCTION_MAX ? 9
												    : dot));
		}
		cl->release(device, a);
		cl->release(device, b);
	}
	cl->close(device);
	skip_unless(awake);
}

/* One command of two parts, from the first one's start to the last one's end: less than the calls take. */
static void what_two_threads_did_has_a_device_time(void **state)
{
	(void)state;
	enum { COUNT = 100000 };
	struct bench_device *device = open_helped();
	struct bench_error error;
	unsigned awake = 0;
	double seconds, all = 0;
	if (!first_info().device_time) {
		print_message("skipped: the device does not profile\n");
		cl->close(device);
		skip();
	}
	struct bench_buffer *a = make_vector(device, COUNT, small), *c = make_vector(device, COUNT, nothing);
	const struct bench_elementwise add = {
		.op = BENCH_ELEMENTWISE_ADD, .count = COUNT, .a = a, .b = c, .c = c};
	const uint64_t start = bench_clock_real.now_ns(NULL);
	for (int round = 0; round < 20; round++) {
		require(cl->time_begin(device, &error), &error);
		for (int i = 0; i < 50; i++) {
			awake += is_awake(device);
			require(cl->elementwise(device, &add, &error), &error);
		}
		require(cl->time_end(device, &seconds, &error), &error);
		assert_true(seconds > 0);
		all += seconds;
	}
	assert_true(all < (double)(bench_clock_real.now_ns(NULL) - start) * 1e-9);
	cl->release(device, a);
	cl->release(device, c);
	cl->close(device);
	skip_unless(awake);
}

/* Bands of rows, and images, and the weights that are packed before. */
static void a_convolution_is_the_same_with_and_without_it(void **state)
{
	(void)state;
	static const struct {
		enum bench_conv2d_layout layout;
		size_t n, k;
	} cases[] = {{BENCH_CONV2D_NCHW, 1, 40},
		     {BENCH_CONV2D_NHWC, 1, 64},
		     {BENCH_CONV2D_NHWC, 1, 40},
		     {BENCH_CONV2D_NCHW, 9, 32}};
	enum { C = 16, SIDE = 17 };
	struct bench_device *device = open_helped();
	struct bench_error error;
	unsigned awake = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const size_t count = cases[i].n * cases[i].k * SIDE * SIDE;
		struct bench_buffer *in = make_vector(device, cases[i].n * C * SIDE * SIDE, small);
		struct bench_buffer *weights = make_vector(device, cases[i].k * C * 9, small);
		struct bench_buffer *out = make_vector(device, count, nothing);
		const struct bench_conv2d conv = {.layout = cases[i].layout,
						  .n = cases[i].n,
						  .c = C,
						  .h = SIDE,
						  .w = SIDE,
						  .k = cases[i].k,
						  .r = 3,
						  .s = 3,
						  .stride = 1,
						  .pad = 1,
						  .dilation = 1,
						  .groups = 1,
						  .in = in,
						  .weights = weights,
						  .out = out};
		bench_opencl_helper_rest(device->caller->helper);
		require(cl->conv2d(device, &conv, &error), &error);
		require(cl->finish(device, &error), &error);
		float *alone = download(device, out, count);
		cl->release(device, out);
		struct bench_conv2d again = conv;
		again.out = out = make_vector(device, count, nothing);
		for (int turn = 0; turn < TIMES / 4; turn++) {
			awake += is_awake(device);
			require(cl->conv2d(device, &again, &error), &error);
		}
		require(cl->finish(device, &error), &error);
		float *together = download(device, out, count);
		for (size_t at = 0; at < count; at++)
			assert_true(alone[at] == together[at]);
		free(alone);
		free(together);
		cl->release(device, in);
		cl->release(device, weights);
		cl->release(device, out);
	}
	cl->close(device);
	skip_unless(awake);
}

/* The device's own threads take over, and give back, in the order of the calls. */
static void short_and_long_work_keep_their_order(void **state)
{
	(void)state;
	enum { SHORT = 20000, LONG = 4000000 };
	struct bench_device *device = open_helped();
	struct bench_error error;
	struct bench_buffer *a = make_vector(device, LONG, small), *c = make_vector(device, LONG, nothing);
	const struct bench_elementwise few = {
		.op = BENCH_ELEMENTWISE_ADD, .count = SHORT, .a = a, .b = c, .c = c};
	const struct bench_elementwise all = {
		.op = BENCH_ELEMENTWISE_ADD, .count = LONG, .a = c, .b = c, .c = c};
	double want = 0;
	require(cl->finish(device, &error), &error);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 50; i++)
			require(cl->elementwise(device, &few, &error), &error);
		require(cl->elementwise(device, &all, &error), &error);
		want = 2 * (want + 50);
	}
	require(cl->finish(device, &error), &error);
	float *got = download(device, c, LONG);
	for (size_t i = 0; i < LONG; i++)
		assert_true((double)got[i] == (i < SHORT ? want * (double)small(i) : 0));
	free(got);
	cl->release(device, a);
	cl->release(device, c);
	cl->close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_element_is_added_to_once),
		cmocka_unit_test(every_element_is_activated),
		cmocka_unit_test(a_reduction_in_two_halves_is_that_of_the_whole),
		cmocka_unit_test(a_convolution_is_the_same_with_and_without_it),
		cmocka_unit_test(what_two_threads_did_has_a_device_time),
		cmocka_unit_test(short_and_long_work_keep_their_order),
	};
	return cmocka_run_group_tests_name("opencl_helper", tests, make_scratch, remove_scratch);
}

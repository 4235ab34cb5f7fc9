/* SPDX-License-Identifier: MIT */
/* The operations of a training on every backend: against plain double at sizes around those of vectors and
 * groups. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backends.h"
#include "kit/rng.h"

static const struct bench_backend *const backends[] = {&bench_backend_reference, &bench_backend_openblas,
						       &bench_backend_opencl};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), GUARD = 64 };

/* What one test runs on; the buffers are released with it. */
struct bed {
	const struct bench_backend *backend;
	struct bench_device *device;
	struct bench_buffer *buffers[8];
	size_t count;
};

static void require(const struct bed *bed, int result, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s: %s", bed->backend->name, error->text);
}

/* False, which is said, where the backend has no device. */
static bool make_bed(const struct bench_backend *backend, struct bed *bed)
{
	struct bench_error error = {0};
	size_t count = 0;
	*bed = (struct bed){.backend = backend};
	if (backend->devices(NULL, 0, &count, &error) != 0 || count == 0) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return false;
	}
	require(bed, backend->open(0, &(struct bench_open_options){0}, &bed->device, &error), &error);
	return true;
}

static void release_buffers(struct bed *bed)
{
	while (bed->count > 0)
		bed->backend->release(bed->device, bed->buffers[--bed->count]);
}

static struct bench_buffer *buffer(struct bed *bed, const void *host, size_t bytes)
{
	struct bench_error error = {0};
	struct bench_buffer *made = NULL;
	require(bed, bed->backend->alloc(bed->device, bytes, &made, &error), &error);
	bed->buffers[bed->count++] = made;
	if (host)
		require(bed, bed->backend->upload(bed->device, made, host, bytes, &error), &error);
	return made;
}

static void download(const struct bed *bed, const struct bench_buffer *from, void *host, size_t bytes)
{
	struct bench_error error = {0};
	require(bed, bed->backend->finish(bed->device, &error), &error);
	require(bed, bed->backend->download(bed->device, from, host, bytes, &error), &error);
}

static float *floats(uint64_t stream, size_t count)
{
	float *made = malloc((count + GUARD) * sizeof(*made));
	assert_non_null(made);
	bench_rng_fill(5, stream, BENCH_F32, made, count);
	memset(made + count, 0xff, GUARD * sizeof(*made));
	return made;
}

static size_t guarded(size_t count)
{
	return (count + GUARD) * sizeof(float);
}

static void near(const struct bed *bed, const char *what, float found, double expected, double tolerance)
{
	if (!(fabs((double)found - expected) <= tolerance))
		fail_msg("%s: %s: %g where %g was expected", bed->backend->name, what, (double)found,
			 expected);
}

static void guard_is_untouched(const float *data, size_t count)
{
	for (size_t i = 0; i < GUARD; i++)
		assert_true(isnan(data[count + i]));
}

static void expect_gather(struct bed *bed, size_t count, size_t pixels)
{
	enum { IMAGES = 50, FIRST = 3 };
	uint8_t *images = malloc(IMAGES * pixels), labels[IMAGES], *x_labels = malloc(count + GUARD);
	uint32_t *order = calloc(FIRST + count, sizeof(*order));
	float *x = floats(1, count * pixels);
	struct bench_rng rng;
	assert_true(images && x_labels && order);
	bench_rng_start(&rng, 1, count);
	for (size_t i = 0; i < IMAGES * pixels; i++)
		images[i] = (uint8_t)bench_rng_u32(&rng);
	for (size_t i = 0; i < IMAGES; i++)
		labels[i] = (uint8_t)(i + 100);
	for (size_t i = 0; i < FIRST + count; i++)
		order[i] = (uint32_t)bench_rng_below(&rng, IMAGES);
	memset(x_labels, 0xee, count + GUARD);
	struct bench_error error = {0};
	struct bench_training_gather gather = {
		.first = FIRST,
		.count = count,
		.pixels = pixels,
		.images = buffer(bed, images, IMAGES * pixels),
		.labels = buffer(bed, labels, IMAGES),
		.order = buffer(bed, order, (FIRST + count) * sizeof(*order)),
		.x = buffer(bed, x, guarded(count * pixels)),
		.x_labels = buffer(bed, x_labels, count + GUARD),
	};
	require(bed, bed->backend->training->gather(bed->device, &gather, &error), &error);
	download(bed, gather.x, x, guarded(count * pixels));
	download(bed, gather.x_labels, x_labels, count + GUARD);
	for (size_t i = 0; i < count; i++) {
		size_t row = order[FIRST + i];
		for (size_t p = 0; p < pixels; p++)
			near(bed, "gather", x[i * pixels + p], images[row * pixels + p] / 255.0, 2e-7);
		assert_int_equal(x_labels[i], labels[row]);
	}
	guard_is_untouched(x, count * pixels);
	assert_int_equal(x_labels[count], 0xee);
	free(images);
	free(x_labels);
	free(order);
	free(x);
	release_buffers(bed);
}

static void expect_relu(struct bed *bed, size_t rows, size_t columns)
{
	float *x = floats(1, rows * columns), *bias = floats(2, columns);
	float *out = floats(1, rows * columns);
	struct bench_error error = {0};
	struct bench_training_relu relu = {.rows = rows,
					   .columns = columns,
					   .bias = buffer(bed, bias, columns * sizeof(float)),
					   .x = buffer(bed, x, guarded(rows * columns))};
	require(bed, bed->backend->training->relu(bed->device, &relu, &error), &error);
	download(bed, relu.x, out, guarded(rows * columns));
	for (size_t i = 0; i < rows * columns; i++)
		near(bed, "relu", out[i], fmax(0, (double)x[i] + (double)bias[i % columns]), 2e-7);
	guard_is_untouched(out, rows * columns);
	free(x);
	free(bias);
	free(out);
	release_buffers(bed);
}

static void expect_softmax(struct bed *bed, size_t rows, size_t columns)
{
	float *x = floats(1, rows * columns), *bias = floats(2, columns), *out = floats(1, rows * columns);
	uint8_t *labels = malloc(rows);
	struct bench_error error = {0};
	assert_non_null(labels);
	for (size_t i = 0; i < rows; i++)
		labels[i] = (uint8_t)(i % columns);
	/* Values whose exp alone would overflow, and one whose is 0. */
	x[0] += 200;
	x[rows * columns - 1] -= 200;
	struct bench_training_softmax softmax = {.rows = rows,
						 .columns = columns,
						 .factor = 0.25,
						 .bias = buffer(bed, bias, columns * sizeof(float)),
						 .labels = buffer(bed, labels, rows),
						 .x = buffer(bed, x, guarded(rows * columns))};
	require(bed, bed->backend->training->softmax(bed->device, &softmax, &error), &error);
	download(bed, softmax.x, out, guarded(rows * columns));
	for (size_t i = 0; i < rows; i++) {
		double sum = 0, largest = -INFINITY;
		for (size_t j = 0; j < columns; j++)
			largest = fmax(largest, (double)x[i * columns + j] + (double)bias[j]);
		for (size_t j = 0; j < columns; j++)
			sum += exp((double)x[i * columns + j] + (double)bias[j] - largest);
		for (size_t j = 0; j < columns; j++) {
			double p = exp((double)x[i * columns + j] + (double)bias[j] - largest) / sum;
			near(bed, "softmax", out[i * columns + j], 0.25 * (p - (j == labels[i] ? 1 : 0)),
			     1e-5);
		}
	}
	guard_is_untouched(out, rows * columns);
	free(x);
	free(bias);
	free(out);
	free(labels);
	release_buffers(bed);
}

static void expect_bias(struct bed *bed, size_t rows, size_t columns, bool masked)
{
	float *gradient = floats(1, rows * columns), *bias = floats(2, columns),
	      *activations = floats(3, rows * columns), *out = floats(1, rows * columns);
	float *after = floats(2, columns);
	struct bench_error error = {0};
	activations[0] = 0; /* the border belongs to the inactive */
	struct bench_training_bias step = {
		.rows = rows,
		.columns = columns,
		.factor = -0.5,
		.activations = masked ? buffer(bed, activations, rows * columns * sizeof(float)) : NULL,
		.gradient = buffer(bed, gradient, guarded(rows * columns)),
		.bias = buffer(bed, bias, guarded(columns))};
	require(bed, bed->backend->training->bias(bed->device, &step, &error), &error);
	download(bed, step.gradient, out, guarded(rows * columns));
	download(bed, step.bias, after, guarded(columns));
	for (size_t j = 0; j < columns; j++) {
		double sum = 0;
		for (size_t i = 0; i < rows; i++) {
			size_t at = i * columns + j;
			float expected = masked && activations[at] <= 0 ? 0 : gradient[at];
			assert_true(out[at] == expected);
			sum += (double)expected;
		}
		near(bed, "bias", after[j], (double)bias[j] - 0.5 * sum, 1e-7 * (double)(rows + 2));
	}
	guard_is_untouched(out, rows * columns);
	guard_is_untouched(after, columns);
	free(gradient);
	free(bias);
	free(activations);
	free(out);
	free(after);
	release_buffers(bed);
}

static void expect_classify(struct bed *bed, size_t rows, size_t columns)
{
	enum { FIRST = 5 };
	float *x = floats(1, rows * columns), *bias = floats(2, columns);
	uint8_t *classes = malloc(FIRST + rows + 1);
	struct bench_error error = {0};
	assert_non_null(classes);
	memset(classes, 0xee, FIRST + rows + 1);
	for (size_t j = 0; j < columns; j++) /* all alike: the first counts */
		x[j] = -bias[j];
	struct bench_training_classify classify = {.rows = rows,
						   .columns = columns,
						   .first = FIRST,
						   .x = buffer(bed, x, rows * columns * sizeof(float)),
						   .bias = buffer(bed, bias, columns * sizeof(float)),
						   .classes = buffer(bed, classes, FIRST + rows + 1)};
	require(bed, bed->backend->training->classify(bed->device, &classify, &error), &error);
	download(bed, classify.classes, classes, FIRST + rows + 1);
	for (size_t i = 0; i < rows; i++) {
		size_t best = 0;
		for (size_t j = 1; j < columns; j++)
			if (x[i * columns + j] + bias[j] > x[i * columns + best] + bias[best])
				best = j;
		assert_int_equal(classes[FIRST + i], best);
	}
	assert_int_equal(classes[FIRST - 1], 0xee);
	assert_int_equal(classes[FIRST + rows], 0xee);
	free(x);
	free(bias);
	free(classes);
	release_buffers(bed);
}

static void every_operation_is_right_at_every_edge_and_writes_nothing_beyond(void **state)
{
	(void)state;
	for (size_t b = 0; b < BACKENDS; b++) {
		struct bed bed;
		if (!make_bed(backends[b], &bed))
			continue;
		/* Each size as rows and as columns, with others about it. */
		for (size_t i = 0; i < SIZES; i++) {
			size_t rows = sizes[i], columns = sizes[(i * 7 + 3) % SIZES];
			expect_gather(&bed, rows, columns);
			expect_relu(&bed, rows, columns);
			expect_softmax(&bed, rows, columns);
			expect_bias(&bed, rows, columns, true);
			expect_bias(&bed, rows, columns, false);
			expect_classify(&bed, rows, columns);
		}
		expect_gather(&bed, 256, 784);
		expect_classify(&bed, 3, 256);
		backends[b]->close(bed.device);
	}
}

static void a_nan_stays_one(void **state)
{
	(void)state;
	for (size_t b = 0; b < BACKENDS; b++) {
		struct bed bed;
		struct bench_error error = {0};
		if (!make_bed(backends[b], &bed))
			continue;
		float x[4] = {1, NAN, 2, 3};
		const float bias[4] = {0};
		const uint8_t label = 0;
		struct bench_training_relu relu = {.rows = 1,
						   .columns = 4,
						   .bias = buffer(&bed, bias, sizeof(bias)),
						   .x = buffer(&bed, x, sizeof(x))};
		require(&bed, bed.backend->training->relu(bed.device, &relu, &error), &error);
		download(&bed, relu.x, x, sizeof(x));
		assert_true(x[0] == 1 && isnan(x[1]) && x[3] == 3);
		struct bench_training_softmax softmax = {.rows = 1,
							 .columns = 4,
							 .factor = 1,
							 .bias = relu.bias,
							 .labels = buffer(&bed, &label, 1),
							 .x = relu.x};
		require(&bed, bed.backend->training->softmax(bed.device, &softmax, &error), &error);
		download(&bed, relu.x, x, sizeof(x));
		for (size_t i = 0; i < 4; i++)
			assert_true(isnan(x[i]));
		release_buffers(&bed);
		backends[b]->close(bed.device);
	}
}

#define REFUSED(call)                                                                                        \
	do {                                                                                                 \
		error = (struct bench_error){0};                                                             \
		assert_int_equal((call), -1);                                                                \
		assert_int_equal(error.code, BENCH_USAGE);                                                   \
		assert_true(error.text[0] != '\0');                                                          \
	} while (0)

static void what_does_not_fit_its_buffers_is_refused(void **state)
{
	(void)state;
	for (size_t b = 0; b < BACKENDS; b++) {
		struct bed bed;
		struct bench_error error = {0};
		if (!make_bed(backends[b], &bed))
			continue;
		const struct bench_training *training = bed.backend->training;
		struct bench_buffer *small = buffer(&bed, NULL, 64), *large = buffer(&bed, NULL, 4096);
		static const size_t wrong[][2] = {{0, 4},
						  {4, 0},
						  {4, 5},
						  {5, 4},
						  {SIZE_MAX, 1},
						  {1, SIZE_MAX},
						  {(size_t)1 << 31, 1},
						  {SIZE_MAX / 2, 4}};
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			size_t rows = wrong[i][0], columns = wrong[i][1];
			const struct bench_training_relu relu = {
				.rows = rows, .columns = columns, .bias = large, .x = small};
			const struct bench_training_softmax softmax = {
				.rows = rows, .columns = columns, .bias = large, .labels = large, .x = small};
			const struct bench_training_bias bias = {
				.rows = rows, .columns = columns, .bias = large, .gradient = small};
			const struct bench_training_bias active = {.rows = rows,
								   .columns = columns,
								   .bias = large,
								   .gradient = large,
								   .activations = small};
			const struct bench_training_classify classify = {.rows = rows,
									 .columns = columns,
									 .bias = large,
									 .classes = large,
									 .x = small};
			const struct bench_training_gather gather = {.count = rows,
								     .pixels = columns,
								     .images = large,
								     .labels = large,
								     .order = large,
								     .x = small,
								     .x_labels = large};
			REFUSED(training->relu(bed.device, &relu, &error));
			REFUSED(training->softmax(bed.device, &softmax, &error));
			REFUSED(training->bias(bed.device, &bias, &error));
			REFUSED(training->bias(bed.device, &active, &error));
			REFUSED(training->classify(bed.device, &classify, &error));
			REFUSED(training->gather(bed.device, &gather, &error));
		}
		const struct bench_training_gather beyond = {.first = 1021,
							     .count = 4,
							     .pixels = 4,
							     .images = large,
							     .labels = large,
							     .order = large,
							     .x = small,
							     .x_labels = large};
		const struct bench_training_classify many = {
			.rows = 1, .columns = 257, .bias = large, .classes = large, .x = large};
		REFUSED(training->gather(bed.device, &beyond, &error));
		REFUSED(training->classify(bed.device, &many, &error));
		release_buffers(&bed);
		backends[b]->close(bed.device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_is_right_at_every_edge_and_writes_nothing_beyond),
		cmocka_unit_test(a_nan_stays_one),
		cmocka_unit_test(what_does_not_fit_its_buffers_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

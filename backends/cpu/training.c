/* SPDX-License-Identifier: MIT */
/*
 * The operations of a training that OpenBLAS does not have, as its users write them: loops in
 * single precision, vectorized by the compiler, and on one thread. They stand between products,
 * a fraction of a millisecond apart, and threads of OpenMP spin that long for their next loop, on
 * the cores that OpenBLAS's own threads then lack: over all threads an epoch took 8 to 20 times
 * as long on two busy cores.
 */
#include <math.h>
#include <stdint.h>

#include "backends/check.h"
#include "backends/cpu.h"
#include "backends/cpu/operations.h"

enum { LINE = 64 }; /* bytes of a cache line */
enum { AHEAD = 2 }; /* images */

/* Images lie anywhere in memory: those that follow are on their way while one is converted. */
static void prefetch(const uint8_t *image, size_t pixels)
{
	for (size_t p = 0; p < pixels; p += LINE)
		__builtin_prefetch(image + p);
}

#define DEFINE_CONVERT(name, attributes)                                                                     \
	attributes static void name(const uint8_t *restrict image, float *restrict to, size_t pixels)        \
	{                                                                                                    \
		for (size_t p = 0; p < pixels; p++)                                                          \
			to[p] = (float)image[p] * (1 / 255.0F);                                              \
	}
DEFINE_CONVERT(convert, )
#ifdef __x86_64__
DEFINE_CONVERT(convert_avx2, __attribute__((target("avx2"))))
#endif

static void convert_image(const uint8_t *image, float *to, size_t pixels)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		convert_avx2(image, to, pixels);
		return;
	}
#endif
	convert(image, to, pixels);
}

static int gather(struct bench_device *device, const struct bench_training_gather *gather,
		  struct bench_error *error)
{
	(void)device;
	if (bench_training_check_gather(gather, bench_cpu_bytes, error))
		return -1;
	const uint8_t *images = gather->images->data, *labels = gather->labels->data;
	const uint32_t *order = (const uint32_t *)gather->order->data + gather->first;
	float *x = gather->x->data;
	uint8_t *x_labels = gather->x_labels->data;
	const size_t count = gather->count, pixels = gather->pixels;
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			prefetch(images + order[i + AHEAD] * pixels, pixels);
		convert_image(images + order[i] * pixels, x + i * pixels, pixels);
		x_labels[i] = labels[order[i]];
	}
	return 0;
}

static int relu(struct bench_device *device, const struct bench_training_relu *relu,
		struct bench_error *error)
{
	(void)device;
	if (bench_training_check_relu(relu, bench_cpu_bytes, error))
		return -1;
	const float *restrict bias = relu->bias->data;
	float *x = relu->x->data;
	const size_t rows = relu->rows, columns = relu->columns;
	for (size_t i = 0; i < rows; i++) {
		float *restrict row = x + i * columns;
		for (size_t j = 0; j < columns; j++) {
			float sum = row[j] + bias[j];
			row[j] = sum < 0 ? 0 : sum;
		}
	}
	return 0;
}

static void softmax_row(float *restrict x, const float *restrict bias, size_t columns, size_t label,
			float factor)
{
	float largest = -INFINITY, sum = 0;
	for (size_t j = 0; j < columns; j++) {
		x[j] += bias[j];
		largest = fmaxf(largest, x[j]);
	}
	for (size_t j = 0; j < columns; j++) {
		x[j] = expf(x[j] - largest);
		sum += x[j];
	}
	for (size_t j = 0; j < columns; j++)
		x[j] = factor * (x[j] / sum - (j == label ? 1.0F : 0.0F));
}

static int softmax(struct bench_device *device, const struct bench_training_softmax *softmax,
		   struct bench_error *error)
{
	(void)device;
	if (bench_training_check_softmax(softmax, bench_cpu_bytes, error))
		return -1;
	const float *bias = softmax->bias->data;
	const uint8_t *labels = softmax->labels->data;
	float *x = softmax->x->data;
	const size_t rows = softmax->rows, columns = softmax->columns;
	const float factor = (float)softmax->factor;
	for (size_t i = 0; i < rows; i++)
		softmax_row(x + i * columns, bias, columns, labels[i], factor);
	return 0;
}

enum { LANES = 16 }; /* neighboring columns whose sums are taken along */

/* bias[j] += factor * the sum of column j of the gradient, for `width` columns from `gradient` on. */
static void bias_columns(float *gradient, const float *activations, size_t rows, size_t columns, size_t width,
			 float factor, float *bias)
{
	float sums[LANES] = {0};
	for (size_t i = 0; i < rows; i++) {
		float *row = gradient + i * columns;
		const float *active = activations ? activations + i * columns : NULL;
		for (size_t j = 0; j < width; j++) {
			if (active)
				row[j] = active[j] <= 0 ? 0 : row[j];
			sums[j] += row[j];
		}
	}
	for (size_t j = 0; j < width; j++)
		bias[j] += factor * sums[j];
}

static int bias(struct bench_device *device, const struct bench_training_bias *bias,
		struct bench_error *error)
{
	(void)device;
	if (bench_training_check_bias(bias, bench_cpu_bytes, error))
		return -1;
	const float *activations = bias->activations ? bias->activations->data : NULL;
	float *gradient = bias->gradient->data, *to = bias->bias->data;
	const size_t rows = bias->rows, columns = bias->columns;
	const float factor = (float)bias->factor;
	for (size_t j = 0; j < columns; j += LANES)
		bias_columns(gradient + j, activations ? activations + j : NULL, rows, columns,
			     columns - j < LANES ? columns - j : LANES, factor, to + j);
	return 0;
}

static int classify(struct bench_device *device, const struct bench_training_classify *classify,
		    struct bench_error *error)
{
	(void)device;
	if (bench_training_check_classify(classify, bench_cpu_bytes, error))
		return -1;
	const float *bias = classify->bias->data, *x = classify->x->data;
	uint8_t *classes = (uint8_t *)classify->classes->data + classify->first;
	const size_t rows = classify->rows, columns = classify->columns;
	for (size_t i = 0; i < rows; i++) {
		const float *row = x + i * columns;
		float largest = row[0] + bias[0];
		size_t best = 0;
		for (size_t j = 1; j < columns; j++)
			if (row[j] + bias[j] > largest) {
				largest = row[j] + bias[j];
				best = j;
			}
		classes[i] = (uint8_t)best;
	}
	return 0;
}

const struct bench_training bench_cpu_training = {
	.gather = gather, .relu = relu, .softmax = softmax, .bias = bias, .classify = classify};

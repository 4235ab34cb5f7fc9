/* SPDX-License-Identifier: MIT */
/* The operations of a training, as their contract has them. */
#include <math.h>
#include <stdint.h>

#include "backends/check.h"
#include "backends/cpu.h"
#include "backends/reference/operations.h"

static int gather(struct bench_device *device, const struct bench_training_gather *gather,
		  struct bench_error *error)
{
	(void)device;
	if (bench_training_check_gather(gather, bench_cpu_bytes, error))
		return -1;
	const uint8_t *images = gather->images->data, *labels = gather->labels->data;
	const uint32_t *order = gather->order->data;
	float *x = gather->x->data;
	uint8_t *x_labels = gather->x_labels->data;
	for (size_t i = 0; i < gather->count; i++) {
		size_t row = order[gather->first + i];
		for (size_t p = 0; p < gather->pixels; p++)
			x[i * gather->pixels + p] = (float)(images[row * gather->pixels + p] / 255.0);
		x_labels[i] = labels[row];
	}
	return 0;
}

static int relu(struct bench_device *device, const struct bench_training_relu *relu,
		struct bench_error *error)
{
	(void)device;
	if (bench_training_check_relu(relu, bench_cpu_bytes, error))
		return -1;
	const float *bias = relu->bias->data;
	float *x = relu->x->data;
	for (size_t i = 0; i < relu->rows; i++)
		for (size_t j = 0; j < relu->columns; j++) {
			double sum = (double)x[i * relu->columns + j] + (double)bias[j];
			x[i * relu->columns + j] = sum < 0 ? 0 : (float)sum;
		}
	return 0;
}

static int softmax(struct bench_device *device, const struct bench_training_softmax *softmax,
		   struct bench_error *error)
{
	(void)device;
	if (bench_training_check_softmax(softmax, bench_cpu_bytes, error))
		return -1;
	const float *bias = softmax->bias->data;
	const uint8_t *labels = softmax->labels->data;
	for (size_t i = 0; i < softmax->rows; i++) {
		float *x = (float *)softmax->x->data + i * softmax->columns;
		double largest = -INFINITY, sum = 0;
		for (size_t j = 0; j < softmax->columns; j++)
			largest = fmax(largest, (double)x[j] + (double)bias[j]);
		for (size_t j = 0; j < softmax->columns; j++)
			sum += exp((double)x[j] + (double)bias[j] - largest);
		for (size_t j = 0; j < softmax->columns; j++) {
			double p = exp((double)x[j] + (double)bias[j] - largest) / sum;
			x[j] = (float)(softmax->factor * (j == labels[i] ? p - 1 : p));
		}
	}
	return 0;
}

static int bias(struct bench_device *device, const struct bench_training_bias *bias,
		struct bench_error *error)
{
	(void)device;
	if (bench_training_check_bias(bias, bench_cpu_bytes, error))
		return -1;
	const float *activations = bias->activations ? bias->activations->data : NULL;
	float *gradient = bias->gradient->data, *to = bias->bias->data;
	for (size_t j = 0; j < bias->columns; j++) {
		double sum = 0;
		for (size_t i = 0; i < bias->rows; i++) {
			size_t at = i * bias->columns + j;
			if (activations && activations[at] <= 0)
				gradient[at] = 0;
			sum += (double)gradient[at];
		}
		to[j] = (float)((double)to[j] + bias->factor * sum);
	}
	return 0;
}

static int classify(struct bench_device *device, const struct bench_training_classify *classify,
		    struct bench_error *error)
{
	(void)device;
	if (bench_training_check_classify(classify, bench_cpu_bytes, error))
		return -1;
	const float *bias = classify->bias->data;
	uint8_t *classes = classify->classes->data;
	for (size_t i = 0; i < classify->rows; i++) {
		const float *x = (const float *)classify->x->data + i * classify->columns;
		size_t best = 0;
		for (size_t j = 1; j < classify->columns; j++)
			if ((double)x[j] + (double)bias[j] > (double)x[best] + (double)bias[best])
				best = j;
		classes[classify->first + i] = (uint8_t)best;
	}
	return 0;
}

const struct bench_training bench_reference_training = {
	.gather = gather, .relu = relu, .softmax = softmax, .bias = bias, .classify = classify};

/* SPDX-License-Identifier: MIT */
/*
 * What the training of a classifier by minibatches needs beside matrix products: operations of
 * a backend on single precision (f32), matrices stored row after row without gaps. The products
 * themselves, and with beta = 1 the steps of their weights, are the backend's gemm.
 */
#ifndef BENCH_TRAINING_H
#define BENCH_TRAINING_H

#include <stddef.h>

#include "bench/error.h"

struct bench_buffer;
struct bench_device;

/*
 * A minibatch: x[i][p] = images[r][p] / 255 and x_labels[i] = labels[r] for i < count and
 * p < pixels, where r = order[first + i]. images and labels are bytes, order is of 32 bits
 * without sign. The caller vouches that each r is an image that there is.
 */
struct bench_training_gather {
	size_t first, count, pixels; /* count, pixels >= 1 */
	const struct bench_buffer *images, *labels, *order;
	struct bench_buffer *x, *x_labels;
};

/* A hidden layer's end, in place: x[i][j] = max(x[i][j] + bias[j], 0). rows, columns >= 1. */
struct bench_training_relu {
	size_t rows, columns;
	const struct bench_buffer *bias;
	struct bench_buffer *x;
};

/*
 * The output layer's end and the start of the backward pass, in place. With p = softmax(x[i] + bias) and L
 * the cross-entropy of p and the label: x[i] = factor dL/dx[i] = factor (p - e). e is 1 at the label and 0
 * elsewhere. labels are bytes, below columns. rows, columns >= 1.
 */
struct bench_training_softmax {
	size_t rows, columns;
	double factor;
	const struct bench_buffer *bias, *labels;
	struct bench_buffer *x;
};

/*
 * A layer's bias on the way back: bias[j] += factor sum_i gradient[i][j]. Where activations are
 * given (NULL: none), what max(x, 0) gave, gradient[i][j] = 0 first, and stays so, where
 * activations[i][j] <= 0. rows, columns >= 1.
 */
struct bench_training_bias {
	size_t rows, columns;
	double factor;
	const struct bench_buffer *activations;
	struct bench_buffer *gradient, *bias;
};

/*
 * classes[first + i] = the j for which x[i][j] + bias[j] is largest, the first of several; bytes.
 * rows >= 1, columns 1 to 256.
 */
struct bench_training_classify {
	size_t rows, columns, first;
	const struct bench_buffer *x, *bias;
	struct bench_buffer *classes;
};

/*
 * A backend has all of them or none. They enqueue and may return before the work is done.
 * BENCH_USAGE where sizes are 0 or do not fit a buffer.
 */
struct bench_training {
	int (*gather)(struct bench_device *device, const struct bench_training_gather *gather,
		      struct bench_error *error);
	int (*relu)(struct bench_device *device, const struct bench_training_relu *relu,
		    struct bench_error *error);
	int (*softmax)(struct bench_device *device, const struct bench_training_softmax *softmax,
		       struct bench_error *error);
	int (*bias)(struct bench_device *device, const struct bench_training_bias *bias,
		    struct bench_error *error);
	int (*classify)(struct bench_device *device, const struct bench_training_classify *classify,
			struct bench_error *error);
};

#endif

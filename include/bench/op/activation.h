/* SPDX-License-Identifier: MIT */
/* The activation functions of networks, and their application to a vector, an operation of a backend. */
#ifndef BENCH_ACTIVATION_H
#define BENCH_ACTIVATION_H

#include <stddef.h>

#include "bench/dtype.h"

struct bench_buffer;

enum bench_activation {
	BENCH_ACTIVATION_NONE,      /* x */
	BENCH_ACTIVATION_RELU,      /* max(x, 0) */
	BENCH_ACTIVATION_GELU,      /* x/2 (1 + erf(x / sqrt(2))) */
	BENCH_ACTIVATION_GELU_TANH, /* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): Hendrycks and Gimpel,
				       2016 */
};

/*
 * c[i] = function(a[i]) for i < count; nothing beyond is written. a is another buffer than c.
 * count >= 1. RELU is exact; the others err by at most 12 unit roundoffs of |a[i]|. That follows from the
 * formulas above with an erf within 16 and a tanh within 5 units in the last place, as OpenCL requires. NONE
 * is BENCH_USAGE. The result for a NaN is unspecified.
 *
 * width: as for struct bench_elementwise.
 */
struct bench_activate {
	enum bench_activation function;
	enum bench_dtype dtype;
	size_t count;
	unsigned width;
	const struct bench_buffer *a;
	struct bench_buffer *c;
};

#endif

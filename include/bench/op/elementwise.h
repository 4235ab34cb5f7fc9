/* SPDX-License-Identifier: MIT */
/* Sum and product of two vectors, an operation of a backend. */
#ifndef BENCH_ELEMENTWISE_H
#define BENCH_ELEMENTWISE_H

#include <stddef.h>

#include "bench/dtype.h"

struct bench_buffer;

enum bench_elementwise_op { BENCH_ELEMENTWISE_ADD, BENCH_ELEMENTWISE_MUL };

/*
 * c[i] = a[i] op b[i] for i < count; nothing beyond is written. Each element is rounded
 * once, to nearest. a and b may be one buffer; c is another. count >= 1.
 *
 * width: how many neighbors a work-item handles as one vector, 1, 2, 4, 8 or 16, or 0 for the backend's
 * choice of the fastest. If width does not divide count, the last work-item handles the rest one by one. A
 * backend whose code leaves this to the compiler accepts only 0 and 1; others are BENCH_UNSUPPORTED, so that
 * no result claims a width that it did not have.
 */
struct bench_elementwise {
	enum bench_elementwise_op op;
	enum bench_dtype dtype;
	size_t count;
	unsigned width;
	const struct bench_buffer *a, *b;
	struct bench_buffer *c;
};

#endif

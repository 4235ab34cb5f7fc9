/* SPDX-License-Identifier: MIT */
/* Short chains of operations on vectors in one pass, and the bias of a layer: operations of a backend. */
#ifndef BENCH_FUSED_H
#define BENCH_FUSED_H

#include <stddef.h>

#include "bench/dtype.h"

struct bench_buffer;

enum bench_fused_op {
	BENCH_FUSED_ADD_RELU, /* d = max(a + b, 0) */
	BENCH_FUSED_MUL_RELU, /* d = max(a b, 0) */
	BENCH_FUSED_AFFINE,   /* d = a b + c */
};

/*
 * d[i] of the three above for i < count, in one pass (one kernel, where there are kernels);
 * nothing beyond is written. c: of affine alone, else NULL. Inputs may be one buffer; d is
 * another. count >= 1. Sum and product are each rounded to nearest; an affine may be rounded
 * twice, or once where the device has a fused multiply-add.
 *
 * width: as for struct bench_elementwise.
 */
struct bench_fused {
	enum bench_fused_op op;
	enum bench_dtype dtype;
	size_t count;
	unsigned width;
	const struct bench_buffer *a, *b, *c;
	struct bench_buffer *d;
};

/*
 * c[i][j] = a[i][j] + bias[j], rounded to nearest; a and c are rows x cols, row-major and
 * packed, c another buffer than a. rows, cols >= 1.
 */
struct bench_bias_add {
	enum bench_dtype dtype;
	size_t rows, cols;
	const struct bench_buffer *a, *bias;
	struct bench_buffer *c;
};

#endif

/* SPDX-License-Identifier: MIT */
/* The matrix product, an operation of a backend. */
#ifndef BENCH_GEMM_H
#define BENCH_GEMM_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/dtype.h"
#include "bench/op/activation.h"

struct bench_buffer;

/*
 * C = alpha op(A) op(B) + beta C, row-major. op(A) is m x k, op(B) is k x n, C is m x n.
 * lda, ldb, ldc: elements from one row as stored to the next (A is stored k x m when
 * trans_a). C overlaps neither A nor B. beta == 0: C is written, never read (it may hold
 * NaN). m, n, k >= 1.
 *
 * A backend that does not know the dtype returns BENCH_UNSUPPORTED. BENCH_C32: op() does not conjugate, and
 * alpha and beta are real.
 *
 * batch: the number of products of one shape; 0 means 1. The matrices of product i start i times stride_a,
 * stride_b and stride_c elements into the buffers. stride_a or stride_b may be 0 (one matrix for all). The
 * matrices C do not overlap.
 *
 * bias, activation: a layer's end in the same call: afterwards C = activation(C + bias), with bias[j] of n
 * elements added to column j. A backend without it returns BENCH_UNSUPPORTED.
 *
 * raw: without the guard. The caller guarantees that m, n and k are multiples of 128, that all matrices and
 * rows start at multiples of 64 bytes, and that the buffers hold them. Nothing checks this, and the kernel
 * has no code for edges. Not raw: any size is correct. The guard takes the same kernel where all of that
 * holds, and otherwise one that handles edges.
 */
struct bench_gemm {
	enum bench_dtype dtype;
	bool trans_a, trans_b;
	size_t m, n, k;
	double alpha, beta;
	const struct bench_buffer *a, *b;
	struct bench_buffer *c;
	size_t lda, ldb, ldc;
	size_t batch, stride_a, stride_b, stride_c;
	const struct bench_buffer *bias; /* NULL: none */
	enum bench_activation activation;
	bool raw;
};

#endif

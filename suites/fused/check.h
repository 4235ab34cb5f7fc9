/* SPDX-License-Identifier: MIT */
/*
 * Are the results of the fused suite right? Pure functions over host arrays.
 *
 * A layer, activation(A B + bias) with A and B n x n, hides or bends the product's negative elements. So no
 * residual of the product can be formed, and a reference of n^3 operations takes too long. A is therefore
 * made of few rows: row i is a random factor times row i mod 16 of a basis, rounded. No two rows are alike,
 * and the check sees anything left out or swapped. Yet basis times B, 16 n^2 operations, gives the product to
 * one more rounding of A's elements.
 */
#ifndef SUITES_FUSED_CHECK_H
#define SUITES_FUSED_CHECK_H

#include "bench/op/fused.h"
#include "suites/operands.h"

/* Writes A into the host memory of `a`, n * n elements. */
int bench_layer_fill(uint64_t seed, size_t n, struct bench_operand *a, struct bench_error *error);

struct bench_layer {
	uint64_t seed; /* that A was filled with */
	size_t n;
	enum bench_activation activation;
	const struct bench_operand *b, *bias, *found; /* the host's copies */
};

/* Each element of `found`, relative to sum_k |a_ik| |b_kj| + |bias_j|. */
int bench_layer_check(const struct bench_layer *layer, struct bench_check *check, struct bench_error *error);

/* Bytes of scratch that either of these takes at the most. */
uint64_t bench_layer_bytes(uint64_t n);

/* Each element of d against the operation in double; c: of affine alone. */
void bench_fused_check(enum bench_fused_op op, const struct bench_operand *a, const struct bench_operand *b,
		       const struct bench_operand *c, const struct bench_operand *d,
		       struct bench_check *check);

#endif

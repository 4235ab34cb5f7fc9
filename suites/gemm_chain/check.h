/* SPDX-License-Identifier: MIT */
/*
 * Is X = alpha^L A B_1 B_2 ... B_L? The check of the gemm_chain suite, apart from its work:
 * pure functions over host arrays.
 *
 * The elementwise bound |A| |B_1| ... |B_L| is useless here: it grows by 0.87 sqrt(n) with
 * each product while X does not. So errors are followed as variances. With tau the tolerance of one product
 * (dense.h):
 *
 *     V_0 = 0,   V_i = alpha^2 (V_{i-1} (B_i o B_i)) + (tau alpha |X_{i-1}| |B_i|)^2.
 *
 * Squares are elementwise. The first term propagates the earlier errors, which do not depend on B_i; the
 * second is the error that this product adds. An error is |x - x_ref| tau / sqrt(V_L), its tolerance tau. The
 * tolerance on x grows with the square root of the length.
 */
#ifndef SUITES_GEMM_CHAIN_CHECK_H
#define SUITES_GEMM_CHAIN_CHECK_H

#include <stdint.h>

#include "bench/case.h"
#include "kit/reference.h"

#define BENCH_CHAIN_LENGTH_MAX 8

/* The factor of each product of n x n matrices. */
double bench_chain_alpha(size_t n);

struct bench_chain_problem {
	size_t length;                                           /* products, at least 1 */
	struct bench_matrix factors[BENCH_CHAIN_LENGTH_MAX + 1]; /* A, B_1, ...; n x n, in [-1, 1) */
	struct bench_matrix result;
	uint64_t seed; /* of the random vectors and rows */
};

/*
 * Up to L n^3 = 2^24: every element against the chain in double. Above that: the first, the
 * last and two other rows against it, and for two vectors x of random signs, X x against
 * alpha^L A (B_1 (... (B_L x))), each row by itself (see gemm_check.h), against
 * tau sqrt(L / 3) n, which is sqrt(sum_j V_L[i][j]) for uniform factors. NaN or infinity in
 * X gives NaN or infinity.
 */
int bench_chain_check(const struct bench_chain_problem *problem, struct bench_check *check,
		      struct bench_error *error);

/* Bytes of scratch that bench_chain_check takes at the most. */
uint64_t bench_chain_check_bytes(uint64_t n);

#endif

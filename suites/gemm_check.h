/* SPDX-License-Identifier: MIT */
/*
 * Is C = s op(A) op(B) + q C0? The check of the gemm suite, apart from its work: pure
 * functions over host arrays.
 */
#ifndef SUITES_GEMM_CHECK_H
#define SUITES_GEMM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/case.h"
#include "kit/reference.h"

/*
 * What T iterations of C = alpha P + beta C leave, P = op(A) op(B), starting at C0:
 * C = product P + start C0. Each iteration errs by at most tau (|alpha| |A| |B| + |beta| |C|),
 * tau the tolerance of one product, and what it erred is multiplied by beta ever after:
 * |error| <= tau (product_error |A| |B| + start_error |C0|).
 */
struct bench_gemm_growth {
	double product, start;
	double product_error, start_error;
};

/*
 * The growth after `iterations`. False if rounding has grown by a factor of 10^4 or the numbers run out of
 * range: C then says nothing any more. That happens after a few iterations for |beta| > 1, and after 140 for
 * |beta| = 1.
 */
bool bench_gemm_grow(double alpha, double beta, uint64_t iterations, struct bench_gemm_growth *growth);

/* C = A B of n x n matrices, without buffers. */
struct bench_gemm bench_gemm_square(enum bench_dtype dtype, size_t n);
/* An n x n matrix in rows of n at `data`. */
struct bench_matrix bench_gemm_matrix(enum bench_dtype dtype, size_t n, const void *data);

struct bench_gemm_problem {
	struct bench_matrix a, b; /* op(A) is m x k, op(B) is k x n */
	struct bench_matrix c;    /* what is to be checked, m x n */
	struct bench_matrix c0;   /* read only where growth.start != 0 */
	struct bench_gemm_growth growth;
	uint64_t seed; /* of the random vectors, rows and columns */
	size_t batch;  /* products of this size that are checked one by one; 0: 1 */
};

/*
 * Up to m n k = 2^24, of all products of a batch: every element against the reference in double.
 *
 * Above that: for two vectors x of random signs, C x against s A (B x) + q C0 x (Freivalds,
 * "Fast probabilistic algorithms", MFCS 1979), row by row. A wrong element of row i appears in (C x)_i
 * undiminished, whatever the signs. The row's rounding errors, with random signs, add up to at most tau sum_k
 * |a_ik| ||b_k||_2. Also, each element of three rows and three columns, including the first and the last,
 * where kernels have edge cases.
 *
 * In half precision the tolerance is that of float, and what one rounding to half may do is taken
 * off each error before: 2^-11 of the element, and of a row's C x three times 2^-11 of the norm of
 * the row (Hoeffding's bound of a sum of random signs). So a kernel that sums in half is seen.
 * Where every iteration rounds what the next one reads (beta not 0), it is 2^-11 of what the error
 * is normalized by.
 *
 * The error is the worst of all, in units of what it is normalized by; NaN or infinity in
 * C gives NaN or infinity.
 */
int bench_gemm_check(const struct bench_gemm_problem *problem, struct bench_check *check,
		     struct bench_error *error);
/* The same of matrices of BENCH_C32. */
int bench_gemm_check_complex(const struct bench_gemm_problem *problem, struct bench_check *check,
			     struct bench_error *error);

/* The same for C = A B of square matrices, in any number of iterations. */
int bench_gemm_check_square(struct bench_matrix a, struct bench_matrix b, struct bench_matrix c,
			    uint64_t seed, struct bench_check *check, struct bench_error *error);

/* Bytes of scratch that bench_gemm_check takes at the most. */
uint64_t bench_gemm_check_bytes(uint64_t m, uint64_t n, uint64_t k);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Errors and tolerances of dense products and elementwise operations. With unit roundoff u, and in any order
 * of additions, the error of a computed sum of k products is |e| <= lambda sqrt(k) u sum |a| |b|, except with
 * a probability of the order of exp(-lambda^2 / 2). Source: Higham and Mary, "A new approach to probabilistic
 * rounding error analysis", SIAM J. Sci. Comput. 41(5), 2019. (The worst-case bound, with k for sqrt(k),
 * would let many wrong kernels pass.) The error used here is |e| / sum |a| |b|. Its tolerance is lambda
 * sqrt(k + 4) u, with lambda = 3, and 4 for alpha, beta and the final rounding. The worst order is a
 * sequential sum in float. It reaches a third of the tolerance on positive data at any k up to 65536, and a
 * ninetieth of it at k = 4096 on our data, which have mean zero.
 *
 * A product of f16 is summed in float and rounded once, by at most 2^-11 of the result, which is no larger
 * than sum |a| |b|: its tolerance is that of float plus 2^-11. For bf16 likewise, with 2^-8. Products of tf32
 * elements are exact in float: the tolerance is that of float.
 */
#ifndef SUITES_DENSE_H
#define SUITES_DENSE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "kit/rng.h"

/* Sizes at and above this are refused: sums of a few of them still fit. */
#define BENCH_DENSE_BYTES_LIMIT ((uint64_t)1 << 60)

/* rows * cols elements in bytes; false where that is BENCH_DENSE_BYTES_LIMIT or more. */
bool bench_dense_bytes(uint64_t rows, uint64_t cols, enum bench_dtype dtype, uint64_t *bytes);

/* 2^-53 for f64, 2^-24 for types that are summed in float: the largest relative error of one rounding. */
double bench_dense_roundoff(enum bench_dtype dtype);
/* The largest relative error of rounding a normal number to the storage of f16 or bf16; 0 for other types. */
double bench_dense_rounding(enum bench_dtype dtype);
/* lambda sqrt(k + 4) u of the type; for f16 and bf16 with the addition above. */
double bench_dense_tolerance(enum bench_dtype dtype, size_t k);
/* |found - expected| / normalizer; 0 / 0 is 0; NaN where `found` is NaN. */
static inline double bench_dense_error(double found, double expected, double normaliser)
{
	double difference = fabs(found - expected);
	return difference == 0 ? 0 : difference / normaliser;
}
/* The larger, and NaN where either is. */
static inline double bench_dense_worse(double a, double b)
{
	return isnan(a) || a >= b ? a : b;
}
/* Random +1 and -1. */
void bench_dense_signs(struct bench_rng *rng, double *x, size_t count);
double *bench_dense_scratch(size_t count, struct bench_error *error); /* zeros; the caller frees them */

#endif

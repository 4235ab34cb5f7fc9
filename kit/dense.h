/*
 * The yardstick of errors in dense products and elementwise operations. A computed sum of k products errs, in
 * any order of additions and with unit roundoff u, by |e| <= lambda sqrt(k) u sum |a| |b|, but for a
 * probability of the order of exp(-lambda^2 / 2): Higham and Mary, "A new approach to probabilistic rounding
 * error analysis", SIAM J. Sci. Comput. 41(5), 2019. (The bound that holds always, with k for sqrt(k), would
 * let many wrong kernels pass.) An error here is |e| / sum |a| |b|, and its tolerance is lambda sqrt(k + 4)
 * u: 4 for what alpha and beta and the final rounding add, and lambda = 3. A kernel that adds in sequence in
 * float, the worst order there is, then reaches a third of the tolerance on positive data at any k up to
 * 65536, and a ninetieth of it at k = 4096 on our data, which has mean zero.
 *
 * A product of f16 is summed in float and rounded once, by at most 2^-11 of the result, which
 * is no larger than sum |a| |b|: its tolerance is that of float and 2^-11. Of bf16 likewise, with 2^-8. The
 * elements of tf32 are such that their products are exact in float: its tolerance is that of float.
 */
#ifndef SUITES_DENSE_H
#define SUITES_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "kit/rng.h"

/* Sizes at and above this are refused: sums of a few of them still fit. */
#define BENCH_DENSE_BYTES_LIMIT ((uint64_t)1 << 60)

/* rows * cols elements in bytes; false where that is BENCH_DENSE_BYTES_LIMIT or more. */
bool bench_dense_bytes(uint64_t rows, uint64_t cols, enum bench_dtype dtype, uint64_t *bytes);

/* 2^-53 for f64, 2^-24 for what is summed in float: what one rounding to nearest errs at the most. */
double bench_dense_roundoff(enum bench_dtype dtype);
/* What one rounding to the storage of f16 or bf16 errs at the most, of a normal number; 0 of what is not
 * shortened. */
double bench_dense_rounding(enum bench_dtype dtype);
/* lambda sqrt(k + 4) u of the type; of f16 and bf16, as said above. */
double bench_dense_tolerance(enum bench_dtype dtype, size_t k);
/* |found - expected| / normaliser; 0 / 0 is 0; NaN where `found` is NaN. */
double bench_dense_error(double found, double expected, double normaliser);
/* The larger, and NaN where either is. */
double bench_dense_worse(double a, double b);
/* Random +1 and -1. */
void bench_dense_signs(struct bench_rng *rng, double *x, size_t count);
double *bench_dense_scratch(size_t count, struct bench_error *error); /* zeros; the caller frees them */

#endif

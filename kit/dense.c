/* SPDX-License-Identifier: MIT */
#include "kit/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kit/half.h"

bool bench_dense_bytes(uint64_t rows, uint64_t cols, enum bench_dtype dtype, uint64_t *bytes)
{
	return !__builtin_mul_overflow(rows, cols, bytes) &&
	       !__builtin_mul_overflow(*bytes, (uint64_t)bench_dtype_bytes(dtype), bytes) &&
	       *bytes < BENCH_DENSE_BYTES_LIMIT;
}

double bench_dense_roundoff(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
}

double bench_dense_rounding(enum bench_dtype dtype)
{
	return dtype == BENCH_F16 ? BENCH_HALF_ROUNDOFF : dtype == BENCH_BF16 ? BENCH_BFLOAT_ROUNDOFF : 0;
}

double bench_dense_tolerance(enum bench_dtype dtype, size_t k)
{
	return 3 * sqrt((double)k + 4) * bench_dense_roundoff(dtype) + bench_dense_rounding(dtype);
}

void bench_dense_signs(struct bench_rng *rng, double *x, size_t count)
{
	for (size_t i = 0; i < count; i++)
		x[i] = bench_rng_u32(rng) & 1 ? 1 : -1;
}

double *bench_dense_scratch(size_t count, struct bench_error *error)
{
	double *scratch = calloc(count, sizeof(*scratch));
	if (!scratch)
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for %zu numbers of a check", count);
	return scratch;
}

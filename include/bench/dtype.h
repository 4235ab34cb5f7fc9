/* SPDX-License-Identifier: MIT */
/* Types of the elements of matrices and vectors. */
#ifndef BENCH_DTYPE_H
#define BENCH_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

enum bench_dtype {
	BENCH_F32,
	BENCH_F64,
	/* What follows is for matrix products and convolutions alone, whose sums are in single precision
	   whatever the elements are. */
	BENCH_F16,  /* IEEE binary16 */
	BENCH_BF16, /* bfloat16: the upper half of a float */
	BENCH_TF32, /* a float, of which the lower 13 bits are 0 in A and B; a product may take them for 0 */
	BENCH_C32,  /* complex: the real part and the imaginary part, a float each; for matrix products alone
		     */
	BENCH_DTYPES
};

/* Is the type one that every operation takes? */
static inline bool bench_dtype_is_plain(enum bench_dtype dtype)
{
	return dtype == BENCH_F32 || dtype == BENCH_F64;
}

/* Bytes of one element. */
static inline size_t bench_dtype_bytes(enum bench_dtype dtype)
{
	switch (dtype) {
	case BENCH_F64:
	case BENCH_C32:
		return 8;
	case BENCH_F16:
	case BENCH_BF16:
		return 2;
	default:
		return 4;
	}
}

#endif

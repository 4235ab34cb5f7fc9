/* Types of the elements of matrices and vectors. */
#ifndef BENCH_DTYPE_H
#define BENCH_DTYPE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_dtype {
	BENCH_F32,
	BENCH_F64,
	BENCH_F16, /* IEEE binary16, as a type of storage: arithmetic on it is done in single precision */
};

/* Bytes of one element. */
static inline size_t bench_dtype_bytes(enum bench_dtype dtype)
{
	switch (dtype) {
	case BENCH_F64:
		return 8;
	case BENCH_F16:
		return 2;
	default:
		return 4;
	}
}

#ifdef __cplusplus
}
#endif
#endif

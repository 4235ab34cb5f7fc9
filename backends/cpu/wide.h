/* SPDX-License-Identifier: MIT */
/*
 * Includes the file LOOPS for both types and each width of vectors that a CPU may have, with
 *
 *   REAL        the type, float or double, and WIDE, whether it is double
 *   OF_TYPE(x)  x_f32 or x_f64
 *   BYTES       of a vector
 *   NAME(x)     x_f32_avx2: what LOOPS calls its functions, and NAME(loops), a constant struct loops of them
 *   ATTRIBUTES  of each function, which let the compiler use such vectors
 *
 * The program is built for any CPU of its architecture: wide_loops gives the loops for this one. The file
 * that includes this one has defined LOOPS and struct loops.
 */
#include <stdbool.h>

#include "bench/dtype.h"

#define ATTRIBUTES
#define BYTES      16
#define WIDE       0
#define REAL       float
#define OF_TYPE(x) x##_f32
#define NAME(x)    x##_f32
#include LOOPS
#undef WIDE
#undef REAL
#undef OF_TYPE
#undef NAME
#define WIDE       1
#define REAL       double
#define OF_TYPE(x) x##_f64
#define NAME(x)    x##_f64
#include LOOPS
#undef ATTRIBUTES
#undef BYTES
#undef NAME
#if defined(__x86_64__)
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#define BYTES      32
#define NAME(x)    x##_f64_avx2
#include LOOPS
#undef WIDE
#undef REAL
#undef OF_TYPE
#undef NAME
#define WIDE       0
#define REAL       float
#define OF_TYPE(x) x##_f32
#define NAME(x)    x##_f32_avx2
#include LOOPS
#undef ATTRIBUTES
#undef BYTES
#undef NAME
#define ATTRIBUTES __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define BYTES      64
#define NAME(x)    x##_f32_avx512
#include LOOPS
#undef WIDE
#undef REAL
#undef OF_TYPE
#undef NAME
#define WIDE       1
#define REAL       double
#define OF_TYPE(x) x##_f64
#define NAME(x)    x##_f64_avx512
#include LOOPS
#endif

static const struct loops *wide_loops(enum bench_dtype dtype)
{
	bool wide = dtype == BENCH_F64;
#if defined(__x86_64__)
	if (bench_cpu_vector_bits() == 512)
		return wide ? &loops_f64_avx512 : &loops_f32_avx512;
	if (bench_cpu_vector_bits() == 256)
		return wide ? &loops_f64_avx2 : &loops_f32_avx2;
#endif
	return wide ? &loops_f64 : &loops_f32;
}

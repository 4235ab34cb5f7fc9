/* SPDX-License-Identifier: MIT */
/*
 * How a warp writes its sums to C by way of local memory, for kernels that include gemm_tensor.cl before. With ALIGNED
 * rows of C lie at multiples of 16 bytes, and VECTOR elements are written at once (f64: one).
 */
#if !ALIGNED || TYPE == 4
#define VECTOR 1
#define SOME REAL
#define PUT_SOME(value, p) PUT(value, p, 0)
#else
#define VECTOR 4
#define SOME float4
#if TYPE == 3
#define PUT_SOME(value, p) *(__global float4 *)(p) = (value)
#elif TYPE == 2
#define PUT_SOME(value, p)                                                                                           \
	*(__global uint2 *)(p) = (uint2)(round_upper((value).x) >> 16 | (round_upper((value).y) & 0xffff0000),       \
					 round_upper((value).z) >> 16 | (round_upper((value).w) & 0xffff0000))
#else
#define PUT_SOME(value, p) vstorea_half4_rte(value, 0, p)
#endif
#endif

/*
 * Sums of a warp, as they lie in registers, are parts of many lines of C. By way of local memory, neighbors write
 * neighbors: a warp's part of eight rows, of `width` sums each, to C from `column` on. sums: the first row, at a multiple
 * of 16 bytes, the others `pitch` after each other; row: where it goes, the others `apart`; bias: of the first column of
 * C, if there is one.
 */
static inline void write_sums(__global ELEMENT *restrict c, ulong ldc, __local const REAL *sums, uint pitch, uint width,
			      uint lane, uint row, uint apart, uint m, uint column, uint n, REAL alpha, REAL beta,
			      __global const ELEMENT *restrict bias)
{
#pragma unroll
	for (uint v = 0; v < 8 * width / VECTOR / 32; v++) {
		const uint place = (v * 32 + lane) * VECTOR, to_row = row + place / width * apart, at = column + place % width;
		if (!EXACT && (to_row >= m || at >= n))
			continue;
		__global ELEMENT *to = c + to_row * ldc + at;
		SOME some = alpha * *(__local const SOME *)(sums + place / width * pitch + place % width);
		REAL *values = (REAL *)&some;
#pragma unroll
		for (uint e = 0; e < VECTOR; e++)
			if (EXACT || e == 0 || at + e < n) {
				if (beta != 0)
					values[e] += beta * GET(to, e);
				values[e] = finish(values[e], BIAS ? GET(bias, at + e) : 0);
			}
		if (EXACT || at + VECTOR <= n) {
			PUT_SOME(some, to);
			continue;
		}
		for (uint e = 0; e < VECTOR - 1; e++)
			if (at + e < n)
				PUT(values[e], to, e);
	}
}

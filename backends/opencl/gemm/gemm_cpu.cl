/* SPDX-License-Identifier: MIT */
/*
 * GEMM for CPU devices: one work-item a tile of C, MR rows by NR columns that stay in
 * registers throughout.
 *
 * The scheme is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (ACM TOMS
 * 34(3), 2008): a slice of the reduction is packed into panels of MR rows of op(A) and NR columns of op(B), so
 * that the inner loop reads both with unit stride. Panels are padded with zeros: only the code that writes C
 * handles edges. Small problems do without packing (gemm_cpu_direct.cl). Of a batch every product has its own
 * work-items.
 *
 * With HALF elements are stored in 16 bits and computed with as float: packing widens them,
 * and C is rounded once, when the last slice is added to the float sums of those before it.
 */
#include "real.cl"
#ifndef LANES /* elements of a vector */
#define LANES 16
#endif
#ifndef MR /* with two vectors a row, as many rows as the registers hold */
#define MR 14
#endif
#ifndef WIDE /* vectors of a row of a tile */
#define WIDE 2
#endif
#define NR (WIDE * LANES)
#ifndef TOGETHER /* panels of op(B) that a work-item packs: it reads that much more of each row */
#define TOGETHER 4
#endif
#ifndef EXACT /* 1: n is a multiple of NR, so that no column needs care; MR divides no power of two, so rows do */
#define EXACT 0
#endif
#ifndef WASTE_PERCENT /* share of the steps that is done twice: a slower kernel, for tests of the gate */
#define WASTE_PERCENT 0
#endif

/* Steps ahead of which a packed panel of B is fetched, which the first-level cache is too small for. */
#define AHEAD 16
#include "gemm_vectors.cl"

#define END VECTOR
#define OWN_GELU 1
#include "gemm_end.cl"

/* sum += rows 0..MR-1 of a times columns 0..NR-1 of b; element (i, s) of a is a[i * a_row + s * a_step]. */
static inline void add_product(VECTOR sum[MR][WIDE], __global const REAL *restrict a, ulong a_row, ulong a_step,
			       __global const REAL *restrict b, ulong b_step, uint steps)
{
	for (uint s = 0; s < steps; s++) {
		VECTOR bs[WIDE];
		PREFETCH(a + AHEAD * a_step);
#pragma unroll
		for (uint j = 0; j < WIDE; j++) {
			bs[j] = FETCH(j, b);
			PREFETCH(b + AHEAD * b_step + j * LANES);
		}
#pragma unroll
		for (uint i = 0; i < MR; i++) {
			VECTOR ai = a[i * a_row];
#pragma unroll
			for (uint j = 0; j < WIDE; j++)
				sum[i][j] += ai * bs[j];
		}
		a += a_step;
		b += b_step;
	}
}

/* sum = the product, as above. */
static inline void multiply(VECTOR sum[MR][WIDE], __global const REAL *restrict a, ulong a_row, ulong a_step,
			    __global const REAL *restrict b, ulong b_step, uint steps)
{
#pragma unroll
	for (uint i = 0; i < MR; i++)
#pragma unroll
		for (uint j = 0; j < WIDE; j++)
			sum[i][j] = 0;
#if WASTE_PERCENT
	add_product(sum, a, a_row, a_step, b, b_step, steps * WASTE_PERCENT / 100);
	/* Back to zero, in a way that no compiler sees through: a NaN stays, and is in the product anyway. */
#pragma unroll
	for (uint i = 0; i < MR; i++)
#pragma unroll
		for (uint j = 0; j < WIDE; j++)
			sum[i][j] = select(sum[i][j], (VECTOR)(0), isequal(sum[i][j], sum[i][j]));
#endif
	add_product(sum, a, a_row, a_step, b, b_step, steps);
}

#if BIAS
#define BIAS_AT(column) bias + (column)
#else
#define BIAS_AT(column) 0
#endif

/*
 * C = alpha sum + beta C, and the end of it, in the first rows and columns of a tile. `bias` is the bias of the
 * tile's columns, or NULL.
 */
static inline void write(__global STORED *restrict c, ulong ldc, VECTOR sum[MR][WIDE], REAL alpha, REAL beta,
			 __global const STORED *restrict bias, uint rows, uint columns)
{
	bool whole = EXACT || columns == NR;
	VECTOR biases[WIDE];
#if BIAS
	REAL values[NR];
	for (uint j = 0; j < NR; j++)
		values[j] = EXACT || j < columns ? GET(bias, j) : 0;
#endif
#pragma unroll
	for (uint j = 0; j < WIDE; j++)
#if BIAS
		biases[j] = LOAD(j, values);
#else
		biases[j] = 0;
#endif
#pragma unroll
	for (uint i = 0; i < MR; i++) {
		__global STORED *row = c + i * ldc;
		if (i < rows && whole) {
#pragma unroll
			for (uint j = 0; j < WIDE; j++) {
				VECTOR value = alpha * sum[i][j];
				if (beta != 0)
					value += beta * GET_VECTOR(j, row);
				PUT_VECTOR(finish(value, biases[j]), j, row);
			}
		} else if (i < rows) {
			REAL line[NR];
			for (uint j = 0; j < NR; j++)
				line[j] = beta != 0 && j < columns ? beta * GET(row, j) : 0;
#pragma unroll
			for (uint j = 0; j < WIDE; j++)
				STORE(finish(alpha * sum[i][j] + LOAD(j, line), biases[j]), j, line);
			for (uint j = 0; j < columns; j++)
				PUT(line[j], row, j);
		}
	}
}

/*
 * DEFINE_PACK(name, width): one panel, step by step `width` lanes. Lane i of step s is
 * x[i * lane_stride + s * step_stride], of which one stride is 1; lanes from `lanes` on are 0. Where
 * the steps are neighbors, LANES of them are transposed in registers, and written in whole vectors in
 * ascending order: what the last one of a step has too many is overwritten by the step after. So the last steps
 * go one by one.
 */
#define BLOCKS(width) ((width + LANES - 1) / LANES)
#define UNROLLED _Pragma("unroll") for
#define DEFINE_PACK(name, width)                                                                          \
	static inline void name(__global const STORED *restrict x, ulong lane_stride, ulong step_stride,  \
				uint lanes, uint steps, __global REAL *restrict out)                      \
	{                                                                                                 \
		uint s = 0;                                                                               \
		if (lanes == width && lane_stride == 1) {                                                 \
			for (; s < steps; s++)                                                            \
				for (uint i = 0; i < width; i++)                                          \
					out[(ulong)s * width + i] = GET(x, i + s * step_stride);          \
		} else if (lanes == width) {                                                              \
			for (; s + LANES < steps; s += LANES) {                                           \
				VECTOR v[BLOCKS(width)][LANES];                                           \
				UNROLLED (uint b = 0; b < BLOCKS(width); b++) {                           \
					UNROLLED (uint i = 0; i < LANES; i++)                             \
						v[b][i] = b * LANES + i < width                           \
							? GET_VECTOR(0, x + (b * LANES + i) * lane_stride + s) \
							: (VECTOR)0;                                      \
					transpose(v[b]);                                                  \
				}                                                                         \
				UNROLLED (uint t = 0; t < LANES; t++)                                     \
					UNROLLED (uint b = 0; b < BLOCKS(width); b++)                     \
						KEEP(v[b][t], b, out + (ulong)(s + t) * width);           \
			}                                                                                 \
		}                                                                                         \
		for (; s < steps; s++)                                                                    \
			for (uint i = 0; i < width; i++)                                                  \
				out[(ulong)s * width + i] =                                               \
					i < lanes ? GET(x, i * lane_stride + s * step_stride) : 0;        \
	}
DEFINE_PACK(pack_a, MR)
DEFINE_PACK(pack_b, NR)

/* TOGETHER neighboring panels of an op(B) that is stored by rows, as `pack_b` packs each. */
static inline void pack_rows(__global const STORED *restrict x, ulong step_stride, uint steps,
			     __global REAL *restrict out)
{
	for (uint s = 0; s < steps; s++, x += step_stride)
#pragma unroll
		for (uint p = 0; p < TOGETHER; p++) {
			__global REAL *to = out + ((ulong)p * steps + s) * NR;
			KEEP(GET_VECTOR(2 * p, x), 0, to);
			KEEP(GET_VECTOR(2 * p + 1, x), 1, to);
		}
}

/*
 * Work-items 0..panels_a-1 pack op(A), the rest TOGETHER panels of op(B) each; the second dimension runs over the
 * products of a batch. `a` and `b` of the first product start at element `first_a` and
 * `first_b`, where the slice of `steps` steps starts.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_pack(__global const STORED *restrict a, ulong first_a, ulong a_row, ulong a_step, ulong stride_a,
	  __global const STORED *restrict b, ulong first_b, ulong b_column, ulong b_step, ulong stride_b,
	  __global REAL *restrict packed_a, __global REAL *restrict packed_b, uint m, uint n, uint panels_a,
	  uint panels_b, uint steps)
{
	const uint p = (uint)get_global_id(0);
	const ulong product = get_global_id(1);
	if (p < panels_a) {
		uint row = p * MR;
		pack_a(a + first_a + product * stride_a + row * a_row, a_row, a_step, min((uint)MR, m - row),
		       steps, packed_a + (product * panels_a + p) * MR * steps);
		return;
	}
	const uint first = (p - panels_a) * TOGETHER, end = min(first + TOGETHER, panels_b);
	b += first_b + product * stride_b;
	packed_b += product * panels_b * NR * steps;
	if (b_column == 1 && (first + TOGETHER) * NR <= n) {
		pack_rows(b + first * NR, b_step, steps, packed_b + (ulong)first * NR * steps);
		return;
	}
	for (uint panel = first; panel < end; panel++) {
		const uint column = panel * NR;
		pack_b(b + column * b_column, b_column, b_step, EXACT ? NR : min((uint)NR, n - column), steps,
		       packed_b + (ulong)panel * NR * steps);
	}
}

/*
 * One slice of packed panels. The first dimension runs over the panels of op(A) of one block. They stay in the
 * second-level cache while the panels of op(B), the second dimension, pass by. The third runs over the `blocks`
 * of every product.
 *
 * HALF: `partial` holds alpha times the sums of the slices before this one, whole panels of
 * them, unless there are none.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_tile(__global const REAL *restrict packed_a, __global const REAL *restrict packed_b,
	  __global STORED *restrict c, ulong first_c, ulong ldc, ulong stride_c, uint m, uint n, uint steps,
	  uint blocks, REAL alpha, REAL beta
#if HALF
	  ,
	  __global const REAL *restrict partial, uint partials
#endif
#if BIAS
	  ,
	  __global const STORED *restrict bias
#endif
)
{
	const ulong product = get_global_id(2) / blocks, block = get_global_id(2) - product * blocks;
	const ulong panels_a = (m + MR - 1) / MR, panels_b = get_global_size(1);
	const ulong panel = get_global_id(0) + block * get_global_size(0);
	const ulong row = panel * MR, column = get_global_id(1) * NR;
	if (row >= m)
		return;
	VECTOR sum[MR][WIDE];
	multiply(sum, packed_a + (product * panels_a * MR + row) * steps, 1, MR,
		 packed_b + (product * panels_b * NR + column) * steps, NR, steps);
#if HALF
	if (partials) {
		__global const REAL *before = partial + ((product * panels_a * MR + row) * panels_b) * NR + column;
#pragma unroll
		for (uint i = 0; i < MR; i++)
#pragma unroll
			for (uint j = 0; j < WIDE; j++)
				sum[i][j] = alpha * sum[i][j] + LOAD(j, before + i * panels_b * NR);
		alpha = 1;
	}
#endif
	write(c + first_c + product * stride_c + row * ldc + column, ldc, sum, alpha, beta, BIAS_AT(column),
	      min((uint)MR, m - (uint)row), EXACT ? NR : min((uint)NR, n - (uint)column));
}

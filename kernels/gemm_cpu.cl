/*
 * GEMM for CPU devices: one work-item a tile of C, MR rows by NR columns that stay in
 * registers throughout.
 *
 * The scheme is that of Goto and van de Geijn, "Anatomy of high-performance matrix
 * multiplication" (ACM TOMS 34(3), 2008): a slice of the reduction is packed into panels
 * of MR rows of op(A) and NR columns of op(B), so that the inner loop reads both with
 * unit stride. Panels are padded with zeros: only the writing of C knows of edges.
 * Small problems do without packing (gemm_direct).
 */
#ifndef REAL
#define REAL float
#endif
#ifndef LANES /* elements of a vector */
#define LANES 16
#endif
#ifndef MR /* with two vectors a row, as many rows as the registers hold */
#define MR 14
#endif
#define NR (2 * LANES)
#ifndef DIRECT /* 1: the kernel for small problems, else those for packed slices */
#define DIRECT 0
#endif
#ifndef WASTE_PERCENT /* share of the steps that is done twice: a slower kernel, for tests of the gate */
#define WASTE_PERCENT 0
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define VECTOR PASTE(REAL, LANES)
#define LOAD PASTE(vload, LANES)
#define STORE PASTE(vstore, LANES)

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* sum += rows 0..MR-1 of a times columns 0..NR-1 of b; element (i, s) of a is a[i * a_row + s * a_step]. */
static inline void add_product(VECTOR sum[MR][2], __global const REAL *restrict a, ulong a_row, ulong a_step,
			       __global const REAL *restrict b, ulong b_step, uint steps)
{
	for (uint s = 0; s < steps; s++) {
		VECTOR b0 = LOAD(0, b), b1 = LOAD(1, b);
#pragma unroll
		for (uint i = 0; i < MR; i++) {
			VECTOR ai = a[i * a_row];
			sum[i][0] += ai * b0;
			sum[i][1] += ai * b1;
		}
		a += a_step;
		b += b_step;
	}
}

/* sum = the product, as above. */
static inline void multiply(VECTOR sum[MR][2], __global const REAL *restrict a, ulong a_row, ulong a_step,
			    __global const REAL *restrict b, ulong b_step, uint steps)
{
#pragma unroll
	for (uint i = 0; i < MR; i++)
		sum[i][0] = sum[i][1] = 0;
#if WASTE_PERCENT
	add_product(sum, a, a_row, a_step, b, b_step, steps * WASTE_PERCENT / 100);
	/* Back to zero, in a way that no compiler sees through: a NaN stays, and is in the product anyway. */
#pragma unroll
	for (uint i = 0; i < MR; i++) {
		sum[i][0] = select(sum[i][0], (VECTOR)(0), isequal(sum[i][0], sum[i][0]));
		sum[i][1] = select(sum[i][1], (VECTOR)(0), isequal(sum[i][1], sum[i][1]));
	}
#endif
	add_product(sum, a, a_row, a_step, b, b_step, steps);
}

/* Rows first_row.. and columns first_column.. (the ends exclusive) of C = alpha sum + beta C. */
static inline void write(__global REAL *restrict c, ulong ldc, VECTOR sum[MR][2], REAL alpha, REAL beta,
			 uint first_row, uint end_row, uint first_column, uint end_column)
{
	bool whole = first_column == 0 && end_column == NR;
#pragma unroll
	for (uint i = 0; i < MR; i++) {
		VECTOR left = alpha * sum[i][0], right = alpha * sum[i][1];
		__global REAL *row = c + i * ldc;
		if (i >= first_row && i < end_row && whole) {
			if (beta != 0) {
				left += beta * LOAD(0, row);
				right += beta * LOAD(1, row);
			}
			STORE(left, 0, row);
			STORE(right, 1, row);
		} else if (i >= first_row && i < end_row) {
			REAL line[NR];
			STORE(left, 0, line);
			STORE(right, 1, line);
			for (uint j = first_column; j < end_column; j++)
				row[j] = beta != 0 ? line[j] + beta * row[j] : line[j];
		}
	}
}

#if DIRECT

/*
 * The whole product without packing, for m >= MR, n >= NR and an op(B) that is stored by
 * rows. Tiles at the lower and right edge move in so that they are whole, and write only
 * what the tiles before them do not.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_direct(__global const REAL *restrict a, ulong a_row, ulong a_step, __global const REAL *restrict b,
	    ulong ldb, __global REAL *restrict c, ulong ldc, uint m, uint n, uint steps, REAL alpha, REAL beta)
{
	uint own_row = (uint)get_global_id(0) * MR, own_column = (uint)get_global_id(1) * NR;
	uint row = min(own_row, m - MR), column = min(own_column, n - NR);
	VECTOR sum[MR][2];
	multiply(sum, a + row * a_row, a_row, a_step, b + column, ldb, steps);
	write(c + row * ldc + column, ldc, sum, alpha, beta, own_row - row, MR, own_column - column, NR);
}

#else

/*
 * DEFINE_PACK(name, width): one panel, step by step `width` lanes. Lane i of step s is
 * x[i * lane_stride + s * step_stride], of which one stride is 1; lanes from `lanes` on are 0.
 */
#define DEFINE_PACK(name, width)                                                                   \
	static inline void name(__global const REAL *restrict x, ulong lane_stride, ulong step_stride, \
				uint lanes, uint steps, __global REAL *restrict out)               \
	{                                                                                          \
		if (lanes < width) {                                                               \
			for (uint s = 0; s < steps; s++)                                           \
				for (uint i = 0; i < width; i++)                                   \
					out[(ulong)s * width + i] =                                \
						i < lanes ? x[i * lane_stride + s * step_stride] : 0; \
		} else if (lane_stride == 1) {                                                     \
			for (uint s = 0; s < steps; s++)                                           \
				for (uint i = 0; i < width; i++)                                   \
					out[(ulong)s * width + i] = x[i + s * step_stride];        \
		} else {                                                                           \
			for (uint s = 0; s < steps; s++)                                           \
				for (uint i = 0; i < width; i++)                                   \
					out[(ulong)s * width + i] = x[i * lane_stride + s];        \
		}                                                                                  \
	}
DEFINE_PACK(pack_a, MR)
DEFINE_PACK(pack_b, NR)

/*
 * Work-items 0..panels_a-1 pack op(A), the rest op(B). `a` and `b` start at element `first_a`
 * and `first_b`, where the slice of `steps` steps starts.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_pack(__global const REAL *restrict a, ulong first_a, ulong a_row, ulong a_step,
	  __global const REAL *restrict b, ulong first_b, ulong b_column, ulong b_step,
	  __global REAL *restrict packed_a, __global REAL *restrict packed_b, uint m, uint n, uint panels_a,
	  uint steps)
{
	uint p = (uint)get_global_id(0);
	if (p < panels_a) {
		uint row = p * MR;
		pack_a(a + first_a + row * a_row, a_row, a_step, min((uint)MR, m - row), steps,
		       packed_a + (ulong)row * steps);
	} else {
		uint column = (p - panels_a) * NR;
		pack_b(b + first_b + column * b_column, b_column, b_step, min((uint)NR, n - column), steps,
		       packed_b + (ulong)column * steps);
	}
}

/*
 * One slice of packed panels. The first dimension runs over the panels of op(A) of one
 * block, which stay in the second-level cache while the panels of op(B) (second
 * dimension) pass by; the third runs over the blocks.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_tile(__global const REAL *restrict packed_a, __global const REAL *restrict packed_b,
	  __global REAL *restrict c, ulong ldc, uint m, uint n, uint steps, REAL alpha, REAL beta)
{
	ulong row = (get_global_id(0) + get_global_id(2) * get_global_size(0)) * MR;
	ulong column = get_global_id(1) * NR;
	if (row >= m)
		return;
	VECTOR sum[MR][2];
	multiply(sum, packed_a + row * steps, 1, MR, packed_b + column * steps, NR, steps);
	write(c + row * ldc + column, ldc, sum, alpha, beta, 0, min((uint)MR, m - (uint)row), 0,
	      min((uint)NR, n - (uint)column));
}

#endif

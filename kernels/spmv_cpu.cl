/*
 * Sparse matrix times vector on CPU devices: a work-item takes rows that follow each other,
 * one after another, as a thread would, so that the matrix is read from start to end.
 *
 * LANES == 1 sums a row term by term; more sum it in as many partial sums, which become the
 * lanes of a vector, and the rest term by term.
 */
#ifndef REAL
#define REAL float
#endif
#ifndef LANES /* 1, or a power of two */
#define LANES 1
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

static inline REAL sum_row(__global const uint *restrict columns, __global const REAL *restrict values,
			   __global const REAL *restrict x, uint k, uint end)
{
	REAL sum = 0;
#if LANES > 1
	if (end - k >= LANES) {
		REAL partial[LANES];
#pragma unroll
		for (uint lane = 0; lane < LANES; lane++)
			partial[lane] = 0;
		for (; end - k >= LANES; k += LANES)
#pragma unroll
			for (uint lane = 0; lane < LANES; lane++)
				partial[lane] += values[k + lane] * x[columns[k + lane]];
#pragma unroll
		for (uint lane = 0; lane < LANES; lane++)
			sum += partial[lane];
	}
#endif
	for (; k < end; k++)
		sum += values[k] * x[columns[k]];
	return sum;
}

/* Rows are counted in size_t: in uint, PoCL 3.1 takes half as long again for some of the callers. */
static inline void multiply_rows(__global const uint *restrict offsets, __global const uint *restrict columns,
				 __global const REAL *restrict values, __global const REAL *restrict x,
				 __global REAL *restrict y, uint first, uint count)
{
	for (size_t row = first, end = (size_t)first + count; row < end; row++)
		y[row] = sum_row(columns, values, x, offsets[row], offsets[row + 1]);
}

/* `span` rows to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_spans(__global const uint *restrict offsets, __global const uint *restrict columns,
	   __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	   uint rows, uint span)
{
	uint first = (uint)get_global_id(0) * span;
	multiply_rows(offsets, columns, values, x, y, first, min(span, rows - first));
}

/* A block to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_blocks(__global const uint *restrict offsets, __global const uint *restrict columns,
	    __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	    __global const uint *restrict blocks)
{
	uint block = (uint)get_global_id(0), first = blocks[block];
	multiply_rows(offsets, columns, values, x, y, first, blocks[block + 1] - first);
}

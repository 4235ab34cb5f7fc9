/*
 * Two operations on vectors in one pass, an element to a work-item: what would be written
 * to memory between them stays in a register. And the bias of a layer.
 */
#ifndef REAL
#define REAL float
#endif
#ifndef CHAIN /* add_relu, mul_relu or affine */
#define CHAIN affine
#define INPUTS 3
#endif
#ifndef INPUTS /* vectors that CHAIN reads: 2, of affine 3 */
#define INPUTS 2
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define add_relu(a, b) max((a) + (b), (REAL)0)
#define mul_relu(a, b) max((a) * (b), (REAL)0)
#define affine(a, b, c) ((a) * (b) + (c))

#if INPUTS == 3
__kernel void fused(__global const REAL *a, __global const REAL *b, __global const REAL *c,
		    __global REAL *restrict d, ulong count)
{
	const ulong i = get_global_id(0);
	if (i < count)
		d[i] = CHAIN(a[i], b[i], c[i]);
}
#else
__kernel void fused(__global const REAL *a, __global const REAL *b, __global REAL *restrict d, ulong count)
{
	const ulong i = get_global_id(0);
	if (i < count)
		d[i] = CHAIN(a[i], b[i]);
}
#endif

/* The second dimension is the row: no division to find the column. */
__kernel void bias_add(__global const REAL *a, __global const REAL *bias, __global REAL *restrict c, ulong cols)
{
	const ulong column = get_global_id(0), i = get_global_id(1) * cols + column;
	if (column < cols)
		c[i] = a[i] + bias[column];
}

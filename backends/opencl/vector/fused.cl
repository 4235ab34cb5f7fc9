/* SPDX-License-Identifier: MIT */
/*
 * Two operations on vectors in one pass: what would be written to memory between them stays in
 * a register. WIDTH neighbors to a work-item, as one vector, in the manner of elementwise.cl,
 * which says why. And the bias of a layer.
 */
#ifndef CHAIN /* add_relu, mul_relu or affine */
#define CHAIN affine
#define INPUTS 3
#endif
#ifndef INPUTS /* vectors that CHAIN reads: 2, of affine 3 */
#define INPUTS 2
#endif

#include "vector.cl"

/* a, b and c are elements, or vectors of them. */
#define add_relu(a, b, c) max((a) + (b), (REAL)0)
#define mul_relu(a, b, c) max((a) * (b), (REAL)0)
#define affine(a, b, c) ((a) * (b) + (c))

/* Element or vector `i`; of the third input, 0 where the chain has none. */
#define AT(type, vector, i) (((__global const type *)(vector))[i])
#if INPUTS == 3
#define THIRD(type, i) AT(type, c, i)
#else
#define THIRD(type, i) 0
#endif

__kernel void fused(__global const REAL *a, __global const REAL *b,
#if INPUTS == 3
		    __global const REAL *c,
#endif
		    __global REAL *restrict d, ulong count)
{
	const ulong item = get_global_id(0), first = item * WIDTH;
	if (first + WIDTH <= count)
		PUT(CHAIN(AT(VECTOR, a, item), AT(VECTOR, b, item), THIRD(VECTOR, item)),
		    (__global VECTOR *)d + item);
#if WIDTH > 1
	else
		for (ulong i = first; i < count; i++)
			d[i] = CHAIN(a[i], b[i], THIRD(REAL, i));
#endif
}

/* The second dimension is the row: no division to find the column. */
__kernel void bias_add(__global const REAL *a, __global const REAL *bias, __global REAL *restrict c, ulong cols)
{
	const ulong column = get_global_id(0), i = get_global_id(1) * cols + column;
	if (column < cols)
		c[i] = a[i] + bias[column];
}

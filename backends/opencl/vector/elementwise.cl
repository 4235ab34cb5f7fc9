/* SPDX-License-Identifier: MIT */
/*
 * c = a + b or c = a * b, element by element: WIDTH neighbors to a work-item, as one
 * vector. The last work-item handles what is left of them one by one; those beyond, with
 * which the launch fills its last group, find nothing to do.
 *
 * Vectors are read through a pointer to the vector type rather than by vload, which
 * promises the alignment of an element alone and so may become WIDTH loads. Buffers start
 * at a multiple of the largest vector.
 */
#ifndef OP /* + or * */
#define OP +
#endif

#include "buffer.cl"
#include "vector.cl"

__kernel void elementwise(TAKES(const REAL *, a), TAKES(const REAL *, b), TAKES(REAL *restrict, c), ulong count)
{
	OPEN(const REAL *, a);
	OPEN(const REAL *, b);
	OPEN(REAL *restrict, c);
	const ulong item = get_global_id(0), first = item * WIDTH;
	if (first + WIDTH <= count)
		PUT(((__global const VECTOR *)a)[item] OP((__global const VECTOR *)b)[item],
		    (__global VECTOR *)c + item);
#if WIDTH > 1 /* a loop, even one that never runs, keeps some compilers from vectorizing over work-items */
	else
		for (ulong i = first; i < count; i++)
			c[i] = a[i] OP b[i];
#endif
}

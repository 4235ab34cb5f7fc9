/* SPDX-License-Identifier: MIT */
/*
 * c = f(a), element by element, f being relu, gelu or gelu_tanh: WIDTH neighbors to a
 * work-item, as one vector, in the manner of elementwise.cl, which says why.
 *
 * With OWN_GELU gelu and gelu_tanh come from gelu.cl. Else they take the device's erf and tanh, within 16 and 5
 * units in the last place (OpenCL C 1.2, 7.4). gelu_tanh: Hendrycks and Gimpel, "Gaussian error linear units",
 * 2016.
 */
#ifndef FUNCTION /* relu, gelu or gelu_tanh */
#define FUNCTION relu
#endif

#ifndef OWN_GELU
#define OWN_GELU 0
#endif

#include "buffer.cl"
#include "vector.cl"

/* x is an element or a vector of them. */
#define relu(x) max(x, (REAL)0)
#if OWN_GELU
#include "gelu.cl"
DEFINE_GELU()
#if WIDTH > 1
DEFINE_GELU(WIDTH)
#endif
#define gelu own_gelu
#define gelu_tanh own_gelu_tanh
#else
#define gelu(x) ((REAL)0.5 * (x) * ((REAL)1 + erf((REAL)0.70710678118654752440 * (x))))
#define gelu_tanh(x)                                                                                         \
	((REAL)0.5 * (x) *                                                                                   \
	 ((REAL)1 + tanh((REAL)0.79788456080286535588 * (x) * ((REAL)1 + (REAL)0.044715 * (x) * (x)))))
#endif

__kernel void activation(TAKES(const REAL *, a), TAKES(REAL *restrict, c), ulong count)
{
	OPEN(const REAL *, a);
	OPEN(REAL *restrict, c);
	const ulong item = get_global_id(0), first = item * WIDTH;
	if (first + WIDTH <= count) {
		const VECTOR x = ((__global const VECTOR *)a)[item];
		PUT(FUNCTION(x), (__global VECTOR *)c + item);
	}
#if WIDTH > 1
	else
		for (ulong i = first; i < count; i++)
			c[i] = FUNCTION(a[i]);
#endif
}

/*
 * c = f(a), element by element, f being relu, gelu or gelu_tanh: WIDTH neighbours to a
 * work-item, as one vector, in the manner of elementwise.cl, which says why.
 *
 * erf and tanh are the device's own, within 16 and 5 units in the last place (OpenCL C 1.2,
 * 7.4). gelu_tanh: Hendrycks and Gimpel, "Gaussian error linear units", 2016.
 */
#ifndef FUNCTION /* relu, gelu or gelu_tanh */
#define FUNCTION relu
#endif

#include "vector.cl"

/* x is an element or a vector of them. */
#define relu(x) max(x, (REAL)0)
#define gelu(x) ((REAL)0.5 * (x) * ((REAL)1 + erf((REAL)0.70710678118654752440 * (x))))
#define gelu_tanh(x)                                                                                         \
	((REAL)0.5 * (x) *                                                                                   \
	 ((REAL)1 + tanh((REAL)0.79788456080286535588 * (x) * ((REAL)1 + (REAL)0.044715 * (x) * (x)))))

__kernel void activation(__global const REAL *a, __global REAL *restrict c, ulong count)
{
	const ulong item = get_global_id(0), first = item * WIDTH;
	if (first + WIDTH <= count) {
		const VECTOR x = ((__global const VECTOR *)a)[item];
		((__global VECTOR *)c)[item] = FUNCTION(x);
	}
#if WIDTH > 1
	else
		for (ulong i = first; i < count; i++)
			c[i] = FUNCTION(a[i]);
#endif
}

/* SPDX-License-Identifier: MIT */
/* The loops of backends/cpu/activation.c, which includes them through wide.h. */

ATTRIBUTES static void NAME(relu)(const void *from, void *to, size_t count)
{
	const REAL *a = from;
	REAL *restrict c = to;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		c[i] = a[i] > 0 ? a[i] : 0;
}

ATTRIBUTES static void NAME(gelu)(const void *from, void *to, size_t count)
{
	const REAL *a = from;
	REAL *restrict c = to;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		c[i] = OF_TYPE(curve_gelu)(a[i]);
}

ATTRIBUTES static void NAME(gelu_tanh)(const void *from, void *to, size_t count)
{
	const REAL *a = from;
	REAL *restrict c = to;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		c[i] = OF_TYPE(curve_gelu_tanh)(a[i]);
}

static const struct loops NAME(loops) = {{
	[BENCH_ACTIVATION_RELU] = NAME(relu),
	[BENCH_ACTIVATION_GELU] = NAME(gelu),
	[BENCH_ACTIVATION_GELU_TANH] = NAME(gelu_tanh),
}};

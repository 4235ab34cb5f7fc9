/* SPDX-License-Identifier: MIT */
/* The loops of backends/cpu/elementwise.c, which includes them through wide.h. */

ATTRIBUTES static void NAME(add)(const void *left, const void *right, void *to, size_t count)
{
	const REAL *a = left, *b = right;
	REAL *restrict c = to;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		c[i] = a[i] + b[i];
}

ATTRIBUTES static void NAME(mul)(const void *left, const void *right, void *to, size_t count)
{
	const REAL *a = left, *b = right;
	REAL *restrict c = to;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		c[i] = a[i] * b[i];
}

static const struct loops NAME(loops) = {{
	[BENCH_ELEMENTWISE_ADD] = NAME(add),
	[BENCH_ELEMENTWISE_MUL] = NAME(mul),
}};

/* SPDX-License-Identifier: MIT */
/* The loops of backends/cpu/fused.c, which includes them through wide.h. */

ATTRIBUTES static void NAME(add_relu)(const void *first, const void *second, const void *third, void *to,
				      size_t count)
{
	const REAL *a = first, *b = second;
	REAL *restrict d = to;
	(void)third;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		d[i] = a[i] + b[i] > 0 ? a[i] + b[i] : 0;
}

ATTRIBUTES static void NAME(mul_relu)(const void *first, const void *second, const void *third, void *to,
				      size_t count)
{
	const REAL *a = first, *b = second;
	REAL *restrict d = to;
	(void)third;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		d[i] = a[i] * b[i] > 0 ? a[i] * b[i] : 0;
}

ATTRIBUTES static void NAME(affine)(const void *first, const void *second, const void *third, void *to,
				    size_t count)
{
	const REAL *a = first, *b = second, *c = third;
	REAL *restrict d = to;
#pragma omp simd
	for (size_t i = 0; i < count; i++)
		d[i] = a[i] * b[i] + c[i];
}

static const struct loops NAME(loops) = {{
	[BENCH_FUSED_ADD_RELU] = NAME(add_relu),
	[BENCH_FUSED_MUL_RELU] = NAME(mul_relu),
	[BENCH_FUSED_AFFINE] = NAME(affine),
}};

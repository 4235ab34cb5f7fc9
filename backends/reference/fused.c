/* SPDX-License-Identifier: MIT */
/* Fused operations on vectors, and the bias of a layer, one element after the other in double. */
#include <math.h>

#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/reference.h"

int bench_reference_fused(struct bench_device *device, const struct bench_fused *fused,
			  struct bench_error *error)
{
	(void)device;
	enum bench_dtype dtype = fused->dtype;
	if (bench_cpu_check_width("reference", fused->width, error) ||
	    bench_cpu_check_dtype("reference", "fused operation", dtype, error))
		return -1;
	for (size_t i = 0; i < fused->count; i++) {
		double a = bench_reference_element(dtype, fused->a->data, i);
		double b = bench_reference_element(dtype, fused->b->data, i), d;
		if (fused->op == BENCH_FUSED_AFFINE)
			d = fma(a, b, bench_reference_element(dtype, fused->c->data, i));
		else
			d = fmax(fused->op == BENCH_FUSED_MUL_RELU ? a * b : a + b, 0);
		bench_reference_store(dtype, fused->d->data, i, d);
	}
	return 0;
}

int bench_reference_bias_add(struct bench_device *device, const struct bench_bias_add *bias_add,
			     struct bench_error *error)
{
	(void)device;
	enum bench_dtype dtype = bias_add->dtype;
	if (bench_cpu_check_dtype("reference", "bias", dtype, error))
		return -1;
	for (size_t i = 0; i < bias_add->rows * bias_add->cols; i++) {
		double a = bench_reference_element(dtype, bias_add->a->data, i);
		double bias = bench_reference_element(dtype, bias_add->bias->data, i % bias_add->cols);
		bench_reference_store(dtype, bias_add->c->data, i, a + bias);
	}
	return 0;
}

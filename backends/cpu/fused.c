/* SPDX-License-Identifier: MIT */
/* Fused operations on vectors, and the bias of a layer: loops over all threads, as elementwise.c. */
#include "backends/cpu.h"
#include "backends/cpu/operations.h"
#include "backends/cpu/share.h"

struct loops {
	void (*run[BENCH_FUSED_AFFINE + 1])(const void *first, const void *second, const void *third,
					    void *to, size_t count);
};

#define LOOPS "backends/cpu/fused_loops.h"
#include "backends/cpu/wide.h"

static void make(const void *operation, size_t first, size_t count, void *to)
{
	const struct bench_fused *fused = operation;
	size_t at = first * bench_dtype_bytes(fused->dtype);
	const char *third = fused->op == BENCH_FUSED_AFFINE ? (const char *)fused->c->data + at : NULL;
	wide_loops(fused->dtype)
		->run[fused->op]((const char *)fused->a->data + at, (const char *)fused->b->data + at, third,
				 to, count);
}

int bench_cpu_fused(struct bench_device *device, const struct bench_fused *fused, struct bench_error *error)
{
	if (bench_cpu_check_width("openblas", fused->width, error) ||
	    bench_cpu_check_dtype("openblas", "fused operation", fused->dtype, error))
		return -1;
	size_t count = fused->count, real = bench_dtype_bytes(fused->dtype);
	bench_cpu_make(bench_cpu_threads(device, count),
		       &(struct bench_cpu_vector){make, fused, fused->d->data, count, real});
	return 0;
}

static void bias_add_f32(size_t rows, size_t cols, unsigned threads, const float *a, const float *bias,
			 float *restrict c)
{
#pragma omp parallel for num_threads(threads) if (threads > 1)
	for (size_t row = 0; row < rows; row++)
		for (size_t column = 0; column < cols; column++)
			c[row * cols + column] = a[row * cols + column] + bias[column];
}

static void bias_add_f64(size_t rows, size_t cols, unsigned threads, const double *a, const double *bias,
			 double *restrict c)
{
#pragma omp parallel for num_threads(threads) if (threads > 1)
	for (size_t row = 0; row < rows; row++)
		for (size_t column = 0; column < cols; column++)
			c[row * cols + column] = a[row * cols + column] + bias[column];
}

int bench_cpu_bias_add(struct bench_device *device, const struct bench_bias_add *bias_add,
		       struct bench_error *error)
{
	const void *a = bias_add->a->data, *bias = bias_add->bias->data;
	void *c = bias_add->c->data;
	size_t rows = bias_add->rows, cols = bias_add->cols;
	if (bench_cpu_check_dtype("openblas", "bias", bias_add->dtype, error))
		return -1;
	unsigned threads = bench_cpu_threads(device, rows * cols);
	if (bias_add->dtype == BENCH_F64)
		bias_add_f64(rows, cols, threads, a, bias, c);
	else
		bias_add_f32(rows, cols, threads, a, bias, c);
	return 0;
}

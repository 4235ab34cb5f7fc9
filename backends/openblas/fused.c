/* Fused operations on vectors, and the bias of a layer: loops over all threads, as elementwise.c. */
#include "backends/cpu.h"
#include "backends/openblas/operations.h"

static void fused_f32(const struct bench_fused *fused, unsigned threads)
{
	const float *a = fused->a->data, *b = fused->b->data;
	float *restrict d = fused->d->data;
	size_t count = fused->count;
	if (fused->op == BENCH_FUSED_ADD_RELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			d[i] = a[i] + b[i] > 0 ? a[i] + b[i] : 0;
	} else if (fused->op == BENCH_FUSED_MUL_RELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			d[i] = a[i] * b[i] > 0 ? a[i] * b[i] : 0;
	} else {
		const float *c = fused->c->data;
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			d[i] = a[i] * b[i] + c[i];
	}
}

static void fused_f64(const struct bench_fused *fused, unsigned threads)
{
	const double *a = fused->a->data, *b = fused->b->data;
	double *restrict d = fused->d->data;
	size_t count = fused->count;
	if (fused->op == BENCH_FUSED_ADD_RELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			d[i] = a[i] + b[i] > 0 ? a[i] + b[i] : 0;
	} else if (fused->op == BENCH_FUSED_MUL_RELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			d[i] = a[i] * b[i] > 0 ? a[i] * b[i] : 0;
	} else {
		const double *c = fused->c->data;
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			d[i] = a[i] * b[i] + c[i];
	}
}

int bench_openblas_fused(struct bench_device *device, const struct bench_fused *fused,
			 struct bench_error *error)
{
	if (bench_cpu_check_width("openblas", fused->width, error) ||
	    bench_cpu_check_dtype("openblas", "fused operation", fused->dtype, error))
		return -1;
	unsigned threads = bench_cpu_threads(device, fused->count);
	if (fused->dtype == BENCH_F64)
		fused_f64(fused, threads);
	else
		fused_f32(fused, threads);
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

int bench_openblas_bias_add(struct bench_device *device, const struct bench_bias_add *bias_add,
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

/*
 * Sum and product of two vectors. OpenBLAS has neither into a third (axpy overwrites one), so
 * this is what its users write: a loop.
 */
#include "backends/cpu.h"
#include "backends/openblas/operations.h"

static void run_f32(enum bench_elementwise_op op, size_t count, unsigned threads, const float *a,
		    const float *b, float *restrict c)
{
	if (op == BENCH_ELEMENTWISE_MUL) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = a[i] * b[i];
	} else {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = a[i] + b[i];
	}
}

static void run_f64(enum bench_elementwise_op op, size_t count, unsigned threads, const double *a,
		    const double *b, double *restrict c)
{
	if (op == BENCH_ELEMENTWISE_MUL) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = a[i] * b[i];
	} else {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = a[i] + b[i];
	}
}

int bench_openblas_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			       struct bench_error *error)
{
	const void *a = elementwise->a->data, *b = elementwise->b->data;
	void *c = elementwise->c->data;
	if (bench_cpu_check_width("openblas", elementwise->width, error) ||
	    bench_cpu_check_dtype("openblas", "elementwise", elementwise->dtype, error))
		return -1;
	unsigned threads = bench_cpu_threads(device, elementwise->count);
	if (elementwise->dtype == BENCH_F64)
		run_f64(elementwise->op, elementwise->count, threads, a, b, c);
	else
		run_f32(elementwise->op, elementwise->count, threads, a, b, c);
	return 0;
}

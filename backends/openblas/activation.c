/*
 * Activation functions of a vector: loops over all threads, as elementwise.c. The compiler
 * vectorises relu; erf and tanh are calls of the C library, one an element.
 */
#include <math.h>

#include "backends/cpu.h"
#include "backends/openblas/operations.h"

#define HALF_SQRT      0.70710678118654752440 /* sqrt(1/2) */
#define SQRT_2_OVER_PI 0.79788456080286535588

static inline float relu_f32(float x)
{
	return x > 0 ? x : 0;
}

static inline double relu_f64(double x)
{
	return x > 0 ? x : 0;
}

static inline float gelu_f32(float x)
{
	return 0.5F * x * (1 + erff((float)HALF_SQRT * x));
}

static inline double gelu_f64(double x)
{
	return 0.5 * x * (1 + erf(HALF_SQRT * x));
}

static inline float gelu_tanh_f32(float x)
{
	return 0.5F * x * (1 + tanhf((float)SQRT_2_OVER_PI * x * (1 + 0.044715F * x * x)));
}

static inline double gelu_tanh_f64(double x)
{
	return 0.5 * x * (1 + tanh(SQRT_2_OVER_PI * x * (1 + 0.044715 * x * x)));
}

static void run_f32(enum bench_activation function, size_t count, unsigned threads, const float *a,
		    float *restrict c)
{
	if (function == BENCH_ACTIVATION_RELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = relu_f32(a[i]);
	} else if (function == BENCH_ACTIVATION_GELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = gelu_f32(a[i]);
	} else {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = gelu_tanh_f32(a[i]);
	}
}

static void run_f64(enum bench_activation function, size_t count, unsigned threads, const double *a,
		    double *restrict c)
{
	if (function == BENCH_ACTIVATION_RELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = relu_f64(a[i]);
	} else if (function == BENCH_ACTIVATION_GELU) {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = gelu_f64(a[i]);
	} else {
#pragma omp parallel for simd num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < count; i++)
			c[i] = gelu_tanh_f64(a[i]);
	}
}

int bench_openblas_activate(struct bench_device *device, const struct bench_activate *activate,
			    struct bench_error *error)
{
	const void *a = activate->a->data;
	void *c = activate->c->data;
	if (bench_cpu_check_width("openblas", activate->width, error) ||
	    bench_cpu_check_dtype("openblas", "activation", activate->dtype, error) ||
	    bench_cpu_check_function("openblas", activate->function, error))
		return -1;
	unsigned threads = bench_cpu_threads(device, activate->count);
	if (activate->dtype == BENCH_F64)
		run_f64(activate->function, activate->count, threads, a, c);
	else
		run_f32(activate->function, activate->count, threads, a, c);
	return 0;
}

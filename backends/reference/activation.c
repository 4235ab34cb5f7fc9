/* The activation functions in double, without cancellation, and their application to a vector. */
#include <math.h>

#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "bench/reference.h"

double bench_reference_activation(enum bench_activation function, double x)
{
	const double half_sqrt = sqrt(0.5), sqrt_2_over_pi = sqrt(2 / acos(-1.0));
	switch (function) {
	case BENCH_ACTIVATION_RELU:
		return x > 0 ? x : 0;
	case BENCH_ACTIVATION_GELU: /* 1 + erf(z) = erfc(-z) */
		return x / 2 * erfc(-x * half_sqrt);
	case BENCH_ACTIVATION_GELU_TANH: /* 1 + tanh(z) = 2 / (1 + exp(-2z)) */
		return x / (1 + exp(-2 * sqrt_2_over_pi * x * (1 + 0.044715 * x * x)));
	default:
		return x;
	}
}

int bench_reference_activate(struct bench_device *device, const struct bench_activate *activate,
			     struct bench_error *error)
{
	(void)device;
	enum bench_dtype dtype = activate->dtype;
	if (bench_cpu_check_width("reference", activate->width, error) ||
	    bench_cpu_check_dtype("reference", "activation", dtype, error) ||
	    bench_cpu_check_function("reference", activate->function, error))
		return -1;
	for (size_t i = 0; i < activate->count; i++) {
		double x = bench_reference_element(dtype, activate->a->data, i);
		bench_reference_store(dtype, activate->c->data, i,
				      bench_reference_activation(activate->function, x));
	}
	return 0;
}

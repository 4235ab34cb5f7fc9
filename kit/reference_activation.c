/* SPDX-License-Identifier: MIT */
/* The activation functions in double, without cancellation. */
#include <math.h>

#include "kit/reference.h"

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

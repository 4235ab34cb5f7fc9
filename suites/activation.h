/* SPDX-License-Identifier: MIT */
/* What the suites with activation functions share: what one is worth, and how far it may err. */
#ifndef SUITES_ACTIVATION_H
#define SUITES_ACTIVATION_H

#include "bench/op/activation.h"
#include "kit/dense.h"

/*
 * Operations per element, by the formulas of bench/activation.h. Constants cost nothing. An erf or a tanh
 * counts as one operation, whatever it costs the device.
 *   relu       a comparison.
 *   gelu       x/2, times a constant, erf, + 1, times.
 *   gelu_tanh  x/2, x times x, times a constant, + 1, times x, times a constant, tanh, + 1, times.
 */
static inline double bench_activation_flops(enum bench_activation function)
{
	static const double flops[] = {
		[BENCH_ACTIVATION_NONE] = 0,
		[BENCH_ACTIVATION_RELU] = 1,
		[BENCH_ACTIVATION_GELU] = 5,
		[BENCH_ACTIVATION_GELU_TANH] = 9,
	};
	return flops[function];
}

/*
 * Of an error relative to |x|; relu is exact. For gelu and gelu_tanh, x/2 (1 + s), u the unit
 * roundoff: near |s| = 1 a unit in the last place of s is u. Where x < 0, 1 + s cancels and the error of s
 * stays, so the tolerance cannot be below u |x|. The terms are 16 u for an erf within OpenCL's 16 units (5 u
 * for a tanh), 3 u for rounding its argument (z times the derivative is at most 0.49) and 2 u for 1 + s. Half
 * of their sum plus u for the last product is 12 u. In double, bench_reference_activation errs by at most 4
 * u.
 */
static inline double bench_activation_tolerance(enum bench_activation function, enum bench_dtype dtype)
{
	bool exact = function == BENCH_ACTIVATION_NONE || function == BENCH_ACTIVATION_RELU;
	return exact ? 0 : 16 * bench_dense_roundoff(dtype);
}

#endif

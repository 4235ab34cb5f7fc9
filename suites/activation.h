/* What the suites with activation functions share: what one is worth, and how far it may err. */
#ifndef SUITES_ACTIVATION_H
#define SUITES_ACTIVATION_H

#include "bench/op/activation.h"
#include "kit/dense.h"

/*
 * Operations of an element as the formulas of bench/activation.h have them, where constants
 * cost nothing and an erf or a tanh counts as one, whatever it takes the device:
 *   relu       a comparison;
 *   gelu       x/2, times a constant, erf, + 1, times;
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
 * roundoff: near |s| = 1 a unit in the last place of s is u, and what s errs by is not reduced
 * where x < 0 and 1 + s cancels, so that nothing smaller than u |x| can be asked for. 16 u of an
 * erf within OpenCL's 16 units (5 u of a tanh), 3 u of its argument's roundings (z times the
 * derivative is at most 0.49), 2 u of 1 + s; half of all that, and the last product's u: 12 u.
 * bench_reference_activation errs by 4 u at the most where the type is double.
 */
static inline double bench_activation_tolerance(enum bench_activation function, enum bench_dtype dtype)
{
	bool exact = function == BENCH_ACTIVATION_NONE || function == BENCH_ACTIVATION_RELU;
	return exact ? 0 : 16 * bench_dense_roundoff(dtype);
}

#endif

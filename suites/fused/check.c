/* SPDX-License-Identifier: MIT */
#include "suites/fused/check.h"

#include <math.h>

#include "core/memory.h"
#include "kit/dense.h"
#include "kit/reference.h"
#include "kit/rng.h"
#include "suites/activation.h"

enum { BASIS = 16 }; /* rows that A is made of */

/* Of the seed; those of the operands are below. */
enum { STREAM_BASIS = 101, STREAM_FACTORS };

uint64_t bench_layer_bytes(uint64_t n)
{
	return (4 * BASIS + 1) * n * sizeof(double);
}

/* One a row of A, of either sign, its magnitude in [1/2, 3/2]. */
static void make_factors(uint64_t seed, size_t n, double *factors)
{
	bench_rng_fill(seed, STREAM_FACTORS, BENCH_F64, factors, n);
	for (size_t i = 0; i < n; i++)
		factors[i] += factors[i] < 0 ? -0.5 : 0.5;
}

int bench_layer_fill(uint64_t seed, size_t n, struct bench_operand *a, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY double *basis = bench_dense_scratch((BASIS + 1) * n, error);
	if (!basis)
		return -1;
	double *factors = basis + BASIS * n;
	bench_rng_fill(seed, STREAM_BASIS, BENCH_F64, basis, BASIS * n);
	make_factors(seed, n, factors);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			bench_operand_set(a, i * n + k, factors[i] * basis[i % BASIS * n + k]);
	return 0;
}

int bench_layer_check(const struct bench_layer *layer, struct bench_check *check, struct bench_error *error)
{
	const size_t n = layer->n;
	BENCH_SCOPED_MEMORY double *basis = bench_dense_scratch((4 * BASIS + 1) * n, error);
	if (!basis)
		return -1;
	const size_t block = BASIS * n;
	double *magnitudes = basis + block, *products = magnitudes + block, *sums = products + block,
	       *factors = sums + block, worst = 0;
	bench_rng_fill(layer->seed, STREAM_BASIS, BENCH_F64, basis, block);
	make_factors(layer->seed, n, factors);
	for (size_t i = 0; i < block; i++)
		magnitudes[i] = fabs(basis[i]);
	const struct bench_matrix b = {
		.dtype = layer->b->dtype, .rows = n, .cols = n, .ld = n, .data = layer->b->host};
	const struct bench_matrix transposed = bench_matrix_transposed(b);
	bench_matrix_vectors(&transposed, BENCH_MAP_VALUE, BASIS, basis, products);
	bench_matrix_vectors(&transposed, BENCH_MAP_ABS, BASIS, magnitudes, sums);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			size_t at = i % BASIS * n + j;
			double bias = bench_operand_element(layer->bias, j);
			double expected = bench_reference_activation(layer->activation,
								     factors[i] * products[at] + bias);
			double found = bench_operand_element(layer->found, i * n + j);
			worst = bench_dense_worse(
				worst,
				bench_dense_error(found, expected, fabs(factors[i]) * sums[at] + fabs(bias)));
		}
	/*
	 * The product's own; the roundings of A's elements and of the sum with the bias, 2 u. An
	 * activation makes an error in its argument at most 1.13 times larger (the steepest slope of
	 * gelu), and adds its own.
	 */
	enum bench_dtype dtype = layer->found->dtype;
	*check = (struct bench_check){
		.error = worst,
		.tolerance = 1.13 * (bench_dense_tolerance(dtype, n) + 2 * bench_dense_roundoff(dtype)) +
			     bench_activation_tolerance(layer->activation, dtype),
		.method = "each element against 16 n^2 operations in double"};
	return 0;
}

void bench_fused_check(enum bench_fused_op op, const struct bench_operand *a, const struct bench_operand *b,
		       const struct bench_operand *c, const struct bench_operand *d,
		       struct bench_check *check)
{
	double worst = 0;
	for (size_t i = 0; i < d->count; i++) {
		double x = bench_operand_element(a, i), y = bench_operand_element(b, i);
		double expected, normaliser;
		if (op == BENCH_FUSED_AFFINE) {
			double z = bench_operand_element(c, i);
			expected = fma(x, y, z);
			normaliser = fabs(x * y) + fabs(z);
		} else {
			expected = fmax(op == BENCH_FUSED_MUL_RELU ? x * y : x + y, 0);
			normaliser = expected;
		}
		worst = bench_dense_worse(
			worst, bench_dense_error(bench_operand_element(d, i), expected, normaliser));
	}
	/*
	 * One rounding. An affine has two, u |a b| and u |a b + c|, and where the type is double the
	 * reference a third. Where the sum of add_relu or mul_relu is negative, d must be 0.
	 */
	double roundoff = bench_dense_roundoff(d->dtype);
	*check = (struct bench_check){.error = worst,
				      .tolerance = op == BENCH_FUSED_AFFINE ? 3.01 * roundoff : roundoff,
				      .method = "each element against reference in double"};
}

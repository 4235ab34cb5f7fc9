/* SPDX-License-Identifier: MIT */
/*
 * The reference: plain C that accumulates in double, the oracle of checks. It works on
 * arrays in host memory and knows no device.
 */
#ifndef KIT_REFERENCE_H
#define KIT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/dtype.h"
#include "bench/error.h"
#include "bench/op/activation.h"
#include "bench/op/conv2d.h"
#include "kit/half.h"

/* Element `index` of an array, and, of one of f32 or f64, its replacement, rounded to the type. */
static inline double bench_reference_element(enum bench_dtype dtype, const void *data, size_t index)
{
	switch (dtype) {
	case BENCH_F64:
		return ((const double *)data)[index];
	case BENCH_F16:
		return (double)bench_half_to_float(((const uint16_t *)data)[index]);
	case BENCH_BF16:
		return (double)bench_bfloat_to_float(((const uint16_t *)data)[index]);
	default:
		return (double)((const float *)data)[index];
	}
}

static inline void bench_reference_store(enum bench_dtype dtype, void *data, size_t index, double value)
{
	if (dtype == BENCH_F64)
		((double *)data)[index] = value;
	else
		((float *)data)[index] = (float)value;
}

/*
 * A view of a matrix in host memory: op(M), which is the stored matrix or its transpose.
 * The stored matrix is row-major; ld: elements from one stored row to the next. The view
 * owns nothing.
 */
struct bench_matrix {
	enum bench_dtype dtype;
	bool trans;        /* op(M) is the transpose of what is stored */
	size_t rows, cols; /* of op(M) */
	size_t ld;         /* >= cols, or >= rows where trans */
	const void *data;
};

/* The same numbers seen as the transpose. */
struct bench_matrix bench_matrix_transposed(struct bench_matrix matrix);

/* What is done to each element before it is used. */
enum bench_map { BENCH_MAP_VALUE, BENCH_MAP_ABS, BENCH_MAP_SQUARE };

/* Row `row` of op(M), mapped, into out[cols]. */
void bench_matrix_row(const struct bench_matrix *matrix, enum bench_map map, size_t row, double *out);

/*
 * y_v = map(op(M)) x_v for `count` vectors in one pass over the matrix. x_v starts at
 * x + v * cols, y_v at y + v * rows; y overlaps neither x nor the matrix. Sums are taken
 * in double, so that for any map: |error| <= cols * 2^-53 * sum_k |m_ik| |x_k|.
 */
void bench_matrix_vectors(const struct bench_matrix *matrix, enum bench_map map, size_t count,
			  const double *x, double *y);

/*
 * An activation function in double, |error| <= 4 * 2^-53 * |x|, any x but NaN; without the
 * cancellation that the formulas of bench/op/activation.h have where x is negative.
 */
double bench_reference_activation(enum bench_activation function, double x);

/*
 * The convolution of host arrays, as struct bench_conv2d describes it; its buffers and algorithm are ignored.
 * Each element is summed in double and rounded once. The only error is BENCH_NO_MEMORY. The shape must pass
 * bench_conv2d_check.
 */
int bench_reference_convolution(const struct bench_conv2d *conv, const void *in, const void *weights,
				void *out, struct bench_error *error);

/*
 * The weights of one group in double: k / groups rows of bench_conv2d_length, a row being an
 * output channel's c / groups x r x s, whatever the layout.
 */
void bench_reference_conv2d_weights(const struct bench_conv2d *conv, const void *weights, size_t group,
				    double *out);

/* The inputs that those rows are multiplied by at one place of the output, in the same order:
 * bench_conv2d_length numbers. */
void bench_reference_conv2d_window(const struct bench_conv2d *conv, const void *in, size_t image,
				   size_t group, size_t y, size_t x, double *out);

/* The place of an element in the output. */
size_t bench_reference_conv2d_index(const struct bench_conv2d *conv, size_t image, size_t channel, size_t y,
				    size_t x);

#endif

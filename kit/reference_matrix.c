/* SPDX-License-Identifier: MIT */
/* Matrices in host memory, as double: the reference of what multiplies them. */
#include "kit/reference.h"

#include <math.h>
#include <stdint.h>

#include "kit/half.h"

/* Elements converted to double at a time: the block and its vectors stay in the first-level cache.
 */
enum { BLOCK = 512 };

struct bench_matrix bench_matrix_transposed(struct bench_matrix matrix)
{
	struct bench_matrix result = matrix;
	result.trans = !matrix.trans;
	result.rows = matrix.cols;
	result.cols = matrix.rows;
	return result;
}

/* `count` elements as stored, from element `first` on, as double. */
static void load(const struct bench_matrix *matrix, enum bench_map map, size_t first, size_t count,
		 double *restrict out)
{
	if (matrix->dtype == BENCH_F64) {
		const double *restrict from = (const double *)matrix->data + first;
		for (size_t i = 0; i < count; i++)
			out[i] = from[i];
	} else if (matrix->dtype == BENCH_F16) {
		const uint16_t *restrict from = (const uint16_t *)matrix->data + first;
		for (size_t i = 0; i < count; i++)
			out[i] = (double)bench_half_to_float(from[i]);
	} else if (matrix->dtype == BENCH_BF16) {
		const uint16_t *restrict from = (const uint16_t *)matrix->data + first;
		for (size_t i = 0; i < count; i++)
			out[i] = (double)bench_bfloat_to_float(from[i]);
	} else {
		const float *restrict from = (const float *)matrix->data + first;
		for (size_t i = 0; i < count; i++)
			out[i] = (double)from[i];
	}
	if (map == BENCH_MAP_ABS)
		for (size_t i = 0; i < count; i++)
			out[i] = fabs(out[i]);
	if (map == BENCH_MAP_SQUARE)
		for (size_t i = 0; i < count; i++)
			out[i] *= out[i];
}

/* Eight partial sums, so that the additions do not wait for each other. */
static double dot(const double *restrict x, const double *restrict y, size_t count)
{
	double sums[8] = {0};
	size_t i = 0;
	for (; i + 8 <= count; i += 8)
		for (size_t lane = 0; lane < 8; lane++)
			sums[lane] += x[i + lane] * y[i + lane];
	for (; i < count; i++)
		sums[0] += x[i] * y[i];
	return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static void add_scaled(double *restrict y, double factor, const double *restrict x, size_t count)
{
	for (size_t i = 0; i < count; i++)
		y[i] += factor * x[i];
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void bench_matrix_row(const struct bench_matrix *matrix, enum bench_map map, size_t row, double *out)
{
	if (!matrix->trans) {
		load(matrix, map, row * matrix->ld, matrix->cols, out);
		return;
	}
	for (size_t column = 0; column < matrix->cols; column++)
		load(matrix, map, column * matrix->ld + row, 1, out + column);
}

void bench_matrix_vectors(const struct bench_matrix *matrix, enum bench_map map, size_t count,
			  const double *x, double *y)
{
	size_t rows = matrix->rows, cols = matrix->cols;
	double block[BLOCK];
	for (size_t i = 0; i < count * rows; i++)
		y[i] = 0;
	if (!matrix->trans) {
		for (size_t row = 0; row < rows; row++)
			for (size_t from = 0; from < cols; from += BLOCK) {
				size_t length = smaller(BLOCK, cols - from);
				load(matrix, map, row * matrix->ld + from, length, block);
				for (size_t v = 0; v < count; v++)
					y[v * rows + row] += dot(block, x + v * cols + from, length);
			}
		return;
	}
	/* Stored rows are columns of op(M): block by block, so that the sums stay in cache. */
	for (size_t from = 0; from < rows; from += BLOCK) {
		size_t length = smaller(BLOCK, rows - from);
		for (size_t column = 0; column < cols; column++) {
			load(matrix, map, column * matrix->ld + from, length, block);
			for (size_t v = 0; v < count; v++)
				add_scaled(y + v * rows + from, x[v * cols + column], block, length);
		}
	}
}

#include "bench/reference.h"

#include <math.h>
#include <stdlib.h>

#include "kit/half.h"

/* Elements converted to double at a time: the block and the vectors beside it stay in the first-level cache.
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

/* Eight partial sums: without them the additions would wait for each other. */
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

/* `count` elements of row `row` of C, from double; float and half are each rounded to from it, once. */
static void store_row(enum bench_dtype dtype, const double *values, void *c, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (dtype == BENCH_F64)
			((double *)c)[first + i] = values[i];
		else if (dtype == BENCH_F16)
			((uint16_t *)c)[first + i] = bench_half_from_double(values[i]);
		else if (dtype == BENCH_BF16)
			((uint16_t *)c)[first + i] = bench_bfloat_from_double(values[i]);
		else
			((float *)c)[first + i] = (float)values[i];
	}
}

int bench_reference_gemm(const struct bench_matrix *a, const struct bench_matrix *b, double alpha,
			 double beta, const void *bias, enum bench_activation activation, void *c, size_t ldc,
			 struct bench_error *error)
{
	/* Rows i..i+ROWS of C, as columns of op(B)^T op(A)^T: one pass over B serves them all. */
	enum { ROWS = 8 };
	struct bench_matrix b_transposed = bench_matrix_transposed(*b);
	size_t m = a->rows, n = b->cols, k = a->cols, batch = smaller(ROWS, m);
	struct bench_matrix old = {.dtype = a->dtype, .rows = m, .cols = n, .ld = ldc, .data = c};
	struct bench_matrix bias_row = {.dtype = a->dtype, .rows = 1, .cols = n, .ld = n, .data = bias};
	double *rows = calloc(batch * k, sizeof(*rows)), *products = calloc(batch * n, sizeof(*products));
	double *c0 = calloc(n, sizeof(*c0)), *shift = calloc(n, sizeof(*shift));
	int status = 0;
	if (!rows || !products || !c0 || !shift) {
		status = bench_fail(error, BENCH_NO_MEMORY, "no memory for %zu rows of a reference product",
				    batch);
		goto out;
	}
	if (bias)
		bench_matrix_row(&bias_row, BENCH_MAP_VALUE, 0, shift);
	for (size_t i = 0; i < m; i += batch) {
		size_t count = smaller(batch, m - i);
		for (size_t row = 0; row < count; row++)
			bench_matrix_row(a, BENCH_MAP_VALUE, i + row, rows + row * k);
		bench_matrix_vectors(&b_transposed, BENCH_MAP_VALUE, count, rows, products);
		for (size_t row = 0; row < count; row++) {
			double *values = products + row * n;
			if (beta != 0)
				bench_matrix_row(&old, BENCH_MAP_VALUE, i + row, c0);
			for (size_t j = 0; j < n; j++)
				values[j] = bench_reference_activation(
					activation, alpha * values[j] + beta * c0[j] + shift[j]);
			store_row(a->dtype, values, c, (i + row) * ldc, n);
		}
	}
out:
	free(rows);
	free(products);
	free(c0);
	free(shift);
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "suites/spmv/check.h"

#include <math.h>
#include <stdlib.h>

#include "kit/dense.h"

static double element(enum bench_dtype dtype, const void *data, size_t index)
{
	return dtype == BENCH_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

uint64_t bench_spmv_check_bytes(uint64_t rows, uint64_t cols)
{
	return 4 * sizeof(double) * (rows > cols ? rows : cols);
}

/* One application, from (x, before) to (y, bound). */
static void apply(const struct bench_csr *csr, enum bench_dtype dtype, const double *x, const double *before,
		  double *y, double *bound)
{
	for (size_t row = 0; row < csr->rows; row++) {
		uint32_t first = csr->offsets[row], end = csr->offsets[row + 1];
		double sum = 0, magnitude = 0, inherited = 0;
		for (uint32_t k = first; k < end; k++) {
			double value = csr->values[k], product = value * x[csr->columns[k]];
			sum += product;
			magnitude += fabs(product);
			inherited += fabs(value) * before[csr->columns[k]];
		}
		y[row] = sum;
		bound[row] = inherited + bench_dense_tolerance(dtype, end - first) * magnitude;
	}
}

/* Is there an element that is large against its bound? */
static bool tells(const struct bench_csr *csr, const struct bench_spmv_expected *expected)
{
	for (size_t row = 0; row < csr->rows; row++)
		if (isfinite(expected->y[row]) && fabs(expected->y[row]) > 100 * expected->bound[row])
			return true;
	return false;
}

int bench_spmv_expect(const struct bench_csr *csr, enum bench_dtype dtype, const void *x, uint64_t repeat,
		      struct bench_spmv_expected *expected, struct bench_error *error)
{
	size_t longest = csr->rows > csr->cols ? csr->rows : csr->cols;
	struct bench_spmv_expected from = {bench_dense_scratch(longest, error),
					   bench_dense_scratch(longest, error)},
				   to = {bench_dense_scratch(longest, error),
					 bench_dense_scratch(longest, error)};
	*expected = (struct bench_spmv_expected){0};
	int result = -1;
	if (!from.y || !from.bound || !to.y || !to.bound)
		goto out;
	for (size_t i = 0; i < csr->cols; i++)
		to.y[i] = element(dtype, x, i);
	for (uint64_t i = 0; i < repeat; i++) {
		struct bench_spmv_expected last = from;
		from = to;
		to = last;
		apply(csr, dtype, from.y, from.bound, to.y, to.bound);
	}
	*expected = to;
	to = (struct bench_spmv_expected){0};
	result = 0;
	if (repeat > 1 && !tells(csr, expected))
		result = bench_fail(error, BENCH_USAGE,
				    "spmv: after %llu applications nothing of y is left above rounding; use "
				    "a smaller repeat",
				    (unsigned long long)repeat);
out:
	bench_spmv_expected_free(&from);
	bench_spmv_expected_free(&to);
	return result;
}

void bench_spmv_expected_free(struct bench_spmv_expected *expected)
{
	free(expected->y);
	free(expected->bound);
	*expected = (struct bench_spmv_expected){0};
}

void bench_spmv_check_result(const struct bench_csr *csr, enum bench_dtype dtype, const void *y,
			     const struct bench_spmv_expected *expected, struct bench_check *check)
{
	check->tolerance = bench_dense_tolerance(dtype, bench_csr_count_rows(csr).longest);
	check->error = 0;
	for (size_t row = 0; row < csr->rows; row++)
		check->error = bench_dense_worse(check->error,
						 bench_dense_error(element(dtype, y, row), expected->y[row],
								   expected->bound[row] / check->tolerance));
}

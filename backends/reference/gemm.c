/* SPDX-License-Identifier: MIT */
/* Matrix products: each element summed in double and rounded once. */
#include <stdlib.h>

#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/half.h"
#include "kit/reference.h"

enum { ROWS = 8 }; /* of C, as columns of op(B)^T op(A)^T: one pass over B serves them all */

/* `count` elements of a row of C, from double; float and half are each rounded to from it, once. */
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

/* One product, of the matrices that `a`, `b` and `c` are. */
static int multiply(const struct bench_gemm *gemm, const void *a_data, const void *b_data, void *c,
		    struct bench_error *error)
{
	size_t m = gemm->m, n = gemm->n, k = gemm->k, batch = m < ROWS ? m : ROWS;
	const struct bench_matrix a = {gemm->dtype, gemm->trans_a, m, k, gemm->lda, a_data};
	const struct bench_matrix b_transposed = {gemm->dtype, !gemm->trans_b, n, k, gemm->ldb, b_data};
	const struct bench_matrix old = {gemm->dtype, false, m, n, gemm->ldc, c};
	double *rows = calloc(batch * k, sizeof(*rows)), *products = calloc(batch * n, sizeof(*products));
	double *c0 = calloc(n, sizeof(*c0)), *shift = calloc(n, sizeof(*shift));
	int status = 0;
	if (!rows || !products || !c0 || !shift) {
		status = bench_fail(error, BENCH_NO_MEMORY, "no memory for %zu rows of a reference product",
				    batch);
		goto out;
	}
	if (gemm->bias) {
		const struct bench_matrix bias = {gemm->dtype, false, 1, n, n, gemm->bias->data};
		bench_matrix_row(&bias, BENCH_MAP_VALUE, 0, shift);
	}
	for (size_t i = 0; i < m; i += batch) {
		size_t count = batch < m - i ? batch : m - i;
		for (size_t row = 0; row < count; row++)
			bench_matrix_row(&a, BENCH_MAP_VALUE, i + row, rows + row * k);
		bench_matrix_vectors(&b_transposed, BENCH_MAP_VALUE, count, rows, products);
		for (size_t row = 0; row < count; row++) {
			double *values = products + row * n;
			if (gemm->beta != 0)
				bench_matrix_row(&old, BENCH_MAP_VALUE, i + row, c0);
			for (size_t j = 0; j < n; j++)
				values[j] = bench_reference_activation(gemm->activation,
								       gemm->alpha * values[j] +
									       gemm->beta * c0[j] + shift[j]);
			store_row(gemm->dtype, values, c, (i + row) * gemm->ldc, n);
		}
	}
out:
	free(rows);
	free(products);
	free(c0);
	free(shift);
	return status;
}

/* The same of complex numbers. */
static void multiply_complex(const struct bench_gemm *gemm, const float *a, const float *b, float *c)
{
	const size_t a_row = gemm->trans_a ? 1 : gemm->lda, a_step = gemm->trans_a ? gemm->lda : 1;
	const size_t b_step = gemm->trans_b ? 1 : gemm->ldb, b_column = gemm->trans_b ? gemm->ldb : 1;
	for (size_t i = 0; i < gemm->m; i++)
		for (size_t j = 0; j < gemm->n; j++) {
			double sum[2] = {0, 0};
			for (size_t p = 0; p < gemm->k; p++) {
				const float *u = a + 2 * (i * a_row + p * a_step);
				const float *v = b + 2 * (p * b_step + j * b_column);
				sum[0] += (double)u[0] * (double)v[0] - (double)u[1] * (double)v[1];
				sum[1] += (double)u[0] * (double)v[1] + (double)u[1] * (double)v[0];
			}
			for (size_t part = 0; part < 2; part++) {
				float *to = c + 2 * (i * gemm->ldc + j) + part;
				double old = gemm->beta != 0 ? gemm->beta * (double)*to : 0;
				*to = (float)(gemm->alpha * sum[part] + old);
			}
		}
}

int bench_reference_gemm(struct bench_device *device, const struct bench_gemm *gemm,
			 struct bench_error *error)
{
	(void)device;
	size_t bytes = bench_dtype_bytes(gemm->dtype), batch = gemm->batch ? gemm->batch : 1;
	if (gemm->dtype == BENCH_C32 && (gemm->bias || gemm->activation != BENCH_ACTIVATION_NONE))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "reference: no complex gemm with a bias or an activation");
	for (size_t i = 0; i < batch; i++) {
		const void *a = (const char *)gemm->a->data + i * gemm->stride_a * bytes;
		const void *b = (const char *)gemm->b->data + i * gemm->stride_b * bytes;
		void *c = (char *)gemm->c->data + i * gemm->stride_c * bytes;
		if (gemm->dtype == BENCH_C32)
			multiply_complex(gemm, a, b, c);
		else if (multiply(gemm, a, b, c, error))
			return -1;
	}
	return 0;
}

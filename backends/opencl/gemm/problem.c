/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/problem.h"

/* One operand: `rows` rows as stored of `columns` elements, `ld` from one to the next, and the batch of them.
 */
struct matrix {
	const char *name;
	const struct bench_buffer *buffer;
	size_t rows, columns, ld, stride;
};

/* Do all matrices of a batch lie within their buffer? */
static int check_matrix(const struct bench_gemm *gemm, const struct matrix *matrix, struct bench_error *error)
{
	size_t elements = matrix->buffer->bytes / bench_dtype_bytes(gemm->dtype), last, size;
	if (matrix->ld < matrix->columns)
		return bench_fail(error, BENCH_USAGE, "gemm: ld%s is %zu, less than its %zu columns",
				  matrix->name, matrix->ld, matrix->columns);
	if (__builtin_mul_overflow(bench_opencl_gemm_batch(gemm) - 1, matrix->stride, &last) ||
	    __builtin_mul_overflow(matrix->rows - 1, matrix->ld, &size) ||
	    __builtin_add_overflow(size, matrix->columns, &size) || last > elements || size > elements - last)
		return bench_fail(
			error, BENCH_USAGE,
			"gemm: %s of %zu x %zu (row stride %zu, %zu of them, %zu apart) exceeds its "
			"buffer of %zu bytes",
			matrix->name, matrix->rows, matrix->columns, matrix->ld,
			bench_opencl_gemm_batch(gemm), matrix->stride, matrix->buffer->bytes);
	return 0;
}

/* Of the matrices C of a batch none may begin within the one before it. */
static int check_overlap(const struct bench_gemm *gemm, struct bench_error *error)
{
	if (gemm->batch > 1 && gemm->stride_c < (gemm->m - 1) * gemm->ldc + gemm->n)
		return bench_fail(
			error, BENCH_USAGE,
			"gemm: matrices c of %zu x %zu (row stride %zu) overlap at %zu elements apart",
			gemm->m, gemm->n, gemm->ldc, gemm->stride_c);
	return 0;
}

int bench_opencl_gemm_check(const struct bench_gemm *gemm, struct bench_error *error)
{
	bool trans_a = gemm->trans_a, trans_b = gemm->trans_b;
	const struct matrix matrices[] = {
		{"a", gemm->a, trans_a ? gemm->k : gemm->m, trans_a ? gemm->m : gemm->k, gemm->lda,
		 gemm->stride_a},
		{"b", gemm->b, trans_b ? gemm->n : gemm->k, trans_b ? gemm->k : gemm->n, gemm->ldb,
		 gemm->stride_b},
		{"c", gemm->c, gemm->m, gemm->n, gemm->ldc, gemm->stride_c},
	};
	if (gemm->m < 1 || gemm->n < 1 || gemm->k < 1 || gemm->m > INT32_MAX || gemm->n > INT32_MAX ||
	    gemm->k > INT32_MAX)
		return bench_fail(error, BENCH_USAGE, "gemm: m, n and k are 1 to 2^31 - 1, not %zu, %zu, %zu",
				  gemm->m, gemm->n, gemm->k);
	for (size_t i = 0; i < sizeof(matrices) / sizeof(*matrices); i++)
		if (check_matrix(gemm, &matrices[i], error) != 0)
			return -1;
	if (gemm->bias && gemm->n > gemm->bias->bytes / bench_dtype_bytes(gemm->dtype))
		return bench_fail(error, BENCH_USAGE,
				  "gemm: a bias of %zu elements exceeds its buffer of %zu bytes", gemm->n,
				  gemm->bias->bytes);
	return check_overlap(gemm, error);
}

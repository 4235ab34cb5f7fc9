/* SPDX-License-Identifier: MIT */
/*
 * Matrix products by cuBLAS. It stores matrices by columns: what it takes for op(B)^T op(A)^T = C^T is our
 * op(A) op(B) = C, so that A and B, and m and n, change places.
 */
#include <stdint.h>

#include "device.h"

static const struct {
	enum cublas_type type;
	enum cublas_compute compute;
} types[BENCH_DTYPES] = {
	[BENCH_F32] = {CUBLAS_F32, CUBLAS_IN_F32},   [BENCH_F64] = {CUBLAS_F64, CUBLAS_IN_F64},
	[BENCH_F16] = {CUBLAS_F16, CUBLAS_IN_F32},   [BENCH_BF16] = {CUBLAS_BF16, CUBLAS_IN_F32},
	[BENCH_TF32] = {CUBLAS_F32, CUBLAS_IN_TF32},
};

static int check_kind(const struct bench_gemm *gemm, struct bench_error *error)
{
	if (gemm->dtype == BENCH_C32)
		return bench_fail(error, BENCH_UNSUPPORTED, "cuda: no complex gemm");
	const size_t sizes[] = {gemm->m, gemm->n, gemm->k, gemm->lda, gemm->ldb, gemm->ldc, gemm->batch};
	if (gemm->bias || gemm->activation != BENCH_ACTIVATION_NONE)
		return bench_fail(
			error, BENCH_UNSUPPORTED,
			"cuda: no gemm with a bias or an activation: the library's ends at alpha A B "
			"+ beta C");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sizes[i] > INT32_MAX)
			return bench_fail(
				error, BENCH_UNSUPPORTED,
				"cuda: gemm with a size, row stride or batch of %zu: they go to 2^31 - 1",
				sizes[i]);
	return 0;
}

static void *address(const struct bench_buffer *buffer)
{
	return (void *)(uintptr_t)buffer->address;
}

int cuda_gemm_multiply(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	const float alpha = (float)gemm->alpha, beta = (float)gemm->beta;
	const void *alpha_at = gemm->dtype == BENCH_F64 ? (const void *)&gemm->alpha : &alpha;
	const void *beta_at = gemm->dtype == BENCH_F64 ? (const void *)&gemm->beta : &beta;
	int op_a = gemm->trans_a ? CUBLAS_T : CUBLAS_N, op_b = gemm->trans_b ? CUBLAS_T : CUBLAS_N;
	int m = (int)gemm->m, n = (int)gemm->n, k = (int)gemm->k;
	int lda = (int)gemm->lda, ldb = (int)gemm->ldb, ldc = (int)gemm->ldc;
	int type = (int)types[gemm->dtype].type, compute = (int)types[gemm->dtype].compute;
	const void *a = address(gemm->a), *b = address(gemm->b);
	void *c = address(gemm->c);
	if (gemm->batch > 1)
		return CUBLAS_CALL(cublasGemmStridedBatchedEx, device->name, error, device->blas, op_b, op_a,
				   n, m, k, alpha_at, b, type, ldb, (long long)gemm->stride_b, a, type, lda,
				   (long long)gemm->stride_a, beta_at, c, type, ldc,
				   (long long)gemm->stride_c, (int)gemm->batch, compute,
				   CUBLAS_DEFAULT_ALGORITHM);
	return CUBLAS_CALL(cublasGemmEx, device->name, error, device->blas, op_b, op_a, n, m, k, alpha_at, b,
			   type, ldb, a, type, lda, beta_at, c, type, ldc, compute, CUBLAS_DEFAULT_ALGORITHM);
}

int cuda_gemm_enqueue(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	if (cuda_clock_start(device, error) || cuda_gemm_multiply(device, gemm, error))
		return -1;
	return cuda_clock_stop(device, error);
}

int cuda_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	if (check_kind(gemm, error) || cuda_enter(device, error))
		return -1;
	return (device->graph.on ? cuda_graph_gemm : cuda_gemm_enqueue)(device, gemm, error);
}

/* SPDX-License-Identifier: MIT */
/* GEMM: checks the problem and chooses the scheme. */
#include "backends/opencl/gemm/cpu.h"
#include "backends/opencl/gemm/gpu.h"
#include "backends/opencl/gemm/problem.h"
#include "backends/opencl/gemm/thin.h"
#include "backends/opencl/runtime/operations.h"

/* Multiples of every tile, every row at a multiple of 64 bytes: what the kernels without edges ask for. */
static bool is_exact(const struct bench_gemm *gemm)
{
	const size_t line = 64 / bench_dtype_bytes(gemm->dtype);
	bool aligned = ((gemm->lda | gemm->ldb | gemm->ldc) & (line - 1)) == 0;
	if (gemm->batch > 1)
		aligned &= ((gemm->stride_a | gemm->stride_b | gemm->stride_c) & (line - 1)) == 0;
	return aligned && (gemm->m | gemm->n | gemm->k) % 128 == 0;
}

int bench_opencl_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	if (bench_opencl_check_f64(device, gemm->dtype, error) != 0)
		return -1;
	if ((unsigned)gemm->activation > BENCH_ACTIVATION_GELU_TANH)
		return bench_fail(error, BENCH_UNSUPPORTED, "gemm: no activation %u",
				  (unsigned)gemm->activation);
	if (!gemm->raw && bench_opencl_gemm_check(gemm, error) != 0)
		return -1;
	if (gemm->dtype == BENCH_C32)
		return bench_opencl_gemm_complex(device, gemm, error);
	bool exact = gemm->raw || is_exact(gemm), cpu = bench_opencl_is_cpu(device);
	if (cpu && gemm->dtype == BENCH_TF32) {
		struct bench_gemm problem = *gemm;
		problem.dtype = BENCH_F32;
		return bench_opencl_gemm_cpu(device, &problem, exact, error);
	}
	if (cpu)
		return bench_opencl_gemm_cpu(device, gemm, exact, error);
	return bench_opencl_gemm_is_thin(device, gemm) ? bench_opencl_gemm_thin(device, gemm, error)
						       : bench_opencl_gemm_gpu(device, gemm, exact, error);
}

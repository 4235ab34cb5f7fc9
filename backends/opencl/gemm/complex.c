/* SPDX-License-Identifier: MIT */
/* Products of complex numbers: gemm_complex.cl, on every device. */
#include "backends/opencl/gemm/problem.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"

#define SIDE ((size_t)16) /* of a group's tile */

int bench_opencl_gemm_complex(struct bench_device *device, const struct bench_gemm *gemm,
			      struct bench_error *error)
{
	static const struct bench_opencl_variant variant = {
		"gemm_complex.cl", "gemm_complex", {SIDE}, SIDE * SIDE};
	const size_t across = (gemm->n + SIDE - 1) / SIDE, down = (gemm->m + SIDE - 1) / SIDE;
	const size_t groups = across * down * bench_opencl_gemm_batch(gemm);
	const float alpha = (float)gemm->alpha, beta = (float)gemm->beta;
	struct bench_opencl_kernel *kernel;
	struct bench_opencl_list list = {.count = 0};
	if (gemm->bias || gemm->activation != BENCH_ACTIVATION_NONE)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: no complex gemm with a bias or an activation");
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DSIDE=%zu", SIDE) != 0)
		return -1;
	BENCH_OPENCL_MEMORIES(&list, gemm->a);
	BENCH_OPENCL_ULONGS(&list, gemm->trans_a ? 1 : gemm->lda, gemm->trans_a ? gemm->lda : 1,
			    gemm->stride_a);
	BENCH_OPENCL_MEMORIES(&list, gemm->b);
	BENCH_OPENCL_ULONGS(&list, gemm->trans_b ? 1 : gemm->ldb, gemm->trans_b ? gemm->ldb : 1,
			    gemm->stride_b);
	BENCH_OPENCL_MEMORIES(&list, gemm->c);
	BENCH_OPENCL_ULONGS(&list, gemm->ldc, gemm->stride_c);
	BENCH_OPENCL_UINTS(&list, gemm->m, gemm->n, gemm->k);
	bench_opencl_list_add(&list, sizeof(alpha), &alpha);
	bench_opencl_list_add(&list, sizeof(beta), &beta);
	return bench_opencl_launch_groups(device, kernel, &list, groups, SIDE * SIDE, error);
}

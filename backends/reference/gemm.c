/* Matrix products: one of the oracle's after the other. */
#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "bench/reference.h"

int bench_reference_gemm_batch(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	(void)device;
	size_t bytes = bench_dtype_bytes(gemm->dtype), batch = gemm->batch ? gemm->batch : 1;
	for (size_t i = 0; i < batch; i++) {
		struct bench_matrix a = {.dtype = gemm->dtype,
					 .trans = gemm->trans_a,
					 .rows = gemm->m,
					 .cols = gemm->k,
					 .ld = gemm->lda,
					 .data = (const char *)gemm->a->data + i * gemm->stride_a * bytes};
		struct bench_matrix b = {.dtype = gemm->dtype,
					 .trans = gemm->trans_b,
					 .rows = gemm->k,
					 .cols = gemm->n,
					 .ld = gemm->ldb,
					 .data = (const char *)gemm->b->data + i * gemm->stride_b * bytes};
		if (bench_reference_gemm(&a, &b, gemm->alpha, gemm->beta,
					 gemm->bias ? gemm->bias->data : NULL, gemm->activation,
					 (char *)gemm->c->data + i * gemm->stride_c * bytes, gemm->ldc,
					 error))
			return -1;
	}
	return 0;
}

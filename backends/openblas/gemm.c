/* SPDX-License-Identifier: MIT */
/* Matrix products: cblas_sgemm and cblas_dgemm, one call each. */
#include "backends/cpu.h"
#include "backends/openblas/library.h"
#include "backends/openblas/operations.h"

static CBLAS_TRANSPOSE transpose(bool trans)
{
	return trans ? CblasTrans : CblasNoTrans;
}

static int check_sizes(const struct openblas *library, const struct bench_gemm *gemm,
		       struct bench_error *error)
{
	const size_t limit = openblas_most(library);
	const struct {
		const char *name;
		size_t value;
	} sizes[] = {{"m", gemm->m},     {"n", gemm->n},     {"k", gemm->k},
		     {"lda", gemm->lda}, {"ldb", gemm->ldb}, {"ldc", gemm->ldc}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].value > limit)
			return bench_fail(
				error, BENCH_UNSUPPORTED,
				"openblas: gemm with %s=%zu: this build of OpenBLAS takes sizes up to %zu",
				sizes[i].name, sizes[i].value, limit);
	return 0;
}

/* What the library's gemm does not do. */
static int check_kind(const struct openblas *library, const struct bench_gemm *gemm,
		      struct bench_error *error)
{
	if (gemm->dtype == BENCH_C32 && !library->cgemm)
		return bench_fail(error, BENCH_UNSUPPORTED, "openblas: no complex gemm: %s lacks cblas_cgemm",
				  library->version);
	if (gemm->dtype == BENCH_F16 || gemm->dtype == BENCH_BF16)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "openblas: no gemm in f16 or bf16: the library has sgemm and dgemm");
	if (gemm->bias || gemm->activation != BENCH_ACTIVATION_NONE)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "openblas: no gemm with a bias or an activation: the library's ends at "
				  "alpha A B + beta C");
	return 0;
}

/* The library (0.3.21) has no gemm for a batch: one call after the other, each with its threads. */
int bench_openblas_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	const struct openblas *library = openblas_of(device, error);
	if (!library || check_kind(library, gemm, error) || (!gemm->raw && check_sizes(library, gemm, error)))
		return -1;
	CBLAS_TRANSPOSE op_a = transpose(gemm->trans_a), op_b = transpose(gemm->trans_b);
	size_t bytes = bench_dtype_bytes(gemm->dtype), batch = gemm->batch ? gemm->batch : 1;
	for (size_t i = 0; i < batch; i++)
		openblas_gemm(library, gemm->dtype, op_a, op_b, gemm->m, gemm->n, gemm->k, gemm->alpha,
			      (const char *)gemm->a->data + i * gemm->stride_a * bytes, gemm->lda,
			      (const char *)gemm->b->data + i * gemm->stride_b * bytes, gemm->ldb, gemm->beta,
			      (char *)gemm->c->data + i * gemm->stride_c * bytes, gemm->ldc);
	return 0;
}

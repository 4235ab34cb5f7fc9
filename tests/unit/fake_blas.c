/* SPDX-License-Identifier: MIT */
/* A library with the C interface of BLAS, with 64-bit integers and the names of SciPy's OpenBLAS: plain sums.
 */
#include <stdint.h>
#include <stdlib.h>

#include <cblas.h>

static int threads = 1;

/* NOLINTBEGIN(bugprone-macro-parentheses): a type has none around it */
#define DEFINE_GEMM(name, real)                                                                              \
	void name(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int64_t m, int64_t n,       \
		  int64_t k, real alpha, const real *a, int64_t lda, const real *b, int64_t ldb, real beta,  \
		  real *c, int64_t ldc);                                                                     \
	void name(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int64_t m, int64_t n,       \
		  int64_t k, real alpha, const real *a, int64_t lda, const real *b, int64_t ldb, real beta,  \
		  real *c, int64_t ldc)                                                                      \
	{                                                                                                    \
		(void)order;                                                                                 \
		for (int64_t i = 0; i < m; i++)                                                              \
			for (int64_t j = 0; j < n; j++) {                                                    \
				real sum = 0;                                                                \
				for (int64_t s = 0; s < k; s++)                                              \
					sum += a[op_a == CblasTrans ? s * lda + i : i * lda + s] *           \
					       b[op_b == CblasTrans ? j * ldb + s : s * ldb + j];            \
				c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);      \
			}                                                                                    \
	}
DEFINE_GEMM(scipy_cblas_sgemm64_, float)
DEFINE_GEMM(scipy_cblas_dgemm64_, double)

#define DEFINE_DOT(name, real)                                                                               \
	real name(int64_t count, const real *a, int64_t step_a, const real *b, int64_t step_b);              \
	real name(int64_t count, const real *a, int64_t step_a, const real *b, int64_t step_b)               \
	{                                                                                                    \
		real sum = 0;                                                                                \
		for (int64_t i = 0; i < count; i++)                                                          \
			sum += a[i * step_a] * b[i * step_b];                                                \
		return sum;                                                                                  \
	}
DEFINE_DOT(scipy_cblas_sdot64_, float)
DEFINE_DOT(scipy_cblas_ddot64_, double)
/* NOLINTEND(bugprone-macro-parentheses) */

const char *scipy_openblas_get_config64_(void);
const char *scipy_openblas_get_config64_(void)
{
	return "OpenBLAS 9.8.7 USE64BITINT";
}

/* As it is when the library is loaded. */
static const char *core = "Prescott";
__attribute__((constructor)) static void choose_core(void)
{
	if (getenv("OPENBLAS_CORETYPE"))
		core = getenv("OPENBLAS_CORETYPE");
}

const char *scipy_openblas_get_corename64_(void);
const char *scipy_openblas_get_corename64_(void)
{
	return core;
}

int scipy_openblas_get_num_procs64_(void);
int scipy_openblas_get_num_procs64_(void)
{
	return 2;
}

int scipy_openblas_get_num_threads64_(void);
int scipy_openblas_get_num_threads64_(void)
{
	return threads;
}

void scipy_openblas_set_num_threads64_(int count);
void scipy_openblas_set_num_threads64_(int count)
{
	threads = count;
}

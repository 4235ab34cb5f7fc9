/*
 * The reference backend: slow, plain and right. It makes the oracle of the checks
 * measurable, and runs the suites where no library is to be trusted.
 */
#include "bench/reference.h"

#include <stdio.h>

#include "backends/backends.h"
#include "backends/cpu.h"
#include "backends/reference/operations.h"

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	(void)error;
	*count = 1;
	if (capacity == 0)
		return 0;
	bench_cpu_describe(info);
	snprintf(info->slug, sizeof(info->slug), "cpu");
	snprintf(info->platform, sizeof(info->platform), "plain C, sums in double");
	info->compute_units = 1;
	return 0;
}

static int gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	(void)device;
	struct bench_matrix a = {.dtype = gemm->dtype,
				 .trans = gemm->trans_a,
				 .rows = gemm->m,
				 .cols = gemm->k,
				 .ld = gemm->lda,
				 .data = gemm->a->data};
	struct bench_matrix b = {.dtype = gemm->dtype,
				 .trans = gemm->trans_b,
				 .rows = gemm->k,
				 .cols = gemm->n,
				 .ld = gemm->ldb,
				 .data = gemm->b->data};
	return bench_reference_gemm(&a, &b, gemm->alpha, gemm->beta, gemm->c->data, gemm->ldc, error);
}

static double element(enum bench_dtype dtype, const void *data, size_t index)
{
	return dtype == BENCH_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

/* Rounded to double and then to float is rounded once: double has more than twice float's digits. */
static int elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
		       struct bench_error *error)
{
	(void)device;
	if (bench_cpu_check_width("reference", elementwise, error))
		return -1;
	enum bench_dtype dtype = elementwise->dtype;
	float *narrow = elementwise->c->data;
	double *wide = elementwise->c->data;
	for (size_t i = 0; i < elementwise->count; i++) {
		double a = element(dtype, elementwise->a->data, i);
		double b = element(dtype, elementwise->b->data, i);
		double c = elementwise->op == BENCH_ELEMENTWISE_MUL ? a * b : a + b;
		if (dtype == BENCH_F64)
			wide[i] = c;
		else
			narrow[i] = (float)c;
	}
	return 0;
}

const struct bench_backend bench_backend_reference = {
	.abi = BENCH_BACKEND_ABI,
	.name = "reference",
	.summary = "plain C on one CPU thread, sums in double: the oracle of the checks",
	.devices = devices,
	.open = bench_cpu_open,
	.close = bench_cpu_close,
	.alloc = bench_cpu_alloc,
	.release = bench_cpu_release,
	.upload = bench_cpu_upload,
	.download = bench_cpu_download,
	.finish = bench_cpu_finish,
	.host_alloc = bench_cpu_host_alloc,
	.host_free = bench_cpu_host_free,
	.gemm = gemm,
	.elementwise = elementwise,
	.training = &bench_reference_training,
};

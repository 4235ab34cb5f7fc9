/*
 * The reference backend: slow, plain and right. It makes the oracle of the checks
 * measurable, and runs the suites where no library is to be trusted.
 */
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
	info->f16 = true;
	return 0;
}

/* Rounded to double and then to float is rounded once: double has more than twice float's digits. */
static int elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
		       struct bench_error *error)
{
	(void)device;
	enum bench_dtype dtype = elementwise->dtype;
	if (bench_cpu_check_width("reference", elementwise->width, error) ||
	    bench_cpu_check_dtype("reference", "elementwise", dtype, error))
		return -1;
	for (size_t i = 0; i < elementwise->count; i++) {
		double a = bench_reference_element(dtype, elementwise->a->data, i);
		double b = bench_reference_element(dtype, elementwise->b->data, i);
		double c = elementwise->op == BENCH_ELEMENTWISE_MUL ? a * b : a + b;
		bench_reference_store(dtype, elementwise->c->data, i, c);
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
	.gemm = bench_reference_gemm_batch,
	.elementwise = elementwise,
	.activate = bench_reference_activate,
	.fused = bench_reference_fused,
	.bias_add = bench_reference_bias_add,
	.conv2d = bench_reference_conv2d_run,
	.spmv = bench_reference_spmv,
	.reduction = bench_reference_reduction,
	.random = bench_reference_random,
	.training = &bench_reference_training,
};

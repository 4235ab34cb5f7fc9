/* SPDX-License-Identifier: MIT */
/* Fused operations on vectors, and the bias of a layer: fused.cl. */
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/vector/vectors.h"

#define SOURCE "fused.cl"
#define GROUP  256 /* work-items of a group of bias_add, or as many as the device runs */

static const struct {
	const char *name;
	unsigned inputs;
} chains[] = {
	[BENCH_FUSED_ADD_RELU] = {"add_relu", 2},
	[BENCH_FUSED_MUL_RELU] = {"mul_relu", 2},
	[BENCH_FUSED_AFFINE] = {"affine", 3},
};

static int fused_kernel(struct bench_device *device, const struct bench_fused *fused, bool past,
			unsigned width, struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	const struct bench_opencl_variant variant = {
		SOURCE, "fused", {fused->op, fused->dtype, past, width}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DWIDTH=%u -DCHAIN=%s -DINPUTS=%u -DPAST=%d",
				    bench_opencl_real(fused->dtype), width, chains[fused->op].name,
				    chains[fused->op].inputs, past);
}

int bench_opencl_fused(struct bench_device *device, const struct bench_fused *fused,
		       struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if ((size_t)fused->op >= sizeof(chains) / sizeof(*chains))
		return bench_fail(error, BENCH_USAGE, "opencl: no fused operation %d", (int)fused->op);
	struct bench_opencl_vectors vectors = {
		.operation = chains[fused->op].name,
		.buffer = {fused->d, fused->a, fused->b, fused->c},
		.name = {"d", "a", "b", "c"},
		.buffers = 1 + chains[fused->op].inputs,
		.count = fused->count,
		.dtype = fused->dtype,
		.width = fused->width,
	};
	if (bench_opencl_check_vectors(device, &vectors, error) != 0)
		return -1;
	device = bench_opencl_runner(device, vectors.bytes, false);
	if (fused_kernel(device, fused, bench_opencl_goes_past(device, vectors.bytes), vectors.width, &kernel,
			 error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	bench_opencl_list_add_memories(&list, vectors.buffer + 1, vectors.buffers - 1);
	BENCH_OPENCL_MEMORIES(&list, fused->d);
	BENCH_OPENCL_ULONGS(&list, fused->count);
	return bench_opencl_launch_vectors(device, kernel, &list, fused->count, vectors.width, error);
}

static int check_bias_add(const struct bench_device *device, const struct bench_bias_add *bias_add,
			  struct bench_error *error)
{
	size_t count;
	if (bench_opencl_check_real(device, "bias", bias_add->dtype, error) != 0)
		return -1;
	if (__builtin_mul_overflow(bias_add->rows, bias_add->cols, &count))
		return bench_fail(error, BENCH_USAGE, "bias: %zu x %zu is no size of a matrix",
				  bias_add->rows, bias_add->cols);
	if (bench_opencl_check_vector("bias", "a", bias_add->a, bias_add->dtype, count, error) != 0 ||
	    bench_opencl_check_vector("bias", "c", bias_add->c, bias_add->dtype, count, error) != 0 ||
	    bench_opencl_check_vector("bias", "bias", bias_add->bias, bias_add->dtype, bias_add->cols,
				      error) != 0)
		return -1;
	return 0;
}

int bench_opencl_bias_add(struct bench_device *device, const struct bench_bias_add *bias_add,
			  struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	const struct bench_opencl_variant variant = {SOURCE, "bias_add", {bias_add->dtype}, 0};
	size_t group = 1;
	if (check_bias_add(device, bias_add, error) != 0 ||
	    bench_opencl_variant(device, &variant, &kernel, error, "-DREAL=%s",
				 bench_opencl_real(bias_add->dtype)) != 0 ||
	    bench_opencl_group_size(device, kernel, GROUP, &group, error) != 0)
		return -1;
	/* No larger than the columns need, but a power of two: some drivers compile for each size anew. */
	while (group / 2 >= bias_add->cols)
		group /= 2;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, bias_add->a, bias_add->bias, bias_add->c);
	BENCH_OPENCL_ULONGS(&list, bias_add->cols);
	return bench_opencl_launch_grid(
		device, kernel, &list, 2,
		(const size_t[]){bench_opencl_divide_up(bias_add->cols, group) * group, bias_add->rows},
		(const size_t[]){group, 1}, error);
}

/* SPDX-License-Identifier: MIT */
/* Depthwise convolution on CPUs with the channels last: conv2d_depthwise.cl. */
#include "backends/conv2d.h"
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/lines.h"
#include "backends/opencl/runtime/variants.h"

bool bench_opencl_conv2d_has_depthwise(const struct bench_device *device, const struct bench_conv2d *conv)
{
	/* Elements of a row, and of the weights, are counted in 32 bits. */
	return bench_opencl_is_cpu(device) && (conv->dtype == BENCH_F32 || conv->dtype == BENCH_F64) &&
	       bench_conv2d_is_depthwise(conv) && conv->c >= bench_opencl_vector_lanes(device, conv->dtype) &&
	       conv->w <= INT32_MAX / conv->c / conv->stride && conv->r * conv->s <= INT32_MAX / conv->c;
}

int bench_opencl_conv2d_depthwise(struct bench_device *device, const struct bench_conv2d *conv,
				  struct bench_error *error)
{
	const struct bench_opencl_variant variant = {
		"conv2d_depthwise.cl", "conv2d_depthwise", {conv->dtype}, 0};
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DREAL=%s -DLANES=%zu",
				 bench_opencl_real(conv->dtype),
				 bench_opencl_vector_lanes(device, conv->dtype)) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	BENCH_OPENCL_MEMORIES(&list, conv->in, conv->weights, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->c, conv->h, conv->w, conv->r, conv->s, conv->stride, conv->pad,
			   conv->dilation, rows, bench_conv2d_extent(conv, conv->w, conv->s));
	return bench_opencl_conv2d_lines(device, kernel, &list, conv->n * rows, error);
}

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
	cl_uint c = (cl_uint)conv->c, h = (cl_uint)conv->h, w = (cl_uint)conv->w, r = (cl_uint)conv->r,
		s = (cl_uint)conv->s, stride = (cl_uint)conv->stride, pad = (cl_uint)conv->pad,
		dilation = (cl_uint)conv->dilation,
		rows = (cl_uint)bench_conv2d_extent(conv, conv->h, conv->r),
		columns = (cl_uint)bench_conv2d_extent(conv, conv->w, conv->s);
	struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &conv->in->memory},
		{sizeof(cl_mem), &conv->weights->memory},
		{sizeof(cl_mem), &conv->out->memory},
		{sizeof(c), &c},
		{sizeof(h), &h},
		{sizeof(w), &w},
		{sizeof(r), &r},
		{sizeof(s), &s},
		{sizeof(stride), &stride},
		{sizeof(pad), &pad},
		{sizeof(dilation), &dilation},
		{sizeof(rows), &rows},
		{sizeof(columns), &columns},
		{0}, /* lines and per_item */
		{0},
	};
	return bench_opencl_conv2d_lines(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments), conv->n * rows,
					 error);
}

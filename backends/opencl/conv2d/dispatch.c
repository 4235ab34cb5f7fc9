/* SPDX-License-Identifier: MIT */
/* Convolution: the choice of the algorithm. */
#include "backends/conv2d.h"
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/queue.h"

static int direct_gpu(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	if (bench_opencl_conv2d_is_grouped(device, conv))
		return bench_opencl_conv2d_grouped(device, conv, error);
	if (bench_opencl_conv2d_has_tensor_cores(device, conv))
		return bench_opencl_conv2d_tensor(device, conv, error);
	if (bench_opencl_conv2d_is_tiled(device, conv))
		return bench_opencl_conv2d_tiled(device, conv, error);
	return bench_opencl_conv2d_implicit(device, conv, error);
}

static int direct(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	if (!bench_opencl_is_cpu(device))
		return direct_gpu(device, conv, error);
	if (bench_opencl_conv2d_has_depthwise(device, conv))
		return bench_opencl_conv2d_depthwise(device, conv, error);
	if (bench_opencl_conv2d_has_places(device, conv))
		return bench_opencl_conv2d_places(device, conv, error);
	return bench_opencl_conv2d_padded(device, conv, error);
}

static int winograd(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	if (bench_opencl_check_real(device, "winograd", conv->dtype, error) ||
	    bench_conv2d_winograd_can(conv, error))
		return -1;
	return bench_opencl_conv2d_winograd(device, conv, error);
}

int bench_opencl_conv2d(struct bench_device *device, const struct bench_conv2d *conv,
			struct bench_error *error)
{
	static const struct bench_conv2d_methods methods = {
		.backend = "opencl",
		.run = {[BENCH_CONV2D_DIRECT] = direct,
			[BENCH_CONV2D_IM2COL] = bench_opencl_conv2d_im2col,
			[BENCH_CONV2D_WINOGRAD] = winograd},
		.finish = bench_opencl_finish,
		.bytes = bench_opencl_bytes,
	};
	bool cpu = bench_opencl_is_cpu(device);
	if ((cpu ? bench_opencl_check_real(device, "conv2d", conv->dtype, error)
		 : bench_opencl_check_f64(device, conv->dtype, error)) != 0)
		return -1;
	return bench_conv2d_dispatch(&methods, device, &bench_opencl_conv2d_of(device)->measured, conv,
				     error);
}

/* SPDX-License-Identifier: MIT */
/* Convolution: the oracle's, of which there is one algorithm. */
#include "backends/conv2d.h"
#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/reference.h"

static int direct(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	(void)device;
	return bench_reference_convolution(conv, conv->in->data, conv->weights->data, conv->out->data, error);
}

int bench_reference_conv2d(struct bench_device *device, const struct bench_conv2d *conv,
			   struct bench_error *error)
{
	static const struct bench_conv2d_methods methods = {
		.backend = "reference",
		.run = {[BENCH_CONV2D_DIRECT] = direct},
		.finish = bench_cpu_finish,
		.bytes = bench_cpu_bytes,
	};
	if (bench_cpu_check_dtype("reference", "conv2d", conv->dtype, error))
		return -1;
	return bench_conv2d_dispatch(&methods, device, &device->conv2d, conv, error);
}

/* SPDX-License-Identifier: MIT */
/* Images of users' kernels. */
#ifndef BENCH_OPENCL_IMAGES_H
#define BENCH_OPENCL_IMAGES_H

#include "backends/opencl/runtime/device.h"

/* The hook `image` of bench/op/kernel.h. */
int bench_opencl_image(struct bench_device *device, const struct bench_kernel_image *image,
		       struct bench_buffer **buffer, struct bench_error *error);

#endif

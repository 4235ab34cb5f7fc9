/* SPDX-License-Identifier: MIT */
/* What convolution keeps on a device beside kernels. */
#ifndef BENCH_OPENCL_CONV2D_STATE_H
#define BENCH_OPENCL_CONV2D_STATE_H

#include "backends/opencl/runtime/device.h"

struct bench_opencl_conv2d {
	struct bench_conv2d_measured *measured;                        /* the choices (backends/conv2d.h) */
	struct bench_buffer padded, packed, offsets, windows, product; /* scratch, which grows */
};
extern const struct bench_opencl_state bench_opencl_conv2d_state;
struct bench_opencl_conv2d *bench_opencl_conv2d_of(const struct bench_device *device);

#endif

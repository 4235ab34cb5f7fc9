/* SPDX-License-Identifier: MIT */
/* Launches of kernels that copy or transform lines. */
#ifndef BENCH_OPENCL_CONV2D_LINES_H
#define BENCH_OPENCL_CONV2D_LINES_H

#include "backends/opencl/runtime/arguments.h"

/* Work-items that share a line, and the size of their group: SPREAD. On CPUs 1. */
size_t bench_opencl_conv2d_spread(const struct bench_device *device);

/* Lines, or other pieces of work, of a work-item: on a CPU enough to even out the units' times. */
size_t bench_opencl_conv2d_per_item(const struct bench_device *device, size_t lines);

/* Adds the kernel's last two arguments: the lines, and how many a work-item handles. */
int bench_opencl_conv2d_lines(struct bench_device *device, struct bench_opencl_kernel *kernel,
			      struct bench_opencl_list *list, size_t lines, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* Structures of a user's kernel: is their layout the one that the specification states? */
#ifndef BACKENDS_OPENCL_LAYOUT_H
#define BACKENDS_OPENCL_LAYOUT_H

#include "backends/opencl/runtime/device.h"

/*
 * Asks the compiler, by a kernel that writes sizes and places of the fields of `type`, which the source of
 * `kernel` defines. BENCH_USAGE with the first field that differs from those of the argument, which has some.
 */
int bench_opencl_check_layout(struct bench_device *device, const struct bench_kernel *kernel, size_t index,
			      const char *type, struct bench_error *error);

#endif

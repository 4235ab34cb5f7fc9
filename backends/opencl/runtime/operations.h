/* SPDX-License-Identifier: MIT */
/* The hooks that are defined in the folders of their operations, in images.c and in peer.c. */
#ifndef BENCH_OPENCL_OPERATIONS_H
#define BENCH_OPENCL_OPERATIONS_H

#include "bench/backend.h"

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, opencl)
int bench_opencl_empty(struct bench_device *device, unsigned buffers, struct bench_error *error);
int bench_opencl_compile(struct bench_device *device, const struct bench_compile *compile, double *seconds,
			 struct bench_error *error);
extern const struct bench_kernel_hooks bench_opencl_kernels;
int bench_opencl_image(struct bench_device *device, const struct bench_kernel_image *image,
		       struct bench_buffer **buffer, struct bench_error *error);
extern const struct bench_training bench_opencl_training;
extern const struct bench_peer_hooks bench_opencl_peer;

#endif

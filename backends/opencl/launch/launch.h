/* Empty launches, programs made to time their making, and kernels of the user's. */
#ifndef BENCH_OPENCL_LAUNCH_H
#define BENCH_OPENCL_LAUNCH_H

#include "bench/backend.h"

/* The hooks of the same names. */
int bench_opencl_empty(struct bench_device *device, unsigned buffers, struct bench_error *error);
int bench_opencl_compile(struct bench_device *device, const struct bench_compile *compile, double *seconds,
			 struct bench_error *error);

extern const struct bench_kernel_hooks bench_opencl_kernels; /* user_kernel.c */

#endif

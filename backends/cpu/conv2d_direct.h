/* SPDX-License-Identifier: MIT */
/* Convolution in C by its definition: the algorithm `direct` of CPUs; see include/bench/op/conv2d.h. */
#ifndef BACKENDS_CPU_CONV2D_DIRECT_H
#define BACKENDS_CPU_CONV2D_DIRECT_H

#include "bench/backend.h"

/* The problem has passed bench_conv2d_dispatch, in f32 or f64. */
int bench_cpu_conv2d_direct(struct bench_device *device, const struct bench_conv2d *conv,
			    struct bench_error *error);

#endif

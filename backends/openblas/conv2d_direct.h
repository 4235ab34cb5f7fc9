/* The algorithm `direct` of the openblas backend; see include/bench/op/conv2d.h. */
#ifndef BACKENDS_OPENBLAS_CONV2D_DIRECT_H
#define BACKENDS_OPENBLAS_CONV2D_DIRECT_H

#include "bench/backend.h"

/* The problem has passed bench_conv2d_check_buffers, in f32 or f64. */
int bench_openblas_conv2d_direct(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error);

#endif

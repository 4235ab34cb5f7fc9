/* Operations of the reference backend, plain C. The hooks' own contracts are in include/bench. */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

int bench_reference_conv2d_run(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);

#endif

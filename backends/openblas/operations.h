/*
 * Operations of the OpenBLAS backend that the library does not have: what its users write
 * beside it, loops over all threads. The hooks' own contracts are in include/bench.
 */
#ifndef BENCH_OPENBLAS_OPERATIONS_H
#define BENCH_OPENBLAS_OPERATIONS_H

#include "bench/backend.h"

int bench_openblas_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			       struct bench_error *error);
extern const struct bench_training bench_openblas_training;

#endif

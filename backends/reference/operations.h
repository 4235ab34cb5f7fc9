/*
 * Operations of the reference backend: plain, in double, on one thread. The hooks' own
 * contracts are in include/bench.
 */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

int bench_reference_gemm_batch(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error);

#endif

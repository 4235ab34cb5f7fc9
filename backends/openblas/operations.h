/*
 * Operations of the OpenBLAS backend that the library does not have, or not whole: what its
 * users write beside it, loops over all threads. The hooks' own contracts are in include/bench.
 */
#ifndef BENCH_OPENBLAS_OPERATIONS_H
#define BENCH_OPENBLAS_OPERATIONS_H

#include "bench/backend.h"

int bench_openblas_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			       struct bench_error *error);
int bench_openblas_spmv(struct bench_device *device, const struct bench_spmv *spmv,
			struct bench_error *error);
int bench_openblas_random(struct bench_device *device, const struct bench_random *random,
			  struct bench_error *error);
int bench_openblas_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			     struct bench_error *error);
int bench_openblas_peak(struct bench_device *device, const struct bench_peak *peak,
			struct bench_error *error);

#endif

/*
 * Operations of the OpenBLAS backend that the library does not have, or not whole: what its
 * users write beside it, loops over all threads. The hooks' own contracts are in include/bench.
 */
#ifndef BENCH_OPENBLAS_OPERATIONS_H
#define BENCH_OPENBLAS_OPERATIONS_H

#include "bench/backend.h"

int bench_openblas_gemm(struct bench_device *device, const struct bench_gemm *gemm,
			struct bench_error *error);
int bench_openblas_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			       struct bench_error *error);
int bench_openblas_activate(struct bench_device *device, const struct bench_activate *activate,
			    struct bench_error *error);
int bench_openblas_fused(struct bench_device *device, const struct bench_fused *fused,
			 struct bench_error *error);
int bench_openblas_bias_add(struct bench_device *device, const struct bench_bias_add *bias_add,
			    struct bench_error *error);
int bench_openblas_conv2d(struct bench_device *device, const struct bench_conv2d *conv,
			  struct bench_error *error);
int bench_openblas_spmv(struct bench_device *device, const struct bench_spmv *spmv,
			struct bench_error *error);
int bench_openblas_random(struct bench_device *device, const struct bench_random *random,
			  struct bench_error *error);
int bench_openblas_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			     struct bench_error *error);
int bench_openblas_peak(struct bench_device *device, const struct bench_peak *peak,
			struct bench_error *error);
extern const struct bench_training bench_openblas_training;

#endif

/* SPDX-License-Identifier: MIT */
/* The operations that OpenBLAS has, if not whole; backends/cpu has the others. */
#ifndef BACKENDS_OPENBLAS_OPERATIONS_H
#define BACKENDS_OPENBLAS_OPERATIONS_H

#include "backends/cpu/operations.h"

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, openblas)

#define BENCH_OPENBLAS_OPERATIONS                                                                            \
	BENCH_BACKEND_OPERATIONS(cpu), .gemm = bench_openblas_gemm, .conv2d = bench_openblas_conv2d,         \
				       .reduction = bench_openblas_reduction,                                \
				       .training = &bench_cpu_training

#endif

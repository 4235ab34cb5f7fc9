/* SPDX-License-Identifier: MIT */
/* Products of complex numbers: gemm_complex.cl, on every device. */
#ifndef BENCH_OPENCL_GEMM_COMPLEX_H
#define BENCH_OPENCL_GEMM_COMPLEX_H

#include "backends/opencl/gemm/problem.h"

/* A problem of BENCH_C32 that bench_opencl_gemm_check has passed. */
int bench_opencl_gemm_complex(struct bench_device *device, const struct bench_gemm *gemm,
			      struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* GEMM on CPU devices. */
#ifndef BENCH_OPENCL_GEMM_CPU_H
#define BENCH_OPENCL_GEMM_CPU_H

#include "backends/opencl/gemm/problem.h"

/*
 * A problem that bench_opencl_gemm has checked: m, n, k fit in 32 bits, the buffers hold the matrices. exact:
 * it has all properties that a raw caller vouches for (struct bench_gemm).
 */
int bench_opencl_gemm_cpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error);

#endif

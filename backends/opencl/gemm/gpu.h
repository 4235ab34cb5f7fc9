/* SPDX-License-Identifier: MIT */
/* GEMM on GPUs. */
#ifndef BENCH_OPENCL_GEMM_GPU_H
#define BENCH_OPENCL_GEMM_GPU_H

#include "backends/opencl/gemm/choice.h"

/* A checked problem, and `exact`, as for bench_opencl_gemm_cpu. */
int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error);

/* The same in a way of bench_opencl_gemm_choices. */
int bench_opencl_gemm_gpu_by(struct bench_device *device, const struct bench_gemm *gemm,
			     const struct bench_opencl_gemm_choice *choice, struct bench_error *error);

#endif

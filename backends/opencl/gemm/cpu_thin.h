/* SPDX-License-Identifier: MIT */
/* Products of few rows or few columns on CPU devices: gemm_cpu_thin.cl, which says how. */
#ifndef BENCH_OPENCL_GEMM_CPU_THIN_H
#define BENCH_OPENCL_GEMM_CPU_THIN_H

#include "backends/opencl/gemm/problem.h"

/* The three kernels. */
enum bench_opencl_thin_way { BENCH_OPENCL_THIN_ACROSS, BENCH_OPENCL_THIN_ALONG, BENCH_OPENCL_THIN_BESIDE };

/* How a thin product is done. */
struct bench_opencl_thin {
	enum bench_opencl_thin_way way;
	bool thin_m;         /* op(A) is the thin operand, else op(B) */
	size_t thin, length; /* of m and n */
	size_t lanes;
	size_t rows, columns; /* of a tile, as the kernel has them */
	bool ahead;           /* fetches ahead what it reads soon */
	size_t block;         /* steps that are done at one time */
	size_t parts;         /* work-items for each product */
	size_t scratch;       /* elements for each of them */
	bool by_caller;       /* too little work to wake others for */
};

/*
 * Fills the plan; false where the product is not thin, or is stored as none of the kernels takes it. A pure
 * function of the problem's sizes, strides and type, and of what the device says of itself.
 */
bool bench_opencl_gemm_cpu_thin_plan(const struct bench_device *device, const struct bench_gemm *gemm,
				     struct bench_opencl_thin *plan);

int bench_opencl_gemm_cpu_thin_run(struct bench_device *device, const struct bench_gemm *gemm,
				   const struct bench_opencl_thin *plan, struct bench_error *error);

#endif

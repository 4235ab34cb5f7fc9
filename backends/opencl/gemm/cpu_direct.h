/* SPDX-License-Identifier: MIT */
/* Products without packing on CPU devices: gemm_cpu_direct.cl, which says how. */
#ifndef BENCH_OPENCL_GEMM_CPU_DIRECT_H
#define BENCH_OPENCL_GEMM_CPU_DIRECT_H

#include "backends/opencl/gemm/problem.h"

/* How a work-item reads op(B): in place, or from its own copy, where it is stored by rows or by columns. */
enum bench_opencl_direct_form {
	BENCH_OPENCL_DIRECT_IN_PLACE,
	BENCH_OPENCL_DIRECT_COPIED,
	BENCH_OPENCL_DIRECT_TURNED
};

/* Tiles of C, that cover it exactly: in rows, the first `tall` of rows, the others of one less; in columns
 * likewise. */
struct bench_opencl_direct {
	uint32_t lanes;
	uint32_t rows, tiles, tall; /* of a tile, at most; how many tiles, so large ones */
	uint32_t wide, columns,
		broad;     /* vectors of a tile, at most; how many columns of tiles, so wide ones */
	uint32_t together; /* tiles below each other to a work-item */
	bool by_rows;      /* neighboring work-items have the same rows */
	enum bench_opencl_direct_form form_b;
};

/*
 * Fills the plan for the device's threads; its caller takes all tiles together. False where the product is
 * not one that does without packing: it is too large, is stored otherwise, or is narrower than a vector. A
 * pure function of the problem's sizes, strides and type, and of what the device says of itself.
 */
bool bench_opencl_gemm_cpu_direct_plan(const struct bench_device *device, const struct bench_gemm *gemm,
				       struct bench_opencl_direct *plan);

/* Can the caller and its helper have half each? */
bool bench_opencl_gemm_cpu_direct_has_halves(const struct bench_opencl_direct *plan);

int bench_opencl_gemm_cpu_direct_run(struct bench_device *device, const struct bench_gemm *gemm,
				     const struct bench_opencl_direct *plan, struct bench_error *error);

#endif

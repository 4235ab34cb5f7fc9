/* SPDX-License-Identifier: MIT */
/* How a convolution on NVIDIA's tensor cores is divided: a model chooses, by times that were measured. */
#ifndef BENCH_OPENCL_CONV2D_TENSOR_H
#define BENCH_OPENCL_CONV2D_TENSOR_H

#include "backends/opencl/runtime/device.h"
#include "bench/backend.h"

/*
 * The rows and columns of a group's tile of the product; the warps that share them; stages in local memory.
 * With wgmma, a warpgroup has all columns. On an H200, by a fit to 540 times of 30 shapes: the groups that a
 * compute unit has room for, and ns of a round, of a group by itself (latency) and of each of those that
 * share a unit (busy).
 */
struct bench_opencl_conv2d_tile {
	const char *source, *name;
	size_t rows, columns, warps_rows, warps_columns, stages, together;
	double latency, busy;
};

/* A tile; how many there are, over all groups of channels; the groups of work-items that share one; rounds of
 * 8 chunks, in all, and of each of these. */
struct bench_opencl_conv2d_plan {
	const struct bench_opencl_conv2d_tile *tile;
	size_t tiles, groups, rounds, rounds_each;
};
struct bench_opencl_conv2d_plan bench_opencl_conv2d_tensor_plan(const struct bench_device *device,
								const struct bench_conv2d *conv);

#endif

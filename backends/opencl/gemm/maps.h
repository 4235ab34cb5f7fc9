/* SPDX-License-Identifier: MIT */
/*
 * Maps of matrices for the tensor memory accelerator of NVIDIA's Hopper, which copies boxes of a matrix
 * between global and local memory. A map is 128 bytes in global memory. A kernel must make it (gemm_map.cl),
 * since a matrix has an address only there. So maps are kept until a buffer is released.
 */
#ifndef BENCH_OPENCL_GEMM_MAPS_H
#define BENCH_OPENCL_GEMM_MAPS_H

#include "backends/opencl/gemm/state.h"

/*
 * A map describes `count` matrices of rows x columns as stored, in elements of `bytes` (2 or 4). `ld` from a
 * row to the next and `stride` from a matrix to the next are in elements, and multiples of 16 bytes. A copy
 * moves 128 bytes of each of box_rows rows (at most 256).
 *
 * Gives the map's number in the state's `maps`, for a kernel that is enqueued before BENCH_OPENCL_GEMM_MAPS
 * others are asked for. BENCH_UNSUPPORTED where the driver does not build the kernel.
 */
int bench_opencl_gemm_map(struct bench_device *device, const struct bench_opencl_gemm_map *map,
			  cl_uint *number, struct bench_error *error);

#endif

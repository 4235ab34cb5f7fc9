/*
 * Maps of matrices for the tensor memory accelerator of NVIDIA's Hopper, which copies boxes of a matrix
 * between global and local memory by itself. A map is 128 bytes in global memory, which a kernel must make,
 * since only there a matrix has an address (gemm_map.cl). So maps are kept, until a buffer is
 * released.
 */
#ifndef BENCH_OPENCL_GEMM_MAPS_H
#define BENCH_OPENCL_GEMM_MAPS_H

#include "backends/opencl/runtime/internal.h"

/*
 * The number of the matrices' map in device->gemm.maps.memory, for a kernel that is enqueued before
 * BENCH_OPENCL_GEMM_MAPS others are asked for. BENCH_UNSUPPORTED where the driver does not build the kernel.
 */
int bench_opencl_gemm_map(struct bench_device *device, const struct bench_opencl_gemm_map *map,
			  cl_uint *number, struct bench_error *error);

#endif

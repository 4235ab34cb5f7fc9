/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/state.h"

#include "backends/opencl/gemm/problem.h"
#include "backends/opencl/runtime/buffers.h"

static void close(void *state)
{
	const struct bench_opencl_gemm *own = state;
	bench_opencl_unreserve(&own->packed_a);
	bench_opencl_unreserve(&own->packed_b);
	bench_opencl_unreserve(&own->maps);
}

const struct bench_opencl_state bench_opencl_gemm_state = {sizeof(struct bench_opencl_gemm), close};

struct bench_opencl_gemm *bench_opencl_gemm_of(const struct bench_device *device)
{
	return bench_opencl_state(device, &bench_opencl_gemm_state);
}

int bench_opencl_gemm_reserve_parts(struct bench_device *device, size_t bytes, struct bench_error *error)
{
	if (bench_opencl_reserve(device, &device->parts, bytes, error) != 0)
		return -1;
	return bench_opencl_counters(device, &device->arrived, BENCH_OPENCL_GEMM_SPLIT_GROUPS, error);
}

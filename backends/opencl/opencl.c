/* SPDX-License-Identifier: MIT */
/* The backend's table. */
#include "backends/backends.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/gemm/state.h"
#include "backends/opencl/hooks.h"
#include "backends/opencl/runtime/row.h"
#include "backends/opencl/tuning/tuning.h"

int bench_opencl_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		      struct bench_error *error)
{
	static const struct bench_opencl_state *const states[] = {
		&bench_opencl_gemm_state,
		&bench_opencl_conv2d_state,
		NULL,
	};
	_Static_assert(sizeof(states) / sizeof(*states) - 1 <= BENCH_OPENCL_STATES, "a device has room");
	if (bench_opencl_device_open(index, options, states, device, error) != 0)
		return -1;
	bench_opencl_tune(*device, options);
	return 0;
}

const struct bench_backend bench_backend_opencl = {
	.name = "opencl",
	.summary = "OpenCL 1.2 devices, CPUs and GPUs, with the project's own kernels",
	.tunables = bench_opencl_tunables,
	.devices = bench_opencl_devices,
	.open = bench_opencl_open,
	.close = bench_opencl_close,
	.time_begin = bench_opencl_time_begin,
	.time_end = bench_opencl_time_end,
	.row_begin = bench_opencl_row_begin,
	.row_end = bench_opencl_row_end,
	BENCH_OPENCL_HOOKS,
	.kernels = &bench_opencl_kernels,
	.clear = bench_opencl_clear,
};

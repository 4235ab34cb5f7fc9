/* SPDX-License-Identifier: MIT */
/* What the backends on OpenCL devices share: opening a device, the operations, and a table's hooks. */
#ifndef BENCH_OPENCL_HOOKS_H
#define BENCH_OPENCL_HOOKS_H

#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/copies.h"
#include "backends/opencl/runtime/devices.h"
#include "backends/opencl/runtime/host.h"
#include "backends/opencl/runtime/open.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/reports.h"

int bench_opencl_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		      struct bench_error *error);

#define BENCH_OPENCL_HOOKS                                                                                   \
	.alloc = bench_opencl_alloc, .release = bench_opencl_release, .upload = bench_opencl_upload,         \
	.download = bench_opencl_download, .finish = bench_opencl_finish,                                    \
	.host_alloc = bench_opencl_host_alloc, .host_free = bench_opencl_host_free,                          \
	.device_stats = bench_opencl_device_stats, .device_traffic = bench_opencl_device_traffic,            \
	.kernel_reports = bench_opencl_kernel_reports, BENCH_BACKEND_OPERATIONS(opencl),                     \
	.empty = bench_opencl_empty, .compile = bench_opencl_compile, .training = &bench_opencl_training,    \
	.peer = &bench_opencl_peer

#endif

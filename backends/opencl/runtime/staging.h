/* SPDX-License-Identifier: MIT */
/* Copies of 1 or more bytes between a buffer and ordinary memory, complete when they return. */
#ifndef BENCH_OPENCL_STAGING_H
#define BENCH_OPENCL_STAGING_H

#include "backends/opencl/runtime/device.h"

int bench_opencl_staged_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			       size_t bytes, struct bench_error *error);
int bench_opencl_staged_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
				 size_t bytes, struct bench_error *error);

#endif

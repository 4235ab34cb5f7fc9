/* SPDX-License-Identifier: MIT */
/* Copies between buffers and memory of the host. */
#ifndef BENCH_OPENCL_COPIES_H
#define BENCH_OPENCL_COPIES_H

#include "backends/opencl/runtime/device.h"

/* The hooks of the same names. */
int bench_opencl_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			size_t bytes, struct bench_error *error);
int bench_opencl_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
			  size_t bytes, struct bench_error *error);
/*
 * bench_opencl_download for the few bytes of a result. It waits for an event of a copy into page-locked
 * memory, where the device has such memory: with NVIDIA's driver (580) this takes 3 us less than a blocking
 * read.
 */
enum { BENCH_OPENCL_FETCH_MOST = 4096 };
int bench_opencl_fetch(struct bench_device *device, const struct bench_buffer *buffer, void *host,
		       size_t bytes, struct bench_error *error);

#endif

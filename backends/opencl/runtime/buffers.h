/* SPDX-License-Identifier: MIT */
/* Buffers on the device. */
#ifndef BENCH_OPENCL_BUFFERS_H
#define BENCH_OPENCL_BUFFERS_H

#include "backends/opencl/runtime/device.h"

/* The hooks of the same names. */
int bench_opencl_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		       struct bench_error *error);
void bench_opencl_release(struct bench_device *device, struct bench_buffer *buffer);

int bench_opencl_buffer_create(struct bench_device *device, size_t bytes, cl_mem_flags flags, cl_mem *memory,
			       struct bench_error *error);
/* For all memory that may have been a kernel's argument. */
void bench_opencl_memory_release(struct bench_device *device, cl_mem memory);
/* Makes `buffer` ({0} at first) at least `bytes` large; its contents are lost when it grows. */
int bench_opencl_reserve(struct bench_device *device, struct bench_buffer *buffer, size_t bytes,
			 struct bench_error *error);
/* bench_opencl_reserve for `count` counters, which are 0. None of them may be in use. */
int bench_opencl_counters(struct bench_device *device, struct bench_buffer *buffer, size_t count,
			  struct bench_error *error);
/* When the device closes: releases what was reserved, if anything was. */
void bench_opencl_unreserve(const struct bench_buffer *buffer);

#endif

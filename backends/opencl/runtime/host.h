/* SPDX-License-Identifier: MIT */
/* Memory on the host: the hooks of the same names. */
#ifndef BENCH_OPENCL_HOST_H
#define BENCH_OPENCL_HOST_H

#include "backends/opencl/runtime/device.h"

int bench_opencl_host_alloc(struct bench_device *device, size_t bytes, enum bench_host_memory kind,
			    void **host, struct bench_error *error);
void bench_opencl_host_free(struct bench_device *device, void *host);
void bench_opencl_host_free_all(struct bench_device *device);
/* Is it the start of memory that is copied through page-locked pieces? */
bool bench_opencl_host_is_staged(const struct bench_device *device, const void *host);

#endif

/* SPDX-License-Identifier: MIT */
/* Opening and closing a device. */
#ifndef BENCH_OPENCL_OPEN_H
#define BENCH_OPENCL_OPEN_H

#include "backends/opencl/runtime/device.h"

/*
 * Opens device `index` with a state for each entry of `states`, which ends with NULL. close frees it; NULL is
 * allowed.
 */
int bench_opencl_device_open(size_t index, const struct bench_open_options *options,
			     const struct bench_opencl_state *const *states, struct bench_device **device,
			     struct bench_error *error);
void bench_opencl_close(struct bench_device *device);
void bench_opencl_clear(struct bench_device *device);
void bench_opencl_device_stats(const struct bench_device *device, struct bench_device_stats *stats);
void bench_opencl_device_traffic(const struct bench_device *device, struct bench_device_traffic *traffic);

#endif

/* SPDX-License-Identifier: MIT */
/* The devices of this machine: their platforms, facts and slugs. */
#ifndef BENCH_OPENCL_DEVICES_H
#define BENCH_OPENCL_DEVICES_H

#include "backends/opencl/runtime/device.h"

struct bench_opencl_device {
	cl_platform_id platform;
	cl_device_id id;
	cl_device_id caller; /* the same processor, by the calling thread; NULL: none */
	struct bench_device_info info;
	unsigned nvidia_capability; /* these five as in struct bench_device */
	bool has_fence, has_addresses;
	uint64_t local_bytes, cache_bytes;
	size_t native_width[2];
};

/* Makes a driver's text one line of UTF-8, fit for terminals, tables and files: '?' for all else. */
void bench_opencl_clean(char *text);
/* A text property of a device, cleaned and without blanks around it; "" where it cannot be had. */
cl_int bench_opencl_device_text(cl_device_id id, cl_device_info what, char *out, size_t size);
/*
 * All devices of all platforms, in the loader's order, in a malloc'd *list. It leaves out a platform that
 * fails, and a device that reports impossible facts. None at all: BENCH_UNSUPPORTED with the reason.
 * BENCH_USAGE for an unknown value of one of our variables.
 */
int bench_opencl_enumerate(struct bench_opencl_device **list, size_t *count, struct bench_error *error);

/* The hook. */
int bench_opencl_devices(struct bench_device_info *info, size_t capacity, size_t *count,
			 struct bench_error *error);

#endif

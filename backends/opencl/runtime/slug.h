/* SPDX-License-Identifier: MIT */
/* Names of OpenCL devices. docs/opencl.md is the guide to this backend. */
#ifndef BENCH_OPENCL_SLUG_H
#define BENCH_OPENCL_SLUG_H

#include <stdbool.h>
#include <stddef.h>

/* Is the platform of this name PoCL? */
bool bench_opencl_is_pocl(const char *platform_name);

/*
 * The slug of a device: its name in lower case, runs of other characters one '-', "(R)"
 * and "(TM)" left out. PoCL names a CPU "DRIVER-LLVM_CPU-MODEL": the driver becomes "pocl"
 * and the model, which is `cpu_model` ("" where unknown), is cut off. Never empty.
 */
void bench_opencl_slug(char *out, size_t size, const char *platform_name, const char *device_name,
		       const char *cpu_model);

#endif

/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/device.h"

void *bench_opencl_state(const struct bench_device *device, const struct bench_opencl_state *of)
{
	size_t i = 0;
	while (device->states[i].of != of)
		i++;
	return device->states[i].memory;
}

int bench_opencl_check_f64(const struct bench_device *device, enum bench_dtype dtype,
			   struct bench_error *error)
{
	if (dtype != BENCH_F64 || device->info.f64)
		return 0;
	return bench_fail(error, BENCH_UNSUPPORTED, "no double precision: device %s lacks cl_khr_fp64",
			  device->info.slug);
}

int bench_opencl_check_real(const struct bench_device *device, const char *operation, enum bench_dtype dtype,
			    struct bench_error *error)
{
	if (!bench_dtype_is_plain(dtype))
		return bench_fail(error, BENCH_UNSUPPORTED, "opencl: no %s in f16, bf16 or tf32", operation);
	return bench_opencl_check_f64(device, dtype, error);
}

size_t bench_opencl_vector_lanes(const struct bench_device *device, enum bench_dtype dtype)
{
	size_t bytes = device->native_width[dtype == BENCH_F64] * bench_dtype_bytes(dtype);
	bytes = bytes >= 64 ? 64 : bytes >= 32 ? 32 : 16;
	return bytes / bench_dtype_bytes(dtype);
}

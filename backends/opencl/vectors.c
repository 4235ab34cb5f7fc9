#include "internal.h"

#define GROUP 256 /* work-items of a group, where the device runs so many */

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

int bench_opencl_check_vector(const char *operation, const char *name, const struct bench_buffer *buffer,
			      enum bench_dtype dtype, size_t count, struct bench_error *error)
{
	if (count < 1 || count > buffer->bytes / bench_dtype_bytes(dtype))
		return bench_fail(error, BENCH_USAGE, "%s: %zu elements do not fit %s, a buffer of %zu bytes",
				  operation, count, name, buffer->bytes);
	return 0;
}

int bench_opencl_width_log(const char *operation, unsigned width, unsigned *log, struct bench_error *error)
{
	for (*log = 0; *log < BENCH_OPENCL_WIDTHS; ++*log)
		if (width == 1U << *log)
			return 0;
	return bench_fail(error, BENCH_USAGE, "%s: width is 1, 2, 4, 8 or 16, not %u", operation, width);
}

size_t bench_opencl_vector_lanes(const struct bench_device *device, enum bench_dtype dtype)
{
	size_t bytes = device->native_width[dtype == BENCH_F64] * bench_dtype_bytes(dtype);
	bytes = bytes >= 64 ? 64 : bytes >= 32 ? 32 : 16;
	return bytes / bench_dtype_bytes(dtype);
}

int bench_opencl_launch_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
				const struct bench_opencl_argument *arguments, cl_uint argument_count,
				size_t count, unsigned width, struct bench_error *error)
{
	size_t group = 1;
	if (bench_opencl_group_size(device, kernel, GROUP, &group, error) != 0)
		return -1;
	size_t items = bench_opencl_divide_up(count, width);
	return bench_opencl_launch_groups(device, kernel, arguments, argument_count,
					  bench_opencl_divide_up(items, group), group, error);
}

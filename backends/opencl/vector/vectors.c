/* SPDX-License-Identifier: MIT */
#include "backends/opencl/vector/vectors.h"

#include "backends/opencl/runtime/pair.h"

/* Bytes that one thread moves while PoCL's threads take turns from one kernel to the next, some 10 us. */
#define CALLER_BYTES ((size_t)1 << 20)

/* Bytes of which a caller's helper takes a part: in less time than that takes they are read and written. */
#define HELPED_BYTES ((size_t)1 << 16)
#define HALVES_ALIGN ((size_t)256) /* a multiple of every width, and of a line of the cache */

#define GROUP 256 /* work-items of a group, or as many as the device runs */

int bench_opencl_check_vector(const char *operation, const char *name, const struct bench_buffer *buffer,
			      enum bench_dtype dtype, size_t count, struct bench_error *error)
{
	if (count < 1 || count > buffer->bytes / bench_dtype_bytes(dtype))
		return bench_fail(error, BENCH_USAGE, "%s: %zu elements do not fit %s, a buffer of %zu bytes",
				  operation, count, name, buffer->bytes);
	return 0;
}

int bench_opencl_check_vectors(const struct bench_device *device, struct bench_opencl_vectors *vectors,
			       struct bench_error *error)
{
	const size_t real = bench_dtype_bytes(vectors->dtype);
	if (bench_opencl_check_real(device, vectors->operation, vectors->dtype, error) != 0)
		return -1;
	for (size_t i = 0; i < vectors->buffers; i++)
		if (bench_opencl_check_vector(vectors->operation, vectors->name[i], vectors->buffer[i],
					      vectors->dtype, vectors->count, error) != 0)
			return -1;
	vectors->bytes = vectors->buffers * vectors->count * real;
	if (!vectors->width)
		vectors->width = (unsigned)(bench_opencl_is_cpu(device)
						    ? bench_opencl_vector_lanes(device, vectors->dtype)
						    : 16 / real);
	if (vectors->width <= 16 && __builtin_popcount(vectors->width) == 1)
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s: width is 1, 2, 4, 8 or 16, not %u", vectors->operation,
			  vectors->width);
}

struct bench_device *bench_opencl_runner(struct bench_device *device, size_t bytes, bool has_parts)
{
	/* n threads would need an n-th of the time beside. */
	const size_t units = device->info.compute_units;
	const size_t most = units == 1 ? SIZE_MAX : CALLER_BYTES / (units - 1) * units;
	if (device->caller && device->queue.idle && bytes <= most)
		return device->caller;
	return has_parts && bytes <= CALLER_BYTES * bench_opencl_helped_times(device) &&
			       bench_opencl_helper_takes(device)
		       ? device->caller
		       : device;
}

bool bench_opencl_goes_past(const struct bench_device *device, size_t bytes)
{
	return bench_opencl_is_cpu(device) && device->cache_bytes && bytes > device->cache_bytes;
}

bool bench_opencl_vectors_by_address(const struct bench_device *device)
{
	return device->has_addresses && bench_opencl_is_cpu(device);
}

/* The vectors' elements from `first` on, and the arguments that say so. */
struct part {
	size_t count;
	struct bench_opencl_list list;
};

static int make_part(struct bench_device *device, const struct bench_opencl_vectors *vectors, size_t first,
		     size_t count, struct part *part, struct bench_error *error)
{
	uint64_t address;
	part->count = count;
	part->list.count = 0;
	for (size_t i = 0; i < vectors->buffers; i++)
		if (!bench_opencl_vectors_by_address(device))
			BENCH_OPENCL_MEMORIES(&part->list, vectors->buffer[i]);
		else if (bench_opencl_address(device, vectors->buffer[i], &address, error) != 0)
			return -1;
		else
			BENCH_OPENCL_ULONGS(&part->list, address + first * bench_dtype_bytes(vectors->dtype));
	BENCH_OPENCL_ULONGS(&part->list, count);
	return 0;
}

/* Of as many work-items as `count` elements take. */
static struct bench_opencl_launch launch_of(const struct part *part, size_t count, unsigned width,
					    size_t group)
{
	const size_t items = bench_opencl_divide_up(count, width);
	return bench_opencl_list_launch(
		&part->list, 1, &(const size_t){bench_opencl_divide_up(items, group) * group}, &group);
}

int bench_opencl_run_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_vectors *vectors, struct bench_error *error)
{
	struct part mine, others;
	size_t group = 1,
	       half = bench_opencl_divide_up(vectors->count, (size_t)2 * HALVES_ALIGN) * HALVES_ALIGN;
	const bool helped = device->helper && bench_opencl_vectors_by_address(device) &&
			    vectors->bytes >= HELPED_BYTES && half < vectors->count &&
			    bench_opencl_helper_ready(device->helper);
	if (bench_opencl_group_size(device, kernel, GROUP, &group, error) != 0 ||
	    make_part(device, vectors, 0, helped ? half : vectors->count, &mine, error) != 0 ||
	    (helped && make_part(device, vectors, half, vectors->count - half, &others, error) != 0))
		return -1;
	const struct bench_opencl_launch launch = launch_of(&mine, mine.count, vectors->width, group);
	if (!helped)
		return bench_opencl_launch(device, kernel, &launch, error);
	const struct bench_opencl_launch other = launch_of(&others, mine.count, vectors->width, group);
	return bench_opencl_launch_both(device, kernel, &launch, &other, error);
}

int bench_opencl_launch_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
				const struct bench_opencl_list *list, size_t count, unsigned width,
				struct bench_error *error)
{
	size_t group = 1;
	if (bench_opencl_group_size(device, kernel, GROUP, &group, error) != 0)
		return -1;
	size_t items = bench_opencl_divide_up(count, width);
	return bench_opencl_launch_groups(device, kernel, list, bench_opencl_divide_up(items, group), group,
					  error);
}

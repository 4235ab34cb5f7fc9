/* SPDX-License-Identifier: MIT */
/* Buffers on the device. */
#include "backends/opencl/runtime/buffers.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/queue.h"
#include "core/memory.h"

/* What a CPU device's buffers of this size lie in is ours: PoCL's own memory is in small pages. */
#define OWN_BYTES ((size_t)4 << 20)

static void CL_CALLBACK free_own(cl_mem memory, void *own)
{
	(void)memory;
	free(own);
}

/* A buffer in memory that is freed with it. */
static cl_int create_own(struct bench_device *device, size_t bytes, cl_mem_flags flags, cl_mem *memory)
{
	cl_int status = CL_SUCCESS;
	void *own = bench_memory_alloc_operand(bytes);
	if (!own)
		return CL_OUT_OF_HOST_MEMORY;
	*memory = clCreateBuffer(device->context, flags | CL_MEM_USE_HOST_PTR, bytes, own, &status);
	status = bench_opencl_made(*memory, status);
	if (status == CL_SUCCESS) {
		status = clSetMemObjectDestructorCallback(*memory, free_own, own);
		if (status == CL_SUCCESS)
			return CL_SUCCESS;
		clReleaseMemObject(*memory);
	}
	free(own);
	return status;
}

int bench_opencl_buffer_create(struct bench_device *device, size_t bytes, cl_mem_flags flags, cl_mem *memory,
			       struct bench_error *error)
{
	char what[160];
	if (bytes > device->info.max_buffer_bytes)
		return bench_fail(
			error, BENCH_NO_MEMORY,
			"a buffer of %zu bytes is larger than the largest (%llu bytes) of device %s", bytes,
			(unsigned long long)device->info.max_buffer_bytes, device->info.slug);
	cl_int status = CL_SUCCESS;
	if (device->info.kind == BENCH_DEVICE_CPU && bytes >= OWN_BYTES) {
		status = create_own(device, bytes, flags, memory);
	} else {
		*memory = clCreateBuffer(device->context, flags, bytes, NULL, &status);
		status = bench_opencl_made(*memory, status);
	}
	if (status == CL_SUCCESS)
		return 0;
	*memory = NULL;
	snprintf(what, sizeof(what), "buffer of %zu bytes", bytes);
	return bench_opencl_fail(error, device, status, "clCreateBuffer", what);
}

int bench_opencl_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		       struct bench_error *error)
{
	struct bench_buffer *made = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a buffer's record");
	if (bench_opencl_buffer_create(device, bytes, CL_MEM_READ_WRITE, &made->memory, error) != 0) {
		free(made);
		return -1;
	}
	made->bytes = bytes;
	*buffer = made;
	return 0;
}

void bench_opencl_memory_release(struct bench_device *device, cl_mem memory)
{
	/* What has its buffers' addresses holds no reference to them. */
	if (device->has_addresses && device->info.kind == BENCH_DEVICE_CPU)
		bench_opencl_finish(device, NULL);
	clReleaseMemObject(memory);
	device->released++;
	if (device->caller)
		device->caller->released++;
}

void bench_opencl_release(struct bench_device *device, struct bench_buffer *buffer)
{
	if (!buffer)
		return;
	bench_opencl_memory_release(device, buffer->memory);
	free(buffer);
}

int bench_opencl_reserve(struct bench_device *device, struct bench_buffer *buffer, size_t bytes,
			 struct bench_error *error)
{
	if (buffer->bytes >= bytes)
		return 0;
	/* Work in flight keeps its own reference to the old one, unless it has its address: that is waited
	 * for. */
	if (buffer->address && bench_opencl_finish(device, error) != 0)
		return -1;
	if (buffer->memory)
		bench_opencl_memory_release(device, buffer->memory);
	*buffer = (struct bench_buffer){0};
	if (bench_opencl_buffer_create(device, bytes, CL_MEM_READ_WRITE, &buffer->memory, error) != 0)
		return -1;
	buffer->bytes = bytes;
	return 0;
}

int bench_opencl_counters(struct bench_device *device, struct bench_buffer *buffer, size_t count,
			  struct bench_error *error)
{
	const cl_uint none = 0;
	size_t bytes = count * sizeof(none);
	if (buffer->bytes >= bytes)
		return 0;
	if (bench_opencl_reserve(device, buffer, bytes, error) != 0)
		return -1;
	cl_int status = clEnqueueFillBuffer(bench_opencl_queue(device), buffer->memory, &none, sizeof(none),
					    0, bytes, 0, NULL, NULL);
	if (status == CL_SUCCESS)
		return 0;
	bench_opencl_memory_release(device, buffer->memory);
	*buffer = (struct bench_buffer){0}; /* counters that are there count from 0 */
	return bench_opencl_fail(error, device, status, "clEnqueueFillBuffer", "counters of groups");
}

void bench_opencl_unreserve(const struct bench_buffer *buffer)
{
	if (buffer->memory)
		clReleaseMemObject(buffer->memory);
}

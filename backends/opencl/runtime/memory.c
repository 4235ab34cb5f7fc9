/* Buffers on the device, memory on the host, and the copies between them. */
#include "core/memory.h"
#include "backends/opencl/runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096 /* the smallest page of every machine we run on; only alignment depends on it */

/* One block that host_alloc gave out. */
struct bench_opencl_host {
	void *memory;
	cl_mem pinned; /* NULL: ordinary memory, from aligned_alloc */
	bool staged;   /* which is copied through page-locked pieces */
	struct bench_opencl_host *next;
};

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

static int create(struct bench_device *device, size_t bytes, cl_mem_flags flags, cl_mem *memory,
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
	if (create(device, bytes, CL_MEM_READ_WRITE, &made->memory, error) != 0) {
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
	if (create(device, bytes, CL_MEM_READ_WRITE, &buffer->memory, error) != 0)
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

/* Is it memory, or the start of memory, that is to be copied in pieces? */
static bool is_staged(const struct bench_device *device, const void *host)
{
	const struct bench_opencl_host *block = device->host_blocks;
	while (block && block->memory != host)
		block = block->next;
	return block && block->staged;
}

static int check_size(const struct bench_device *device, const struct bench_buffer *buffer, size_t bytes,
		      struct bench_error *error)
{
	if (bytes <= buffer->bytes)
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "a copy of %zu bytes exceeds the buffer of %zu bytes, device %s", bytes,
			  buffer->bytes, device->info.slug);
}

int bench_opencl_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			size_t bytes, struct bench_error *error)
{
	cl_event *event;
	if (check_size(device, buffer, bytes, error) != 0 || bytes == 0)
		return bytes == 0 ? 0 : -1;
	if (is_staged(device, host))
		return bench_opencl_staged_upload(device, buffer, host, bytes, error);
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	cl_int status = clEnqueueWriteBuffer(bench_opencl_queue(device), buffer->memory, CL_TRUE, 0, bytes,
					     host, 0, NULL, event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clEnqueueWriteBuffer", NULL);
	bench_opencl_event_commit(device);
	/* A queue in order has then done all before it, too: a small kernel that follows is the calling
	 * thread's. */
	device->queue.idle = true;
	return 0;
}

int bench_opencl_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
			  size_t bytes, struct bench_error *error)
{
	cl_event *event;
	if (check_size(device, buffer, bytes, error) != 0 || bytes == 0)
		return bytes == 0 ? 0 : -1;
	if (is_staged(device, host))
		return bench_opencl_staged_download(device, buffer, host, bytes, error);
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	cl_int status = clEnqueueReadBuffer(bench_opencl_queue(device), buffer->memory, CL_TRUE, 0, bytes,
					    host, 0, NULL, event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clEnqueueReadBuffer", NULL);
	bench_opencl_event_commit(device);
	device->queue.idle = true; /* as after an upload */
	return 0;
}

/* Into page-locked memory, without waiting; *event is the caller's to wait for and, unless `timed`, to
 * release. */
static int start_fetch(struct bench_device *device, const struct bench_buffer *buffer, size_t bytes,
		       cl_event *event, bool *timed, struct bench_error *error)
{
	cl_event *slot;
	if (!device->fetched && bench_opencl_host_alloc(device, BENCH_OPENCL_FETCH_MOST, BENCH_HOST_PINNED,
							&device->fetched, error) != 0)
		return -1;
	if (bench_opencl_event_slot(device, &slot, error) != 0)
		return -1;
	cl_int status = clEnqueueReadBuffer(bench_opencl_queue(device), buffer->memory, CL_FALSE, 0, bytes,
					    device->fetched, 0, NULL, event);
	status = bench_opencl_made(*event, status);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clEnqueueReadBuffer", "a result");
	*timed = slot != NULL;
	if (slot) {
		*slot = *event;
		bench_opencl_event_commit(device);
	}
	return 0;
}

int bench_opencl_fetch(struct bench_device *device, const struct bench_buffer *buffer, void *host,
		       size_t bytes, struct bench_error *error)
{
	cl_event event = NULL;
	bool timed = false;
	if (!device->info.pinned || bytes > BENCH_OPENCL_FETCH_MOST)
		return bench_opencl_download(device, buffer, host, bytes, error);
	if (start_fetch(device, buffer, bytes, &event, &timed, error) != 0)
		return -1;
	cl_int status = clWaitForEvents(1, &event);
	if (!timed)
		clReleaseEvent(event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clWaitForEvents", "a result");
	memcpy(host, device->fetched, bytes);
	return 0;
}

/* Page-locked memory as OpenCL has it: a buffer that the driver keeps on the host, mapped for good. */
static int map_pinned(struct bench_device *device, size_t bytes, struct bench_opencl_host *block,
		      struct bench_error *error)
{
	if (create(device, bytes, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, &block->pinned, error) != 0)
		return -1;
	cl_int status = CL_SUCCESS;
	block->memory = clEnqueueMapBuffer(device->queue.plain, block->pinned, CL_TRUE,
					   CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &status);
	status = bench_opencl_made(block->memory, status);
	if (status == CL_SUCCESS)
		return 0;
	clReleaseMemObject(block->pinned);
	return bench_opencl_fail(error, device, status, "clEnqueueMapBuffer", "pinned host memory");
}

static int alloc_pageable(size_t bytes, struct bench_opencl_host *block, struct bench_error *error)
{
	block->memory =
		bytes <= SIZE_MAX - PAGE ? aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE) : NULL;
	if (!block->memory)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a block of %zu bytes", bytes);
	return 0;
}

int bench_opencl_host_alloc(struct bench_device *device, size_t bytes, enum bench_host_memory kind,
			    void **host, struct bench_error *error)
{
	if (kind != BENCH_HOST_PAGEABLE && !device->info.pinned)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no pinned memory: device %s shares the host's memory", device->info.slug);
	struct bench_opencl_host *block = calloc(1, sizeof(*block));
	if (!block)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a block's record");
	int result = kind == BENCH_HOST_PINNED ? map_pinned(device, bytes, block, error)
					       : alloc_pageable(bytes, block, error);
	if (result != 0) {
		free(block);
		return -1;
	}
	block->staged = kind == BENCH_HOST_STAGED;
	block->next = device->host_blocks;
	device->host_blocks = block;
	*host = block->memory;
	return 0;
}

void bench_opencl_host_free(struct bench_device *device, void *host)
{
	struct bench_opencl_host **link = &device->host_blocks;
	while (*link && (*link)->memory != host)
		link = &(*link)->next;
	struct bench_opencl_host *block = *link;
	if (!host || !block)
		return;
	*link = block->next;
	if (block->pinned) {
		clEnqueueUnmapMemObject(device->queue.plain, block->pinned, host, 0, NULL, NULL);
		clFinish(device->queue.plain);
		clReleaseMemObject(block->pinned);
	} else {
		free(host);
	}
	free(block);
}

void bench_opencl_host_free_all(struct bench_device *device)
{
	while (device->host_blocks)
		bench_opencl_host_free(device, device->host_blocks->memory);
}

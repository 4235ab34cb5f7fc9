/* SPDX-License-Identifier: MIT */
/* Memory on the host: ordinary, and page-locked. */
#include "backends/opencl/runtime/host.h"

#include <stdlib.h>

#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/errors.h"

#define PAGE 4096 /* the smallest page of every machine we run on; only alignment depends on it */

/* One block that host_alloc gave out. */
struct bench_opencl_host {
	void *memory;
	cl_mem pinned; /* NULL: ordinary memory, from aligned_alloc */
	bool staged;   /* which is copied through page-locked pieces */
	struct bench_opencl_host *next;
};

/* Page-locked memory as OpenCL has it: a buffer that the driver keeps on the host, mapped for good. */
static int map_pinned(struct bench_device *device, size_t bytes, struct bench_opencl_host *block,
		      struct bench_error *error)
{
	if (bench_opencl_buffer_create(device, bytes, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
				       &block->pinned, error) != 0)
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

bool bench_opencl_host_is_staged(const struct bench_device *device, const void *host)
{
	const struct bench_opencl_host *block = device->host_blocks;
	while (block && block->memory != host)
		block = block->next;
	return block && block->staged;
}

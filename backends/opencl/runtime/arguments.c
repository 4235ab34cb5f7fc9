/* SPDX-License-Identifier: MIT */
/*
 * A kernel's arguments, one after the other; buffers, where kernels reach them by it, as the number of their
 * first byte. With NVIDIA's driver (580) each launch takes 0.3 us per buffer argument, and next to nothing
 * per number. A kernel of a few microseconds does not hide that (docs/notes/kernel-experiments.md).
 */
#include "backends/opencl/runtime/arguments.h"

#include <string.h>

#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/copies.h"

#define SOURCE "buffer.cl"

/* A launch, which no statistics count since it is no part of any work, and a download. */
static int ask(struct bench_device *device, const struct bench_buffer *buffer, uint64_t *address,
	       struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_reserve(device, &device->value, sizeof(*address), error) != 0 ||
	    bench_opencl_kernel(device, SOURCE, "-DADDRESS_OF", "address_of", &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, buffer, &device->value);
	if (bench_opencl_launch_groups(device, kernel, &list, 1, 1, error) != 0)
		return -1;
	device->stats.launches--;
	return bench_opencl_download(device, &device->value, address, sizeof(*address), error);
}

int bench_opencl_address(struct bench_device *device, const struct bench_buffer *buffer, uint64_t *address,
			 struct bench_error *error)
{
	uint64_t *known = &((struct bench_buffer *)buffer)->address; /* no part of what it holds */
	if (!*known && ask(device, buffer, known, error) != 0)
		return -1;
	*address = *known;
	return 0;
}

/* Where the next argument goes. */
static cl_uint next(const struct bench_opencl_list *list)
{
	return list->count < BENCH_OPENCL_LIST ? list->count : BENCH_OPENCL_LIST;
}

void bench_opencl_list_add(struct bench_opencl_list *list, size_t bytes, const void *value)
{
	list->arguments[next(list)] = (struct bench_opencl_argument){bytes, value};
	list->count++;
}

void bench_opencl_list_add_uints(struct bench_opencl_list *list, const size_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		list->values[next(list)].narrow = (cl_uint)values[i];
		bench_opencl_list_add(list, sizeof(cl_uint), &list->values[next(list)]);
	}
}

void bench_opencl_list_add_ulongs(struct bench_opencl_list *list, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		list->values[next(list)].wide = values[i];
		bench_opencl_list_add(list, sizeof(cl_ulong), &list->values[next(list)]);
	}
}

void bench_opencl_list_add_memories(struct bench_opencl_list *list, const struct bench_buffer *const *buffers,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		list->values[next(list)].memory = buffers[i]->memory;
		bench_opencl_list_add(list, sizeof(cl_mem), &list->values[next(list)]);
	}
}

struct bench_opencl_launch bench_opencl_list_launch(const struct bench_opencl_list *list, cl_uint dimensions,
						    const size_t *global, const size_t *local)
{
	const bool fits = list->count <= BENCH_OPENCL_LIST;
	struct bench_opencl_launch launch = {
		fits ? list->arguments : NULL, list->count, dimensions, {0}, {0}};
	memcpy(launch.global, global, dimensions * sizeof(*global));
	memcpy(launch.local, local, dimensions * sizeof(*local));
	return launch;
}

int bench_opencl_launch_grid(struct bench_device *device, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_list *list, cl_uint dimensions, const size_t *global,
			     const size_t *local, struct bench_error *error)
{
	const struct bench_opencl_launch launch = bench_opencl_list_launch(list, dimensions, global, local);
	return bench_opencl_launch(device, kernel, &launch, error);
}

int bench_opencl_launch_groups(struct bench_device *device, struct bench_opencl_kernel *kernel,
			       const struct bench_opencl_list *list, size_t groups, size_t items,
			       struct bench_error *error)
{
	return bench_opencl_launch_grid(device, kernel, list, 1, &(const size_t){groups * items}, &items,
					error);
}

int bench_opencl_list_add_buffer(struct bench_device *device, struct bench_opencl_list *list,
				 const struct bench_buffer *buffer, struct bench_error *error)
{
	if (!device->has_addresses) {
		bench_opencl_list_add(list, sizeof(cl_mem), &buffer->memory);
		return 0;
	}
	uint64_t *address = &((struct bench_buffer *)buffer)->address; /* where it stays until the launch */
	if (buffer->memory && bench_opencl_address(device, buffer, address, error) != 0)
		return -1;
	bench_opencl_list_add(list, sizeof(*address), address);
	return 0;
}

int bench_opencl_list_add_buffers(struct bench_device *device, struct bench_opencl_list *list,
				  const struct bench_buffer *const *buffers, uint64_t *const *addresses,
				  size_t count, struct bench_error *error)
{
	for (size_t i = 0; i < count; i++) {
		if (!buffers[i])
			continue;
		if (!device->has_addresses)
			bench_opencl_list_add(list, sizeof(cl_mem), &buffers[i]->memory);
		else if (bench_opencl_address(device, buffers[i], addresses[i], error) != 0)
			return -1;
	}
	return 0;
}

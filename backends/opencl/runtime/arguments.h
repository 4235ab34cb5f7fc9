/* A kernel's arguments, one after the other; buffers as addresses, where kernels reach them so. */
#ifndef BENCH_OPENCL_ARGUMENTS_H
#define BENCH_OPENCL_ARGUMENTS_H

#include "backends/opencl/runtime/queue.h"

struct bench_opencl_list {
	struct bench_opencl_argument arguments[24];
	cl_uint count;
};
/* `value` is the caller's until the launch. */
void bench_opencl_list_add(struct bench_opencl_list *list, size_t bytes, const void *value);
/* The address of a buffer's first byte, asked of the device once per buffer; for device->has_addresses. */
int bench_opencl_address(struct bench_device *device, const struct bench_buffer *buffer, uint64_t *address,
			 struct bench_error *error);
/* For a kernel that TAKES it (buffer.cl), compiled for device->has_addresses; memory NULL: none. */
int bench_opencl_list_add_buffer(struct bench_device *device, struct bench_opencl_list *list,
				 const struct bench_buffer *buffer, struct bench_error *error);
/*
 * For a kernel whose first argument is a structure with its buffers' addresses: fills these, or, where
 * kernels do not reach buffers by address, adds the buffers. NULL among the buffers is left out.
 */
int bench_opencl_list_add_buffers(struct bench_device *device, struct bench_opencl_list *list,
				  const struct bench_buffer *const *buffers, uint64_t *const *addresses,
				  size_t count, struct bench_error *error);

#endif

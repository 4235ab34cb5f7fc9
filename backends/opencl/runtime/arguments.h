/* SPDX-License-Identifier: MIT */
/* A kernel's arguments, one after the other; buffers as addresses, where kernels reach them so. */
#ifndef BENCH_OPENCL_ARGUMENTS_H
#define BENCH_OPENCL_ARGUMENTS_H

#include "backends/opencl/runtime/queue.h"

/*
 * {.count = 0} at first. It holds numbers and handles itself, so it stays where it is until the launch.
 * A list of more than BENCH_OPENCL_LIST arguments is not launched: CL_INVALID_ARG_INDEX in
 * bench_opencl_list_add. Raise the number then.
 */
enum { BENCH_OPENCL_LIST = 24 };
struct bench_opencl_list {
	struct bench_opencl_argument arguments[BENCH_OPENCL_LIST + 1]; /* the last: those that are too many */
	union {
		cl_uint narrow;
		cl_ulong wide;
		cl_mem memory;
	} values[BENCH_OPENCL_LIST + 1];
	cl_uint count; /* with those that are too many */
};
/* `value` is the caller's until the launch. */
void bench_opencl_list_add(struct bench_opencl_list *list, size_t bytes, const void *value);
/* Numbers as uint or ulong, and buffers: BENCH_OPENCL_UINTS(&list, conv->h, conv->w). */
void bench_opencl_list_add_uints(struct bench_opencl_list *list, const size_t *values, size_t count);
void bench_opencl_list_add_ulongs(struct bench_opencl_list *list, const uint64_t *values, size_t count);
void bench_opencl_list_add_memories(struct bench_opencl_list *list, const struct bench_buffer *const *buffers,
				    size_t count);
#define BENCH_OPENCL_ALL(type, ...) (type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}) / sizeof(type)
#define BENCH_OPENCL_UINTS(list, ...)                                                                        \
	bench_opencl_list_add_uints(list, BENCH_OPENCL_ALL(const size_t, __VA_ARGS__))
#define BENCH_OPENCL_ULONGS(list, ...)                                                                       \
	bench_opencl_list_add_ulongs(list, BENCH_OPENCL_ALL(const uint64_t, __VA_ARGS__))
#define BENCH_OPENCL_MEMORIES(list, ...)                                                                     \
	bench_opencl_list_add_memories(list, BENCH_OPENCL_ALL(const struct bench_buffer *const, __VA_ARGS__))
/* In `dimensions` dimensions. */
struct bench_opencl_launch bench_opencl_list_launch(const struct bench_opencl_list *list, cl_uint dimensions,
						    const size_t *global, const size_t *local);
int bench_opencl_launch_grid(struct bench_device *device, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_list *list, cl_uint dimensions, const size_t *global,
			     const size_t *local, struct bench_error *error);
/* In one dimension: `groups` groups of `items` work-items each. */
int bench_opencl_launch_groups(struct bench_device *device, struct bench_opencl_kernel *kernel,
			       const struct bench_opencl_list *list, size_t groups, size_t items,
			       struct bench_error *error);
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

/* SPDX-License-Identifier: MIT */
/* What operations on vectors share, `width` elements to a work-item. */
#ifndef BENCH_OPENCL_VECTORS_H
#define BENCH_OPENCL_VECTORS_H

#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"

/* The vectors of an operation, of `count` elements each, by their names in messages. */
enum { BENCH_OPENCL_VECTORS_MOST = 4 };
struct bench_opencl_vectors {
	const char *operation;
	const struct bench_buffer *buffer[BENCH_OPENCL_VECTORS_MOST];
	const char *name[BENCH_OPENCL_VECTORS_MOST];
	size_t buffers, count;
	enum bench_dtype dtype;
	unsigned width; /* 0: the fastest */
	size_t bytes;   /* of all */
};
/*
 * Fills in the bytes and, for a width of 0, the fastest one: 16 bytes to a GPU's work-item, all lanes to a
 * CPU's. BENCH_UNSUPPORTED for a type that the device does not compute in, BENCH_USAGE where a buffer does
 * not hold 1 <= count elements, or for a width that no kernel has.
 */
int bench_opencl_check_vectors(const struct bench_device *device, struct bench_opencl_vectors *vectors,
			       struct bench_error *error);
/* BENCH_USAGE where `buffer` does not hold 1 <= count elements. */
int bench_opencl_check_vector(const char *operation, const char *name, const struct bench_buffer *buffer,
			      enum bench_dtype dtype, size_t count, struct bench_error *error);
/*
 * The device that runs an operation that reads and writes `bytes`: the device itself, or its caller for
 * little work while the device is idle. An operation that computes more than it moves counts its bytes
 * several times. has_parts: it is launched by bench_opencl_run_vectors, of which the caller's helper takes a
 * part.
 */
struct bench_device *bench_opencl_runner(struct bench_device *device, size_t bytes, bool has_parts);
/* Is this more than the caches of a CPU device hold? Then the kernel is one with PAST (vector.cl). */
bool bench_opencl_goes_past(const struct bench_device *device, size_t bytes);
/*
 * run_vectors is for a kernel that takes `buffers` vectors of `count` elements each and their count, and that
 * computes each element from its place in all of them: one work-item for each `width` elements. by_address:
 * such kernels are compiled with ADDRESSES (buffer.cl). They are on CPUs, whose helper then takes a part.
 */
bool bench_opencl_vectors_by_address(const struct bench_device *device);
int bench_opencl_run_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_vectors *vectors, struct bench_error *error);
/* Launches one work-item for each `width` of `count` elements, and a few with nothing to do. */
int bench_opencl_launch_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
				const struct bench_opencl_list *list, size_t count, unsigned width,
				struct bench_error *error);

#endif

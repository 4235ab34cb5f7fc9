/* SPDX-License-Identifier: MIT */
/* A kernel of the user's, from its source: what a backend must have to run it. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

struct bench_buffer;
struct bench_device;

/* Where the kernel's part of a buffer may begin: at a multiple of this, in bytes. */
#define BENCH_KERNEL_ALIGNMENT 4096

enum { BENCH_KERNEL_DIMENSIONS = 3, BENCH_KERNEL_ARGUMENTS = 64 };

/* A field of a structure, as the specification states it. Its elements lie behind each other. */
struct bench_kernel_field {
	const char *name; /* as the source reaches it: "home", "home.x", "near[0].x" */
	const char
		*type; /* of an element, in OpenCL C: one of the eleven types of numbers; NULL: structures */
	size_t offset, bytes;
	bool is_vector, is_array; /* or an array of vectors, or neither: a number */
};

/* An image, without guard zones: no kernel can write outside of it. Numbers are those of Khronos' cl.h. */
struct bench_kernel_image {
	const char *type;                        /* in OpenCL C: "image2d_t" */
	const char *format;                      /* for messages: "CL_RGBA CL_FLOAT" */
	unsigned object;                         /* cl_mem_object_type */
	unsigned order, channel;                 /* cl_channel_order, cl_channel_type */
	size_t extents[BENCH_KERNEL_DIMENSIONS]; /* in texels: width, height, depth; layers are the last */
	size_t texel_bytes;
	bool read_only; /* no kernel writes to it */
};

/* Numbers of cl.h, likewise. */
struct bench_kernel_sampler {
	bool normalized;             /* coordinates are from 0 to 1 */
	unsigned addressing, filter; /* cl_addressing_mode, cl_filter_mode */
};

/*
 * One of five: a buffer, of which the kernel sees `bytes` from `offset` on; an image, which is a buffer made
 * by the hook `image`; a number, of `bytes` at `value`; a sampler; or, where all are NULL, `bytes` of local
 * memory. bytes >= 1.
 */
struct bench_kernel_argument {
	const char *name; /* for messages */
	/* Of an element, in OpenCL C: "float"; of a number also a vector: "uint2"; "image2d_t", "sampler_t".
	 */
	const char *type;
	const struct bench_kernel_field *fields; /* of a structure of `size` bytes; NULL: it is none */
	size_t field_count, size;
	const struct bench_buffer *buffer;
	bool is_image;
	size_t offset;
	const void *value;
	const struct bench_kernel_sampler *sampler;
	size_t bytes;
};

struct bench_kernel {
	const char *file;    /* what messages call the source */
	const char *source;  /* all of it */
	const char *options; /* of the compiler */
	const char *name;
	const struct bench_kernel_argument *arguments;
	size_t argument_count; /* at most BENCH_KERNEL_ARGUMENTS */
	size_t dimensions;     /* 1 to BENCH_KERNEL_DIMENSIONS */
	size_t global[BENCH_KERNEL_DIMENSIONS];
	size_t local[BENCH_KERNEL_DIMENSIONS]; /* of a work-group; all 0: the backend chooses */
	bool known; /* to take these arguments: they need not be compared with the source */
};

/* Private to the backend that built it. */
struct bench_built_kernel;

static inline bool bench_kernel_is_local(const struct bench_kernel_argument *argument)
{
	return !argument->buffer && !argument->value && !argument->sampler;
}

/* A backend has all of them or none, except for `image`. */
struct bench_kernel_hooks {
	/*
	 * Compiles, and sets the arguments: the buffers must live as long as *built. Nothing else of `kernel`
	 * is looked at afterwards. Messages of the compiler begin with FILE:LINE:COLUMN. BENCH_USAGE where
	 * the source takes other arguments.
	 */
	int (*build)(struct bench_device *device, const struct bench_kernel *kernel,
		     struct bench_built_kernel **built, struct bench_error *error);
	/* Enqueues it once, and may return before it is done. */
	int (*enqueue)(struct bench_device *device, struct bench_built_kernel *built,
		       struct bench_error *error);
	/* When the device has finished it; NULL is allowed. */
	void (*release)(struct bench_device *device, struct bench_built_kernel *built);
	/* The launches to come have the numbers and sizes of `kernel`, which is otherwise what was built. */
	int (*change)(struct bench_device *device, struct bench_built_kernel *built,
		      const struct bench_kernel *kernel, struct bench_error *error);
	/* Enqueues: `bytes` of the buffer from `offset` on become copies of the pattern, of 1, 2, 4 or 8
	 * bytes. */
	int (*fill)(struct bench_device *device, struct bench_buffer *buffer, size_t offset, size_t bytes,
		    const void *pattern, size_t pattern_bytes, struct bench_error *error);
	/* Reads a part of a buffer when all that was enqueued is done. */
	int (*read)(struct bench_device *device, const struct bench_buffer *buffer, size_t offset,
		    size_t bytes, void *host, struct bench_error *error);
	/*
	 * Makes an image, which the backend's upload, download and release take as a buffer of its texels in
	 * row-major order. BENCH_UNSUPPORTED, with the reason, where the device has no such images. NULL:
	 * there are neither images nor samplers.
	 */
	int (*image)(struct bench_device *device, const struct bench_kernel_image *image,
		     struct bench_buffer **buffer, struct bench_error *error);
};

#endif

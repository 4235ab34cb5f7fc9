/* SPDX-License-Identifier: MIT */
/* The bare launch of a kernel. */
#ifndef BENCH_OPENCL_ENQUEUE_H
#define BENCH_OPENCL_ENQUEUE_H

#include "backends/opencl/runtime/program.h"

struct bench_opencl_argument {
	size_t bytes;
	const void *value; /* NULL: local memory */
};
struct bench_opencl_launch {
	const struct bench_opencl_argument *arguments; /* NULL, and a count: a list had no room for them */
	cl_uint count;
	cl_uint dimensions;
	size_t global[3], local[3]; /* local[0] 0: the driver's choice */
};

static inline void bench_opencl_count_launch(struct bench_opencl_kernel *kernel,
					     const struct bench_opencl_launch *launch)
{
	kernel->launched = kernel->recent = true;
	kernel->group = 1;
	for (cl_uint i = 0; i < launch->dimensions; i++)
		kernel->group *= launch->local[0] ? launch->local[i] : 0;
}

/* The status of the last call; if that call set an argument, `argument` is its number. */
struct bench_opencl_enqueued {
	cl_int status;
	const char *call;
	cl_uint argument;
};
/* On any thread, if kernel and queue are its own. */
struct bench_opencl_enqueued bench_opencl_enqueue(const struct bench_device *device,
						  struct bench_opencl_kernel *kernel,
						  const struct bench_opencl_launch *launch,
						  cl_command_queue queue, cl_event *event);
int bench_opencl_fail_enqueue(struct bench_error *error, const struct bench_device *device,
			      const struct bench_opencl_kernel *kernel,
			      const struct bench_opencl_enqueued *enqueued);
int bench_opencl_make_queue(struct bench_device *device, cl_command_queue_properties properties,
			    const char *what, cl_command_queue *queue, struct bench_error *error);

/* A number as a kernel argument of the elements' type: double for f64, else float. */
union bench_opencl_scalar {
	cl_float f32;
	cl_double f64;
};
static inline union bench_opencl_scalar bench_opencl_scalar(enum bench_dtype dtype, double value)
{
	union bench_opencl_scalar scalar = {0};
	if (dtype == BENCH_F64)
		scalar.f64 = value;
	else
		scalar.f32 = (cl_float)value;
	return scalar;
}

#endif

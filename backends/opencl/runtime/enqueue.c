/* SPDX-License-Identifier: MIT */
/* The bare launch of a kernel. */
#include "backends/opencl/runtime/enqueue.h"

#include <stdio.h>
#include <string.h>

#include "backends/opencl/runtime/errors.h"

int bench_opencl_make_queue(struct bench_device *device, cl_command_queue_properties properties,
			    const char *what, cl_command_queue *queue, struct bench_error *error)
{
	cl_int status = CL_SUCCESS;
	*queue = clCreateCommandQueue(device->context, device->id, properties, &status);
	status = bench_opencl_made(*queue, status);
	if (status == CL_SUCCESS)
		return 0;
	*queue = NULL;
	return bench_opencl_fail(error, device, status, "clCreateCommandQueue", what);
}

/*
 * Sets an argument, unless the kernel has it. A driver takes a lock for each: 13 of them took 2.5% of a
 * product of 64 on a CPU.
 */
static cl_int set_argument(struct bench_opencl_kernel *kernel, const struct bench_opencl_launch *launch,
			   cl_uint i)
{
	const struct bench_opencl_argument *argument = &launch->arguments[i];
	if (i >= BENCH_OPENCL_ARGUMENTS_KEPT ||
	    (argument->value && argument->bytes > sizeof(kernel->arguments->value)))
		return clSetKernelArg(kernel->handle, i, argument->bytes, argument->value);
	unsigned char *value = kernel->arguments[i].value;
	size_t *bytes = &kernel->arguments[i].bytes;
	/* Without a value it is local memory, at every launch. */
	if (*bytes == argument->bytes &&
	    (!argument->value || memcmp(value, argument->value, argument->bytes) == 0))
		return CL_SUCCESS;
	cl_int status = clSetKernelArg(kernel->handle, i, argument->bytes, argument->value);
	*bytes = status == CL_SUCCESS ? argument->bytes : 0;
	if (argument->value)
		memcpy(value, argument->value, argument->bytes);
	return status;
}

struct bench_opencl_enqueued bench_opencl_enqueue(const struct bench_device *device,
						  struct bench_opencl_kernel *kernel,
						  const struct bench_opencl_launch *launch,
						  cl_command_queue queue, cl_event *event)
{
	struct bench_opencl_enqueued enqueued = {.call = "clSetKernelArg"};
	if (launch->count && !launch->arguments)
		return (struct bench_opencl_enqueued){CL_INVALID_ARG_INDEX, "bench_opencl_list_add", 0};
	if (kernel->released != device->released)
		memset(kernel->arguments, 0, sizeof(kernel->arguments));
	kernel->released = device->released;
	for (; enqueued.argument < launch->count; enqueued.argument++) {
		enqueued.status = set_argument(kernel, launch, enqueued.argument);
		if (enqueued.status != CL_SUCCESS)
			return enqueued;
	}
	enqueued.call = "clEnqueueNDRangeKernel";
	enqueued.status =
		clEnqueueNDRangeKernel(queue, kernel->handle, launch->dimensions, NULL, launch->global,
				       launch->local[0] ? launch->local : NULL, 0, NULL, event);
	return enqueued;
}

int bench_opencl_fail_enqueue(struct bench_error *error, const struct bench_device *device,
			      const struct bench_opencl_kernel *kernel,
			      const struct bench_opencl_enqueued *enqueued)
{
	char what[64];
	if (strcmp(enqueued->call, "clSetKernelArg") == 0)
		snprintf(what, sizeof(what), "argument %u of kernel %s", (unsigned)enqueued->argument,
			 kernel->name);
	else
		snprintf(what, sizeof(what), "kernel %s", kernel->name);
	return bench_opencl_fail(error, device, enqueued->status, enqueued->call, what);
}

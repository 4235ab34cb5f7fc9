/* SPDX-License-Identifier: MIT */
/*
 * A layer of OpenCL's loader (OPENCL_LAYERS; CL/cl_layer.h) that counts the launches of kernels. Times come
 * from the device's clock, so the layer enables profiling on every queue.
 */
#include <CL/cl_layer.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "capture/preload/preload.h"

#define MOST_PROPERTIES 32

static struct _cl_icd_dispatch layer;
static const struct _cl_icd_dispatch *target;

/* A launch in flight. */
struct launch {
	struct bench_capture_count *count, *product; /* product NULL: the program launched it itself */
};

static void CL_CALLBACK add_time(cl_event event, cl_int status, void *data)
{
	struct launch *launch = data;
	cl_ulong start = 0, end = 0;
	if (status == CL_COMPLETE &&
	    target->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL) ==
		    CL_SUCCESS &&
	    target->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) ==
		    CL_SUCCESS &&
	    end >= start) {
		atomic_fetch_add_explicit(&launch->count->timed, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&launch->count->nanoseconds, end - start, memory_order_relaxed);
		if (launch->product)
			atomic_fetch_add_explicit(&launch->product->nanoseconds, end - start,
						  memory_order_relaxed);
	}
	free(launch);
	target->clReleaseEvent(event);
}

/* Takes over one reference to the event. */
static void count_launch(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local,
			 cl_event event)
{
	struct bench_capture_call call = {.kind = BENCH_CAPTURE_LAUNCH, .detail = dimensions};
	char name[1024] = "";
	target->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	memcpy(call.name, name, strnlen(name, sizeof(call.name) - 1));
	for (cl_uint i = 0; i < dimensions && i < 3; i++) {
		call.sizes[i] = global[i];
		call.sizes[3 + i] = local ? local[i] : 0;
	}
	struct launch *launch = malloc(sizeof(*launch));
	struct bench_capture_count *count = bench_capture_find(preload_memory, &call);
	if (count)
		atomic_fetch_add_explicit(&count->count, 1, memory_order_relaxed);
	if (launch)
		*launch = (struct launch){count, preload_product};
	if (launch && count && target->clSetEventCallback(event, CL_COMPLETE, add_time, launch) == CL_SUCCESS)
		return;
	free(launch);
	target->clReleaseEvent(event);
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
					       const size_t *offset, const size_t *global,
					       const size_t *local, cl_uint wait_count, const cl_event *wait,
					       cl_event *event)
{
	cl_event own = NULL, *made = event ? event : &own;
	const cl_int status = target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
							     wait_count, wait, made);
	if (status == CL_SUCCESS && global && (!event || target->clRetainEvent(*event) == CL_SUCCESS))
		count_launch(kernel, dimensions, global, local, *made);
	return status;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL make_queue(cl_context context, cl_device_id device,
							    cl_command_queue_properties properties,
							    cl_int *status)
{
	cl_command_queue queue =
		target->clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE, status);
	return queue ? queue : target->clCreateCommandQueue(context, device, properties, status);
}

/* Adds profiling to the properties; false if they are too many. */
static bool with_profiling(const cl_queue_properties *given, cl_queue_properties *all)
{
	bool found = false;
	size_t i = 0;
	for (; given && given[i]; i += 2) {
		if (i + 5 > MOST_PROPERTIES)
			return false;
		all[i] = given[i];
		all[i + 1] = given[i + 1];
		if (given[i] == CL_QUEUE_PROPERTIES) {
			all[i + 1] |= CL_QUEUE_PROFILING_ENABLE;
			found = true;
		}
	}
	if (!found) {
		all[i++] = CL_QUEUE_PROPERTIES;
		all[i++] = CL_QUEUE_PROFILING_ENABLE;
	}
	all[i] = 0;
	return true;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL make_queue_with(cl_context context, cl_device_id device,
								 const cl_queue_properties *properties,
								 cl_int *status)
{
	cl_queue_properties all[MOST_PROPERTIES];
	cl_command_queue queue =
		with_profiling(properties, all)
			? target->clCreateCommandQueueWithProperties(context, device, all, status)
			: NULL;
	return queue ? queue
		     : target->clCreateCommandQueueWithProperties(context, device, properties, status);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size,
					       void *param_value, size_t *param_value_size_ret)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char name[] = "bench capture";
	const bool is_version = param_name == CL_LAYER_API_VERSION;
	const size_t bytes = is_version ? sizeof(version) : sizeof(name);
	if ((!is_version && param_name != CL_LAYER_NAME) || (param_value && param_value_size < bytes))
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, is_version ? (const void *)&version : name, bytes);
	if (param_value_size_ret)
		*param_value_size_ret = bytes;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
					    cl_uint *num_entries_ret,
					    const cl_icd_dispatch **layer_dispatch_ret)
{
	const size_t entries = sizeof(layer) / sizeof(void *);
	if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret || !preload_memory)
		return CL_INVALID_VALUE;
	memcpy(&layer, target_dispatch, sizeof(void *) * (num_entries < entries ? num_entries : entries));
	if (!layer.clSetEventCallback || !layer.clGetEventProfilingInfo)
		return CL_INVALID_VALUE;
	target = target_dispatch;
	layer.clEnqueueNDRangeKernel = enqueue;
	layer.clCreateCommandQueue = make_queue;
	if (layer.clCreateCommandQueueWithProperties)
		layer.clCreateCommandQueueWithProperties = make_queue_with;
	*num_entries_ret = (cl_uint)entries;
	*layer_dispatch_ret = &layer;
	return CL_SUCCESS;
}

/*
 * The queues. Ordinary work goes to a queue without profiling, so that end-to-end times
 * carry none of its cost; between time_begin and time_end work goes to a second queue
 * whose events are kept and read at the end.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `what` is for the error. */
static int make_queue(struct bench_device *device, cl_command_queue_properties properties, const char *what,
		      cl_command_queue *queue, struct bench_error *error)
{
	cl_int status = CL_SUCCESS;
	*queue = clCreateCommandQueue(device->context, device->id, properties, &status);
	status = bench_opencl_made(*queue, status);
	if (status == CL_SUCCESS)
		return 0;
	*queue = NULL;
	return bench_opencl_fail(error, device, status, "clCreateCommandQueue", what);
}

int bench_opencl_queue_open(struct bench_device *device, struct bench_error *error)
{
	device->queue.idle = true;
	return make_queue(device, 0, NULL, &device->queue.plain, error);
}

static void drop_events(struct bench_opencl_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		if (queue->events[i])
			clReleaseEvent(queue->events[i]);
	queue->count = 0;
}

void bench_opencl_queue_close(struct bench_device *device)
{
	struct bench_opencl_queue *queue = &device->queue;
	drop_events(queue);
	free(queue->events);
	if (queue->profiling)
		clReleaseCommandQueue(queue->profiling);
	if (queue->plain)
		clReleaseCommandQueue(queue->plain);
}

static cl_command_queue current(const struct bench_opencl_queue *queue)
{
	return queue->timing ? queue->profiling : queue->plain;
}

cl_command_queue bench_opencl_queue(struct bench_device *device)
{
	/* Two queues know nothing of each other. What fails here fails at bench_opencl_finish as well. */
	if (device->caller && !device->caller->queue.idle)
		bench_opencl_finish(device->caller, NULL);
	device->queue.idle = false;
	return current(&device->queue);
}

int bench_opencl_event_slot(struct bench_device *device, cl_event **slot, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	*slot = NULL;
	if (!queue->timing)
		return 0;
	if (queue->count == queue->capacity) {
		size_t capacity = queue->capacity ? 2 * queue->capacity : 64;
		cl_event *grown = realloc(queue->events, capacity * sizeof(cl_event));
		if (!grown)
			return bench_fail(error, BENCH_NO_MEMORY, "no host memory for %zu profiling events",
					  capacity);
		queue->events = grown;
		queue->capacity = capacity;
	}
	*slot = &queue->events[queue->count];
	**slot = NULL; /* what the driver does not fill is found by time_end */
	return 0;
}

void bench_opencl_event_commit(struct bench_device *device)
{
	if (device->queue.timing)
		device->queue.count++;
}

/*
 * Sets an argument, unless it is a number that the kernel has. A driver takes a lock for each: 13 of them
 * took 2.5% of a product of 64.
 */
static cl_int set_argument(struct bench_opencl_kernel *kernel, const struct bench_opencl_launch *launch,
			   cl_uint i)
{
	const struct bench_opencl_argument *argument = &launch->arguments[i];
	const size_t most = sizeof(kernel->numbers) / sizeof(*kernel->numbers);
	bool number =
		i < most && launch->numbers >> i & 1 && argument->bytes <= sizeof(kernel->numbers[i].value);
	if (number && kernel->numbers[i].bytes == argument->bytes &&
	    memcmp(kernel->numbers[i].value, argument->value, argument->bytes) == 0)
		return CL_SUCCESS;
	cl_int status = clSetKernelArg(kernel->handle, i, argument->bytes, argument->value);
	if (number && status == CL_SUCCESS) {
		kernel->numbers[i].bytes = argument->bytes;
		memcpy(kernel->numbers[i].value, argument->value, argument->bytes);
	} else if (i < most) {
		kernel->numbers[i].bytes = 0;
	}
	return status;
}

int bench_opencl_launch(struct bench_device *device, struct bench_opencl_kernel *kernel,
			const struct bench_opencl_launch *launch, struct bench_error *error)
{
	char what[64];
	cl_event *event;
	for (cl_uint i = 0; i < launch->count; i++) {
		cl_int status = set_argument(kernel, launch, i);
		if (status != CL_SUCCESS) {
			snprintf(what, sizeof(what), "argument %u of kernel %s", (unsigned)i, kernel->name);
			return bench_opencl_fail(error, device, status, "clSetKernelArg", what);
		}
	}
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	cl_int status = clEnqueueNDRangeKernel(bench_opencl_queue(device), kernel->handle, launch->dimensions,
					       NULL, launch->global, launch->local[0] ? launch->local : NULL,
					       0, NULL, event);
	if (status != CL_SUCCESS) {
		snprintf(what, sizeof(what), "kernel %s", kernel->name);
		return bench_opencl_fail(error, device, status, "clEnqueueNDRangeKernel", what);
	}
	bench_opencl_event_commit(device);
	kernel->launched = true;
	device->stats.launches++;
	return 0;
}

int bench_opencl_launch_groups(struct bench_device *device, struct bench_opencl_kernel *kernel,
			       const struct bench_opencl_argument *arguments, cl_uint count, size_t groups,
			       size_t items, struct bench_error *error)
{
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = count,
		.dimensions = 1,
		.global = {groups * items},
		.local = {items},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

int bench_opencl_finish(struct bench_device *device, struct bench_error *error)
{
	cl_int status = clFinish(current(&device->queue));
	if (device->trying)
		bench_opencl_programs_settle(device, status == CL_SUCCESS);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clFinish", NULL);
	device->queue.idle = true;
	return device->caller && !device->caller->queue.idle ? bench_opencl_finish(device->caller, error) : 0;
}

int bench_opencl_time_begin(struct bench_device *device, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	if (!device->info.device_time)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no device time: the queues of device %s do not profile",
				  device->info.slug);
	if (!queue->profiling &&
	    make_queue(device, CL_QUEUE_PROFILING_ENABLE, "with profiling", &queue->profiling, error) != 0)
		return -1;
	/* Two in-order queues know nothing of each other: what was enqueued before must be done. */
	if (bench_opencl_finish(device, error) != 0)
		return -1;
	drop_events(queue);
	if (device->caller && bench_opencl_time_begin(device->caller, error) != 0)
		return -1;
	queue->timing = true;
	return 0;
}

/* What clFinish has waited for must have ended well. */
static int check_event(const struct bench_device *device, cl_event event, struct bench_error *error)
{
	cl_int state = CL_COMPLETE;
	if (!event)
		return bench_opencl_fail(error, device, BENCH_OPENCL_NO_OBJECT, "an enqueue", "its event");
	cl_int status = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetEventInfo", NULL);
	if (state < 0)
		return bench_opencl_fail(error, device, state, "a command that was timed", NULL);
	if (state != CL_COMPLETE)
		return bench_fail(error, BENCH_FAILED,
				  "a command that was timed is in state %d after clFinish, device %s",
				  (int)state, device->info.slug);
	return 0;
}

/* Adds the time that a command took. */
static int add_time(const struct bench_device *device, cl_event event, double *seconds,
		    struct bench_error *error)
{
	cl_ulong start = UINT64_MAX, end = 0; /* what a driver does not write is no time */
	if (check_event(device, event, error) != 0)
		return -1;
	cl_int status =
		clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);
	if (status == CL_SUCCESS)
		status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetEventProfilingInfo", NULL);
	if (end < start)
		return bench_fail(error, BENCH_FAILED,
				  "by its profiling times a command began at %llu ns and ended at %llu ns, "
				  "device %s: its times cannot be used",
				  (unsigned long long)start, (unsigned long long)end, device->info.slug);
	*seconds += (double)(end - start) * 1e-9;
	return 0;
}

int bench_opencl_time_end(struct bench_device *device, double *seconds, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	double total = 0, by_caller = 0;
	if (!queue->timing)
		return bench_fail(error, BENCH_USAGE, "time_end without time_begin, device %s",
				  device->info.slug);
	int result = bench_opencl_finish(device, error);
	for (size_t i = 0; i < queue->count && result == 0; i++)
		result = add_time(device, queue->events[i], &total, error);
	if (result == 0 && queue->count && !(total > 0))
		result =
			bench_fail(error, BENCH_FAILED,
				   "by their profiling times %zu commands took no time, device %s: its times "
				   "cannot be used",
				   queue->count, device->info.slug);
	drop_events(queue);
	queue->timing = false;
	if (device->caller &&
	    bench_opencl_time_end(device->caller, &by_caller, result == 0 ? error : NULL) != 0)
		result = -1;
	if (result == 0)
		*seconds = total + by_caller;
	return result;
}

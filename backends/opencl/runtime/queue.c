/* SPDX-License-Identifier: MIT */
/*
 * The queues. Ordinary work goes to a queue without profiling, so that end-to-end times carry none of its
 * cost. Between time_begin and time_end work goes to a second queue, whose events are read at the end. So it
 * does in a row (row.h), where no command but the row's own has an event.
 */
#include "backends/opencl/runtime/queue.h"

#include <stdlib.h>

#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/helper.h"

int bench_opencl_queue_open(struct bench_device *device, struct bench_error *error)
{
	device->queue.idle = true;
	return bench_opencl_make_queue(device, 0, NULL, &device->queue.plain, error);
}

static void drop_events(struct bench_opencl_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		for (size_t part = 0; part < 2; part++)
			if (queue->events[i][part])
				clReleaseEvent(queue->events[i][part]);
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
	return queue->timing || queue->in_row ? queue->profiling : queue->plain;
}

cl_command_queue bench_opencl_queue(struct bench_device *device)
{
	/* Two queues know nothing of each other. A failure here shows again at bench_opencl_finish. */
	if (device->caller && !device->caller->queue.idle)
		bench_opencl_finish(device->caller, NULL);
	if (device->caller)
		bench_opencl_helper_rest(device->caller->helper);
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
		cl_event(*grown)[2] = realloc(queue->events, capacity * sizeof(*grown));
		if (!grown)
			return bench_fail(error, BENCH_NO_MEMORY, "no host memory for %zu profiling events",
					  capacity);
		queue->events = grown;
		queue->capacity = capacity;
	}
	*slot = queue->events[queue->count];
	(*slot)[0] = (*slot)[1] = NULL; /* what the driver does not fill is found by time_end */
	return 0;
}

void bench_opencl_event_commit(struct bench_device *device)
{
	if (device->queue.timing)
		device->queue.count++;
}

int bench_opencl_launch(struct bench_device *device, struct bench_opencl_kernel *kernel,
			const struct bench_opencl_launch *launch, struct bench_error *error)
{
	cl_event *event;
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	const struct bench_opencl_enqueued enqueued =
		bench_opencl_enqueue(device, kernel, launch, bench_opencl_queue(device), event);
	if (enqueued.status != CL_SUCCESS)
		return bench_opencl_fail_enqueue(error, device, kernel, &enqueued);
	bench_opencl_event_commit(device);
	bench_opencl_count_launch(kernel, launch);
	device->stats.launches++;
	return 0;
}

int bench_opencl_finish(struct bench_device *device, struct bench_error *error)
{
	/* Elsewhere what was uploaded may still be on its way. */
	bool done = device->queue.idle && device->info.kind == BENCH_DEVICE_CPU;
	cl_int status = done ? CL_SUCCESS : clFinish(current(&device->queue));
	if (device->trying)
		bench_opencl_programs_settle(device, status == CL_SUCCESS);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clFinish", NULL);
	device->queue.idle = true;
	return device->caller && !device->caller->queue.idle ? bench_opencl_finish(device->caller, error) : 0;
}

int bench_opencl_queue_profiling(struct bench_device *device, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	if (!device->info.device_time)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no device time: the queues of device %s do not profile",
				  device->info.slug);
	if (!queue->profiling && bench_opencl_make_queue(device, CL_QUEUE_PROFILING_ENABLE, "with profiling",
							 &queue->profiling, error) != 0)
		return -1;
	/* Two in-order queues know nothing of each other: what was enqueued before must be done. */
	return bench_opencl_finish(device, error);
}

int bench_opencl_time_begin(struct bench_device *device, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	if (bench_opencl_queue_profiling(device, error) != 0)
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

int bench_opencl_event_times(const struct bench_device *device, cl_event event, cl_ulong *start,
			     cl_ulong *end, struct bench_error *error)
{
	*start = UINT64_MAX, *end = 0; /* what a driver does not write is no time */
	if (check_event(device, event, error) != 0)
		return -1;
	cl_int status =
		clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(*start), start, NULL);
	if (status == CL_SUCCESS)
		status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(*end), end, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetEventProfilingInfo", NULL);
	if (*end < *start)
		return bench_fail(error, BENCH_FAILED,
				  "by its profiling times a command began at %llu ns and ended at %llu ns, "
				  "device %s: its times cannot be used",
				  (unsigned long long)*start, (unsigned long long)*end, device->info.slug);
	return 0;
}

/* Adds the time that a command took, from the start of the first part to the end of the last. */
static int add_time(const struct bench_device *device, const cl_event parts[2], double *seconds,
		    struct bench_error *error)
{
	cl_ulong start, end, other_start, other_end;
	if (bench_opencl_event_times(device, parts[0], &start, &end, error) != 0)
		return -1;
	if (parts[1]) {
		if (bench_opencl_event_times(device, parts[1], &other_start, &other_end, error) != 0)
			return -1;
		start = other_start < start ? other_start : start;
		end = other_end > end ? other_end : end;
	}
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

/* SPDX-License-Identifier: MIT */
/* Copies between buffers and memory of the host. */
#include "backends/opencl/runtime/copies.h"

#include <string.h>

#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/host.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/staging.h"

/* A copy of an image is of all its texels. */
static const size_t origin[3];

static int check_size(const struct bench_device *device, const struct bench_buffer *buffer, size_t bytes,
		      struct bench_error *error)
{
	if (buffer->texels[0] ? bytes == buffer->bytes || bytes == 0 : bytes <= buffer->bytes)
		return 0;
	if (buffer->texels[0])
		return bench_fail(error, BENCH_USAGE,
				  "a copy of %zu bytes of an image of %zu bytes, device %s: all are needed",
				  bytes, buffer->bytes, device->info.slug);
	return bench_fail(error, BENCH_USAGE,
			  "a copy of %zu bytes exceeds the buffer of %zu bytes, device %s", bytes,
			  buffer->bytes, device->info.slug);
}

int bench_opencl_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			size_t bytes, struct bench_error *error)
{
	cl_event *event;
	if (check_size(device, buffer, bytes, error) != 0 || bytes == 0)
		return bytes == 0 ? 0 : -1;
	if (!buffer->texels[0] && bench_opencl_host_is_staged(device, host))
		return bench_opencl_staged_upload(device, buffer, host, bytes, error);
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	cl_command_queue queue = bench_opencl_queue(device);
	cl_int status = buffer->texels[0] ? clEnqueueWriteImage(queue, buffer->memory, CL_TRUE, origin,
								buffer->texels, 0, 0, host, 0, NULL, event)
					  : clEnqueueWriteBuffer(queue, buffer->memory, CL_TRUE, 0, bytes,
								 host, 0, NULL, event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status,
					 buffer->texels[0] ? "clEnqueueWriteImage" : "clEnqueueWriteBuffer",
					 NULL);
	bench_opencl_event_commit(device);
	bench_opencl_count_copy(device, bytes);
	/* A queue in order has then done all before it, too: a small kernel that follows is the calling
	 * thread's. */
	device->queue.idle = true;
	return 0;
}

int bench_opencl_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
			  size_t bytes, struct bench_error *error)
{
	cl_event *event;
	if (check_size(device, buffer, bytes, error) != 0 || bytes == 0)
		return bytes == 0 ? 0 : -1;
	if (!buffer->texels[0] && bench_opencl_host_is_staged(device, host))
		return bench_opencl_staged_download(device, buffer, host, bytes, error);
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	cl_command_queue queue = bench_opencl_queue(device);
	cl_int status = buffer->texels[0] ? clEnqueueReadImage(queue, buffer->memory, CL_TRUE, origin,
							       buffer->texels, 0, 0, host, 0, NULL, event)
					  : clEnqueueReadBuffer(queue, buffer->memory, CL_TRUE, 0, bytes,
								host, 0, NULL, event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status,
					 buffer->texels[0] ? "clEnqueueReadImage" : "clEnqueueReadBuffer",
					 NULL);
	bench_opencl_event_commit(device);
	bench_opencl_count_copy(device, bytes);
	device->queue.idle = true; /* as after an upload */
	return 0;
}

/* Into page-locked memory, without waiting; *event is the caller's to wait for and, unless `timed`, to
 * release. */
static int start_fetch(struct bench_device *device, const struct bench_buffer *buffer, size_t bytes,
		       cl_event *event, bool *timed, struct bench_error *error)
{
	cl_event *slot;
	if (!device->fetched && bench_opencl_host_alloc(device, BENCH_OPENCL_FETCH_MOST, BENCH_HOST_PINNED,
							&device->fetched, error) != 0)
		return -1;
	if (bench_opencl_event_slot(device, &slot, error) != 0)
		return -1;
	cl_int status = clEnqueueReadBuffer(bench_opencl_queue(device), buffer->memory, CL_FALSE, 0, bytes,
					    device->fetched, 0, NULL, event);
	status = bench_opencl_made(*event, status);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clEnqueueReadBuffer", "a result");
	bench_opencl_count_copy(device, bytes);
	*timed = slot != NULL;
	if (slot) {
		*slot = *event;
		bench_opencl_event_commit(device);
	}
	return 0;
}

int bench_opencl_fetch(struct bench_device *device, const struct bench_buffer *buffer, void *host,
		       size_t bytes, struct bench_error *error)
{
	cl_event event = NULL;
	bool timed = false;
	if (!device->info.pinned || bytes > BENCH_OPENCL_FETCH_MOST)
		return bench_opencl_download(device, buffer, host, bytes, error);
	if (start_fetch(device, buffer, bytes, &event, &timed, error) != 0)
		return -1;
	cl_int status = clWaitForEvents(1, &event);
	if (!timed)
		clReleaseEvent(event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clWaitForEvents", "a result");
	memcpy(host, device->fetched, bytes);
	return 0;
}

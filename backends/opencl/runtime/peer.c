/* SPDX-License-Identifier: MIT */
/*
 * Copies between two devices of a platform, in a context of both. OpenCL lets a command of one device's queue
 * name a buffer whose contents another device wrote: the driver brings them, in its own way.
 *
 * It may keep what it brought, and would bring nothing the next time. So a few bytes of the source are
 * written anew on its own device before each copy, the same ones: what the target's device has is out of date
 * then.
 */
#include "backends/opencl/runtime/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/devices.h"
#include "backends/opencl/runtime/errors.h"

enum { ENDS = 2, RENEWED = 64 };

struct end {
	cl_command_queue queue;
	cl_mem memory;
};

struct bench_peer {
	cl_context context;
	struct end ends[ENDS]; /* by enum bench_peer_end */
	size_t bytes;
	char names[160];              /* "a to b", for messages */
	unsigned char first[RENEWED]; /* what the source begins with */
	cl_event copied;              /* of the last copy; NULL: there was none */
};

static int fail(struct bench_error *error, const struct bench_peer *peer, cl_int status, const char *call)
{
	return bench_opencl_fail(error, NULL, status, call, peer->names);
}

static int open_end(struct bench_peer *peer, struct end *end, cl_device_id id, struct bench_error *error)
{
	cl_int status = CL_SUCCESS;
	end->queue = clCreateCommandQueue(peer->context, id, 0, &status);
	status = bench_opencl_made(end->queue, status);
	if (status != CL_SUCCESS) {
		end->queue = NULL;
		return fail(error, peer, status, "clCreateCommandQueue");
	}
	end->memory = clCreateBuffer(peer->context, CL_MEM_READ_WRITE, peer->bytes, NULL, &status);
	status = bench_opencl_made(end->memory, status);
	if (status == CL_SUCCESS)
		return 0;
	end->memory = NULL;
	return fail(error, peer, status, "clCreateBuffer");
}

static void close_peer(struct bench_peer *peer)
{
	if (!peer)
		return;
	if (peer->copied)
		clReleaseEvent(peer->copied);
	for (size_t i = 0; i < ENDS; i++)
		if (peer->ends[i].queue)
			clFinish(peer->ends[i].queue);
	for (size_t i = 0; i < ENDS; i++) {
		if (peer->ends[i].memory)
			clReleaseMemObject(peer->ends[i].memory);
		if (peer->ends[i].queue)
			clReleaseCommandQueue(peer->ends[i].queue);
	}
	if (peer->context)
		clReleaseContext(peer->context);
	free(peer);
}

static int open_between(const struct bench_opencl_device *source, const struct bench_opencl_device *target,
			size_t bytes, struct bench_peer *peer, struct bench_error *error)
{
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
						    (cl_context_properties)source->platform, 0};
	const cl_device_id ids[ENDS] = {source->id, target->id};
	cl_int status = CL_SUCCESS;
	peer->bytes = bytes;
	snprintf(peer->names, sizeof(peer->names), "from %s to %s", source->info.slug, target->info.slug);
	if (source->platform != target->platform)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "OpenCL has no copy %s, which is of another platform: only the host can "
				  "read the one and write the other",
				  peer->names);
	peer->context = clCreateContext(properties, ENDS, ids, NULL, NULL, &status);
	status = bench_opencl_made(peer->context, status);
	if (status != CL_SUCCESS) {
		peer->context = NULL;
		return fail(error, peer, status, "clCreateContext");
	}
	for (size_t i = 0; i < ENDS; i++)
		if (open_end(peer, &peer->ends[i], ids[i], error) != 0)
			return -1;
	return 0;
}

static int open_peer(size_t source, size_t target, size_t bytes, struct bench_peer **peer,
		     struct bench_error *error)
{
	struct bench_opencl_device *list = NULL;
	struct bench_peer *made = NULL;
	size_t count;
	int result = -1;
	if (bench_opencl_enumerate(&list, &count, error) != 0)
		goto out;
	if (source >= count || target >= count || source == target) {
		bench_fail(error, BENCH_USAGE, "no copy from OpenCL device %zu to %zu: there are %zu", source,
			   target, count);
		goto out;
	}
	made = calloc(1, sizeof(*made));
	if (!made) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for two devices' record");
		goto out;
	}
	if (open_between(&list[source], &list[target], bytes, made, error) != 0)
		goto out;
	*peer = made;
	made = NULL;
	result = 0;
out:
	close_peer(made);
	free(list);
	return result;
}

static int finish(struct bench_peer *peer, struct bench_error *error)
{
	for (size_t i = 0; i < ENDS; i++) {
		cl_int status = clFinish(peer->ends[i].queue);
		if (status != CL_SUCCESS)
			return fail(error, peer, status, "clFinish");
	}
	return 0;
}

static int write_end(struct bench_peer *peer, enum bench_peer_end end, const void *host,
		     struct bench_error *error)
{
	if (finish(peer, error) != 0)
		return -1;
	cl_int status = clEnqueueWriteBuffer(peer->ends[end].queue, peer->ends[end].memory, CL_TRUE, 0,
					     peer->bytes, host, 0, NULL, NULL);
	if (status != CL_SUCCESS)
		return fail(error, peer, status, "clEnqueueWriteBuffer");
	if (end == BENCH_PEER_SOURCE)
		memcpy(peer->first, host, peer->bytes < RENEWED ? peer->bytes : RENEWED);
	return 0;
}

static int read_end(struct bench_peer *peer, enum bench_peer_end end, void *host, struct bench_error *error)
{
	if (finish(peer, error) != 0)
		return -1;
	cl_int status = clEnqueueReadBuffer(peer->ends[end].queue, peer->ends[end].memory, CL_TRUE, 0,
					    peer->bytes, host, 0, NULL, NULL);
	return status == CL_SUCCESS ? 0 : fail(error, peer, status, "clEnqueueReadBuffer");
}

/* The source's first bytes, when nothing reads them any more; *written is the caller's to release. */
static int renew(struct bench_peer *peer, cl_event *written, struct bench_error *error)
{
	const struct end *source = &peer->ends[BENCH_PEER_SOURCE];
	const size_t bytes = peer->bytes < RENEWED ? peer->bytes : RENEWED;
	cl_int status =
		clEnqueueWriteBuffer(source->queue, source->memory, CL_FALSE, 0, bytes, peer->first,
				     peer->copied ? 1 : 0, peer->copied ? &peer->copied : NULL, written);
	status = bench_opencl_made(*written, status);
	if (status != CL_SUCCESS)
		return fail(error, peer, status, "clEnqueueWriteBuffer");
	/* What waits in another queue is only sure to be done once it was flushed. */
	status = clFlush(source->queue);
	return status == CL_SUCCESS ? 0 : fail(error, peer, status, "clFlush");
}

static int copy(struct bench_peer *peer, struct bench_error *error)
{
	const struct end *source = &peer->ends[BENCH_PEER_SOURCE], *target = &peer->ends[BENCH_PEER_TARGET];
	cl_event written = NULL, copied = NULL;
	cl_int status;
	int result = renew(peer, &written, error);
	if (result != 0)
		goto out;
	status = clEnqueueCopyBuffer(target->queue, source->memory, target->memory, 0, 0, peer->bytes, 1,
				     &written, &copied);
	status = bench_opencl_made(copied, status);
	if (status == CL_SUCCESS)
		status = clFlush(target->queue);
	if (status != CL_SUCCESS)
		result = fail(error, peer, status, "clEnqueueCopyBuffer");
	if (peer->copied)
		clReleaseEvent(peer->copied);
	peer->copied = copied;
out:
	if (written)
		clReleaseEvent(written);
	return result;
}

const struct bench_peer_hooks bench_opencl_peer = {.open = open_peer,
						   .close = close_peer,
						   .write = write_end,
						   .read = read_end,
						   .copy = copy,
						   .finish = finish};

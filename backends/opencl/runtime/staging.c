/* SPDX-License-Identifier: MIT */
/*
 * Copies between ordinary memory and a device with separate memory, through page-locked pieces: while the
 * device's copy engine moves one piece, the host's threads copy the next. A driver does the same for ordinary
 * memory, but NVIDIA's (580) reaches a seventh to a quarter of what the link carries
 * (docs/notes/kernel-rates.md).
 */
#include "backends/opencl/runtime/staging.h"

#include <omp.h>
#include <string.h>

#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/host.h"
#include "backends/opencl/runtime/queue.h"

/* Pieces at one time: one on the way, one that is copied, two between them. */
#define SLOTS 4
/* At 55 GB/s the largest takes 75 us, beside which starting a copy costs little. */
#define LEAST_PIECE ((size_t)256 << 10)
#define MOST_PIECE  ((size_t)4 << 20)
/* As many as were measured; each copies SHARE bytes at least. */
#define MOST_THREADS 8
#define SHARE        ((size_t)64 << 10)

/* One copy: where, which way, and the pieces that are under way. */
struct staged {
	struct bench_device *device;
	const struct bench_buffer *buffer;
	size_t bytes, piece;
	cl_event events[SLOTS]; /* NULL: the slot is free */
	bool timed[SLOTS];      /* time_end releases the event */
};

static void *slot_of(const struct staged *staged, size_t index)
{
	return (char *)staged->device->staging + index % SLOTS * MOST_PIECE;
}

static size_t length_of(const struct staged *staged, size_t index)
{
	size_t left = staged->bytes - index * staged->piece;
	return left < staged->piece ? left : staged->piece;
}

static void copy(const struct bench_device *device, void *to, const void *from, size_t bytes)
{
	size_t most = device->threads ? device->threads : (size_t)omp_get_max_threads();
	size_t threads = bytes / SHARE < most ? bytes / SHARE : most;
	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
#pragma omp parallel for schedule(static) num_threads((int)threads) if (threads > 1)
	for (size_t i = 0; i < (threads ? threads : 1); i++) {
		size_t parts = threads ? threads : 1, first = bytes * i / parts,
		       end = bytes * (i + 1) / parts;
		memcpy((char *)to + first, (const char *)from + first, end - first);
	}
}

/* Starts to move piece `index`; its event is in its slot until wait_for. */
static int start(struct staged *staged, size_t index, bool upload, struct bench_error *error)
{
	struct bench_device *device = staged->device;
	cl_event *kept, *event = &staged->events[index % SLOTS];
	cl_command_queue queue = bench_opencl_queue(device);
	size_t offset = index * staged->piece, bytes = length_of(staged, index);
	if (bench_opencl_event_slot(device, &kept, error) != 0)
		return -1;
	cl_int status = upload ? clEnqueueWriteBuffer(queue, staged->buffer->memory, CL_FALSE, offset, bytes,
						      slot_of(staged, index), 0, NULL, event)
			       : clEnqueueReadBuffer(queue, staged->buffer->memory, CL_FALSE, offset, bytes,
						     slot_of(staged, index), 0, NULL, event);
	status = bench_opencl_made(*event, status);
	if (status != CL_SUCCESS) {
		*event = NULL;
		return bench_opencl_fail(error, device, status,
					 upload ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", "a piece");
	}
	bench_opencl_count_copy(device, bytes);
	staged->timed[index % SLOTS] = kept != NULL;
	if (kept) {
		*kept = *event;
		bench_opencl_event_commit(device);
	}
	status = clFlush(queue);
	return status == CL_SUCCESS ? 0 : bench_opencl_fail(error, device, status, "clFlush", NULL);
}

/* Until the piece that is in the slot of `index`, if any, has been moved. */
static int wait_for(struct staged *staged, size_t index, struct bench_error *error)
{
	cl_event *event = &staged->events[index % SLOTS];
	if (!*event)
		return 0;
	cl_int status = clWaitForEvents(1, event);
	if (!staged->timed[index % SLOTS])
		clReleaseEvent(*event);
	*event = NULL;
	return status == CL_SUCCESS
		       ? 0
		       : bench_opencl_fail(error, staged->device, status, "clWaitForEvents", "a piece");
}

static int begin(struct staged *staged, struct bench_error *error)
{
	struct bench_device *device = staged->device;
	size_t eighth = staged->bytes / ((size_t)2 * SLOTS);
	staged->piece = eighth < LEAST_PIECE ? LEAST_PIECE : eighth < MOST_PIECE ? eighth : MOST_PIECE;
	return device->staging ? 0
			       : bench_opencl_host_alloc(device, SLOTS * MOST_PIECE, BENCH_HOST_PINNED,
							 &device->staging, error);
}

/* What is under way after a failure still uses the slots: it must be over before the next copy. */
static int end(struct staged *staged, int result, struct bench_error *error)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct bench_error second;
		if (wait_for(staged, i, result == 0 ? error : &second) != 0)
			result = -1;
	}
	if (result != 0)
		bench_opencl_finish(staged->device, NULL); /* a piece of which there is no event */
	return result;
}

int bench_opencl_staged_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			       size_t bytes, struct bench_error *error)
{
	struct staged staged = {.device = device, .buffer = buffer, .bytes = bytes};
	if (begin(&staged, error) != 0)
		return -1;
	int result = 0;
	size_t pieces = bench_opencl_divide_up(bytes, staged.piece);
	for (size_t i = 0; i < pieces && result == 0; i++) {
		result = wait_for(&staged, i, error);
		if (result == 0) {
			copy(device, slot_of(&staged, i), (const char *)host + i * staged.piece,
			     length_of(&staged, i));
			result = start(&staged, i, true, error);
		}
	}
	return end(&staged, result, error);
}

int bench_opencl_staged_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
				 size_t bytes, struct bench_error *error)
{
	struct staged staged = {.device = device, .buffer = buffer, .bytes = bytes};
	if (begin(&staged, error) != 0)
		return -1;
	int result = 0;
	size_t pieces = bench_opencl_divide_up(bytes, staged.piece);
	/* Piece i is asked for when the one that had its slot before has been copied out. */
	for (size_t i = 0; i < pieces + SLOTS && result == 0; i++) {
		if (i >= SLOTS && i - SLOTS < pieces) {
			size_t done = i - SLOTS;
			result = wait_for(&staged, done, error);
			if (result == 0)
				copy(device, (char *)host + done * staged.piece, slot_of(&staged, done),
				     length_of(&staged, done));
		}
		if (i < pieces && result == 0)
			result = start(&staged, i, false, error);
	}
	return end(&staged, result, error);
}

/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/row.h"

#include <math.h>
#include <stdlib.h>

#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/queue.h"
#include "core/clock.h"

#define TRIES 9 /* of each figure of the calibration, whose median counts */
#define SHORT 8 /* empty kernels in a short row, and in a long one */
#define LONG  40
#define TURNS 200000 /* of the holds that tell how long a turn takes */

#define LEAST_HOLD 0.3e-3 /* seconds */
#define FIRST_HOLD 1e-3
#define MOST_HOLD  8e-3

static int enqueue_hold(struct bench_device *device, cl_uint turns, cl_event *event,
			struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_reserve(device, &device->value, sizeof(uint64_t), error) != 0 ||
	    bench_opencl_kernel(device, "hold.cl", "", "hold", &kernel, error) != 0)
		return -1;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(device->value.memory), &device->value.memory}, {sizeof(turns), &turns}};
	const struct bench_opencl_launch launch = {
		.arguments = arguments, .count = 2, .dimensions = 1, .global = {1}, .local = {1}};
	const struct bench_opencl_enqueued enqueued =
		bench_opencl_enqueue(device, kernel, &launch, bench_opencl_queue(device), event);
	if (enqueued.status != CL_SUCCESS)
		return bench_opencl_fail_enqueue(error, device, kernel, &enqueued);
	kernel->launched = true;
	return 0;
}

static void drop(cl_event *event)
{
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
}

/* Opens a row behind a hold of that many turns. */
static int open_row(struct bench_device *device, cl_uint turns, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	if (bench_opencl_finish(device, error) != 0)
		return -1;
	queue->row.open = true;
	queue->row.launches = device->stats.launches;
	queue->row.opened = bench_clock_seconds();
	if (enqueue_hold(device, turns, &queue->row.hold, error) == 0 &&
	    clFlush(bench_opencl_queue(device)) == CL_SUCCESS)
		return 0;
	drop(&queue->row.hold);
	queue->row.open = false;
	return -1;
}

/*
 * Closes it. *seconds: from the end of the hold to the start of what is enqueued last; NaN if the hold was
 * shorter than the host needed to enqueue everything: the device may have waited for the host. The hold's
 * state is not asked for, since a driver may tell of its end too late.
 */
static int close_row(struct bench_device *device, double *seconds, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	cl_event last = NULL;
	cl_ulong begun, held, ends, ended;
	int result = enqueue_hold(device, 0, &last, error);
	if (result == 0)
		clFlush(bench_opencl_queue(device));
	queue->row.enqueued = bench_clock_seconds() - queue->row.opened;
	/* The device is finished whatever failed. */
	if (bench_opencl_finish(device, result == 0 ? error : NULL) != 0)
		result = -1;
	if (result == 0)
		result = bench_opencl_event_times(device, queue->row.hold, &begun, &held, error);
	if (result == 0)
		result = bench_opencl_event_times(device, last, &ends, &ended, error);
	if (result == 0)
		*seconds = (double)(held - begun) * 1e-9 <= queue->row.enqueued || ends < held
				   ? NAN
				   : (double)(ends - held) * 1e-9;
	drop(&last);
	drop(&queue->row.hold);
	queue->row.open = false;
	return result;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double median(double values[TRIES])
{
	qsort(values, TRIES, sizeof(*values), compare);
	return values[TRIES / 2];
}

/* The time of one hold by its stamps. */
static int time_hold(struct bench_device *device, cl_uint turns, double *seconds, struct bench_error *error)
{
	cl_event event = NULL;
	cl_ulong start = 0, end = 0;
	int result = -1;
	if (enqueue_hold(device, turns, &event, error) == 0 && bench_opencl_finish(device, error) == 0)
		result = bench_opencl_event_times(device, event, &start, &end, error);
	*seconds = (double)(end - start) * 1e-9;
	drop(&event);
	return result;
}

static cl_uint turns_for(const struct bench_opencl_queue *queue, double seconds)
{
	return (cl_uint)fmin(ceil(seconds / queue->row.turn), UINT32_MAX);
}

/* The median time of a row of `count` empty kernels; NaN: none was held back long enough. */
static int time_empty(struct bench_device *device, int count, double *seconds, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	double times[TRIES];
	for (int i = 0; i < TRIES; i++) {
		int result = open_row(device, turns_for(queue, queue->row.hold_seconds), error);
		if (result != 0)
			return -1;
		for (int j = 0; j < count && result == 0; j++)
			result = enqueue_hold(device, 0, NULL, error);
		if (close_row(device, &times[i], result == 0 ? error : NULL) != 0 || result != 0)
			return -1;
		if (isnan(times[i])) {
			if (queue->row.hold_seconds >= MOST_HOLD)
				break;
			queue->row.hold_seconds = fmin(2 * queue->row.hold_seconds, MOST_HOLD);
			i--;
		}
		*seconds = i == TRIES - 1 ? median(times) : NAN;
	}
	return 0;
}

/* What the device needs for a turn, for stamps, for a row as such, and for each launch in it. */
static int calibrate(struct bench_device *device, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	double holds[TRIES], stamps[TRIES], shorter = NAN, longer = NAN;
	for (int i = 0; i < TRIES; i++)
		if (time_hold(device, TURNS, &holds[i], error) != 0 ||
		    time_hold(device, 0, &stamps[i], error) != 0)
			return -1;
	queue->row.stamp = median(stamps);
	queue->row.turn = (median(holds) - queue->row.stamp) / TURNS;
	if (!(queue->row.turn > 0))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no device time in a row: device %s takes no time to multiply",
				  device->info.slug);
	queue->row.hold_seconds = FIRST_HOLD;
	if (time_empty(device, SHORT, &shorter, error) != 0 || time_empty(device, LONG, &longer, error) != 0)
		return -1;
	queue->row.launch = (longer - shorter) / (LONG - SHORT);
	queue->row.fixed = shorter - SHORT * queue->row.launch;
	if (!(queue->row.launch > 0)) /* or NaN */
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no device time in a row: device %s begins before all is enqueued",
				  device->info.slug);
	return 0;
}

int bench_opencl_row_begin(struct bench_device *device, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	if (device->info.kind != BENCH_DEVICE_GPU || queue->row.refused)
		return bench_fail(error, BENCH_UNSUPPORTED, "no device time in a row on device %s",
				  device->info.slug);
	if (bench_opencl_queue_profiling(device, error) != 0 || bench_opencl_finish(device, error) != 0)
		return -1;
	queue->in_row = true;
	if (!(queue->row.launch > 0) && calibrate(device, error) != 0) {
		queue->row.refused = true;
		queue->in_row = false;
		return -1;
	}
	if (open_row(device, turns_for(queue, queue->row.hold_seconds), error) == 0)
		return 0;
	queue->in_row = false;
	return -1;
}

int bench_opencl_row_end(struct bench_device *device, struct bench_device_row *row, struct bench_error *error)
{
	struct bench_opencl_queue *queue = &device->queue;
	double seconds = NAN, held = queue->row.hold_seconds;
	if (!queue->row.open)
		return bench_fail(error, BENCH_USAGE, "row_end without row_begin, device %s",
				  device->info.slug);
	double launches = (double)(device->stats.launches - queue->row.launches);
	int result = close_row(device, &seconds, error);
	queue->in_row = false;
	/* Twice what the host needed this time; twice as long a hold if that was too short. */
	queue->row.hold_seconds = isnan(seconds) ? fmin(2 * held, MOST_HOLD)
						 : fmax(LEAST_HOLD, fmin(2 * queue->row.enqueued, MOST_HOLD));
	row->within = launches * queue->row.launch / 2;
	row->seconds = seconds - queue->row.fixed - row->within;
	row->stamp = queue->row.stamp;
	return result;
}

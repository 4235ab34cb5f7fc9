/* SPDX-License-Identifier: MIT */
/* A device's queues, launches and device time. */
#ifndef BENCH_OPENCL_QUEUE_H
#define BENCH_OPENCL_QUEUE_H

#include "backends/opencl/runtime/enqueue.h"

int bench_opencl_queue_open(struct bench_device *device, struct bench_error *error);
void bench_opencl_queue_close(struct bench_device *device);
/* The queue that takes work now. For callers that enqueue some: the device is no longer idle. */
cl_command_queue bench_opencl_queue(struct bench_device *device);
/*
 * Where an enqueue stores its event, followed by the event of a second part: a slot while timing, else NULL.
 * A failed enqueue leaves the slot unused; commit takes it.
 */
int bench_opencl_event_slot(struct bench_device *device, cl_event **slot, struct bench_error *error);
void bench_opencl_event_commit(struct bench_device *device);

int bench_opencl_launch(struct bench_device *device, struct bench_opencl_kernel *kernel,
			const struct bench_opencl_launch *launch, struct bench_error *error);

/* Makes the queue whose events have times, where there is none yet; then everything is done. */
int bench_opencl_queue_profiling(struct bench_device *device, struct bench_error *error);
/* When a command, or a part of one, ran: ns of the device's clock. It is done. */
int bench_opencl_event_times(const struct bench_device *device, cl_event event, cl_ulong *start,
			     cl_ulong *end, struct bench_error *error);

/* The hooks of the same names. */
int bench_opencl_finish(struct bench_device *device, struct bench_error *error);
int bench_opencl_time_begin(struct bench_device *device, struct bench_error *error);
int bench_opencl_time_end(struct bench_device *device, double *seconds, struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* Work that a CPU device's caller does, alone or together with its helper. */
#include "backends/opencl/runtime/pair.h"

/*
 * Work of at most CALLER_FLOPS operations in f32 is done in the calling thread before the device's threads
 * are awake: PoCL's sleep between two kernels.
 */
#define CALLER_FLOPS (2.0 * 128 * 128 * 128)

bool bench_opencl_helper_takes(struct bench_device *device)
{
	return device->caller && bench_opencl_helper_ready(device->caller->helper) &&
	       (device->queue.idle || bench_opencl_finish(device, NULL) == 0);
}

bool bench_opencl_is_callers(struct bench_device *device, double flops, bool has_parts)
{
	if (device->caller && device->queue.idle && flops <= CALLER_FLOPS)
		return true;
	return has_parts && flops <= CALLER_FLOPS / 2 * (double)bench_opencl_helped_times(device) &&
	       bench_opencl_helper_takes(device);
}

int bench_opencl_launch_both(struct bench_device *caller, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_launch *mine, const struct bench_opencl_launch *other,
			     struct bench_error *error)
{
	cl_event *events;
	if (bench_opencl_event_slot(caller, &events, error) != 0)
		return -1;
	const struct bench_opencl_enqueued done = bench_opencl_helper_run(caller->helper, kernel, mine, other,
									  bench_opencl_queue(caller), events);
	if (done.status != CL_SUCCESS) {
		for (size_t part = 0; events && part < 2; part++)
			if (events[part])
				clReleaseEvent(events[part]);
		return bench_opencl_fail_enqueue(error, caller, kernel, &done);
	}
	bench_opencl_event_commit(caller);
	bench_opencl_count_launch(kernel, mine);
	caller->stats.launches++;
	return 0;
}

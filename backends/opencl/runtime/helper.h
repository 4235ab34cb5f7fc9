/*
 * The second thread of a CPU device's caller (struct bench_device): it takes one of two parts of a launch
 * that is too short for the threads of PoCL's, which sleep between kernels and wake later than the caller
 * needs for the whole. It spins while such launches follow one another, and sleeps when none has come for a
 * while or the device's own threads are to work. Nothing waits for it to wake: who finds it asleep works
 * alone.
 *
 * Threads: all functions are for the one that calls the backend.
 */
#ifndef BENCH_OPENCL_HELPER_H
#define BENCH_OPENCL_HELPER_H

#include "backends/opencl/runtime/internal.h"

/*
 * For a caller: fills its `helper`, but where the calling thread may use one processor alone. The helper may
 * use those that the calling thread may use now. close ends it; NULL is allowed.
 */
int bench_opencl_helper_open(struct bench_device *caller, struct bench_error *error);
void bench_opencl_helper_close(struct bench_opencl_helper *helper);

/*
 * To be asked before each launch that could have two parts: shall it have them? While the helper is awake,
 * and while it is tried whether it would be of use, which it is after enough such launches in a row.
 */
bool bench_opencl_helper_ready(struct bench_opencl_helper *helper);

/*
 * bench_opencl_helper_ready, of a device before work that takes long for its caller alone. If so, the device
 * is idle: what failed fails at bench_opencl_finish as well.
 */
bool bench_opencl_helper_takes(struct bench_device *device);

/*
 * For work that the caller alone does as soon as the device's threads up to some size: by how many times as
 * large work the caller and an awake helper do as soon as they.
 */
static inline size_t bench_opencl_helped_times(const struct bench_device *device)
{
	/* T/2 < T/n + W, the size up to which the caller is alone being W n / (n - 1), at most 2 W. */
	const size_t most = 32, units = device->info.compute_units;
	const size_t times = units > 2 ? 2 * units / (units - 2) : most;
	return times < most ? times : most;
}

/* Is work of so many operations the caller's, by itself or, where it has two parts, with its helper? */
bool bench_opencl_is_callers(struct bench_device *device, double flops, bool has_parts);

/* It sleeps, so that the device's own threads have its processor. */
void bench_opencl_helper_rest(struct bench_opencl_helper *helper);

/*
 * Two parts of one operation, of which neither needs what the other writes: `mine` by the calling thread and
 * `other`, where the helper is awake, by it at the same time. Both launch the same kernel, as many
 * work-items of it (helper.c says why), with no argument that is a cl_mem: PoCL would have one part wait for
 * the other. Complete when it returns. While timing it is one command, from the start of the first to the end
 * of the last.
 */
int bench_opencl_launch_both(struct bench_device *caller, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_launch *mine, const struct bench_opencl_launch *other,
			     struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* Work that a CPU device's caller does, alone or together with its helper. */
#ifndef BENCH_OPENCL_PAIR_H
#define BENCH_OPENCL_PAIR_H

#include "backends/opencl/runtime/helper.h"
#include "backends/opencl/runtime/queue.h"

/* Multiply-adds of vectors that are worth two parts: 1.3 us at 4 GHz, twice what handing over a part takes.
 */
#define BENCH_OPENCL_PAIR_VECTORS 9000.0

/*
 * bench_opencl_helper_ready, asked of a device before work that is too long for its caller alone. If so, the
 * device is idle: a failure shows again at bench_opencl_finish.
 */
bool bench_opencl_helper_takes(struct bench_device *device);

/*
 * The caller alone is faster than the device's threads up to some size of work: how many times that size are
 * the caller and an awake helper faster?
 */
static inline size_t bench_opencl_helped_times(const struct bench_device *device)
{
	/* T/2 < T/n + W, the size up to which the caller is alone being W n / (n - 1), at most 2 W. */
	const size_t most = 32, units = device->info.compute_units;
	const size_t times = units > 2 ? 2 * units / (units - 2) : most;
	return times < most ? times : most;
}

/* Does the caller do work of `flops` operations, alone or, where it has two parts, with its helper? */
bool bench_opencl_is_callers(struct bench_device *device, double flops, bool has_parts);

/*
 * Two parts of one operation, neither of which needs what the other writes. The calling thread runs `mine`;
 * an awake helper runs `other` at the same time, else the calling thread does. Both parts are of one size
 * (helper.c says why) and have no cl_mem argument: PoCL would make one part wait for the other. Complete when
 * it returns. Timing sees one command, from the start of the first part to the end of the last.
 */
int bench_opencl_launch_both(struct bench_device *caller, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_launch *mine, const struct bench_opencl_launch *other,
			     struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* Empty launches, and programs made for the sake of making them: launch.cl. */
#include "backends/opencl/runtime/operations.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"
#include "core/clock.h"

#define SOURCE "launch.cl"

enum { MOST_BUFFERS = 16 };

int bench_opencl_empty(struct bench_device *device, unsigned buffers, struct bench_error *error)
{
	const struct bench_opencl_variant variant = {SOURCE, "empty", {buffers}, 0};
	struct bench_opencl_list list = {.count = 0};
	struct bench_opencl_kernel *kernel;
	if (buffers > MOST_BUFFERS || __builtin_popcount(buffers) > 1)
		return bench_fail(error, BENCH_USAGE,
				  "an empty launch has 0, 1, 2, 4, 8 or 16 buffers, not %u", buffers);
	if (bench_opencl_reserve(device, &device->value, sizeof(uint64_t), error) != 0 ||
	    bench_opencl_variant(device, &variant, &kernel, error, buffers ? "-DBUFFERS=%u" : "", buffers) !=
		    0)
		return -1;
	for (unsigned i = 0; i < buffers; i++)
		BENCH_OPENCL_MEMORIES(&list, &device->value);
	return bench_opencl_launch_groups(device, kernel, &list, 1, 1, error);
}

/* The kernel with this stamp, however it is had, and how long that took. */
static int get_kernel(struct bench_device *device, uint64_t stamp, struct bench_opencl_kernel **kernel,
		      double *seconds, struct bench_error *error)
{
	char options[40];
	snprintf(options, sizeof(options), "-DSTAMP=0x%016" PRIx64 "UL", stamp);
	uint64_t start = bench_clock_real.now_ns(NULL);
	int result = bench_opencl_kernel(device, SOURCE, options, "stamp", kernel, error);
	*seconds = (double)(bench_clock_real.now_ns(NULL) - start) * 1e-9;
	return result;
}

static int run_kernel(struct bench_device *device, struct bench_opencl_kernel *kernel,
		      const struct bench_buffer *out, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, out);
	return bench_opencl_launch_groups(device, kernel, &list, 1, 1, error) == 0
		       ? bench_opencl_finish(device, error)
		       : -1;
}

/*
 * Takes the program off the device, with an entry on disk left behind. One that was compiled just now
 * runs before it is stored: see store_binary in program.c.
 */
static int leave_on_disk(struct bench_device *device, const struct bench_compile *compile,
			 struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	double seconds;
	unsigned compiled = device->stats.compiled;
	if (get_kernel(device, compile->stamp, &kernel, &seconds, error) != 0 ||
	    (device->stats.compiled > compiled && run_kernel(device, kernel, compile->out, error) != 0))
		return -1;
	bench_opencl_program_drop(device, kernel, true);
	return 0;
}

int bench_opencl_compile(struct bench_device *device, const struct bench_compile *compile, double *seconds,
			 struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (compile->out->bytes < sizeof(cl_ulong))
		return bench_fail(error, BENCH_USAGE,
				  "compile: a stamp does not fit a buffer of %zu bytes, device %s",
				  compile->out->bytes, device->info.slug);
	if ((compile->from == BENCH_COMPILE_DISK && leave_on_disk(device, compile, error) != 0) ||
	    get_kernel(device, compile->stamp, &kernel, seconds, error) != 0)
		return -1;
	int result = run_kernel(device, kernel, compile->out, error);
	if (compile->from == BENCH_COMPILE_COLD)
		bench_opencl_program_drop(device, kernel, false);
	return result;
}

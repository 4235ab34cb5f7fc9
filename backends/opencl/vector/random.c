/* SPDX-License-Identifier: MIT */
/* Random numbers: random.cl, which says how it works. */
#include "backends/check.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/vector/vectors.h"

#define SOURCE "random.cl"

/* Blocks of a work-item. */
static unsigned lanes_of(const struct bench_device *device)
{
	return bench_opencl_is_cpu(device) ? 8 : 1;
}

static int get_kernel(struct bench_device *device, const struct bench_random *random,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const distributions[] = {[BENCH_RANDOM_BITS] = "BITS",
						    [BENCH_RANDOM_UNIFORM] = "UNIFORM",
						    [BENCH_RANDOM_NORMAL] = "NORMAL"};
	const struct bench_opencl_variant variant = {
		SOURCE, "fill", {random->distribution, random->dtype}, 0};
	return bench_opencl_variant(device, &variant, kernel, error, "-DDISTRIBUTION=%s -DWIDE=%d -DLANES=%u",
				    distributions[random->distribution], random->dtype == BENCH_F64,
				    lanes_of(device));
}

int bench_opencl_random(struct bench_device *device, const struct bench_random *random,
			struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_check_real(device, "random numbers", random->dtype, error) != 0 ||
	    bench_random_check("opencl", random, bench_opencl_bytes, error) != 0)
		return -1;
	/* A number takes as long as some eight that are copied. */
	device = bench_opencl_runner(device, 8 * random->count * bench_dtype_bytes(random->dtype), false);
	if (get_kernel(device, random, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, random->out);
	BENCH_OPENCL_ULONGS(&list, random->count, random->position, random->stream, random->seed);
	unsigned of_a_block = random->dtype == BENCH_F64 ? 2 : 4;
	return bench_opencl_launch_vectors(device, kernel, &list, random->count,
					   of_a_block * lanes_of(device), error);
}

/* SPDX-License-Identifier: MIT */
#include "backends/opencl/conv2d/lines.h"

#define GROUP      64 /* work-items of a group on a GPU */
#define ITEMS_UNIT 16 /* work-items for each compute unit of a CPU; more take longer to start */

size_t bench_opencl_conv2d_spread(const struct bench_device *device)
{
	return bench_opencl_is_cpu(device) ? 1 : GROUP;
}

size_t bench_opencl_conv2d_per_item(const struct bench_device *device, size_t lines)
{
	if (!bench_opencl_is_cpu(device))
		return 1;
	return bench_opencl_divide_up(lines, (size_t)device->info.compute_units * ITEMS_UNIT);
}

int bench_opencl_conv2d_lines(struct bench_device *device, struct bench_opencl_kernel *kernel,
			      struct bench_opencl_list *list, size_t lines, struct bench_error *error)
{
	size_t each = bench_opencl_conv2d_per_item(device, lines);
	BENCH_OPENCL_ULONGS(list, lines, each);
	return bench_opencl_launch_groups(device, kernel, list, bench_opencl_divide_up(lines, each),
					  bench_opencl_conv2d_spread(device), error);
}

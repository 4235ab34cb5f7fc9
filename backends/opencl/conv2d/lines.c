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
			      struct bench_opencl_argument *arguments, cl_uint count, size_t lines,
			      struct bench_error *error)
{
	size_t spread = bench_opencl_conv2d_spread(device),
	       each = bench_opencl_conv2d_per_item(device, lines);
	cl_ulong all = lines, of_item = each;
	arguments[count - 2] = (struct bench_opencl_argument){sizeof(all), &all};
	arguments[count - 1] = (struct bench_opencl_argument){sizeof(of_item), &of_item};
	return bench_opencl_launch_groups(device, kernel, arguments, count,
					  bench_opencl_divide_up(lines, each), spread, error);
}

/* Sums and products element by element: kernels/elementwise.cl, which says how it works. */
#include <stdio.h>

#include "internal.h"

#define SOURCE      "elementwise.cl"
#define GROUP       256 /* work-items of a group, where the device runs so many */
#define LARGEST_LOG 4   /* widths are 2^0 to 2^4 */

/* The base-2 logarithm of a width that there is; -1 where there is none such. */
static int width_log(unsigned width)
{
	for (int log = 0; log <= LARGEST_LOG; log++)
		if (width == 1U << log)
			return log;
	return -1;
}

static int check(const struct bench_device *device, const struct bench_elementwise *elementwise,
		 struct bench_error *error)
{
	size_t real = bench_dtype_bytes(elementwise->dtype);
	if (elementwise->dtype == BENCH_F64 && !device->info.f64)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no double precision: device %s lacks cl_khr_fp64", device->info.slug);
	if (width_log(elementwise->width) < 0)
		return bench_fail(error, BENCH_USAGE, "elementwise: width is 1, 2, 4, 8 or 16, not %u",
				  elementwise->width);
	const struct {
		const char *name;
		size_t bytes;
	} buffers[] = {
		{"a", elementwise->a->bytes}, {"b", elementwise->b->bytes}, {"c", elementwise->c->bytes}};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
		if (elementwise->count < 1 || elementwise->count > buffers[i].bytes / real)
			return bench_fail(error, BENCH_USAGE,
					  "elementwise: %zu elements do not fit %s, a buffer of %zu bytes",
					  elementwise->count, buffers[i].name, buffers[i].bytes);
	return 0;
}

static int get_kernel(struct bench_device *device, const struct bench_elementwise *elementwise,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	struct bench_opencl_kernel **slot =
		&device->elementwise[elementwise->op][elementwise->dtype][width_log(elementwise->width)];
	if (!*slot) {
		char options[64];
		snprintf(options, sizeof(options), "-DREAL=%s -DWIDTH=%u -DOP=%s",
			 elementwise->dtype == BENCH_F64 ? "double" : "float", elementwise->width,
			 elementwise->op == BENCH_ELEMENTWISE_MUL ? "*" : "+");
		if (bench_opencl_kernel(device, SOURCE, options, "elementwise", slot, error) != 0)
			return -1;
	}
	*kernel = *slot;
	return 0;
}

int bench_opencl_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			     struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t group = 1;
	if (check(device, elementwise, error) != 0 || get_kernel(device, elementwise, &kernel, error) != 0 ||
	    bench_opencl_group_size(device, kernel, GROUP, &group, error) != 0)
		return -1;
	cl_ulong count = elementwise->count;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &elementwise->a->memory},
		{sizeof(cl_mem), &elementwise->b->memory},
		{sizeof(cl_mem), &elementwise->c->memory},
		{sizeof(count), &count},
	};
	size_t items = bench_opencl_divide_up(elementwise->count, elementwise->width);
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(*arguments),
		.dimensions = 1,
		.global = {bench_opencl_divide_up(items, group) * group},
		.local = {group},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

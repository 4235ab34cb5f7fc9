/* Sums and products element by element: kernels/elementwise.cl, which says how it works. */
#include "internal.h"

#define SOURCE "elementwise.cl"

static int check(const struct bench_device *device, const struct bench_elementwise *elementwise,
		 struct bench_error *error)
{
	const struct {
		const char *name;
		const struct bench_buffer *buffer;
	} vectors[] = {{"a", elementwise->a}, {"b", elementwise->b}, {"c", elementwise->c}};
	if (bench_opencl_check_real(device, "elementwise", elementwise->dtype, error) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		if (bench_opencl_check_vector("elementwise", vectors[i].name, vectors[i].buffer,
					      elementwise->dtype, elementwise->count, error) != 0)
			return -1;
	return 0;
}

static int get_kernel(struct bench_device *device, const struct bench_elementwise *elementwise,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	unsigned log;
	if (bench_opencl_width_log("elementwise", elementwise->width, &log, error) != 0)
		return -1;
	struct bench_opencl_kernel **slot =
		&device->kernels[BENCH_OPENCL_OF_elementwise]
				[((size_t)elementwise->op * 2 + elementwise->dtype) * BENCH_OPENCL_WIDTHS +
				 log];
	if (!*slot &&
	    bench_opencl_variant(device, SOURCE, "elementwise", slot, error, "-DREAL=%s -DWIDTH=%u -DOP=%s",
				 bench_opencl_real(elementwise->dtype), elementwise->width,
				 elementwise->op == BENCH_ELEMENTWISE_MUL ? "*" : "+") != 0)
		return -1;
	*kernel = *slot;
	return 0;
}

int bench_opencl_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			     struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (check(device, elementwise, error) != 0 || get_kernel(device, elementwise, &kernel, error) != 0)
		return -1;
	cl_ulong count = elementwise->count;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &elementwise->a->memory},
		{sizeof(cl_mem), &elementwise->b->memory},
		{sizeof(cl_mem), &elementwise->c->memory},
		{sizeof(count), &count},
	};
	return bench_opencl_launch_vectors(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments),
					   elementwise->count, elementwise->width, error);
}

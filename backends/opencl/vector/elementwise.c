/* SPDX-License-Identifier: MIT */
/* Sums and products element by element: elementwise.cl, which says how it works. */
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/vector/vectors.h"

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

static int get_kernel(struct bench_device *device, const struct bench_elementwise *elementwise, bool past,
		      unsigned width, struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	const struct bench_opencl_variant variant = {
		SOURCE, "elementwise", {elementwise->op, elementwise->dtype, past, width}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DWIDTH=%u -DOP=%s -DPAST=%d -DADDRESSES=%d",
				    bench_opencl_real(elementwise->dtype), width,
				    elementwise->op == BENCH_ELEMENTWISE_MUL ? "*" : "+", past,
				    bench_opencl_vectors_by_address(device));
}

int bench_opencl_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			     struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	unsigned width;
	if (check(device, elementwise, error) != 0 ||
	    bench_opencl_width(device, "elementwise", elementwise->dtype, elementwise->width, &width,
			       error) != 0)
		return -1;
	size_t bytes = 3 * elementwise->count * bench_dtype_bytes(elementwise->dtype);
	device = bench_opencl_runner(device, bytes, true);
	if (get_kernel(device, elementwise, bench_opencl_goes_past(device, bytes), width, &kernel, error) !=
	    0)
		return -1;
	const struct bench_opencl_vectors vectors = {
		.buffer = {elementwise->a, elementwise->b, elementwise->c},
		.buffers = 3,
		.count = elementwise->count,
		.dtype = elementwise->dtype,
		.width = width,
	};
	return bench_opencl_run_vectors(device, kernel, &vectors, error);
}

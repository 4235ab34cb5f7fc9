/* SPDX-License-Identifier: MIT */
/* Sums and products element by element: elementwise.cl, which says how it works. */
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/vector/vectors.h"

#define SOURCE "elementwise.cl"

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
	struct bench_opencl_vectors vectors = {
		.operation = "elementwise",
		.buffer = {elementwise->a, elementwise->b, elementwise->c},
		.name = {"a", "b", "c"},
		.buffers = 3,
		.count = elementwise->count,
		.dtype = elementwise->dtype,
		.width = elementwise->width,
	};
	if (bench_opencl_check_vectors(device, &vectors, error) != 0)
		return -1;
	device = bench_opencl_runner(device, vectors.bytes, true);
	if (get_kernel(device, elementwise, bench_opencl_goes_past(device, vectors.bytes), vectors.width,
		       &kernel, error) != 0)
		return -1;
	return bench_opencl_run_vectors(device, kernel, &vectors, error);
}

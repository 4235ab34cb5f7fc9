/* SPDX-License-Identifier: MIT */
/* Activation functions of a vector: activation.cl, which says how it works. */
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/vector/vectors.h"

#define SOURCE "activation.cl"

static const char *const functions[] = {
	[BENCH_ACTIVATION_RELU] = "relu",
	[BENCH_ACTIVATION_GELU] = "gelu",
	[BENCH_ACTIVATION_GELU_TANH] = "gelu_tanh",
};

static int get_kernel(struct bench_device *device, const struct bench_activate *activate, bool past,
		      unsigned width, struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	const struct bench_opencl_variant variant = {
		SOURCE, "activation", {activate->function, activate->dtype, past, width}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DWIDTH=%u -DFUNCTION=%s -DPAST=%d -DADDRESSES=%d%s",
				    bench_opencl_real(activate->dtype), width, functions[activate->function],
				    past, bench_opencl_vectors_by_address(device),
				    bench_opencl_is_cpu(device) ? " -DOWN_GELU" : "");
}

int bench_opencl_activate(struct bench_device *device, const struct bench_activate *activate,
			  struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct bench_opencl_vectors vectors = {
		.operation = "activation",
		.buffer = {activate->a, activate->c},
		.name = {"a", "c"},
		.buffers = 2,
		.count = activate->count,
		.dtype = activate->dtype,
		.width = activate->width,
	};
	const size_t function = (size_t)activate->function;
	if (function >= sizeof(functions) / sizeof(*functions) || !functions[function])
		return bench_fail(error, BENCH_USAGE, "opencl: no activation function %zu", function);
	if (bench_opencl_check_vectors(device, &vectors, error) != 0)
		return -1;
	device = bench_opencl_runner(device, vectors.bytes, true);
	if (get_kernel(device, activate, bench_opencl_goes_past(device, vectors.bytes), vectors.width,
		       &kernel, error) != 0)
		return -1;
	return bench_opencl_run_vectors(device, kernel, &vectors, error);
}

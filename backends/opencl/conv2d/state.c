/* SPDX-License-Identifier: MIT */
#include "backends/opencl/conv2d/state.h"

#include "backends/conv2d.h"
#include "backends/opencl/runtime/buffers.h"

static void close(void *state)
{
	struct bench_opencl_conv2d *own = state;
	const struct bench_buffer *const scratch[] = {&own->padded, &own->packed, &own->offsets,
						      &own->windows, &own->product};
	for (size_t i = 0; i < sizeof(scratch) / sizeof(*scratch); i++)
		bench_opencl_unreserve(scratch[i]);
	bench_conv2d_forget(&own->measured);
}

const struct bench_opencl_state bench_opencl_conv2d_state = {sizeof(struct bench_opencl_conv2d), close};

struct bench_opencl_conv2d *bench_opencl_conv2d_of(const struct bench_device *device)
{
	return bench_opencl_state(device, &bench_opencl_conv2d_state);
}

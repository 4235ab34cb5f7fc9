/* SPDX-License-Identifier: MIT */
/* The direct sums of CPUs, conv2d.cl: the padding of the input, and the sums. Winograd's algorithm uses both.
 */
#ifndef BENCH_OPENCL_CONV2D_TILE_H
#define BENCH_OPENCL_CONV2D_TILE_H

#include "backends/opencl/runtime/device.h"

/* How conv2d.cl is compiled for a problem. */
struct bench_opencl_conv2d_tile {
	size_t lanes, mr, nv; /* elements of a vector; channels and vectors of a tile */
	bool nhwc;
};

/* For `filters` output channels of a group and rows of `columns` elements. */
struct bench_opencl_conv2d_tile bench_opencl_conv2d_tile(const struct bench_device *device,
							 enum bench_dtype dtype, size_t filters,
							 size_t columns, bool nhwc);

/*
 * Fills the state's `padded` with padded channels, split by phase, and its `offsets` with the offsets of the
 * taps in it: conv2d_pad in conv2d.cl says how.
 */
struct bench_opencl_conv2d_padded {
	size_t rows, pitch; /* of a phase */
	size_t plane;       /* elements of a channel */
};
int bench_opencl_conv2d_pad(struct bench_device *device, const struct bench_conv2d *conv,
			    const struct bench_opencl_conv2d_tile *tile,
			    struct bench_opencl_conv2d_padded *padded, struct bench_error *error);

/*
 * The sums of conv2d_direct: out[image][group * filters + q][rows][columns], or with the channels last. They
 * are from `padded` by the state's `offsets`, and by weights that are laid out as those of a convolution, of
 * all groups.
 */
struct bench_opencl_conv2d_sums {
	const struct bench_buffer *padded, *weights, *out;
	size_t plane, pitch; /* elements of a padded channel, and of its row */
	size_t images, groups, channels, filters, taps, rows, columns;
};
int bench_opencl_conv2d_sum(struct bench_device *device, enum bench_dtype dtype,
			    const struct bench_opencl_conv2d_tile *tile,
			    const struct bench_opencl_conv2d_sums *sums, struct bench_error *error);

#endif

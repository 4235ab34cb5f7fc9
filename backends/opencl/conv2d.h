/* Convolution in OpenCL: what its algorithms share. */
#ifndef BENCH_OPENCL_CONV2D_H
#define BENCH_OPENCL_CONV2D_H

#include "internal.h"

/* How kernels/conv2d.cl is compiled for a problem. */
struct bench_opencl_conv2d_tile {
	size_t lanes, mr, nv; /* elements of a vector; channels and vectors of a tile */
	bool nhwc;
	size_t spread; /* of the kernels: 1 on CPUs */
};

/* For `filters` output channels of a group and rows of `columns` elements. */
struct bench_opencl_conv2d_tile bench_opencl_conv2d_tile(const struct bench_device *device,
							 enum bench_dtype dtype, size_t filters,
							 size_t columns, bool nhwc);

/* The sums of conv2d_direct: out[image][group * filters + q][rows][columns], or channels last. */
struct bench_opencl_conv2d_sums {
	cl_mem padded, offsets, packed, out;
	size_t plane, pitch; /* elements of a padded channel, and of its row */
	size_t images, groups, channels, filters, taps, rows, columns;
};
int bench_opencl_conv2d_sum(struct bench_device *device, enum bench_dtype dtype,
			    const struct bench_opencl_conv2d_tile *tile,
			    const struct bench_opencl_conv2d_sums *sums, struct bench_error *error);

/*
 * Lines of a copying kernel for each work-item of a CPU, so that there are some for each of the
 * units but not so many that starting them takes longer; 1 where several work-items share a line.
 */
size_t bench_opencl_conv2d_per_item(const struct bench_device *device, size_t lines);

int bench_opencl_conv2d_im2col(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);
int bench_opencl_conv2d_winograd(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* Convolution in OpenCL: its algorithms, each in the file of its name. */
#ifndef BENCH_OPENCL_CONV2D_H
#define BENCH_OPENCL_CONV2D_H

#include "bench/backend.h"

/* DIRECT on CPUs with filters for lanes; has_places: are there enough for a vector, and memory for a row? */
bool bench_opencl_conv2d_has_places(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_places(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);

/* And there with channels for lanes, or neighbors of a row: in nhwc a group to each channel where these fill
 * a vector; in nchw filters that are not for places, and small strides. */
bool bench_opencl_conv2d_has_depthwise(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_depthwise(struct bench_device *device, const struct bench_conv2d *conv,
				  struct bench_error *error);

/* And there for all else. */
int bench_opencl_conv2d_padded(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);

/*
 * DIRECT on GPUs: many small groups; f16, bf16 and tf32 on tensor cores; f32 in large tiles; and what takes
 * all shapes and types. Each of the first three is for the problems that the function before it is true of.
 */
bool bench_opencl_conv2d_is_grouped(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_grouped(struct bench_device *device, const struct bench_conv2d *conv,
				struct bench_error *error);
bool bench_opencl_conv2d_has_tensor_cores(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_tensor(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);
bool bench_opencl_conv2d_is_tiled(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_tiled(struct bench_device *device, const struct bench_conv2d *conv,
			      struct bench_error *error);
int bench_opencl_conv2d_implicit(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error);
int bench_opencl_conv2d_im2col(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);
/* WINOGRAD, where bench_conv2d_winograd_can. */
int bench_opencl_conv2d_winograd(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error);

#endif

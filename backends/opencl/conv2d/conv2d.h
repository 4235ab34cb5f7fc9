/* Convolution in OpenCL: what its algorithms share. */
#ifndef BENCH_OPENCL_CONV2D_H
#define BENCH_OPENCL_CONV2D_H

#include "backends/opencl/runtime/internal.h"

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
 * The sums of conv2d_direct, out[image][group * filters + q][rows][columns] or with the channels
 * last, from `padded` by the offsets in device->conv2d and by weights that are laid out as those of a
 * convolution, of all groups.
 */
struct bench_opencl_conv2d_sums {
	cl_mem padded, weights, out;
	size_t plane, pitch; /* elements of a padded channel, and of its row */
	size_t images, groups, channels, filters, taps, rows, columns;
};
int bench_opencl_conv2d_sum(struct bench_device *device, enum bench_dtype dtype,
			    const struct bench_opencl_conv2d_tile *tile,
			    const struct bench_opencl_conv2d_sums *sums, struct bench_error *error);

/* Work-items that share a line of a kernel that copies or transforms, and the size of their group. */
size_t bench_opencl_conv2d_spread(const struct bench_device *device);

/*
 * Launches such a kernel over `lines` lines. The last two of its arguments, which are left
 * empty, are the number of lines and how many a work-item handles.
 */
int bench_opencl_conv2d_lines(struct bench_device *device, struct bench_opencl_kernel *kernel,
			      struct bench_opencl_argument *arguments, cl_uint count, size_t lines,
			      struct bench_error *error);

/* Padded channels in device->conv2d.padded, taken apart by phase, and the offsets of the taps in it:
 * conv2d_pad in conv2d.cl says how. */
struct bench_opencl_conv2d_padded {
	size_t rows, pitch; /* of a phase */
	size_t plane;       /* elements of a channel */
};
int bench_opencl_conv2d_pad(struct bench_device *device, const struct bench_conv2d *conv,
			    const struct bench_opencl_conv2d_tile *tile,
			    struct bench_opencl_conv2d_padded *padded, struct bench_error *error);

/* DIRECT on CPUs with filters for lanes; has_places: are there enough for a vector, and memory for a row? */
bool bench_opencl_conv2d_has_places(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_places(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);

/* And there for a group to each channel with the channels last, where these fill a vector. */
bool bench_opencl_conv2d_has_depthwise(const struct bench_device *device, const struct bench_conv2d *conv);
int bench_opencl_conv2d_depthwise(struct bench_device *device, const struct bench_conv2d *conv,
				  struct bench_error *error);

/* As gemm_stored.cl counts types of storage: 1 half, 2 bfloat16, 0 those that are computed in. */
static inline int bench_opencl_conv2d_half(enum bench_dtype dtype)
{
	return dtype == BENCH_F16 ? 1 : dtype == BENCH_BF16 ? 2 : 0;
}

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
int bench_opencl_conv2d_winograd(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error);
/* WINOGRAD on GPUs, where bench_conv2d_winograd_can. */
int bench_opencl_conv2d_winograd4(struct bench_device *device, const struct bench_conv2d *conv,
				  struct bench_error *error);

#endif

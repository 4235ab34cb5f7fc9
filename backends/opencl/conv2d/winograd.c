/* SPDX-License-Identifier: MIT */
/* Convolution by Winograd's F(2x2, 3x3): conv2d_winograd.cl, which says how it works. */
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/lines.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/conv2d/tile.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d_winograd.cl"

enum { ELEMENTS = 16 }; /* of a transformed tile */
enum { IN, WEIGHTS, OUT };

/* The problem in tiles. */
struct tiling {
	size_t rows, columns;                /* of tiles, in an image */
	struct bench_opencl_conv2d_tile own; /* as the problem is laid out */
	struct bench_opencl_conv2d_tile sum; /* of the sums between the transforms */
};

static struct tiling tiling_of(const struct bench_device *device, const struct bench_conv2d *conv)
{
	struct tiling tiling = {
		.rows = bench_opencl_divide_up(bench_conv2d_extent(conv, conv->h, conv->r), 2),
		.columns = bench_opencl_divide_up(bench_conv2d_extent(conv, conv->w, conv->s), 2)};
	size_t tiles = conv->n * tiling.rows * tiling.columns;
	tiling.own = bench_opencl_conv2d_tile(device, conv->dtype, conv->k, tiling.columns,
					      conv->layout == BENCH_CONV2D_NHWC);
	tiling.sum = bench_opencl_conv2d_tile(device, conv->dtype, conv->k, tiles, false);
	return tiling;
}

static int launch_lines(struct bench_device *device, const struct bench_conv2d *conv,
			const struct tiling *tiling, int which, struct bench_opencl_list *list, size_t lines,
			struct bench_error *error)
{
	static const char *const names[] = {
		[IN] = "winograd_in", [WEIGHTS] = "winograd_weights", [OUT] = "winograd_out"};
	const struct bench_opencl_variant variant = {
		SOURCE, names[which], {conv->dtype, tiling->own.nhwc}, 0};
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DREAL=%s -DNHWC=%d",
				 bench_opencl_real(conv->dtype), tiling->own.nhwc) != 0)
		return -1;
	return bench_opencl_conv2d_lines(device, kernel, list, lines, error);
}

/* The input's elements into `windows`, by way of `padded`. */
static int transform_in(struct bench_device *device, const struct bench_conv2d *conv,
			const struct tiling *tiling, struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	struct bench_conv2d halves = *conv;
	struct bench_opencl_conv2d_padded padded;
	halves.stride = 2; /* tiles are two apart */
	if (bench_opencl_conv2d_pad(device, &halves, &tiling->own, &padded, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &own->padded, &own->windows);
	BENCH_OPENCL_UINTS(&list, conv->n, conv->c, tiling->rows, tiling->columns);
	return launch_lines(device, conv, tiling, IN, &list, conv->c * conv->n * tiling->rows, error);
}

static int transform_weights(struct bench_device *device, const struct bench_conv2d *conv,
			     const struct tiling *tiling, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	const struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	BENCH_OPENCL_MEMORIES(&list, conv->weights, &own->packed, &own->offsets);
	BENCH_OPENCL_UINTS(&list, conv->c);
	return launch_lines(device, conv, tiling, WEIGHTS, &list, conv->k, error);
}

static int transform_out(struct bench_device *device, const struct bench_conv2d *conv,
			 const struct tiling *tiling, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &bench_opencl_conv2d_of(device)->product, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->n, conv->k, tiling->rows, tiling->columns,
			   bench_conv2d_extent(conv, conv->h, conv->r),
			   bench_conv2d_extent(conv, conv->w, conv->s));
	return launch_lines(device, conv, tiling, OUT, &list, conv->k * conv->n * tiling->rows, error);
}

int bench_opencl_conv2d_winograd(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	struct tiling tiling = tiling_of(device, conv);
	size_t real = bench_dtype_bytes(conv->dtype), tiles = conv->n * tiling.rows * tiling.columns;
	if (tiles > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: winograd of %zu tiles: it takes up to 2^31 - 1", tiles);
	/* Few tiles are less than a vector: the last one is read beyond the end. */
	size_t elements = ELEMENTS * conv->c * tiles + tiling.sum.lanes;
	if (bench_opencl_reserve(device, &own->windows, elements * real, error) != 0 ||
	    bench_opencl_reserve(device, &own->packed, ELEMENTS * conv->k * conv->c * real, error) != 0 ||
	    bench_opencl_reserve(device, &own->product, ELEMENTS * conv->k * tiles * real, error) != 0 ||
	    transform_in(device, conv, &tiling, error) != 0 ||
	    transform_weights(device, conv, &tiling, error) != 0)
		return -1;
	const struct bench_opencl_conv2d_sums sums = {.padded = &own->windows,
						      .weights = &own->packed,
						      .out = &own->product,
						      .plane = tiles,
						      .pitch = tiles,
						      .images = 1,
						      .groups = ELEMENTS,
						      .channels = conv->c,
						      .filters = conv->k,
						      .taps = 1,
						      .rows = 1,
						      .columns = tiles};
	return bench_opencl_conv2d_sum(device, conv->dtype, &tiling.sum, &sums, error) ||
			       transform_out(device, conv, &tiling, error)
		       ? -1
		       : 0;
}

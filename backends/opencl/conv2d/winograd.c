/* SPDX-License-Identifier: MIT */
/* Convolution by Winograd's F(4x4, 3x3): conv2d_winograd.cl around a batch of products. */
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d_winograd.cl"

enum { ELEMENTS = 36, TILE = 4, ITEMS = 128 };
enum { IN, WEIGHTS, OUT };

/* The problem in tiles: rows and columns of an image; of all images, filled up to rows of 16 bytes. */
struct tiling {
	size_t rows, columns, all;
};

static int launch(struct bench_device *device, const struct bench_conv2d *conv, int which,
		  const struct bench_opencl_list *list, size_t items, struct bench_error *error)
{
	static const char *const names[] = {
		[IN] = "winograd_in", [WEIGHTS] = "winograd_weights", [OUT] = "winograd_out"};
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_opencl_variant variant = {SOURCE, names[which], {conv->dtype, nhwc}, 0};
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DREAL=%s -DNHWC=%d",
				 bench_opencl_real(conv->dtype), nhwc) != 0)
		return -1;
	return bench_opencl_launch_groups(device, kernel, list, bench_opencl_divide_up(items, ITEMS), ITEMS,
					  error);
}

static int transform_in(struct bench_device *device, const struct bench_conv2d *conv,
			const struct tiling *tiling, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->in, &bench_opencl_conv2d_of(device)->windows);
	BENCH_OPENCL_UINTS(&list, conv->n, conv->c, conv->h, conv->w, conv->pad, tiling->rows,
			   tiling->columns, tiling->all);
	return launch(device, conv, IN, &list, tiling->all * conv->c, error);
}

static int transform_weights(struct bench_device *device, const struct bench_conv2d *conv,
			     struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->weights, &bench_opencl_conv2d_of(device)->packed);
	BENCH_OPENCL_UINTS(&list, conv->c, conv->k);
	return launch(device, conv, WEIGHTS, &list, conv->k * conv->c, error);
}

static int transform_out(struct bench_device *device, const struct bench_conv2d *conv,
			 const struct tiling *tiling, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &bench_opencl_conv2d_of(device)->product, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->n, conv->k, tiling->rows, tiling->columns, tiling->all,
			   bench_conv2d_extent(conv, conv->h, conv->r),
			   bench_conv2d_extent(conv, conv->w, conv->s));
	return launch(device, conv, OUT, &list, tiling->all * conv->k, error);
}

/* For each element weights by tiles, or with the channels last tiles by weights. */
static int multiply(struct bench_device *device, const struct bench_conv2d *conv, const struct tiling *tiling,
		    struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_gemm gemm = {.dtype = conv->dtype,
					.m = nhwc ? tiling->all : conv->k,
					.n = nhwc ? conv->k : tiling->all,
					.k = conv->c,
					.alpha = 1,
					.a = nhwc ? &own->windows : &own->packed,
					.b = nhwc ? &own->packed : &own->windows,
					.c = &own->product,
					.lda = conv->c,
					.ldb = nhwc ? conv->k : tiling->all,
					.ldc = nhwc ? conv->k : tiling->all,
					.batch = ELEMENTS,
					.stride_a = (nhwc ? tiling->all : conv->k) * conv->c,
					.stride_b = (nhwc ? conv->k : tiling->all) * conv->c,
					.stride_c = tiling->all * conv->k};
	return bench_opencl_gemm(device, &gemm, error);
}

int bench_opencl_conv2d_winograd(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	struct tiling tiling = {
		.rows = bench_opencl_divide_up(bench_conv2d_extent(conv, conv->h, conv->r), TILE),
		.columns = bench_opencl_divide_up(bench_conv2d_extent(conv, conv->w, conv->s), TILE)};
	size_t real = bench_dtype_bytes(conv->dtype);
	tiling.all = bench_opencl_divide_up(conv->n * tiling.rows * tiling.columns, 4) * 4;
	size_t in = tiling.all * conv->c, out = tiling.all * conv->k, weights = conv->c * conv->k;
	if (in > INT32_MAX || out > INT32_MAX || weights > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: winograd of %zu tiles: tiles x channels are up to 2^31 - 1",
				  tiling.all);
	return bench_opencl_reserve(device, &own->windows, ELEMENTS * in * real, error) ||
			       bench_opencl_reserve(device, &own->packed, ELEMENTS * weights * real, error) ||
			       bench_opencl_reserve(device, &own->product, ELEMENTS * out * real, error) ||
			       transform_in(device, conv, &tiling, error) ||
			       transform_weights(device, conv, error) ||
			       multiply(device, conv, &tiling, error) ||
			       transform_out(device, conv, &tiling, error)
		       ? -1
		       : 0;
}

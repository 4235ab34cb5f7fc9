/* SPDX-License-Identifier: MIT */
/* Convolution by im2col: conv2d_matrix.cl around a product of the backend's own gemm. */
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/lines.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d_matrix.cl"

enum { WINDOWS, BY_IMAGE };

/* A type of the elements' size: they are copied, and zeros have no bits. */
static const char *stored_as(enum bench_dtype dtype)
{
	return bench_dtype_bytes(dtype) == 2 ? "ushort" : bench_opencl_real(dtype);
}

static int launch_lines(struct bench_device *device, const struct bench_conv2d *conv, int which,
			struct bench_opencl_list *list, size_t lines, struct bench_error *error)
{
	static const char *const names[] = {[WINDOWS] = "conv2d_windows", [BY_IMAGE] = "conv2d_by_image"};
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_opencl_variant variant = {SOURCE, names[which], {conv->dtype, nhwc}, 0};
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DREAL=%s -DNHWC=%d -DSPREAD=%zu",
				 stored_as(conv->dtype), nhwc, bench_opencl_conv2d_spread(device)) != 0)
		return -1;
	return bench_opencl_conv2d_lines(device, kernel, list, lines, error);
}

static int make_windows(struct bench_device *device, const struct bench_conv2d *conv, size_t out_rows,
			size_t out_columns, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->in, &bench_opencl_conv2d_of(device)->windows);
	BENCH_OPENCL_UINTS(&list, conv->n, conv->c, conv->h, conv->w, conv->r, conv->s, conv->stride,
			   conv->pad, conv->dilation, out_rows, out_columns);
	size_t lines = conv->layout == BENCH_CONV2D_NHWC ? conv->n * out_rows * out_columns
							 : conv->c * conv->r * conv->s * conv->n;
	return launch_lines(device, conv, WINDOWS, &list, lines, error);
}

static int order_by_image(struct bench_device *device, const struct bench_conv2d *conv, size_t places,
			  struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &bench_opencl_conv2d_of(device)->product, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->n, conv->k);
	BENCH_OPENCL_ULONGS(&list, places);
	return launch_lines(device, conv, BY_IMAGE, &list, conv->n * conv->k, error);
}

/* Are the windows the input as it is stored? */
static bool is_product(const struct bench_conv2d *conv)
{
	return conv->r == 1 && conv->s == 1 && conv->stride == 1 && conv->pad == 0;
}

int bench_opencl_conv2d_im2col(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	size_t real = bench_dtype_bytes(conv->dtype), length = bench_conv2d_length(conv);
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s), places = rows * columns;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC, by_image = !nhwc && is_product(conv);
	bool in_order = nhwc || conv->n == 1 || by_image;
	if (conv->groups != 1)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: im2col is one matrix product, for groups=1; direct takes groups");
	if (!is_product(conv) &&
	    (bench_opencl_reserve(device, &own->windows, conv->n * places * length * real, error) != 0 ||
	     make_windows(device, conv, rows, columns, error) != 0))
		return -1;
	if (!in_order &&
	    bench_opencl_reserve(device, &own->product, conv->n * conv->k * places * real, error) != 0)
		return -1;
	/* Weights by windows, or with the channels last windows by weights: one product for all images, or
	 * one for each where their windows are not side by side. */
	const struct bench_buffer *windows = is_product(conv) ? conv->in : &own->windows;
	size_t all = by_image ? places : conv->n * places;
	const struct bench_gemm gemm = {.dtype = conv->dtype,
					.m = nhwc ? all : conv->k,
					.n = nhwc ? conv->k : all,
					.k = length,
					.alpha = 1,
					.a = nhwc ? windows : conv->weights,
					.b = nhwc ? conv->weights : windows,
					.c = in_order ? conv->out : &own->product,
					.lda = length,
					.ldb = nhwc ? conv->k : all,
					.ldc = nhwc ? conv->k : all,
					.batch = by_image ? conv->n : 1,
					.stride_b = by_image ? length * all : 0,
					.stride_c = by_image ? conv->k * all : 0};
	if (bench_opencl_gemm(device, &gemm, error) != 0)
		return -1;
	return in_order ? 0 : order_by_image(device, conv, places, error);
}

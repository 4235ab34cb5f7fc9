/* SPDX-License-Identifier: MIT */
#include "backends/opencl/conv2d/tile.h"

#include "backends/opencl/conv2d/lines.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d.cl"

enum { PAD, SUM };

/*
 * Sums in registers: 24 vectors of the 32 of 512 bits, 12 of the 16 narrower ones; and with
 * few filters as many vectors as hide the latency of an addition.
 */
struct bench_opencl_conv2d_tile bench_opencl_conv2d_tile(const struct bench_device *device,
							 enum bench_dtype dtype, size_t filters,
							 size_t columns, bool nhwc)
{
	bool wide = device->native_width[dtype == BENCH_F64] * bench_dtype_bytes(dtype) >= 64;
	struct bench_opencl_conv2d_tile tile = {.lanes = wide ? 64 / bench_dtype_bytes(dtype)
							      : 32 / bench_dtype_bytes(dtype),
						.mr = wide ? 8 : 4,
						.nv = 3,
						.nhwc = nhwc};
	while (tile.mr > filters && tile.mr > 1)
		tile.mr /= 2, tile.nv = wide ? 6 : 4;
	if (tile.lanes / 2 >= columns)
		tile.lanes /= 2;
	return tile;
}

static int get_kernel(struct bench_device *device, enum bench_dtype dtype,
		      const struct bench_opencl_conv2d_tile *tile, int which,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[] = {[PAD] = "conv2d_pad", [SUM] = "conv2d_direct"};
	const struct bench_opencl_variant variant = {
		SOURCE, names[which], {dtype, tile->nhwc, tile->mr, tile->lanes}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DLANES=%zu -DMR=%zu -DNV=%zu -DNHWC=%d",
				    bench_opencl_real(dtype), tile->lanes, tile->mr, tile->nv, tile->nhwc);
}

int bench_opencl_conv2d_pad(struct bench_device *device, const struct bench_conv2d *conv,
			    const struct bench_opencl_conv2d_tile *tile,
			    struct bench_opencl_conv2d_padded *padded, struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	size_t phases = conv->stride * conv->stride, real = bench_dtype_bytes(conv->dtype);
	padded->rows = bench_opencl_divide_up(conv->h + 2 * conv->pad, conv->stride);
	padded->pitch = bench_opencl_divide_up(conv->w + 2 * conv->pad, conv->stride);
	padded->plane = phases * padded->rows * padded->pitch;
	if (padded->plane > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: a padded channel of %zu elements: direct and winograd take up to "
				  "2^31 - 1",
				  padded->plane);
	/* A row shorter than a vector is read beyond its end, the last one beyond all. */
	struct bench_opencl_kernel *kernel;
	size_t elements = conv->n * conv->c * padded->plane + tile->lanes;
	if (bench_opencl_reserve(device, &own->padded, elements * real, error) != 0 ||
	    bench_opencl_reserve(device, &own->offsets, conv->r * conv->s * sizeof(cl_uint), error) != 0 ||
	    get_kernel(device, conv->dtype, tile, PAD, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->in, &own->padded, &own->offsets);
	BENCH_OPENCL_UINTS(&list, conv->c, conv->h, conv->w, conv->r, conv->s, conv->stride, conv->pad,
			   conv->dilation, padded->rows, padded->pitch);
	return bench_opencl_conv2d_lines(device, kernel, &list, conv->n * conv->c * phases * padded->rows,
					 error);
}

int bench_opencl_conv2d_sum(struct bench_device *device, enum bench_dtype dtype,
			    const struct bench_opencl_conv2d_tile *tile,
			    const struct bench_opencl_conv2d_sums *sums, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, dtype, tile, SUM, &kernel, error) != 0)
		return -1;
	size_t vectors = sums->rows * bench_opencl_divide_up(sums->columns, tile->lanes);
	size_t all_tiles = bench_opencl_divide_up(vectors, tile->nv);
	size_t blocks = sums->groups * bench_opencl_divide_up(sums->filters, tile->mr);
	size_t each = bench_opencl_smaller(
		bench_opencl_conv2d_per_item(device, all_tiles * blocks * sums->images), all_tiles);
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, sums->padded, &bench_opencl_conv2d_of(device)->offsets, sums->weights,
			      sums->out);
	BENCH_OPENCL_ULONGS(&list, sums->plane);
	BENCH_OPENCL_UINTS(&list, sums->pitch, sums->channels, sums->taps, sums->filters, sums->groups,
			   sums->rows, sums->columns, all_tiles, each);
	return bench_opencl_launch_grid(
		device, kernel, &list, 3,
		(const size_t[]){bench_opencl_divide_up(all_tiles, each), blocks, sums->images},
		(const size_t[]){1, 1, 1}, error);
}

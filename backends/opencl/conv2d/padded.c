/* SPDX-License-Identifier: MIT */
/* Convolution on CPUs with neighbors of a row for the lanes, for what conv2d_planes.cl does not do:
 * conv2d.cl. */
#include "backends/opencl/conv2d/conv2d.h"

#include "backends/opencl/conv2d/lines.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d.cl"

enum { PAD, SUM };

/* How conv2d.cl is compiled for a problem. */
struct tile {
	size_t lanes, mr, nv; /* elements of a vector; channels and vectors of a tile */
	bool nhwc;
};

/* A padded channel, split by phase: conv2d_pad in conv2d.cl says how. */
struct padded {
	size_t rows, pitch; /* of a phase */
	size_t plane;       /* elements */
};

/*
 * Sums in registers: 24 vectors of the 32 of 512 bits, 12 of the 16 narrower ones; and with
 * few filters as many vectors as hide the latency of an addition.
 */
static struct tile make_tile(const struct bench_device *device, const struct bench_conv2d *conv)
{
	size_t real = bench_dtype_bytes(conv->dtype);
	bool wide = device->native_width[conv->dtype == BENCH_F64] * real >= 64;
	struct tile tile = {.lanes = (wide ? 64 : 32) / real,
			    .mr = wide ? 8 : 4,
			    .nv = 3,
			    .nhwc = conv->layout == BENCH_CONV2D_NHWC};
	while (tile.mr > conv->k / conv->groups && tile.mr > 1)
		tile.mr /= 2, tile.nv = wide ? 6 : 4;
	if (tile.lanes / 2 >= bench_conv2d_extent(conv, conv->w, conv->s))
		tile.lanes /= 2;
	return tile;
}

static int get_kernel(struct bench_device *device, enum bench_dtype dtype, const struct tile *tile, int which,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[] = {[PAD] = "conv2d_pad", [SUM] = "conv2d_direct"};
	const struct bench_opencl_variant variant = {
		SOURCE, names[which], {dtype, tile->nhwc, tile->mr, tile->lanes}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DLANES=%zu -DMR=%zu -DNV=%zu -DNHWC=%d",
				    bench_opencl_real(dtype), tile->lanes, tile->mr, tile->nv, tile->nhwc);
}

/* Fills the state's `padded`, and its `offsets` with the taps' in a channel. */
static int pad(struct bench_device *device, const struct bench_conv2d *conv, const struct tile *tile,
	       struct padded *padded, struct bench_error *error)
{
	struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	size_t phases = conv->stride * conv->stride, real = bench_dtype_bytes(conv->dtype);
	padded->rows = bench_opencl_divide_up(conv->h + 2 * conv->pad, conv->stride);
	padded->pitch = bench_opencl_divide_up(conv->w + 2 * conv->pad, conv->stride);
	padded->plane = phases * padded->rows * padded->pitch;
	if (padded->plane > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: a padded channel of %zu elements: direct takes up to 2^31 - 1",
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

int bench_opencl_conv2d_padded(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error)
{
	const struct tile tile = make_tile(device, conv);
	struct padded padded;
	struct bench_opencl_kernel *kernel;
	if (pad(device, conv, &tile, &padded, error) != 0 ||
	    get_kernel(device, conv->dtype, &tile, SUM, &kernel, error) != 0)
		return -1;
	size_t filters = conv->k / conv->groups, rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	size_t vectors = rows * bench_opencl_divide_up(columns, tile.lanes);
	size_t all_tiles = bench_opencl_divide_up(vectors, tile.nv);
	size_t blocks = conv->groups * bench_opencl_divide_up(filters, tile.mr);
	size_t each = bench_opencl_smaller(bench_opencl_conv2d_per_item(device, all_tiles * blocks * conv->n),
					   all_tiles);
	const struct bench_opencl_conv2d *own = bench_opencl_conv2d_of(device);
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &own->padded, &own->offsets, conv->weights, conv->out);
	BENCH_OPENCL_ULONGS(&list, padded.plane);
	BENCH_OPENCL_UINTS(&list, padded.pitch, conv->c / conv->groups, conv->r * conv->s, filters,
			   conv->groups, rows, columns, all_tiles, each);
	return bench_opencl_launch_grid(
		device, kernel, &list, 3,
		(const size_t[]){bench_opencl_divide_up(all_tiles, each), blocks, conv->n},
		(const size_t[]){1, 1, 1}, error);
}

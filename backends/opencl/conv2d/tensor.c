/* SPDX-License-Identifier: MIT */
/*
 * Convolution on NVIDIA's tensor cores: conv2d_wgmma.cl on Hopper, else conv2d_mma.cl, which say how
 * they work, and conv2d_chunks.cl, which brings the operands into their layout where they are not.
 */
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"

enum { CHUNK_BYTES = 16, COPY_TILE = 64, COPY_ITEMS = 256, TAPS_SIDE = 16, GRID_LIMIT = 65535, WARP = 32 };

/*
 * A group's filters and places; the warps that share the rows of the product, and those that share its
 * columns; stages in local memory. With wgmma, a warpgroup has all columns.
 */
struct tile {
	const char *source, *name;
	size_t filters, places, warps_rows, warps_columns, stages;
};
#define MMA   "conv2d_mma.cl", "conv2d_mma"
#define WGMMA "conv2d_wgmma.cl", "conv2d_wgmma"
static const struct tile mma_tile = {MMA, 64, 64, 2, 2, 3};
/*
 * By layout. Of few filters, of many, and where even those tiles leave half of the compute units idle. A
 * group that has its unit for itself (ALONE) hides more of the latency by a stage more than two of them do by
 * their number.
 */
enum { FEW, MANY, ALONE, SMALL, SIZES };
static const struct tile wgmma_tiles[2][SIZES] = {{[FEW] = {WGMMA, 64, 128, 4, 1, 3},
						   [MANY] = {WGMMA, 128, 128, 8, 1, 3},
						   [ALONE] = {WGMMA, 128, 128, 8, 1, 4},
						   [SMALL] = {WGMMA, 64, 64, 4, 1, 4}},
						  {[FEW] = {WGMMA, 64, 128, 8, 1, 4},
						   [MANY] = {WGMMA, 128, 128, 8, 1, 3},
						   [ALONE] = {WGMMA, 128, 128, 8, 1, 4},
						   [SMALL] = {WGMMA, 64, 64, 4, 1, 4}}};

/* The problem in chunks. */
struct chunks {
	size_t elements; /* of a chunk */
	size_t padded;   /* channels of a group, filled up to whole chunks */
	size_t rows, columns, places;
};

static struct chunks chunks_of(const struct bench_conv2d *conv)
{
	size_t elements = CHUNK_BYTES / bench_dtype_bytes(conv->dtype);
	struct chunks chunks = {.elements = elements,
				.padded = bench_opencl_divide_up(conv->c / conv->groups, elements) * elements,
				.rows = bench_conv2d_extent(conv, conv->h, conv->r),
				.columns = bench_conv2d_extent(conv, conv->w, conv->s)};
	chunks.places = conv->n * chunks.rows * chunks.columns;
	return chunks;
}

bool bench_opencl_conv2d_has_tensor_cores(const struct bench_device *device, const struct bench_conv2d *conv)
{
	struct chunks chunks = chunks_of(conv);
	size_t parts = conv->groups * bench_opencl_divide_up(chunks.padded, COPY_TILE);
	return !bench_dtype_is_plain(conv->dtype) && device->nvidia_capability >= 8 && conv->r <= TAPS_SIDE &&
	       conv->s <= TAPS_SIDE && conv->n <= GRID_LIMIT && parts <= GRID_LIMIT &&
	       conv->n * conv->h * conv->w * conv->groups * chunks.padded <= INT32_MAX &&
	       conv->k * conv->r * conv->s * chunks.padded <= INT32_MAX && chunks.places <= INT32_MAX / 2 &&
	       conv->k * chunks.rows * chunks.columns <= INT32_MAX;
}

static const struct tile *choose(const struct bench_device *device, const struct bench_conv2d *conv,
				 const struct chunks *chunks)
{
	const struct tile *tiles = wgmma_tiles[conv->layout == BENCH_CONV2D_NHWC];
	if (device->nvidia_capability != 9 || device->no_wgmma)
		return &mma_tile;
	size_t filters = conv->k / conv->groups;
	const struct tile *tile = &tiles[filters <= tiles[FEW].filters ? FEW : MANY];
	size_t groups = conv->groups * bench_opencl_divide_up(filters, tile->filters) *
			bench_opencl_divide_up(chunks->places, tile->places);
	if (2 * groups <= device->info.compute_units)
		return &tiles[SMALL];
	return tile == &tiles[MANY] && groups <= device->info.compute_units ? &tiles[ALONE] : tile;
}

static int get_copy(struct bench_device *device, const char *name, const struct bench_conv2d *conv,
		    const struct chunks *chunks, struct bench_opencl_kernel **kernel,
		    struct bench_error *error)
{
	const bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_opencl_variant variant = {
		"conv2d_chunks.cl", name, {bench_dtype_bytes(conv->dtype), nhwc}, 0};
	return bench_opencl_variant(device, &variant, kernel, error, "-DELEMENT=%s -DCHUNK=%zu -DNHWC=%d",
				    bench_dtype_bytes(conv->dtype) == 2 ? "ushort" : "uint", chunks->elements,
				    nhwc);
}

static int copy_in(struct bench_device *device, const struct bench_conv2d *conv, const struct chunks *chunks,
		   struct bench_buffer *copy, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t real = bench_dtype_bytes(conv->dtype), channels_each = conv->c / conv->groups;
	if (bench_opencl_reserve(device, copy,
				 conv->n * conv->h * conv->w * conv->groups * chunks->padded * real,
				 error) != 0 ||
	    get_copy(device, "conv2d_chunks_in", conv, chunks, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	size_t pixels = conv->h * conv->w;
	BENCH_OPENCL_MEMORIES(&list, conv->in, copy);
	BENCH_OPENCL_UINTS(&list, pixels, conv->groups, channels_each, chunks->padded);
	return bench_opencl_launch_grid(
		device, kernel, &list, 3,
		(const size_t[]){bench_opencl_divide_up(pixels, COPY_TILE) * COPY_ITEMS,
				 conv->groups * bench_opencl_divide_up(chunks->padded, COPY_TILE), conv->n},
		(const size_t[]){COPY_ITEMS, 1, 1}, error);
}

static int copy_weights(struct bench_device *device, const struct bench_conv2d *conv,
			const struct chunks *chunks, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct bench_buffer *copy = &bench_opencl_conv2d_of(device)->packed;
	size_t real = bench_dtype_bytes(conv->dtype), all = conv->k * conv->r * conv->s * chunks->padded;
	if (bench_opencl_reserve(device, copy, all * real, error) != 0 ||
	    get_copy(device, "conv2d_chunks_weights", conv, chunks, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->weights, copy);
	BENCH_OPENCL_UINTS(&list, conv->r * conv->s, conv->k / conv->groups, conv->groups,
			   conv->c / conv->groups, chunks->padded, all);
	return bench_opencl_launch_groups(device, kernel, &list, bench_opencl_divide_up(all, COPY_ITEMS),
					  COPY_ITEMS, error);
}

/* Bytes of a row of `length` elements that can be written at one time, since a row is a multiple of them. */
static size_t piece_of(const struct bench_conv2d *conv, size_t length)
{
	size_t bytes = CHUNK_BYTES;
	while (length * bench_dtype_bytes(conv->dtype) % bytes != 0)
		bytes /= 2;
	return bytes;
}

static int multiply(struct bench_device *device, const struct bench_conv2d *conv, const struct chunks *chunks,
		    const struct bench_buffer *in, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	const struct tile *tile = choose(device, conv, chunks);
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	size_t of_group = conv->k / conv->groups, area = chunks->rows * chunks->columns;
	size_t items = WARP * tile->warps_rows * tile->warps_columns;
	size_t piece = piece_of(conv, nhwc ? of_group : area);
	const struct bench_opencl_variant variant = {tile->source,
						     tile->name,
						     {conv->dtype, nhwc, tile->filters, tile->places,
						      tile->warps_rows, tile->stages, piece, conv->r, conv->s,
						      chunks->padded / chunks->elements},
						     0};
	if (bench_opencl_variant(device, &variant, &kernel, error,
				 "-DTYPE=%d -DNHWC=%d -DTILE_M=%zu -DTILE_N=%zu -DWARPS_M=%zu -DWARPS_N=%zu "
				 "-DSTAGES=%zu -DPIECE=%zu -DR=%zu -DS=%zu -DCHUNKS=%zu",
				 bench_opencl_tensor_type(conv->dtype), nhwc,
				 nhwc ? tile->places : tile->filters, nhwc ? tile->filters : tile->places,
				 tile->warps_rows, tile->warps_columns, tile->stages, piece, conv->r, conv->s,
				 chunks->padded / chunks->elements) != 0) {
		/* A driver that does not build wgmma has the other kernel, which any driver builds. */
		if (device->no_wgmma || tile == &mma_tile || error->code != BENCH_UNSUPPORTED)
			return -1;
		device->no_wgmma = true;
		return multiply(device, conv, chunks, in, error);
	}
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, in, &bench_opencl_conv2d_of(device)->packed, conv->out);
	BENCH_OPENCL_UINTS(&list, of_group, conv->groups, conv->h, conv->w, chunks->rows, chunks->columns,
			   conv->stride, conv->pad, conv->dilation, chunks->places);
	return bench_opencl_launch_grid(
		device, kernel, &list, 2,
		(const size_t[]){bench_opencl_divide_up(chunks->places, tile->places) *
					 bench_opencl_divide_up(of_group, tile->filters) * items,
				 conv->groups},
		(const size_t[]){items, 1}, error);
}

int bench_opencl_conv2d_tensor(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error)
{
	struct chunks chunks = chunks_of(conv);
	bool as_is = conv->layout == BENCH_CONV2D_NHWC && chunks.padded == conv->c / conv->groups;
	struct bench_buffer *copy = &bench_opencl_conv2d_of(device)->padded;
	if (!as_is && copy_in(device, conv, &chunks, copy, error) != 0)
		return -1;
	if (copy_weights(device, conv, &chunks, error) != 0)
		return -1;
	return multiply(device, conv, &chunks, as_is ? conv->in : copy, error);
}

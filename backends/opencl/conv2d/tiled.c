/* SPDX-License-Identifier: MIT */
/* Convolution on GPUs in large tiles: conv2d_tiled.cl, which says how it works. */
#include "backends/opencl/conv2d/conv2d.h"

#include <math.h>

#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d_tiled.cl"

/*
 * Taps of a round at most, in nchw, else rounds take a row of them; rows and columns of taps at most; steps
 * of the sums that a round has, where the taps allow; what a work-item holds of a tile, filters and places;
 * local memory that all of this fits into; filters that are too few.
 */
enum { TAPS = 9, SIDE_TAPS = 11, STEPS = 16, HELD = 8, WARP = 32, LOCAL_BYTES = 48 << 10, FEW = 16 };

/*
 * Filters by places of a group, and on an H200 how many groups a compute unit runs at one time and what they
 * reach together, in TFLOP/s. Of other devices the ratios count.
 */
struct tile {
	size_t filters, places, across; /* of 32 neighboring work-items, those across the places */
	double resident, rate;
};
static const struct tile tiles[] = {{128, 128, 4, 1, 39.4},
				    {64, 256, 8, 1, 35.5},
				    {64, 128, 4, 3, 36.6},
				    {64, 64, 4, 6, 34.8},
				    {32, 128, 8, 6, 33.6}};
enum { TILES = sizeof(tiles) / sizeof(tiles[0]) };

static size_t items_of(const struct tile *tile)
{
	return tile->filters / HELD * (tile->places / HELD);
}

/* Groups of a launch: across the places, and across filters and groups of the problem. */
static void count_groups(const struct bench_conv2d *conv, const struct tile *tile, size_t groups[2])
{
	size_t places = conv->n * bench_conv2d_extent(conv, conv->h, conv->r) *
			bench_conv2d_extent(conv, conv->w, conv->s);
	groups[0] = bench_opencl_divide_up(places, tile->places);
	groups[1] = conv->groups * bench_opencl_divide_up(conv->k / conv->groups, tile->filters);
}

/* Microseconds for each step of the sums. The fewer groups a unit has, the less of its latency they hide. */
static double cost_of(const struct bench_device *device, const struct bench_conv2d *conv,
		      const struct tile *tile)
{
	const double latency = 5, full = 12; /* in warps */
	size_t groups[2];
	count_groups(conv, tile, groups);
	double units = device->info.compute_units > 0 ? (double)device->info.compute_units : 1;
	double each = ceil((double)(groups[0] * groups[1]) / units);
	double warps = fmin(each, tile->resident) * (double)items_of(tile) / WARP;
	double most = tile->resident * (double)items_of(tile) / WARP;
	double share = warps / (warps + latency) / (fmin(most, full) / (fmin(most, full) + latency));
	return each * (double)(tile->filters * tile->places) / (tile->rate * share);
}

/* Does a tile take the problem? A row of many taps only where no two work-items fetch for one place. */
static bool takes(const struct bench_conv2d *conv, const struct tile *tile)
{
	return conv->layout == BENCH_CONV2D_NHWC || conv->r * conv->s <= TAPS ||
	       tile->places >= items_of(tile);
}

static const struct tile *choose(const struct bench_device *device, const struct bench_conv2d *conv)
{
	const struct tile *best = NULL;
	for (size_t i = 0; i < TILES; i++)
		if (takes(conv, &tiles[i]) &&
		    (!best || cost_of(device, conv, &tiles[i]) < cost_of(device, conv, best)))
			best = &tiles[i];
	return best;
}

bool bench_opencl_conv2d_is_tiled(const struct bench_device *device, const struct bench_conv2d *conv)
{
	static const struct tile small = {.filters = 64, .places = 64};
	size_t channels = conv->c / conv->groups, filters = conv->k / conv->groups, groups[2];
	size_t area =
		bench_conv2d_extent(conv, conv->h, conv->r) * bench_conv2d_extent(conv, conv->w, conv->s);
	bool vectors = conv->layout == BENCH_CONV2D_NCHW || (channels % 4 == 0 && filters % 4 == 0);
	count_groups(conv, &small, groups);
	return conv->dtype == BENCH_F32 && vectors && device->local_bytes >= LOCAL_BYTES &&
	       conv->r <= SIDE_TAPS && conv->s <= SIDE_TAPS && filters > FEW &&
	       groups[0] * groups[1] >= device->info.compute_units && conv->n * area <= INT32_MAX / 2 &&
	       conv->n * conv->h * conv->w <= INT32_MAX && conv->c * conv->h * conv->w <= INT32_MAX &&
	       conv->k * bench_conv2d_length(conv) <= INT32_MAX && conv->k * area <= INT32_MAX;
}

int bench_opencl_conv2d_tiled(struct bench_device *device, const struct bench_conv2d *conv,
			      struct bench_error *error)
{
	const struct tile *tile = choose(device, conv);
	struct bench_opencl_kernel *kernel;
	size_t out_rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t out_columns = bench_conv2d_extent(conv, conv->w, conv->s);
	size_t taps = conv->r * conv->s, items = items_of(tile), groups_of[2];
	/* Work-items that fetch for one place do so in several channels. */
	size_t beside = tile->places < items ? items / tile->places : 1;
	size_t each = taps * beside < STEPS ? STEPS / (taps * beside) : 1;
	const bool quads = out_rows * out_columns % 4 == 0;
	const struct bench_opencl_variant variant = {
		SOURCE,
		"conv2d_tiled",
		{conv->layout, (size_t)(tile - tiles), conv->r, conv->s, conv->dilation, quads},
		0};
	if (bench_opencl_variant(device, &variant, &kernel, error,
				 "-DNHWC=%d -DSTEPS=%d -DTM=%zu -DTP=%zu -DSIDE_M=%zu -DSIDE_P=%zu "
				 "-DACROSS=%zu -DR=%zu -DS=%zu "
				 "-DDILATION=%zu -DBY_ROW=%d -DEACH=%zu -DQUADS=%d",
				 conv->layout == BENCH_CONV2D_NHWC, STEPS, tile->filters, tile->places,
				 tile->filters / HELD, tile->places / HELD, tile->across, conv->r, conv->s,
				 conv->dilation, taps > TAPS, taps > TAPS ? (size_t)1 : each, quads) != 0)
		return -1;
	count_groups(conv, tile, groups_of);
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->in, conv->weights, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->c / conv->groups, conv->k / conv->groups, conv->groups, conv->h,
			   conv->w, out_rows, out_columns, conv->stride, conv->pad,
			   conv->n * out_rows * out_columns);
	return bench_opencl_launch_grid(device, kernel, &list, 2,
					(const size_t[]){groups_of[0] * items, groups_of[1]},
					(const size_t[]){items, 1}, error);
}

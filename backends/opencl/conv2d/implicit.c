/* SPDX-License-Identifier: MIT */
/* Convolution on GPUs as a product without a copy of its input: conv2d_gpu.cl, which says how it
 * works. */
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d_gpu.cl"

enum { LARGE, SMALL, THIN };

/* What a group computes: filters by places, and how many steps of the sums it takes in a round. */
struct tile {
	size_t filters, places, steps;
	size_t item_filters, item_places; /* of a work-item */
};

/* For many places, for few, and for few filters. */
static const struct tile tiles[] = {
	[LARGE] = {64, 64, 16, 4, 4}, [SMALL] = {16, 32, 32, 2, 2}, [THIN] = {8, 64, 16, 2, 4}};

/* The large one where it leaves no compute unit idle; small ones hide the latency of memory by their number.
 */
static size_t choose(const struct bench_device *device, size_t filters, size_t groups, size_t places)
{
	const struct tile *large = &tiles[LARGE];
	size_t of_large = groups * bench_opencl_divide_up(filters, large->filters) *
			  bench_opencl_divide_up(places, large->places);
	if (filters <= tiles[THIN].filters)
		return THIN;
	return filters > large->filters / 2 && of_large >= device->info.compute_units ? LARGE : SMALL;
}

static int get_kernel(struct bench_device *device, const struct bench_conv2d *conv, size_t which,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	const struct tile *tile = &tiles[which];
	/* Half as many of twice the size: no device has less local memory than that takes. */
	size_t steps = conv->dtype == BENCH_F64 ? tile->steps / 2 : tile->steps;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_opencl_variant variant = {
		SOURCE, "conv2d_implicit", {conv->dtype, nhwc, which, conv->r, conv->s}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DHALF=%d -DNHWC=%d -DTM=%zu -DTP=%zu -DTK=%zu -DWM=%zu "
				    "-DWP=%zu -DR=%zu -DS=%zu",
				    bench_opencl_real(conv->dtype), bench_opencl_half(conv->dtype), nhwc,
				    tile->filters, tile->places, steps, tile->item_filters, tile->item_places,
				    conv->r, conv->s);
}

int bench_opencl_conv2d_implicit(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error)
{
	size_t extents[] = {bench_conv2d_extent(conv, conv->h, conv->r),
			    bench_conv2d_extent(conv, conv->w, conv->s)};
	size_t of_group = conv->k / conv->groups, all = conv->n * extents[0] * extents[1];
	if (conv->c * conv->h * conv->w > INT32_MAX || conv->k * bench_conv2d_length(conv) > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: direct: images and weights of up to 2^31 - 1 elements");
	size_t which = choose(device, of_group, conv->groups, all);
	const struct tile *tile = &tiles[which];
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, conv, which, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->in, conv->weights, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->c / conv->groups, of_group, conv->groups, conv->h, conv->w,
			   extents[0], extents[1], conv->stride, conv->pad, conv->dilation);
	BENCH_OPENCL_ULONGS(&list, all);
	size_t items = tile->filters / tile->item_filters * (tile->places / tile->item_places);
	return bench_opencl_launch_grid(
		device, kernel, &list, 2,
		(const size_t[]){bench_opencl_divide_up(all, tile->places) * items,
				 bench_opencl_divide_up(of_group, tile->filters) * conv->groups},
		(const size_t[]){items, 1}, error);
}

/* SPDX-License-Identifier: MIT */
/* Convolution of many small groups on GPUs: conv2d_grouped.cl, which says how it works. */
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "conv2d_grouped.cl"

/*
 * Work-items of a group; of a convolution's group channels and filters at most; what a work-item holds:
 * weights, rows of the input that it reads, sums, and filters that it computes; work-items for each compute
 * unit that hide the latency of memory.
 */
enum {
	ITEMS = 128,
	CHANNELS = 8,
	MOST_FILTERS = 16,
	WEIGHTS = 64,
	LINES = 18,
	SUMS = 16,
	FILTERS = 4,
	WIDE = 4,
	WIDE_BYTES = 8,
	ENOUGH = 1024
};

struct part {
	size_t groups, filters, places, items;
};

static size_t items_of(const struct bench_conv2d *conv, const struct part *part)
{
	return conv->n * (conv->groups / part->groups) *
	       bench_opencl_divide_up(conv->k / conv->groups, part->filters) *
	       bench_conv2d_extent(conv, conv->w, conv->s) *
	       bench_opencl_divide_up(bench_conv2d_extent(conv, conv->h, conv->r), part->places);
}

static size_t lines_of(const struct bench_conv2d *conv, size_t places)
{
	return (places - 1) * conv->stride + (conv->r - 1) * conv->dilation + 1;
}

/* Neighboring groups that a work-item reads as one vector: of depthwise ones with the channels last. */
static size_t groups_of(const struct bench_conv2d *conv)
{
	if (conv->layout != BENCH_CONV2D_NHWC || conv->c != conv->groups || conv->k != conv->groups)
		return 1;
	size_t groups = 1, bytes = bench_dtype_bytes(conv->dtype);
	while (groups < WIDE && groups * bytes < WIDE_BYTES && conv->groups % (2 * groups) == 0 &&
	       2 * groups * conv->r * conv->s <= WEIGHTS)
		groups *= 2;
	return groups;
}

/* What a work-item computes: as much as it can hold and as leaves enough of them, the last one of a column
 * whole too. */
static struct part part_of(const struct bench_device *device, const struct bench_conv2d *conv)
{
	size_t filters = conv->k / conv->groups, rows = bench_conv2d_extent(conv, conv->h, conv->r);
	struct part part = {.groups = groups_of(conv), .filters = 1};
	while (part.filters < FILTERS && part.filters < filters &&
	       (part.filters + 1) * conv->r * conv->s <= WEIGHTS)
		part.filters++;
	part.places = SUMS / part.filters / part.groups;
	while (part.places > 1 && (lines_of(conv, part.places) > LINES ||
				   items_of(conv, &part) < (size_t)ENOUGH * device->info.compute_units))
		part.places--;
	part.places = bench_opencl_divide_up(rows, bench_opencl_divide_up(rows, part.places));
	part.items = items_of(conv, &part);
	return part;
}

bool bench_opencl_conv2d_is_grouped(const struct bench_device *device, const struct bench_conv2d *conv)
{
	size_t places = conv->n * bench_conv2d_extent(conv, conv->h, conv->r) *
			bench_conv2d_extent(conv, conv->w, conv->s);
	return conv->groups > 1 && conv->c / conv->groups <= CHANNELS &&
	       conv->k / conv->groups <= MOST_FILTERS && conv->r * conv->s <= WEIGHTS &&
	       lines_of(conv, 1) <= LINES && conv->n * conv->c * conv->h * conv->w <= INT32_MAX &&
	       conv->k * bench_conv2d_length(conv) <= INT32_MAX && conv->k * places <= INT32_MAX - ITEMS &&
	       part_of(device, conv).items <= INT32_MAX - ITEMS;
}

int bench_opencl_conv2d_grouped(struct bench_device *device, const struct bench_conv2d *conv,
				struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	const struct part part = part_of(device, conv);
	const struct bench_opencl_variant variant = {SOURCE,
						     "conv2d_grouped",
						     {conv->dtype, conv->layout, conv->r, conv->s,
						      conv->stride, conv->dilation, part.places, part.groups,
						      part.filters, conv->c / conv->groups},
						     0};
	if (bench_opencl_variant(device, &variant, &kernel, error,
				 "-DREAL=%s -DHALF=%d -DNHWC=%d -DR=%zu -DS=%zu -DSTRIDE=%zu -DDILATION=%zu "
				 "-DTY=%zu -DWIDE=%zu -DFILTERS=%zu -DCHANNELS=%zu",
				 bench_opencl_real(conv->dtype), bench_opencl_half(conv->dtype),
				 conv->layout == BENCH_CONV2D_NHWC, conv->r, conv->s, conv->stride,
				 conv->dilation, part.places, part.groups, part.filters,
				 conv->c / conv->groups) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->in, conv->weights, conv->out);
	BENCH_OPENCL_UINTS(&list, conv->k / conv->groups, conv->groups, conv->h, conv->w,
			   bench_conv2d_extent(conv, conv->h, conv->r),
			   bench_conv2d_extent(conv, conv->w, conv->s), conv->pad, part.items);
	return bench_opencl_launch_groups(device, kernel, &list, bench_opencl_divide_up(part.items, ITEMS),
					  ITEMS, error);
}

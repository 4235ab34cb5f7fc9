/* SPDX-License-Identifier: MIT */
/* Convolution on CPUs: depthwise with the channels last, conv2d_depthwise.cl; in nchw with any groups,
 * conv2d_planes.cl. */
#include "backends/conv2d.h"
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/lines.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/pair.h"
#include "backends/opencl/runtime/variants.h"

/* That a band of rows is computed from, where a row takes no more: for each of the first channels. */
#define BAND_BYTES    ((size_t)1 << 14)
#define BAND_CHANNELS 8
#define BANDS         4 /* for each compute unit: PoCL wakes the second thread late */
#define MOST_STRIDE   4 /* vectors of a line that are sorted by column in registers */

/* How a problem is divided. Sizes are in elements. */
struct plan {
	size_t lanes;         /* of a vector: in nchw half where that holds a row */
	size_t rows, columns; /* of the output */
	size_t lines;         /* rows of all images in nhwc, else bands of rows of all groups */
	/* In nhwc: */
	size_t vectors; /* of channels, that share a tile */
	/* In nchw: */
	size_t filters, across; /* of a tile: at most those of a group, and vectors */
	size_t bands;           /* of a group's rows */
	size_t pitch, copy;     /* of a line of a band, and of all */
};

static struct plan make_plan(const struct bench_device *device, const struct bench_conv2d *conv)
{
	struct plan plan = {.lanes = bench_opencl_vector_lanes(device, conv->dtype),
			    .rows = bench_conv2d_extent(conv, conv->h, conv->r),
			    .columns = bench_conv2d_extent(conv, conv->w, conv->s)};
	if (conv->layout == BENCH_CONV2D_NHWC) {
		plan.vectors = bench_conv2d_depthwise_vectors(conv->c, plan.lanes);
		plan.lines = conv->n * plan.rows;
		return plan;
	}
	if (plan.lanes > 2 && plan.lanes / 2 >= plan.columns)
		plan.lanes /= 2;
	/* Sums in registers: 24 vectors of the 32 of 512 bits, or 12 of 16. */
	plan.filters = plan.lanes * bench_dtype_bytes(conv->dtype) >= 64 ? 8 : 4;
	while (plan.filters > conv->k / conv->groups)
		plan.filters /= 2;
	plan.across = plan.filters < 4 ? 4 : 3;
	plan.pitch = bench_opencl_divide_up(conv->w + 2 * conv->pad, conv->stride) + plan.lanes;
	size_t channels = conv->c / conv->groups, units = device->info.compute_units;
	size_t line = plan.pitch * conv->stride * channels, reach = (conv->r - 1) * conv->dilation + 1;
	size_t wanted = bench_opencl_divide_up(units > 1 ? units * BANDS : 1, conv->n * conv->groups);
	size_t fit = BAND_BYTES * bench_opencl_smaller(channels, BAND_CHANNELS) /
		     (line * bench_dtype_bytes(conv->dtype));
	size_t band = fit > reach ? (fit - reach) / conv->stride + 1 : 1;
	plan.bands = bench_opencl_divide_up(plan.rows, band);
	plan.bands = plan.bands < wanted ? bench_opencl_smaller(wanted, plan.rows) : plan.bands;
	band = bench_opencl_divide_up(plan.rows, plan.bands);
	plan.copy = ((band - 1) * conv->stride + reach) * line;
	plan.lines = conv->n * conv->groups * plan.bands;
	return plan;
}

bool bench_opencl_conv2d_has_depthwise(const struct bench_device *device, const struct bench_conv2d *conv)
{
	if (!bench_opencl_is_cpu(device) || (conv->dtype != BENCH_F32 && conv->dtype != BENCH_F64))
		return false;
	/* Elements of a row, and of the weights, are counted in 32 bits. */
	if (conv->layout == BENCH_CONV2D_NHWC)
		return bench_conv2d_is_depthwise(conv) &&
		       conv->c >= bench_opencl_vector_lanes(device, conv->dtype) &&
		       conv->w <= INT32_MAX / conv->c / conv->stride &&
		       conv->r * conv->s <= INT32_MAX / conv->c;
	return !bench_conv2d_prefers_places(conv, bench_opencl_vector_lanes(device, conv->dtype)) &&
	       conv->stride <= MOST_STRIDE &&
	       make_plan(device, conv).copy * bench_dtype_bytes(conv->dtype) <= device->local_bytes;
}

static int get_kernel(struct bench_device *device, const struct bench_conv2d *conv, const struct plan *plan,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	const struct bench_opencl_variant near = {
		"conv2d_depthwise.cl", "conv2d_depthwise", {conv->dtype, plan->vectors}, 0};
	const struct bench_opencl_variant planes = {"conv2d_planes.cl",
						    "conv2d_planes",
						    {conv->dtype, plan->lanes, conv->r, conv->s, conv->stride,
						     conv->dilation, conv->c / conv->groups, plan->filters},
						    0};
	return conv->layout == BENCH_CONV2D_NHWC
		       ? bench_opencl_variant(device, &near, kernel, error,
					      "-DREAL=%s -DLANES=%zu -DADDRESSES=%d -DVECTORS=%zu",
					      bench_opencl_real(conv->dtype), plan->lanes,
					      device->has_addresses, plan->vectors)
		       : bench_opencl_variant(device, &planes, kernel, error,
					      "-DREAL=%s -DLANES=%zu -DADDRESSES=%d -DR=%zu -DS=%zu "
					      "-DSTRIDE=%zu -DDILATION=%zu "
					      "-DCHANNELS=%zu -DMR=%zu -DNV=%zu",
					      bench_opencl_real(conv->dtype), plan->lanes,
					      device->has_addresses, conv->r, conv->s, conv->stride,
					      conv->dilation, conv->c / conv->groups, plan->filters,
					      plan->across);
}

int bench_opencl_conv2d_depthwise(struct bench_device *device, const struct bench_conv2d *conv,
				  struct bench_error *error)
{
	const struct plan plan = make_plan(device, conv);
	/* With a load for each multiply-add they take as long as a product of `slower` times as many. */
	const double slower = plan.filters > 1 ? 1 : 4;
	const double flops = slower * 2 * (double)bench_conv2d_length(conv) * (double)(conv->n * conv->k) *
			     (double)(plan.rows * plan.columns);
	const bool has_parts = device->has_addresses && plan.lines > 1;
	bool helped = false;
	if (bench_opencl_is_callers(device, flops, has_parts)) {
		device = device->caller;
		helped = has_parts && flops >= 2 * BENCH_OPENCL_PAIR_VECTORS * (double)plan.lanes &&
			 bench_opencl_helper_ready(device->helper);
	}
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, conv, &plan, &kernel, error) != 0)
		return -1;
	const size_t share = bench_opencl_divide_up(plan.lines, helped ? 2 : 1);
	const size_t each = bench_opencl_conv2d_per_item(device, share);
	struct bench_opencl_list lists[2] = {{.count = 0}};
	struct bench_opencl_launch launches[2];
	for (size_t part = 0; part < 2; part++) {
		struct bench_opencl_list *list = &lists[part];
		if (bench_opencl_list_add_buffer(device, list, conv->in, error) != 0 ||
		    bench_opencl_list_add_buffer(device, list, conv->weights, error) != 0 ||
		    bench_opencl_list_add_buffer(device, list, conv->out, error) != 0)
			return -1;
		BENCH_OPENCL_UINTS(list, conv->groups, conv->h, conv->w, conv->pad, plan.rows, plan.columns);
		if (conv->layout == BENCH_CONV2D_NHWC) {
			BENCH_OPENCL_UINTS(list, conv->r, conv->s, conv->stride, conv->dilation);
		} else {
			BENCH_OPENCL_UINTS(list, conv->k / conv->groups, plan.copy, plan.bands, plan.pitch);
			BENCH_OPENCL_ULONGS(list, conv->n * conv->c);
			bench_opencl_list_add(list, plan.copy * bench_dtype_bytes(conv->dtype), NULL);
		}
		BENCH_OPENCL_ULONGS(list, part * share, bench_opencl_smaller((part + 1) * share, plan.lines),
				    each);
		launches[part] = bench_opencl_list_launch(
			list, 1, (const size_t[]){bench_opencl_divide_up(share, each)}, (const size_t[]){1});
	}
	return helped ? bench_opencl_launch_both(device, kernel, &launches[0], &launches[1], error)
		      : bench_opencl_launch(device, kernel, &launches[0], error);
}

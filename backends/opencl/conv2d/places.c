/* SPDX-License-Identifier: MIT */
/* Convolution on CPUs with filters for the lanes: conv2d_places.cl. */
#include "backends/conv2d.h"
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/pair.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE        "conv2d_places.cl"
#define BAND_BYTES    ((size_t)1 << 18) /* that a band is computed from, where a row takes no more */
#define PART_BYTES    ((size_t)1 << 20) /* of the weights that a work-item goes through, or more */
#define PACKED_PLACES 1000              /* more of them repay a copy of the weights */
#define BANDS         4 /* for each compute unit: PoCL wakes the second thread some 20 us late */

enum { PACK, SUM };

/* How a problem is divided. Sizes are in elements. */
struct plan {
	size_t lanes, widest;  /* of a vector; vectors of a panel at most */
	size_t vectors, parts; /* of a group's filters; that their panels are divided into */
	size_t bands;          /* of an image's rows */
	size_t copy, waiting;  /* local memory of a band: what it is computed from, and its sums */
	bool packs;            /* the weights */
	bool helped;           /* by the caller and its helper */
};

/* As in backends/cpu/conv2d_direct.c. */
static struct plan make_plan(const struct bench_device *device, const struct bench_conv2d *conv)
{
	struct plan plan = {.lanes = bench_opencl_vector_lanes(device, conv->dtype)};
	size_t real = bench_dtype_bytes(conv->dtype), filters = conv->k / conv->groups;
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r), units = device->info.compute_units;
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	size_t line = (conv->w + 2 * conv->pad) * (conv->c / conv->groups);
	size_t reach = (conv->r - 1) * conv->dilation + 1, more = reach / conv->stride;
	size_t wanted = bench_opencl_divide_up(units > 1 ? units * BANDS : 1, conv->n * conv->groups);
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	plan.widest = plan.lanes * real >= 64 ? 4 : 2;
	plan.vectors = bench_opencl_divide_up(filters, plan.lanes);
	size_t panels = bench_opencl_divide_up(plan.vectors, plan.widest);
	size_t weights = plan.vectors * plan.lanes * bench_conv2d_length(conv) * real;
	plan.parts = bench_opencl_smaller(bench_opencl_divide_up(weights, PART_BYTES),
					  bench_opencl_smaller(wanted, panels));
	plan.parts = bench_opencl_divide_up(panels, bench_opencl_divide_up(panels, plan.parts));
	plan.packs = !nhwc || filters % plan.lanes != 0 ||
		     (weights > PART_BYTES && conv->n * rows * columns > PACKED_PLACES);
	size_t fit = BAND_BYTES / (conv->stride * line * real);
	plan.bands = bench_opencl_divide_up(rows, fit > more ? fit - more : 1);
	wanted = bench_opencl_divide_up(wanted, plan.parts);
	plan.bands = plan.bands < wanted ? bench_opencl_smaller(wanted, rows) : plan.bands;
	size_t band = bench_opencl_divide_up(rows, plan.bands);
	plan.copy = ((band - 1) * conv->stride + reach) * line;
	plan.waiting =
		nhwc ? 0 : band * columns * bench_opencl_smaller(plan.vectors, plan.widest) * plan.lanes;
	return plan;
}

bool bench_opencl_conv2d_has_places(const struct bench_device *device, const struct bench_conv2d *conv)
{
	if ((conv->dtype != BENCH_F32 && conv->dtype != BENCH_F64) || !bench_opencl_is_cpu(device) ||
	    !bench_conv2d_prefers_places(conv, bench_opencl_vector_lanes(device, conv->dtype)) ||
	    (conv->h + 2 * conv->pad) > INT32_MAX / ((conv->w + 2 * conv->pad) * conv->c))
		return false;
	struct plan plan = make_plan(device, conv);
	return (plan.copy + plan.waiting) * bench_dtype_bytes(conv->dtype) <= device->local_bytes;
}

/* Is it the caller's, who finds the device idle, and does its helper take a part? */
static bool is_callers(struct bench_device *device, const struct bench_conv2d *conv, struct plan *plan)
{
	const double flops = 2.0 * (double)bench_conv2d_length(conv) * (double)conv->k * (double)conv->n *
			     (double)bench_conv2d_extent(conv, conv->h, conv->r) *
			     (double)bench_conv2d_extent(conv, conv->w, conv->s);
	const bool has_parts = device->has_addresses && (plan->bands > 1 || conv->n > 1);
	if (!bench_opencl_is_callers(device, flops, has_parts))
		return false;
	plan->helped = has_parts && flops >= 2 * BENCH_OPENCL_PAIR_VECTORS * (double)plan->lanes &&
		       bench_opencl_helper_ready(device->caller->helper);
	return true;
}

static int get_kernel(struct bench_device *device, const struct bench_conv2d *conv, const struct plan *plan,
		      int which, struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[] = {[PACK] = "conv2d_pack", [SUM] = "conv2d_places"};
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_opencl_variant variant = {SOURCE, names[which], {conv->dtype, nhwc}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DLANES=%zu -DMP=6 -DNF=%zu -DNHWC=%d -DADDRESSES=%d",
				    bench_opencl_real(conv->dtype), plan->lanes, plan->widest, nhwc,
				    device->has_addresses);
}

static int pack_weights(struct bench_device *device, const struct bench_conv2d *conv, const struct plan *plan,
			struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct bench_buffer *packed = &bench_opencl_conv2d_of(device)->packed;
	size_t length = bench_conv2d_length(conv);
	size_t elements = conv->groups * plan->vectors * plan->lanes * length;
	if (get_kernel(device, conv, plan, PACK, &kernel, error) != 0 ||
	    bench_opencl_reserve(device, packed, elements * bench_dtype_bytes(conv->dtype), error) != 0)
		return -1;
	const bool helped = plan->helped && plan->vectors > 1;
	const size_t share = bench_opencl_divide_up(plan->vectors, helped ? 2 : 1);
	struct bench_opencl_list lists[2] = {{.count = 0}};
	struct bench_opencl_launch launches[2];
	for (size_t part = 0; part < 2; part++) {
		if (bench_opencl_list_add_buffer(device, &lists[part], conv->weights, error) != 0 ||
		    bench_opencl_list_add_buffer(device, &lists[part], packed, error) != 0)
			return -1;
		BENCH_OPENCL_UINTS(&lists[part], conv->k / conv->groups, length, part * share);
		launches[part] = bench_opencl_list_launch(
			&lists[part], 2, (const size_t[]){share, conv->groups}, (const size_t[]){1, 1});
	}
	return helped ? bench_opencl_launch_both(device, kernel, &launches[0], &launches[1], error)
		      : bench_opencl_launch(device, kernel, &launches[0], error);
}

/* As the kernel has it. */
struct problem {
	uint64_t in, weights, out;
	cl_uint copy, packed, parts, h, w, c, k, r, s, stride, pad, dilation, rows, columns;
	cl_uint bands, images, band, image;
};

/* A launch, and its bands and images. */
struct part {
	struct problem problem;
	size_t bands, images;
	struct bench_opencl_list list;
	struct bench_opencl_launch launch;
};

static int make_part(struct bench_device *device, const struct bench_conv2d *conv, const struct plan *plan,
		     struct part *part, struct bench_error *error)
{
	const struct bench_buffer *buffers[] = {
		conv->in, plan->packs ? &bench_opencl_conv2d_of(device)->packed : conv->weights, conv->out};
	uint64_t *addresses[] = {&part->problem.in, &part->problem.weights, &part->problem.out};
	part->list.count = 0;
	bench_opencl_list_add(&part->list, sizeof(part->problem), &part->problem);
	bench_opencl_list_add(&part->list, (plan->copy + plan->waiting) * bench_dtype_bytes(conv->dtype),
			      NULL);
	if (bench_opencl_list_add_buffers(device, &part->list, buffers, addresses, 3, error) != 0)
		return -1;
	const size_t global[] = {part->bands, part->images, conv->groups * plan->parts};
	part->launch = bench_opencl_list_launch(&part->list, 3, global, (const size_t[]){1, 1, 1});
	return 0;
}

int bench_opencl_conv2d_places(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct plan plan = make_plan(device, conv);
	device = is_callers(device, conv, &plan) ? device->caller : device;
	if (get_kernel(device, conv, &plan, SUM, &kernel, error) != 0 ||
	    (plan.packs && pack_weights(device, conv, &plan, error) != 0))
		return -1;
	struct part mine = {
		.problem = {.copy = (cl_uint)plan.copy,
			    .packed = plan.packs,
			    .parts = (cl_uint)plan.parts,
			    .h = (cl_uint)conv->h,
			    .w = (cl_uint)conv->w,
			    .c = (cl_uint)conv->c,
			    .k = (cl_uint)conv->k,
			    .r = (cl_uint)conv->r,
			    .s = (cl_uint)conv->s,
			    .stride = (cl_uint)conv->stride,
			    .pad = (cl_uint)conv->pad,
			    .dilation = (cl_uint)conv->dilation,
			    .rows = (cl_uint)bench_conv2d_extent(conv, conv->h, conv->r),
			    .columns = (cl_uint)bench_conv2d_extent(conv, conv->w, conv->s),
			    .bands = (cl_uint)plan.bands,
			    .images = (cl_uint)conv->n},
		.bands = plan.bands,
		.images = conv->n,
	};
	if (plan.helped && plan.bands > 1)
		mine.bands = (plan.bands + 1) / 2;
	else if (plan.helped)
		mine.images = (conv->n + 1) / 2;
	struct part other = mine;
	other.problem.band = (cl_uint)(plan.bands > 1 ? mine.bands : 0);
	other.problem.image = (cl_uint)(plan.bands > 1 ? 0 : mine.images);
	if (make_part(device, conv, &plan, &mine, error) != 0)
		return -1;
	if (!plan.helped)
		return bench_opencl_launch(device, kernel, &mine.launch, error);
	return make_part(device, conv, &plan, &other, error) != 0
		       ? -1
		       : bench_opencl_launch_both(device, kernel, &mine.launch, &other.launch, error);
}

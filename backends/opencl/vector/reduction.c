/* SPDX-License-Identifier: MIT */
/* One value from a vector: reduction.cl, which says how it works. */
#include <math.h>

#include "backends/check.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/copies.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/pair.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/variants.h"
#include "backends/opencl/tuning/tuning.h"

#define SOURCE "reduction.cl"

/* What suits a kind of device. */
struct shape {
	size_t vector_bytes;
	size_t items;             /* of each of many groups */
	size_t items_alone;       /* of a group that is alone */
	size_t elements_at_least; /* of each of many: with fewer to read, the others are not worth waking */
	unsigned unroll;          /* vectors that an item reads before it waits for one */
	bool across;              /* items take vectors across all groups, and not each group a span */
};

static const struct shape cpu = {64, 1, 1, 16384, 4, false};
static const struct shape gpu = {16, 256, 1024, 4096, 2, true};

/* A thread to a group; a few groups to a thread, so that one that was held up does not hold up all. */
#define CPU_GROUPS 4

/*
 * Bytes that one thread reads from a cache in the time that PoCL's threads take to wake and its caller to be
 * told, some 40 us.
 */
#define CALLER_BYTES ((size_t)4 << 20)

/* Of fewer the caller makes no halves: to hand one over takes as long as to read it. */
#define HELPED_BYTES ((size_t)1 << 17)
#define HALF_ALIGN   ((size_t)1 << 12) /* a multiple of all vectors that are read at one time */

enum { REDUCE, FINISH, JOIN }; /* FINISH: reduce, whose last group joins the parts */

/* struct part of the kernel. */
struct part {
	union {
		float narrow;
		double wide;
	} value;
	uint64_t index;
};

#define PARTS_LIMIT 4096 /* of a launch: what the host keeps on its stack */

/* The result of a reduction: an index, or an element. */
static size_t result_bytes(const struct bench_reduction *reduction)
{
	return reduction->op == BENCH_REDUCTION_ARGMAX ? sizeof(uint64_t)
						       : bench_dtype_bytes(reduction->dtype);
}

/* Where the kernel numbers vectors, it does so in an integer of the element's size. */
#define NUMBERS_LIMIT ((size_t)INT32_MAX)

static int check(const struct bench_device *device, const struct bench_reduction *reduction,
		 struct bench_error *error)
{
	if (bench_opencl_check_real(device, "reduction", reduction->dtype, error) != 0 ||
	    bench_reduction_check("opencl", reduction, bench_opencl_bytes, error) != 0)
		return -1;
	if (reduction->to && reduction->stages == BENCH_REDUCTION_HOST)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: a reduction that the host finishes leaves its value there");
	if (reduction->stages == BENCH_REDUCTION_LAST && !device->has_fence)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: no reduction by the last group: device %s has no fence by which "
				  "groups see what others wrote",
				  device->info.slug);
	return 0;
}

static enum bench_reduction_stages stages_of(const struct bench_device *device,
					     const struct bench_reduction *reduction)
{
	if (reduction->stages != BENCH_REDUCTION_AUTO)
		return reduction->stages;
	return device->has_fence ? BENCH_REDUCTION_LAST : BENCH_REDUCTION_TWO;
}

static int get_kernel(struct bench_device *device, const struct bench_reduction *reduction,
		      const struct shape *shape, unsigned which, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	static const char *const ops[] = {[BENCH_REDUCTION_SUM] = "SUM",
					  [BENCH_REDUCTION_MAX] = "MAX",
					  [BENCH_REDUCTION_ARGMAX] = "ARGMAX",
					  [BENCH_REDUCTION_DOT] = "DOT"};
	static const char *const names[] = {[REDUCE] = "reduce", [FINISH] = "reduce", [JOIN] = "join_parts"};
	const struct bench_opencl_variant variant = {
		SOURCE, names[which], {reduction->op, reduction->dtype, which == FINISH}, 0};
	return bench_opencl_variant(
		device, &variant, kernel, error,
		"-DOP=%s -DREAL=%s -DINT=%s -DLANES=%zu -DUNROLL=%u -DACROSS=%d -DLAST=%d -DADDRESSES=%d",
		ops[reduction->op], bench_opencl_real(reduction->dtype),
		reduction->dtype == BENCH_F64 ? "long" : "int",
		shape->vector_bytes / bench_dtype_bytes(reduction->dtype), shape->unroll, shape->across,
		which == FINISH, device->has_addresses);
}

/* The largest power of two that is no more than `at_most`, and that the device runs of this kernel. */
static int get_items(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
		     size_t at_most, size_t *items, struct bench_error *error)
{
	size_t limit;
	if (bench_opencl_group_size(device, kernel, at_most, &limit, error) != 0)
		return -1;
	for (*items = 1; *items <= limit / 2;)
		*items *= 2;
	return 0;
}

/* Leaves `groups` parts on the device; with FINISH the value. */
static int launch_reduce(struct bench_device *device, const struct bench_reduction *reduction,
			 const struct shape *shape, unsigned which, size_t groups, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t items;
	if (get_kernel(device, reduction, shape, which, &kernel, error) != 0 ||
	    get_items(device, kernel, groups == 1 ? shape->items_alone : shape->items, &items, error) != 0)
		return -1;
	size_t lanes = shape->vector_bytes / bench_dtype_bytes(reduction->dtype);
	cl_ulong count = reduction->count,
		 span = bench_opencl_divide_up(reduction->count / lanes, shape->across ? 1 : groups);
	if (reduction->op == BENCH_REDUCTION_ARGMAX && span > NUMBERS_LIMIT)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: argmax of %zu elements by %zu groups: %s %zu at most",
				  reduction->count, groups, shape->across ? "all take" : "a group takes",
				  NUMBERS_LIMIT * lanes);
	const struct bench_buffer *b = reduction->op == BENCH_REDUCTION_DOT ? reduction->b : reduction->a;
	const struct {
		const struct bench_buffer *buffer; /* NULL: `value` */
		size_t bytes;
		const void *value;
	} takes[] = {
		{reduction->a, 0, NULL},
		{b, 0, NULL},
		{NULL, sizeof(count), &count},
		{NULL, sizeof(span), &span},
		{&device->parts, 0, NULL},
		{NULL, items * sizeof(struct part), NULL},
		{reduction->to ? reduction->to : &device->value, 0,
		 NULL}, /* this and the next of FINISH alone */
		{&device->arrived, 0, NULL},
	};
	struct bench_opencl_list list = {.count = 0};
	for (size_t i = 0; i < (which == FINISH ? 8 : 6); i++)
		if (!takes[i].buffer)
			bench_opencl_list_add(&list, takes[i].bytes, takes[i].value);
		else if (bench_opencl_list_add_buffer(device, &list, takes[i].buffer, error) != 0)
			return -1;
	return bench_opencl_launch_groups(device, kernel, &list, groups, items, error);
}

/* Makes one part of `groups` on the device. */
static int launch_join(struct bench_device *device, const struct bench_reduction *reduction,
		       const struct shape *shape, size_t groups, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t items;
	if (get_kernel(device, reduction, shape, JOIN, &kernel, error) != 0 ||
	    get_items(device, kernel, shape->items, &items, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &device->parts);
	BENCH_OPENCL_ULONGS(&list, groups);
	bench_opencl_list_add(&list, items * sizeof(struct part), NULL);
	BENCH_OPENCL_MEMORIES(&list, reduction->to ? reduction->to : &device->value);
	return bench_opencl_launch_groups(device, kernel, &list, 1, items, error);
}

static double value_of(const struct part *part, enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? part->value.wide : (double)part->value.narrow;
}

/* Does `b` go before `a` in the order of ARGMAX: NaN first, then the larger, then the lower index? */
static bool goes_before(const struct part *b, const struct part *a, enum bench_dtype dtype)
{
	double old = value_of(a, dtype), new = value_of(b, dtype);
	if (isnan(old) || isnan(new))
		return isnan(new) && (!isnan(old) || b->index < a->index);
	return new > old || (new == old && b->index < a->index);
}

/* Writes the result of `count` >= 1 parts. */
static void join_on_host(const struct bench_reduction *reduction, const struct part *parts, size_t count)
{
	enum bench_dtype dtype = reduction->dtype;
	size_t best = 0;
	double sum = value_of(&parts[0], dtype);
	for (size_t i = 1; i < count; i++) {
		sum += value_of(&parts[i], dtype);
		if (goes_before(&parts[i], &parts[best], dtype))
			best = i;
	}
	double value = reduction->op == BENCH_REDUCTION_MAX ? value_of(&parts[best], dtype) : sum;
	if (reduction->op == BENCH_REDUCTION_ARGMAX)
		*(uint64_t *)reduction->result = parts[best].index;
	else if (dtype == BENCH_F64)
		*(double *)reduction->result = value;
	else
		*(float *)reduction->result = (float)value;
}

static size_t count_groups(const struct bench_device *device, const struct bench_reduction *reduction,
			   const struct shape *shape)
{
	size_t useful = bench_opencl_divide_up(reduction->count, shape->elements_at_least);
	size_t of_unit = shape == &cpu ? CPU_GROUPS : device->tuned[BENCH_OPENCL_REDUCTION_GROUPS];
	size_t groups = device->info.compute_units * of_unit;
	groups = groups > PARTS_LIMIT ? PARTS_LIMIT : groups;
	return groups > useful ? useful : groups;
}

/* Leaves the value on the device. */
static int reduce_there(struct bench_device *device, const struct bench_reduction *reduction,
			const struct shape *shape, enum bench_reduction_stages stages,
			struct bench_error *error)
{
	size_t groups = stages == BENCH_REDUCTION_ONE ? 1 : count_groups(device, reduction, shape);
	if (stages != BENCH_REDUCTION_TWO)
		return bench_opencl_counters(device, &device->arrived, 1, error) != 0
			       ? -1
			       : launch_reduce(device, reduction, shape, FINISH, groups, error);
	if (launch_reduce(device, reduction, shape, REDUCE, groups, error) != 0)
		return -1;
	return launch_join(device, reduction, shape, groups, error);
}

/* Leaves parts on the device, and the value on the host. */
static int reduce_by_host(struct bench_device *device, const struct bench_reduction *reduction,
			  const struct shape *shape, struct bench_error *error)
{
	struct part parts[PARTS_LIMIT];
	size_t groups = count_groups(device, reduction, shape);
	if (launch_reduce(device, reduction, shape, REDUCE, groups, error) != 0 ||
	    bench_opencl_download(device, &device->parts, parts, groups * sizeof(*parts), error) != 0)
		return -1;
	join_on_host(reduction, parts, groups);
	return 0;
}

/* `count` elements from `first` on, to the part of that number. */
struct share {
	struct bench_opencl_list list;
	struct bench_opencl_launch launch;
};

static int make_share(struct bench_device *device, const struct bench_reduction *reduction, size_t number,
		      size_t first, size_t count, struct share *share, struct bench_error *error)
{
	uint64_t a, second, parts;
	const size_t real = bench_dtype_bytes(reduction->dtype);
	const struct bench_buffer *b = reduction->op == BENCH_REDUCTION_DOT ? reduction->b : reduction->a;
	if (bench_opencl_address(device, reduction->a, &a, error) != 0 ||
	    bench_opencl_address(device, b, &second, error) != 0 ||
	    bench_opencl_address(device, &device->parts, &parts, error) != 0)
		return -1;
	share->list.count = 0;
	BENCH_OPENCL_ULONGS(&share->list, a + first * real, second + first * real, count,
			    count / (cpu.vector_bytes / real), parts + number * sizeof(struct part));
	bench_opencl_list_add(&share->list, cpu.items_alone * sizeof(struct part), NULL);
	share->launch = bench_opencl_list_launch(&share->list, 1, &cpu.items_alone, &cpu.items_alone);
	return 0;
}

/*
 * By the caller, in two halves, of which its helper takes one where it is awake: the value is the same
 * whether it is or not. Leaves it on the host.
 */
static int reduce_by_two(struct bench_device *caller, const struct bench_reduction *reduction,
			 struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct share shares[2];
	struct part parts[2];
	const size_t half = reduction->count / 2 / HALF_ALIGN * HALF_ALIGN;
	if (get_kernel(caller, reduction, &cpu, REDUCE, &kernel, error) != 0 ||
	    make_share(caller, reduction, 0, 0, half, &shares[0], error) != 0 ||
	    make_share(caller, reduction, 1, half, reduction->count - half, &shares[1], error) != 0)
		return -1;
	if (bench_opencl_helper_ready(caller->helper)) {
		if (bench_opencl_launch_both(caller, kernel, &shares[0].launch, &shares[1].launch, error) !=
		    0)
			return -1;
	} else if (bench_opencl_launch(caller, kernel, &shares[0].launch, error) != 0 ||
		   bench_opencl_launch(caller, kernel, &shares[1].launch, error) != 0) {
		return -1;
	}
	if (bench_opencl_fetch(caller, &caller->parts, parts, sizeof(parts), error) != 0)
		return -1;
	if (parts[1].index != UINT64_MAX)
		parts[1].index += half;
	join_on_host(reduction, parts, 2);
	return 0;
}

/* Is the calling thread alone done before n threads, which read n times as fast, are woken and done? */
static bool is_callers(const struct bench_device *device, const struct bench_reduction *reduction)
{
	size_t vectors = reduction->op == BENCH_REDUCTION_DOT ? 2 : 1, units = device->info.compute_units;
	size_t most = units > 1 ? CALLER_BYTES / (units - 1) * units : SIZE_MAX;
	return reduction->stages == BENCH_REDUCTION_AUTO && device->caller && device->queue.idle &&
	       reduction->count <= most / vectors / bench_dtype_bytes(reduction->dtype);
}

int bench_opencl_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			   struct bench_error *error)
{
	const struct shape *shape = device->info.kind == BENCH_DEVICE_CPU ? &cpu : &gpu;
	bool by_caller = is_callers(device, reduction);
	enum bench_reduction_stages stages = by_caller ? BENCH_REDUCTION_ONE : stages_of(device, reduction);
	device = by_caller ? device->caller : device;
	if (check(device, reduction, error) != 0 ||
	    bench_opencl_reserve(device, &device->parts, PARTS_LIMIT * sizeof(struct part), error) != 0 ||
	    bench_opencl_reserve(device, &device->value, sizeof(uint64_t), error) != 0)
		return -1;
	if (by_caller && device->helper && device->has_addresses && !reduction->to &&
	    reduction->count * bench_dtype_bytes(reduction->dtype) >= HELPED_BYTES)
		return reduce_by_two(device, reduction, error);
	if (stages == BENCH_REDUCTION_HOST)
		return reduce_by_host(device, reduction, shape, error);
	if (reduce_there(device, reduction, shape, stages, error) != 0)
		return -1;
	return reduction->to ? 0
			     : bench_opencl_fetch(device, &device->value, reduction->result,
						  result_bytes(reduction), error);
}

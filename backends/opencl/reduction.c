/* One value from a vector: kernels/reduction.cl, which says how it works. */
#include <math.h>
#include <string.h>

#include "internal.h"

#define SOURCE "reduction.cl"

/* What suits a kind of device. */
struct shape {
	size_t vector_bytes;
	size_t items;             /* of each of many groups */
	size_t items_alone;       /* of a group that is alone */
	size_t elements_at_least; /* of each of many: with fewer to read, the others are not worth waking */
};

static const struct shape cpu = {64, 1, 1, 16384};
static const struct shape gpu = {16, 256, 1024, 4096};

/* A thread to a group; a few groups to a thread, so that one that was held up does not hold up all. */
#define CPU_GROUPS 4

enum { REDUCE, JOIN };

/* struct part of the kernel. */
struct part {
	union {
		float narrow;
		double wide;
	} value;
	uint64_t index;
};

#define PARTS_LIMIT 4096 /* of a launch: what the host keeps on its stack */

/* Where the kernel numbers vectors, it does so in an integer of the element's size. */
#define NUMBERS_LIMIT ((size_t)INT32_MAX)

static int check(const struct bench_device *device, const struct bench_reduction *reduction,
		 struct bench_error *error)
{
	size_t real = bench_dtype_bytes(reduction->dtype);
	const struct bench_buffer *b = reduction->op == BENCH_REDUCTION_DOT ? reduction->b : reduction->a;
	if (bench_opencl_check_real(device, "reduction", reduction->dtype, error) != 0)
		return -1;
	if (reduction->count < 1 || reduction->count > reduction->a->bytes / real ||
	    reduction->count > b->bytes / real)
		return bench_fail(error, BENCH_USAGE,
				  "opencl: a reduction of %zu elements of %zu bytes does not fit its buffers",
				  reduction->count, real);
	return 0;
}

static int get_kernel(struct bench_device *device, const struct bench_reduction *reduction,
		      const struct shape *shape, unsigned which, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	static const char *const ops[] = {[BENCH_REDUCTION_SUM] = "SUM",
					  [BENCH_REDUCTION_MAX] = "MAX",
					  [BENCH_REDUCTION_ARGMAX] = "ARGMAX",
					  [BENCH_REDUCTION_DOT] = "DOT"};
	static const char *const names[] = {[REDUCE] = "reduce", [JOIN] = "join_parts"};
	struct bench_opencl_kernel **slot =
		&device->kernels[BENCH_OPENCL_OF_reduction]
				[((size_t)reduction->op * 2 + reduction->dtype) * 2 + which];
	if (!*slot && bench_opencl_variant(device, SOURCE, names[which], slot, error,
					   "-DOP=%s -DREAL=%s -DINT=%s -DLANES=%zu", ops[reduction->op],
					   bench_opencl_real(reduction->dtype),
					   reduction->dtype == BENCH_F64 ? "long" : "int",
					   shape->vector_bytes / bench_dtype_bytes(reduction->dtype)) != 0)
		return -1;
	*kernel = *slot;
	return 0;
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

/* Leaves `groups` parts on the device. */
static int launch_reduce(struct bench_device *device, const struct bench_reduction *reduction,
			 const struct shape *shape, size_t groups, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t items;
	if (get_kernel(device, reduction, shape, REDUCE, &kernel, error) != 0 ||
	    get_items(device, kernel, groups == 1 ? shape->items_alone : shape->items, &items, error) != 0)
		return -1;
	size_t lanes = shape->vector_bytes / bench_dtype_bytes(reduction->dtype);
	cl_ulong count = reduction->count, span = bench_opencl_divide_up(reduction->count / lanes, groups);
	if (reduction->op == BENCH_REDUCTION_ARGMAX && span > NUMBERS_LIMIT)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: argmax of %zu elements by %zu groups: a group takes %zu at most",
				  reduction->count, groups, NUMBERS_LIMIT * lanes);
	const struct bench_buffer *b = reduction->op == BENCH_REDUCTION_DOT ? reduction->b : reduction->a;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &reduction->a->memory},
		{sizeof(cl_mem), &b->memory},
		{sizeof(count), &count},
		{sizeof(span), &span},
		{sizeof(cl_mem), &device->parts.memory},
		{items * sizeof(struct part), NULL},
	};
	return bench_opencl_launch_groups(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments), groups, items,
					  error);
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
	cl_ulong count = groups;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &device->parts.memory},
		{sizeof(count), &count},
		{items * sizeof(struct part), NULL},
	};
	return bench_opencl_launch_groups(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments), 1, items, error);
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

int bench_opencl_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			   struct bench_error *error)
{
	const struct shape *shape = device->info.kind == BENCH_DEVICE_CPU ? &cpu : &gpu;
	struct part parts[PARTS_LIMIT];
	size_t groups = 1;
	if (check(device, reduction, error) != 0)
		return -1;
	if (reduction->stages != BENCH_REDUCTION_ONE) {
		size_t useful = bench_opencl_divide_up(reduction->count, shape->elements_at_least);
		size_t of_unit = shape == &cpu ? CPU_GROUPS : device->tuned[BENCH_OPENCL_REDUCTION_GROUPS];
		groups = device->info.compute_units * of_unit;
		groups = groups > PARTS_LIMIT ? PARTS_LIMIT : groups;
		groups = groups > useful ? useful : groups;
	}
	if (bench_opencl_reserve(device, &device->parts, sizeof(parts), error) != 0 ||
	    launch_reduce(device, reduction, shape, groups, error) != 0)
		return -1;
	size_t left = groups;
	if (reduction->stages == BENCH_REDUCTION_TWO) {
		if (launch_join(device, reduction, shape, groups, error) != 0)
			return -1;
		left = 1;
	}
	if (bench_opencl_download(device, &device->parts, parts, left * sizeof(*parts), error) != 0)
		return -1;
	join_on_host(reduction, parts, left);
	return 0;
}

void bench_opencl_reduction_close(struct bench_device *device)
{
	if (device->parts.memory)
		clReleaseMemObject(device->parts.memory);
}

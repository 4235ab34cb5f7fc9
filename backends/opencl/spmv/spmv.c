/* SPDX-License-Identifier: MIT */
/* Sparse matrix times vector: spmv_cpu.cl and spmv_gpu.cl, which say how they work. */
#include "backends/check.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/variants.h"
#include "backends/opencl/tuning/tuning.h"

#define GROUP     128 /* work-items of a group of a GPU */
#define LEAST_LOG 1   /* a team is 2 to GROUP work-items */
#define MOST_LOG  7

static int check(const struct bench_device *device, const struct bench_spmv *spmv, bool gpu,
		 struct bench_error *error)
{
	if (bench_opencl_check_f64(device, spmv->dtype, error) != 0 ||
	    bench_spmv_check("opencl", spmv, bench_opencl_bytes, error) != 0)
		return -1;
	if (gpu && spmv->kernel == BENCH_SPMV_ADAPTIVE && spmv->block_entries > BENCH_SPMV_BLOCK_GPU)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: spmv: blocks of up to %zu entries: a group of device %s takes %d",
				  spmv->block_entries, device->info.slug, BENCH_SPMV_BLOCK_GPU);
	return 0;
}

/*
 * What a kernel for GPUs is compiled for, as a base-2 logarithm: the team of a row, which has a few entries
 * of a row of the mean length for each; or the entries of a block, in GROUPs.
 */
static unsigned size_log(const struct bench_device *device, const struct bench_spmv *spmv)
{
	size_t each = device->tuned[BENCH_OPENCL_SPMV_EACH], mean = spmv->entries / spmv->rows;
	unsigned log = LEAST_LOG;
	if (spmv->kernel == BENCH_SPMV_GROUP)
		while (log < MOST_LOG && mean >= each << (log + 1))
			log++;
	else if (spmv->kernel == BENCH_SPMV_ADAPTIVE)
		for (log = 0; (size_t)GROUP << log < spmv->block_entries;)
			log++;
	else
		log = 0;
	return log;
}

enum { JOIN = BENCH_SPMV_ADAPTIVE + 1 }; /* the kernel that adds up the parts of rows */

static int get_kernel(struct bench_device *device, const struct bench_spmv *spmv, bool gpu, unsigned which,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[2][4] = {{"spmv_spans", "spmv_spans", "spmv_blocks", "spmv_join"},
						{"spmv_row", "spmv_group", "spmv_adaptive", "spmv_join"}};
	unsigned log = gpu && which != JOIN ? size_log(device, spmv) : 0;
	const struct bench_opencl_variant variant = {
		gpu ? "spmv_gpu.cl" : "spmv_cpu.cl", names[gpu][which], {spmv->dtype, which, log}, 0};
	const char *type = bench_opencl_real(spmv->dtype);
	if (!gpu)
		return bench_opencl_variant(
			device, &variant, kernel, error, "-DREAL=%s -DINDEX=%s -DBY_LANES=%d -DWIDTH=%zu",
			type, spmv->dtype == BENCH_F64 ? "ulong" : "uint", spmv->kernel != BENCH_SPMV_ROW,
			bench_opencl_vector_lanes(device, spmv->dtype));
	return bench_opencl_variant(device, &variant, kernel, error,
				    "-DREAL=%s -DGROUP=%d -DTEAM=%d -DBLOCK=%d -DLAST=%d -DADDRESSES=%d",
				    type, GROUP, which == BENCH_SPMV_GROUP ? 1 << log : GROUP,
				    which == BENCH_SPMV_ADAPTIVE ? GROUP << log : GROUP,
				    which == BENCH_SPMV_ADAPTIVE && device->has_fence,
				    which != JOIN && device->has_addresses);
}

/* Rows of a work-item of a CPU: enough to hide the cost of starting it. */
static size_t span_rows(const struct bench_device *device, const struct bench_spmv *spmv)
{
	size_t span = (size_t)((double)device->tuned[BENCH_OPENCL_SPMV_SPAN] * (double)spmv->rows /
			       (double)(spmv->rows + spmv->entries));
	return span ? span : 1;
}

/* Work-groups of a launch. */
static size_t count_groups(const struct bench_device *device, const struct bench_spmv *spmv, bool gpu)
{
	if (spmv->kernel == BENCH_SPMV_ADAPTIVE)
		return spmv->block_count;
	if (!gpu)
		return bench_opencl_divide_up(spmv->rows, span_rows(device, spmv));
	return bench_opencl_divide_up(spmv->rows << size_log(device, spmv), GROUP);
}

/* The sums of blocks that are parts of rows are in device->parts. */
static int join_parts(struct bench_device *device, const struct bench_spmv *spmv, bool gpu,
		      struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, spmv, gpu, JOIN, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, spmv->y, spmv->blocks, spmv->splits, &device->parts);
	BENCH_OPENCL_UINTS(&list, spmv->block_count);
	return bench_opencl_launch_groups(device, kernel, &list, spmv->split_count, gpu ? GROUP : 1, error);
}

/* The buffers that each kernel takes. */
static int add_matrix(struct bench_device *device, const struct bench_spmv *spmv, bool gpu,
		      struct bench_opencl_list *list, struct bench_error *error)
{
	const struct bench_buffer *const buffers[] = {spmv->offsets, spmv->columns, spmv->values, spmv->x,
						      spmv->y};
	if (!gpu)
		bench_opencl_list_add_memories(list, buffers, 5);
	for (size_t i = 0; gpu && i < 5; i++)
		if (bench_opencl_list_add_buffer(device, list, buffers[i], error) != 0)
			return -1;
	return 0;
}

static int launch_cpu(struct bench_device *device, const struct bench_spmv *spmv, bool split,
		      struct bench_opencl_kernel *kernel, struct bench_error *error)
{
	struct bench_opencl_list list = {.count = 0};
	cl_mem parts = split ? device->parts.memory : NULL;
	if (add_matrix(device, spmv, false, &list, error) != 0)
		return -1;
	if (spmv->kernel == BENCH_SPMV_ADAPTIVE) {
		bench_opencl_list_add(&list, sizeof(cl_mem), &spmv->blocks->memory);
		bench_opencl_list_add(&list, sizeof(cl_mem), &parts);
	} else {
		BENCH_OPENCL_UINTS(&list, spmv->rows, span_rows(device, spmv));
	}
	return bench_opencl_launch_groups(device, kernel, &list, count_groups(device, spmv, false), 1, error);
}

static int launch_gpu(struct bench_device *device, const struct bench_spmv *spmv, bool split,
		      struct bench_opencl_kernel *kernel, struct bench_error *error)
{
	static const struct bench_buffer none = {0};
	const struct bench_buffer *parts = split ? &device->parts : &none;
	const struct bench_buffer *arrived = split ? &device->arrived : &none;
	struct bench_opencl_list list = {.count = 0};
	if (add_matrix(device, spmv, true, &list, error) != 0)
		return -1;
	if (spmv->kernel != BENCH_SPMV_ADAPTIVE)
		BENCH_OPENCL_UINTS(&list, spmv->rows);
	else if (bench_opencl_list_add_buffer(device, &list, spmv->blocks, error) != 0 ||
		 bench_opencl_list_add_buffer(device, &list, parts, error) != 0)
		return -1;
	if (spmv->kernel == BENCH_SPMV_ADAPTIVE && device->has_fence) {
		BENCH_OPENCL_UINTS(&list, spmv->part_entries);
		if (bench_opencl_list_add_buffer(device, &list, arrived, error) != 0)
			return -1;
	}
	return bench_opencl_launch_groups(device, kernel, &list, count_groups(device, spmv, true), GROUP,
					  error);
}

int bench_opencl_spmv(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	bool gpu = device->info.kind != BENCH_DEVICE_CPU, one_launch = gpu && device->has_fence;
	bool split = spmv->kernel == BENCH_SPMV_ADAPTIVE && spmv->split_count > 0;
	if (check(device, spmv, gpu, error) != 0 ||
	    get_kernel(device, spmv, gpu, spmv->kernel, &kernel, error) != 0 ||
	    (split && bench_opencl_reserve(device, &device->parts,
					   spmv->block_count * bench_dtype_bytes(spmv->dtype), error) != 0) ||
	    (split && one_launch &&
	     bench_opencl_counters(device, &device->arrived, spmv->block_count, error) != 0))
		return -1;
	int result = gpu ? launch_gpu(device, spmv, split, kernel, error)
			 : launch_cpu(device, spmv, split, kernel, error);
	return result == 0 && split && !one_launch ? join_parts(device, spmv, gpu, error) : result;
}

/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/cpu_direct.h"

#include "backends/opencl/gemm/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/pair.h"
#include "backends/opencl/runtime/variants.h"
#include "backends/opencl/tuning/tuning.h"

#define SOURCE "gemm_cpu_direct.cl"

/* Work-items to each compute unit, where there are more tiles: few, since each costs PoCL a call. */
#define SHARES 16

/*
 * A work-item that copies a column's part of B does so in the time of two tiles, and no more than
 * COPIERS of them, to each compute unit, share one column. A copy pays where COPY_WORTH tiles read it, or
 * half as many if it exceeds a first-level cache (more than COPY_LONG steps). It
 * does not pay if that leaves more than half of the units without work. The copies of a batch may have
 * COPIES_BYTES.
 */
#define COPY_WORTH   16
#define COPY_LONG    256
#define COPIERS      4
#define COPIES_BYTES ((size_t)4 << 20)

/* A cache line that two threads write costs as much as so many multiply-adds of vectors: 50 ns. */
#define SHARED_LINE 150.0
#define LINE_BYTES  64

/* Of a transposed A: what stays in a second-level cache, what may be read beyond it, and a distance of lines
 * that leaves a quarter of a first-level cache's sets. */
#define NEAR_BYTES ((size_t)1 << 20)
#define FAR_BYTES  ((size_t)1 << 24)
#define SETS_BYTES 256

/* Cuts a side of `units` into parts of at most `most`, whose sizes differ by one at most. */
static void cut(uint32_t units, uint32_t most, uint32_t *part, uint32_t *parts, uint32_t *larger)
{
	*parts = units <= most ? 1 : (units + most - 1) / most;
	*part = units <= most ? units : (units + *parts - 1) / *parts;
	*larger = units - *parts * (*part - 1);
}

/* Does each row of C share a cache line between any two of its columns that different threads write? */
static bool shares_lines(const struct bench_gemm *gemm)
{
	return gemm->ldc * bench_dtype_bytes(gemm->dtype) % LINE_BYTES != 0;
}

/*
 * Of the largest square product that is not packed. A tile reads a few elements of each line of a transposed
 * A, and each column of tiles reads all lines: that is packed sooner, and still sooner if A does not stay in
 * a second-level cache and is read often, or if its lines share few sets of a cache.
 */
static double largest_side(const struct bench_device *device, const struct bench_gemm *gemm, size_t columns)
{
	const double side = (double)device->tuned[BENCH_OPENCL_GEMM_DIRECT];
	const size_t real = bench_dtype_bytes(gemm->dtype), bytes = gemm->m * gemm->k * real;
	const bool is_near = bytes <= NEAR_BYTES || bytes * columns <= FAR_BYTES;
	return !gemm->trans_a ? side : is_near && gemm->lda * real % SETS_BYTES ? 0.8 * side : 0.5 * side;
}

bool bench_opencl_gemm_cpu_direct_plan(const struct bench_device *device, const struct bench_gemm *gemm,
				       struct bench_opencl_direct *plan)
{
	*plan = (struct bench_opencl_direct){
		.lanes = (uint32_t)bench_opencl_vector_lanes(device, gemm->dtype)};
	if (!bench_dtype_is_plain(gemm->dtype) || gemm->n < plan->lanes)
		return false;
	/* As many sums as leave registers for a row's vectors of B, elements of A and the compiler: of 32 or
	 * of 16. */
	const bool many = plan->lanes * bench_dtype_bytes(gemm->dtype) == 64;
	static const uint32_t rows[2][4] = {{12, 6, 4, 3}, {12, 12, 8, 6}}; /* by width */
	const int log = __builtin_ctz(plan->lanes);
	cut(((uint32_t)gemm->n + plan->lanes - 1) >> log, many ? 4 : 3, &plan->wide, &plan->columns,
	    &plan->broad);
	cut((uint32_t)gemm->m, rows[many][plan->wide - 1], &plan->rows, &plan->tiles, &plan->tall);
	const double side = largest_side(device, gemm, plan->columns),
		     flops = 2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k;
	if ((double)gemm->k > 4 * side || flops > 2 * side * side * side)
		return false;
	const size_t batch = bench_opencl_gemm_batch(gemm), real = bench_dtype_bytes(gemm->dtype);
	const bool may_copy = batch == 1 || batch * gemm->n * gemm->k * real <= COPIES_BYTES;
	if (gemm->trans_b && !may_copy)
		return false;
	const size_t all = (size_t)plan->tiles * plan->columns * batch, units = device->info.compute_units,
		     copiers = bench_opencl_divide_up(plan->tiles, COPY_WORTH) * plan->columns * batch;
	size_t least = 1;
	if (gemm->trans_b) {
		plan->form_b = BENCH_OPENCL_DIRECT_TURNED;
		/* It has to be copied: by every unit, rather than by few. */
		least = all / units < 1 ? 1 : all / units < COPY_WORTH ? all / units : COPY_WORTH;
	} else if (may_copy && 2 * copiers >= units &&
		   plan->tiles >= (gemm->k > COPY_LONG ? COPY_WORTH / 2 : COPY_WORTH)) {
		plan->form_b = BENCH_OPENCL_DIRECT_COPIED;
		least = COPY_WORTH;
	}
	size_t share = bench_opencl_divide_up(all, (plan->form_b ? COPIERS : SHARES) * units);
	if (share < least)
		share = least;
	/* PoCL gives a thread neighbors in the first dimension. */
	const size_t band = bench_opencl_divide_up(plan->tiles, units);
	plan->by_rows = shares_lines(gemm) && band >= COPY_WORTH;
	if (plan->by_rows)
		share = bench_opencl_smaller(share, band);
	const size_t parts = bench_opencl_divide_up(plan->tiles, share);
	plan->together = (uint32_t)bench_opencl_divide_up(plan->tiles, parts);
	return true;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm,
		      const struct bench_opencl_direct *plan, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	const bool narrower = plan->broad < plan->columns, ragged = gemm->n & (plan->lanes - 1);
	const unsigned end = bench_opencl_gemm_end(gemm);
	const struct bench_opencl_variant variant = {
		SOURCE,
		"gemm_direct",
		{gemm->dtype, plan->rows, plan->wide, 4U * plan->form_b + 2U * ragged + narrower, end},
		0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    BENCH_OPENCL_GEMM_OPTIONS " -DLANES=%u -DROWS=%u -DWIDE=%u -DNARROWER=%d "
							      "-DRAGGED=%d -DFORM_B=%u -DADDRESSES=%d",
				    BENCH_OPENCL_GEMM_VALUES(gemm->dtype, false, end), plan->lanes,
				    plan->rows, plan->wide, narrower, ragged, plan->form_b,
				    device->has_addresses);
}

/* As the kernel has it. One argument: PoCL takes 30 ns of a launch for each, and 60 for each that is a
 * buffer. */
struct problem {
	uint64_t a, b, c, bias, copies;
	cl_ulong a_row, a_step, ldb, ldc, stride_a, stride_b, stride_c;
	cl_uint n, steps, tall, broad, together;
	cl_uint first, tiles, place, columns, slot, by_rows;
	union bench_opencl_gemm_scales scales;
};

static int add_arguments(struct bench_device *device, const struct bench_gemm *gemm, bool copies,
			 struct problem *problem, struct bench_opencl_list *list, struct bench_error *error)
{
	const size_t bytes = offsetof(struct problem, scales) + 2 * bench_dtype_bytes(gemm->dtype);
	const struct bench_buffer *buffers[] = {gemm->a, gemm->b, gemm->c, gemm->bias,
						copies ? &bench_opencl_gemm_of(device)->packed_b : NULL};
	uint64_t *addresses[] = {&problem->a, &problem->b, &problem->c, &problem->bias, &problem->copies};
	bench_opencl_list_add(list, bytes, problem);
	return bench_opencl_list_add_buffers(device, list, buffers, addresses, 5, error);
}

/* Of a column's tiles: `together` to each. */
static size_t work_items(const struct problem *problem)
{
	return bench_opencl_divide_up(problem->tiles - problem->first, problem->together);
}

/* Of `columns` of tiles. */
static struct bench_opencl_launch launch_of(const struct bench_gemm *gemm, const struct problem *problem,
					    size_t columns, const struct bench_opencl_list *list)
{
	const size_t items = work_items(problem),
		     global[] = {problem->by_rows ? columns : items, problem->by_rows ? items : columns,
				 bench_opencl_gemm_batch(gemm)};
	return bench_opencl_list_launch(list, 3, global, (const size_t[]){1, 1, 1});
}

bool bench_opencl_gemm_cpu_direct_has_halves(const struct bench_opencl_direct *plan)
{
	return plan->tiles > 1 || plan->columns % 2 == 0;
}

/* Has the caller's helper a part of the product, and is it there? */
static bool is_helped(struct bench_device *device, const struct bench_gemm *gemm,
		      const struct bench_opencl_direct *plan)
{
	const double vectors = (double)gemm->m * (double)gemm->n * (double)gemm->k *
			       (double)bench_opencl_gemm_batch(gemm) / (double)plan->lanes;
	return device->helper && device->has_addresses && bench_opencl_gemm_cpu_direct_has_halves(plan) &&
	       vectors >= BENCH_OPENCL_PAIR_VECTORS && bench_opencl_helper_ready(device->helper);
}

/*
 * Which halves have the caller and its helper: of the columns, or of the rows? Those of the rows both copy
 * B, and are uneven if the number of tiles is odd. Between those of the columns is a cache line in each row
 * that both write, unless rows start at lines.
 */
static bool is_halved_by_columns(const struct bench_gemm *gemm, const struct bench_opencl_direct *plan)
{
	if (plan->columns % 2)
		return false;
	if (plan->tiles == 1)
		return true;
	const double column = (double)plan->rows * (double)gemm->k * (double)gemm->n / plan->lanes;
	const double by_rows = (plan->form_b ? column : 0) + (plan->tiles % 2 ? column / 2 : 0);
	return by_rows >= (shares_lines(gemm) ? (double)gemm->m * SHARED_LINE : 0);
}

int bench_opencl_gemm_cpu_direct_run(struct bench_device *device, const struct bench_gemm *gemm,
				     const struct bench_opencl_direct *plan, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, gemm, plan, &kernel, error) != 0)
		return -1;
	struct problem problem = {
		.a_row = gemm->trans_a ? 1 : gemm->lda,
		.a_step = gemm->trans_a ? gemm->lda : 1,
		.ldb = gemm->ldb,
		.ldc = gemm->ldc,
		.stride_a = gemm->stride_a,
		.stride_b = gemm->stride_b,
		.stride_c = gemm->stride_c,
		.n = (cl_uint)gemm->n,
		.steps = (cl_uint)gemm->k,
		.tiles = plan->tiles,
		.columns = plan->columns,
		.tall = plan->tall,
		.broad = plan->broad,
		.together = plan->together,
		.by_rows = plan->by_rows,
		.scales = bench_opencl_gemm_scales(gemm),
	};
	struct bench_opencl_list list = {0};
	/* A helper's work-items may be one more to each column of tiles. */
	const size_t items = (work_items(&problem) + 1) * plan->columns * bench_opencl_gemm_batch(gemm);
	if (plan->form_b &&
	    bench_opencl_reserve(device, &bench_opencl_gemm_of(device)->packed_b,
				 items * gemm->k * plan->wide * plan->lanes * bench_dtype_bytes(gemm->dtype),
				 error) != 0)
		return -1;
	if (add_arguments(device, gemm, plan->form_b, &problem, &list, error) != 0)
		return -1;
	if (!is_helped(device, gemm, plan)) {
		const struct bench_opencl_launch whole = launch_of(gemm, &problem, plan->columns, &list);
		return bench_opencl_launch(device, kernel, &whole, error);
	}
	struct problem others = problem;
	size_t columns = plan->columns / 2;
	if (is_halved_by_columns(gemm, plan)) {
		others.place = (cl_uint)columns;
		others.slot = (cl_uint)(work_items(&problem) * columns * bench_opencl_gemm_batch(gemm));
	} else {
		problem.tiles = others.first = (plan->tiles + 1) / 2;
		others.slot = (cl_uint)(work_items(&problem) * plan->columns * bench_opencl_gemm_batch(gemm));
		columns = plan->columns;
	}
	const struct bench_opencl_argument argument = {list.arguments[0].bytes, &others};
	const struct bench_opencl_list others_list = {.arguments = {argument}, .count = 1};
	const struct bench_opencl_launch mine = launch_of(gemm, &problem, columns, &list),
					 other = launch_of(gemm, &others, plan->columns - others.place,
							   &others_list);
	return bench_opencl_launch_both(device, kernel, &mine, &other, error);
}

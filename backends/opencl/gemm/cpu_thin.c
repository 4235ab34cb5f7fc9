/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/cpu_thin.h"

#include "backends/opencl/gemm/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/pair.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "gemm_cpu_thin.cl"

#define MOST       16 /* of m or n that is thin */
#define ALONG_MOST 4  /* thin rows up to which lanes of the steps are more than lanes of the thin side */
#define CACHE_BYTES                                                                                          \
	((size_t)1 << 18) /* what is smaller stays in a second-level cache: no need to follow rows */
#define BLOCK 32          /* rows that a processor follows at one time */

/*
 * What is larger than a last-level cache comes from memory, which bounds what one thin row takes: the
 * processor fetches ahead by itself, best where it follows fewer rows, and of more parts the last one is
 * waited for less. From a cache all of that is slower.
 */
#define BARE_BYTES ((size_t)1 << 25)
#define BARE_BLOCK 16
#define BARE_PARTS 4  /* to each compute unit, at most, */
#define BARE_UNITS 32 /* and vectors of a part, at least */

/* What takes longer in one thread than to wake another one: multiply-adds of vectors, elements of the long
 * operand. */
#define CALLER_VECTORS  (128.0 * 128 * 128 / 16)
#define CALLER_ELEMENTS (512.0 * 1024)

/* Vectors of sums in registers, of 32 (512-bit) or 16. */
static size_t sums(const struct bench_opencl_thin *plan, size_t element)
{
	return plan->lanes * element == 64 ? 24 : 12;
}

/*
 * The tile: as many sums as there are registers, and at least eight, which hide the latency of a
 * multiply-add. Few tiles of each kind, since each is another program.
 */
static void choose_tile(struct bench_opencl_thin *plan, size_t element)
{
	static const size_t across[] = {1, 2, 4, 5, 8};
	size_t most = sums(plan, element);
	if (plan->way == BENCH_OPENCL_THIN_ACROSS) {
		size_t computed = SIZE_MAX;
		for (size_t i = 0; i < sizeof(across) / sizeof(*across); i++) {
			size_t rows = bench_opencl_divide_up(plan->thin, across[i]) * across[i];
			if (across[i] > plan->thin || across[i] > most / 3 || rows > computed + computed / 8)
				continue;
			computed = rows;
			plan->rows = across[i];
		}
		plan->columns = bench_opencl_smaller(8, most / plan->rows);
		while (plan->columns > 1 && plan->columns * plan->lanes > plan->length)
			plan->columns = bench_opencl_divide_up(plan->columns, 2);
	} else if (plan->way == BENCH_OPENCL_THIN_ALONG) {
		size_t tiles = bench_opencl_divide_up(plan->thin, ALONG_MOST);
		plan->columns = bench_opencl_divide_up(plan->thin, tiles);
		plan->rows = bench_opencl_smaller(bench_opencl_smaller(8, plan->lanes), most / plan->columns);
	} else {
		plan->columns = bench_opencl_divide_up(plan->thin, plan->lanes);
		plan->rows = bench_opencl_smaller(14, (most + 4) / plan->columns);
	}
	if (plan->way != BENCH_OPENCL_THIN_ACROSS && plan->rows > plan->length)
		plan->rows = 1;
}

static void choose_parts(const struct bench_device *device, const struct bench_gemm *gemm, size_t element,
			 struct bench_opencl_thin *plan)
{
	bool across = plan->way == BENCH_OPENCL_THIN_ACROSS;
	size_t batch = bench_opencl_gemm_batch(gemm), unit = across ? plan->lanes : plan->rows;
	size_t units = bench_opencl_divide_up(plan->length, unit);
	double elements = (double)batch * (double)plan->length * (double)gemm->k;
	double vectors = plan->way == BENCH_OPENCL_THIN_BESIDE
				 ? elements * (double)plan->columns
				 : elements * (double)plan->thin / (double)plan->lanes;
	plan->by_caller = device->caller && device->queue.idle && vectors <= CALLER_VECTORS &&
			  elements <= CALLER_ELEMENTS;
	plan->ahead = !across || plan->thin > 1 || elements * (double)element < BARE_BYTES;
	size_t wanted = device->info.compute_units;
	if (!plan->ahead && units / BARE_UNITS > wanted)
		wanted = bench_opencl_smaller(wanted * BARE_PARTS, units / BARE_UNITS);
	if (plan->by_caller)
		plan->parts = device->caller->helper && vectors >= BENCH_OPENCL_PAIR_VECTORS ? 2 : 1;
	else
		plan->parts = batch >= wanted ? 1 : bench_opencl_divide_up(wanted, batch);
	plan->parts = bench_opencl_smaller(plan->parts,
					   across ? bench_opencl_divide_up(units, plan->columns) : units);
	plan->block = gemm->k;
	if (across) {
		size_t own = bench_opencl_divide_up(units, plan->parts);
		if (own * plan->lanes * gemm->k * element > CACHE_BYTES)
			plan->block = bench_opencl_smaller(plan->ahead ? BLOCK : BARE_BLOCK, gemm->k);
		plan->scratch = plan->block == gemm->k
					? 0
					: own * bench_opencl_divide_up(plan->thin, plan->rows) * plan->rows *
						  plan->lanes;
	} else if (plan->way == BENCH_OPENCL_THIN_ALONG) {
		plan->scratch = plan->thin * bench_opencl_divide_up(gemm->k, plan->lanes) * plan->lanes;
	} else {
		plan->scratch = gemm->k * plan->columns * plan->lanes;
	}
}

bool bench_opencl_gemm_cpu_thin_plan(const struct bench_device *device, const struct bench_gemm *gemm,
				     struct bench_opencl_thin *plan)
{
	enum bench_dtype computes = bench_opencl_gemm_computes(gemm->dtype);
	size_t element = bench_dtype_bytes(computes);
	bool is_short = bench_dtype_bytes(gemm->dtype) < element;
	*plan = (struct bench_opencl_thin){.lanes = bench_opencl_vector_lanes(device, computes)};
	/* Of two thin sides the one whose other operand has its steps as neighbors, else the thinner one. */
	for (int turn = 0; turn < 2; turn++) {
		plan->thin_m = (gemm->m <= gemm->n) != (turn == 1);
		plan->thin = plan->thin_m ? gemm->m : gemm->n;
		plan->length = plan->thin_m ? gemm->n : gemm->m;
		if (plan->thin > MOST)
			return false;
		bool across = plan->thin_m ? !gemm->trans_b : gemm->trans_a;
		if (across)
			plan->way = BENCH_OPENCL_THIN_ACROSS;
		else if ((plan->thin <= ALONG_MOST || is_short) && gemm->k >= plan->lanes)
			plan->way = BENCH_OPENCL_THIN_ALONG;
		else
			plan->way = BENCH_OPENCL_THIN_BESIDE;
		if (across && plan->length < plan->lanes)
			continue;
		choose_tile(plan, element);
		choose_parts(device, gemm, element, plan);
		return true;
	}
	return false;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm,
		      const struct bench_opencl_thin *plan, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	static const char *const names[] = {"thin_across", "thin_along", "thin_beside"};
	unsigned end = bench_opencl_gemm_end(gemm);
	const struct bench_opencl_variant variant = {
		SOURCE, names[plan->way], {gemm->dtype, plan->rows, plan->columns, plan->ahead, end}, 0};
	return bench_opencl_variant(
		device, &variant, kernel, error,
		BENCH_OPENCL_GEMM_OPTIONS " -DLANES=%zu -DWAY=%d -DROWS=%zu -DCOLUMNS=%zu -DFETCHES_AHEAD=%d "
					  "-DADDRESSES=%d",
		BENCH_OPENCL_GEMM_VALUES(gemm->dtype, false, end), plan->lanes, (int)plan->way, plan->rows,
		plan->columns, plan->ahead, device->has_addresses);
}

/* As the kernel has it. One argument, as in cpu_direct.c. */
struct problem {
	uint64_t x, thin, c, scratch, bias;
	cl_ulong x_step, stride_x, thin_row, thin_step, stride_thin, c_long, c_thin, stride_c, scratch_size;
	cl_uint length, thin_rows, steps, block, part, parts, bias_long, bias_thin;
	union bench_opencl_gemm_scales scales;
};

static void fill_problem(const struct bench_gemm *gemm, const struct bench_opencl_thin *plan,
			 struct problem *problem)
{
	const cl_ulong b_column = gemm->trans_b ? gemm->ldb : 1, b_step = gemm->trans_b ? 1 : gemm->ldb;
	const cl_ulong a_row = gemm->trans_a ? 1 : gemm->lda, a_step = gemm->trans_a ? gemm->lda : 1;
	*problem = (struct problem){
		.x_step = plan->thin_m ? gemm->ldb : gemm->lda,
		.stride_x = plan->thin_m ? gemm->stride_b : gemm->stride_a,
		.thin_row = plan->thin_m ? a_row : b_column,
		.thin_step = plan->thin_m ? a_step : b_step,
		.stride_thin = plan->thin_m ? gemm->stride_a : gemm->stride_b,
		.c_long = plan->thin_m ? 1 : gemm->ldc,
		.c_thin = plan->thin_m ? gemm->ldc : 1,
		.stride_c = gemm->stride_c,
		.scratch_size = plan->scratch,
		.length = (cl_uint)plan->length,
		.thin_rows = (cl_uint)plan->thin,
		.steps = (cl_uint)gemm->k,
		.block = (cl_uint)plan->block,
		.parts = (cl_uint)plan->parts,
		.bias_long = plan->thin_m,
		.bias_thin = !plan->thin_m,
		.scales = bench_opencl_gemm_scales(gemm),
	};
}

static int add_arguments(struct bench_device *device, const struct bench_gemm *gemm, bool thin_m,
			 struct problem *problem, struct bench_opencl_list *list, struct bench_error *error)
{
	const size_t scale = bench_opencl_gemm_real(gemm);
	const struct bench_buffer *buffers[] = {thin_m ? gemm->b : gemm->a, thin_m ? gemm->a : gemm->b,
						gemm->c, &bench_opencl_gemm_of(device)->packed_b, gemm->bias};
	uint64_t *addresses[] = {&problem->x, &problem->thin, &problem->c, &problem->scratch, &problem->bias};
	bench_opencl_list_add(list, offsetof(struct problem, scales) + 2 * scale, problem);
	return bench_opencl_list_add_buffers(device, list, buffers, addresses, 5, error);
}

static struct bench_opencl_launch launch_of(const struct bench_opencl_list *list, size_t parts, size_t batch)
{
	return bench_opencl_list_launch(list, 2, (const size_t[]){parts, batch}, (const size_t[]){1, 1});
}

int bench_opencl_gemm_cpu_thin_run(struct bench_device *device, const struct bench_gemm *gemm,
				   const struct bench_opencl_thin *plan, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct problem problem, others;
	struct bench_opencl_list list = {.count = 0}, others_list = {.count = 0};
	const size_t batch = bench_opencl_gemm_batch(gemm);
	const size_t real = bench_opencl_gemm_real(gemm);
	fill_problem(gemm, plan, &problem);
	if (get_kernel(device, gemm, plan, &kernel, error) != 0 ||
	    bench_opencl_reserve(device, &bench_opencl_gemm_of(device)->packed_b,
				 (plan->parts * batch * plan->scratch + 1) * real, error) != 0 ||
	    add_arguments(device, gemm, plan->thin_m, &problem, &list, error) != 0)
		return -1;
	const struct bench_opencl_launch whole = launch_of(&list, plan->parts, batch);
	if (!plan->by_caller || plan->parts != 2 || !device->has_addresses ||
	    !bench_opencl_helper_ready(device->helper))
		return bench_opencl_launch(device, kernel, &whole, error);
	others = problem;
	others.part = 1;
	bench_opencl_list_add(&others_list, list.arguments[0].bytes, &others);
	const struct bench_opencl_launch mine = launch_of(&list, 1, batch),
					 other = launch_of(&others_list, 1, batch);
	return bench_opencl_launch_both(device, kernel, &mine, &other, error);
}

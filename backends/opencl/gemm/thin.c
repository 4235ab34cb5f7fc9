/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/thin.h"

#include "backends/opencl/gemm/choice.h"
#include "backends/opencl/gemm/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"
#include "backends/opencl/tuning/tuning.h"

#define LOCAL_BYTES  40960 /* that a group takes, at most */
#define TENSOR_LANES 8     /* elements of 16 bits that tensor cores' kernel reads at a time */

/* An operand as gemm_thin.cl sees it: what lies between its rows (or lanes), its steps, and products. */
struct strides {
	size_t row, step, product;
};

static struct strides strides_of(const struct bench_gemm *gemm, bool b)
{
	const struct strides of_a = {gemm->trans_a ? 1 : gemm->lda, gemm->trans_a ? gemm->lda : 1,
				     gemm->stride_a};
	const struct strides of_b = {gemm->trans_b ? gemm->ldb : 1, gemm->trans_b ? 1 : gemm->ldb,
				     gemm->stride_b};
	return b ? of_b : of_a;
}

/* Products that follow each other are looked at where there are several. */
static size_t bits_of(const struct bench_gemm *gemm, const struct strides *strides)
{
	size_t stride = strides->row == 1 ? strides->step : strides->row;
	return stride | (gemm->batch > 1 ? strides->product : 0);
}

/* Rows of sums that kernels are compiled for: 1, 4, 8, 16. Tensor cores take 8 at least. */
static unsigned rows_log(size_t rows, bool tensor)
{
	return rows > 8 ? 4 : rows > 4 || tensor ? 3 : rows > 1 ? 2 : 0;
}

/*
 * A group, in the words of the kernel's files, and how many of them a unit is to have: the fastest on an H200
 * of those that were measured (docs/notes/kernel-experiments.md).
 */
struct shape {
	size_t items, across, depth, of_unit;
};

/* By whether steps are neighbors, and log2 of the rows of sums; there are none of two rows. */
static const struct shape shapes[2][5] = {
	{{512, 8, 8, 1}, {0}, {256, 16, 4, 2}, {256, 16, 4, 2}, {256, 16, 2, 2}},
	{{512, 4, 8, 1}, {0}, {256, 16, 4, 2}, {256, 16, 4, 2}, {512, 32, 4, 1}},
};
static const struct shape tensor_shape = {512, 1, 1, 1};
enum { NARROW = 8 /* work-items side by side, of a group for few lanes */ };

/* Fills in the group; lanes: elements of a vector. */
static void shape(struct bench_opencl_gemm_thin *thin, size_t lanes)
{
	bool tensor = thin->reads >= BENCH_OPENCL_GEMM_THIN_TENSOR;
	const struct shape *shape = tensor ? &tensor_shape : &shapes[thin->along][thin->rows_log];
	thin->items = shape->items;
	thin->across = thin->narrow && shape->across > NARROW ? NARROW : shape->across;
	thin->depth = shape->depth;
	if (tensor) {
		thin->tile = thin->across * 32;
		thin->round = thin->items / thin->tile * thin->depth * 32;
	} else {
		thin->tile = thin->across * (thin->along ? thin->depth : lanes);
		thin->round = thin->items / thin->across * (thin->along ? lanes : thin->depth);
	}
	thin->of_unit = shape->of_unit;
}

struct bench_opencl_gemm_thin bench_opencl_gemm_choose_thin(const struct bench_device *device,
							    const struct bench_gemm *gemm)
{
	bool columns = gemm->n < gemm->m;
	size_t rows = columns ? gemm->n : gemm->m, length = columns ? gemm->m : gemm->n;
	const struct strides matrix = strides_of(gemm, !columns), few = strides_of(gemm, columns);
	size_t lanes = bench_opencl_gemm_lanes(gemm->dtype);
	struct bench_opencl_gemm_thin thin = {
		.columns = columns,
		.along = matrix.step == 1 && (matrix.row != 1 || length == 1),
		.narrow = length <= 64,
	};
	size_t bits = (thin.along ? gemm->k : length) | bits_of(gemm, &matrix);
	bool tensor = bench_dtype_bytes(gemm->dtype) == 2 && device->nvidia_capability >= 8 &&
		      bits % TENSOR_LANES == 0;
	bool vectors =
		few.step == 1 &&
		(gemm->k | (rows > 1 ? few.row : 0) | (gemm->batch > 1 ? few.product : 0)) % TENSOR_LANES ==
			0;
	thin.reads = tensor && vectors ? BENCH_OPENCL_GEMM_THIN_TENSOR_VECTORS
		     : tensor          ? BENCH_OPENCL_GEMM_THIN_TENSOR
		     : bits % lanes    ? BENCH_OPENCL_GEMM_THIN_ELEMENTS
				       : BENCH_OPENCL_GEMM_THIN_VECTORS;
	thin.rows_log = rows_log(rows, tensor);
	shape(&thin, lanes);
	thin.tiles = bench_opencl_divide_up(length, thin.tile) * bench_opencl_gemm_batch(gemm);
	size_t rounds = bench_opencl_divide_up(gemm->k, thin.round);
	size_t most = device->info.compute_units * thin.of_unit;
	size_t share =
		(most < BENCH_OPENCL_GEMM_SPLIT_GROUPS ? most : BENCH_OPENCL_GEMM_SPLIT_GROUPS) / thin.tiles;
	share = share > rounds ? rounds : share;
	thin.rounds = bench_opencl_divide_up(rounds, device->has_fence && share > 1 ? share : 1);
	thin.groups = bench_opencl_divide_up(rounds, thin.rounds);
	return thin;
}

/*
 * From so many rows on, units of other kernels win unless the memory limits: as measured on an H100, where
 * tensor cores multiply f64 too.
 */
enum { FEW_ROWS = 8, FEW_ROWS_F64 = 4 };
static const size_t large = 1 << 21; /* elements of the long operand */

bool bench_opencl_gemm_is_thin(const struct bench_device *device, const struct bench_gemm *gemm)
{
	const size_t rows = gemm->m < gemm->n ? gemm->m : gemm->n, length = gemm->m + gemm->n - rows;
	const bool f64 = gemm->dtype == BENCH_F64 && bench_opencl_has_tensor_cores(device, gemm->dtype);
	if (rows > device->tuned[BENCH_OPENCL_GEMM_THIN] || device->local_bytes < LOCAL_BYTES)
		return false;
	if (device->nvidia_capability < 8 || rows <= (f64 ? FEW_ROWS_F64 : FEW_ROWS))
		return true;
	return !f64 && length * gemm->k >= large &&
	       (bench_dtype_bytes(gemm->dtype) > 2 ||
		bench_opencl_gemm_choose_thin(device, gemm).reads >= BENCH_OPENCL_GEMM_THIN_TENSOR);
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm,
		      const struct bench_opencl_gemm_thin *thin, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	unsigned end = bench_opencl_gemm_end(gemm);
	const struct bench_opencl_variant variant = {
		"gemm_thin.cl",
		"gemm_thin",
		{gemm->dtype, thin->along, thin->reads, thin->narrow, thin->rows_log, end, thin->groups > 1},
		thin->items};
	return bench_opencl_variant(
		device, &variant, kernel, error,
		BENCH_OPENCL_GEMM_OPTIONS
		" -DLANES=%zu -DTHIN=%u -DALONG=%d -DALIGNED=%d -DTENSOR=%d "
		"-DTHIN_VECTORS=%d -DNVIDIA=%u -DITEMS=%zu -DACROSS=%zu -DDEPTH=%zu -DSPLIT=%d",
		BENCH_OPENCL_GEMM_VALUES(gemm->dtype, false, end), bench_opencl_gemm_lanes(gemm->dtype),
		1U << thin->rows_log, thin->along, thin->reads != BENCH_OPENCL_GEMM_THIN_ELEMENTS,
		thin->reads >= BENCH_OPENCL_GEMM_THIN_TENSOR,
		thin->reads == BENCH_OPENCL_GEMM_THIN_TENSOR_VECTORS, device->nvidia_capability, thin->items,
		thin->across, thin->depth, thin->groups > 1);
}

int bench_opencl_gemm_thin(struct bench_device *device, const struct bench_gemm *gemm,
			   struct bench_error *error)
{
	const struct bench_opencl_gemm_thin thin = bench_opencl_gemm_choose_thin(device, gemm);
	struct bench_opencl_kernel *kernel;
	size_t real = bench_opencl_gemm_real(gemm);
	size_t part = thin.tile * real << thin.rows_log;
	if (thin.tiles * thin.groups > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%zu gemm of %zu x %zu have more tiles than device %s runs",
				  bench_opencl_gemm_batch(gemm), gemm->m, gemm->n, device->info.slug);
	if (get_kernel(device, gemm, &thin, &kernel, error) != 0 ||
	    (thin.groups > 1 &&
	     bench_opencl_gemm_reserve_parts(device, thin.tiles * thin.groups * part, error) != 0))
		return -1;
	const struct strides matrix = strides_of(gemm, !thin.columns), few = strides_of(gemm, thin.columns);
	const size_t c_row = thin.columns ? 1 : gemm->ldc, c_lane = thin.columns ? gemm->ldc : 1;
	const size_t rows = thin.columns ? gemm->n : gemm->m, length = thin.columns ? gemm->m : gemm->n;
	union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(gemm->dtype, gemm->beta);
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, thin.columns ? gemm->a : gemm->b);
	BENCH_OPENCL_ULONGS(&list, thin.along ? matrix.row : matrix.step, matrix.product);
	BENCH_OPENCL_MEMORIES(&list, thin.columns ? gemm->b : gemm->a);
	BENCH_OPENCL_ULONGS(&list, few.row, few.step, few.product);
	BENCH_OPENCL_MEMORIES(&list, gemm->c);
	BENCH_OPENCL_ULONGS(&list, c_row, c_lane, gemm->stride_c);
	BENCH_OPENCL_UINTS(&list, rows, length, gemm->k);
	bench_opencl_list_add(&list, real, &alpha);
	bench_opencl_list_add(&list, real, &beta);
	if (thin.groups > 1) {
		BENCH_OPENCL_UINTS(&list, thin.groups, thin.rounds);
		BENCH_OPENCL_MEMORIES(&list, &device->parts, &device->arrived);
	}
	if (gemm->bias) {
		BENCH_OPENCL_MEMORIES(&list, gemm->bias);
		BENCH_OPENCL_UINTS(&list, thin.columns, !thin.columns);
	}
	return bench_opencl_launch_groups(device, kernel, &list, thin.tiles * thin.groups, thin.items, error);
}

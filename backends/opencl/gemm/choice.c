/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/choice.h"

#include <math.h>

#include "backends/opencl/tuning/tuning.h"

#define ALIGNMENT_MMA 16 /* bytes, of all strides of operands that tensor cores take as they are */

/* clang-format off */
#define NONE                                 {0}
#define ALL                                  BENCH_OPENCL_GEMM_TAKES_ALL
#define LOCAL(m, n, k, latency, busy)        {"gemm_gpu.cl", "gemm_local", m, n, k, 256, "", latency, busy, ALL, true, false, 0}
#define LOCAL_WIDE                           {"gemm_gpu.cl", "gemm_local", 128, 256, 8, 256, "", 1460, 1460, \
					      BENCH_OPENCL_GEMM_TAKES_B_BY_STEPS, false, false, 0}
#define MMA(m, n, k, latency, busy, more)    {"gemm_mma.cl", "gemm_mma", m, n, k, 128, more, latency, busy, ALL, true, false, 0}
#define MAPPED(m, n, k, round, between, more, takes) \
					     {"gemm_tma.cl", "gemm_tma", m, n, k, 384, more, round, round, takes, true, true, between}
#define STEPS_TOGETHER                       BENCH_OPENCL_GEMM_TAKES_STEPS_TOGETHER
/* clang-format on */

/* By dtype and size: a large tile reads less, a small one gives more groups to run. */
static const struct bench_opencl_gemm_scheme local_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	[BENCH_F32] = {LOCAL(64, 64, 16, 800, 500), LOCAL(128, 128, 16, 1500, 1500), LOCAL_WIDE},
	[BENCH_F64] = {LOCAL(32, 32, 16, 700, 300), LOCAL(64, 64, 16, 1000, 1000), NONE},
	[BENCH_F16] = {LOCAL(64, 64, 16, 800, 500), LOCAL(128, 128, 16, 1500, 1500), NONE},
	[BENCH_BF16] = {LOCAL(64, 64, 16, 800, 500), LOCAL(128, 128, 16, 1500, 1500), NONE},
};
/* clang-format off */
#define ASYNC(m, n, k, items, more, latency, busy, takes, split) \
	{"gemm_async.cl", "gemm_async", m, n, k, items, more, latency, busy, takes, split, false, 0}
#define ASYNC_SMALL  ASYNC(64, 32, 32, 64, " -DWARPS_N=1 -DAS_STORED=1", 940, 490, ALL, true)
#define ASYNC_NARROW ASYNC(64, 64, 32, 128, " -DAS_STORED=1", 1020, 877, ALL, true)
#define ASYNC_LARGE(more, split) ASYNC(128, 128, 8, 128, " -DDRIFT=1" more, 940, 690, ALL, split)
#define ASYNC_WIDE(more) \
	ASYNC(128, 256, 8, 256, " -DWARPS_N=4 -DDRIFT=1" more, 1335, 1335, BENCH_OPENCL_GEMM_TAKES_B_BY_STEPS, false)
/* clang-format on */

/* f32 on NVIDIA's GPUs, by capability: before 9.0, 9.x, later. More than 48 KiB of local memory takes 9.0. */
static const struct bench_opencl_gemm_scheme async_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{ASYNC_SMALL, ASYNC_LARGE("", true), ASYNC_WIDE(""), NONE},
	{ASYNC_SMALL, ASYNC_LARGE(" -DNVIDIA=9", false), ASYNC_WIDE(" -DSTAGES=4 -DNVIDIA=9"), ASYNC_NARROW},
	{ASYNC_SMALL, ASYNC_LARGE("", true), ASYNC_WIDE(""), NONE},
};
/*
 * By compute capability: 8, 9, later. More stages hide more of the way to memory: 9.0 lets a group have the
 * 96 KiB that three take, and the 225 of gemm_tma.cl, though CL_DEVICE_LOCAL_MEM_SIZE says 48.
 */
static const struct bench_opencl_gemm_scheme mma_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{MMA(64, 64, 32, 200, 125, " -DSTAGES=2"), MMA(128, 128, 32, 330, 330, " -DSTAGES=2"), NONE},
	{MMA(64, 64, 64, 260, 250, " -DSTAGES=3"), MMA(128, 128, 64, 660, 660, " -DSTAGES=3"),
	 MAPPED(128, 256, 64, 705, 500, "", ALL), MAPPED(128, 64, 64, 200, 1500, " -DSTAGES=8", ALL),
	 MAPPED(128, 128, 64, 360, 300, " -DSTAGES=6 -DPINGPONG=1", ALL)},
	{MMA(64, 64, 64, 260, 250, " -DSTAGES=3"), MMA(128, 128, 64, 660, 660, " -DSTAGES=3"), NONE},
};
/* Of tf32: half as many steps are as many bytes and instructions. By mma.sync where steps are neighbors. */
static const struct bench_opencl_gemm_scheme tf32_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{MMA(64, 64, 16, 200, 125, " -DSTAGES=2"), MMA(128, 128, 16, 330, 330, " -DSTAGES=2"), NONE},
	{MMA(64, 64, 32, 260, 250, " -DSTAGES=3"), MMA(128, 128, 32, 540, 540, " -DSTAGES=3"),
	 MAPPED(128, 256, 32, 665, 500, "", STEPS_TOGETHER),
	 MAPPED(128, 64, 32, 180, 1500, " -DSTAGES=8", STEPS_TOGETHER),
	 MAPPED(128, 128, 32, 345, 300, " -DSTAGES=6 -DPINGPONG=1", STEPS_TOGETHER)},
	{MMA(64, 64, 32, 260, 250, " -DSTAGES=3"), MMA(128, 128, 32, 540, 540, " -DSTAGES=3"), NONE},
};

static size_t strides_of(const struct bench_gemm *gemm)
{
	size_t strides = gemm->lda | gemm->ldb | gemm->ldc;
	return gemm->batch > 1 ? strides | gemm->stride_a | gemm->stride_b | gemm->stride_c : strides;
}

/* Tiles of all products. */
static size_t tiles_of(const struct bench_gemm *gemm, const struct bench_opencl_gemm_scheme *scheme)
{
	return bench_opencl_divide_up(gemm->m, scheme->tile_m) *
	       bench_opencl_divide_up(gemm->n, scheme->tile_n) * bench_opencl_gemm_batch(gemm);
}

/* Local memory for the two halves of the tile's operands. */
static bool has_room(const struct bench_device *device, const struct bench_gemm *gemm,
		     const struct bench_opencl_gemm_scheme *scheme)
{
	size_t line = scheme->tile_m + scheme->tile_n + 2 * bench_opencl_gemm_lanes(gemm->dtype);
	size_t real = bench_opencl_gemm_real(gemm);
	return 2 * scheme->tile_k * line * real <= device->local_bytes;
}

/* Do tensor cores take rows and matrices that lie so far from each other? */
static bool is_aligned(const struct bench_gemm *gemm, size_t strides)
{
	return strides * bench_dtype_bytes(gemm->dtype) % ALIGNMENT_MMA == 0;
}

static size_t strides_of_operand(const struct bench_gemm *gemm, size_t ld, size_t stride)
{
	return gemm->batch > 1 ? ld | stride : ld;
}

/* The widest tile needs vectors, and has no code for edges but those of vectors. */
static bool takes_wide(const struct bench_gemm *gemm, const struct bench_opencl_gemm_choice *choice)
{
	return choice->fit != BENCH_OPENCL_GEMM_ANY &&
	       !(choice->fit == BENCH_OPENCL_GEMM_EXACT && gemm->n % choice->scheme->tile_n);
}

static bool is_possible(const struct bench_device *device, const struct bench_gemm *gemm,
			const struct bench_opencl_gemm_choice *choice)
{
	if (!choice->scheme->tile_m)
		return false;
	if (choice->scheme->maps)
		return !device->no_wgmma;
	if (choice->mma)
		return is_aligned(gemm, strides_of(gemm));
	if (choice->size == BENCH_OPENCL_GEMM_WIDE && !takes_wide(gemm, choice))
		return false;
	return choice->size == BENCH_OPENCL_GEMM_SMALL || has_room(device, gemm, choice->scheme);
}

static enum bench_opencl_gemm_fit fit_of(const struct bench_gemm *gemm,
					 const struct bench_opencl_gemm_scheme *scheme, bool exact)
{
	size_t strides_c = strides_of_operand(gemm, gemm->ldc, gemm->stride_c);
	if (scheme->maps)
		return is_aligned(gemm, strides_c | gemm->n) ? BENCH_OPENCL_GEMM_EXACT
		       : strides_c % 2 == 0                  ? BENCH_OPENCL_GEMM_ALIGNED
							     : BENCH_OPENCL_GEMM_ANY;
	bool aligned = strides_of(gemm) % bench_opencl_gemm_lanes(gemm->dtype) == 0;
	return exact ? BENCH_OPENCL_GEMM_EXACT : aligned ? BENCH_OPENCL_GEMM_ALIGNED : BENCH_OPENCL_GEMM_ANY;
}

/* ns of copying an operand, turned or padded: read and written at 3 TB/s, and a launch. */
static double copying(const struct bench_gemm *gemm, size_t rows, size_t columns, size_t stride)
{
	size_t count = stride ? bench_opencl_gemm_batch(gemm) : 1;
	return 3000 + 2 * (double)(count * rows * columns * bench_dtype_bytes(gemm->dtype)) / 3000;
}

/* Fills in which operands are to be copied for the kernel, and how, and gives what that costs. */
static double add_copies(const struct bench_gemm *gemm, struct bench_opencl_gemm_choice *choice)
{
	enum bench_opencl_gemm_takes takes = choice->scheme->takes;
	bool maps = choice->scheme->maps;
	choice->turn_a = takes == STEPS_TOGETHER && gemm->trans_a;
	choice->turn_b = takes == STEPS_TOGETHER ? !gemm->trans_b : takes != ALL && gemm->trans_b;
	choice->pad_a = maps && !choice->turn_a &&
			!is_aligned(gemm, strides_of_operand(gemm, gemm->lda, gemm->stride_a));
	choice->pad_b = maps && !choice->turn_b &&
			!is_aligned(gemm, strides_of_operand(gemm, gemm->ldb, gemm->stride_b));
	return (choice->turn_a || choice->pad_a ? copying(gemm, gemm->m, gemm->k, gemm->stride_a) : 0) +
	       (choice->turn_b || choice->pad_b ? copying(gemm, gemm->k, gemm->n, gemm->stride_b) : 0);
}

/*
 * How much longer a round takes for how the operands are stored, measured on an H200: An eighth (at 4096)
 * where both are transposed on their way to local memory. With mma.sync, tf32 operands may be read element by
 * element: each costs two fifths in large tiles (at 4096), a tenth in small ones (at 1024).
 */
static double layout_factor(const struct bench_gemm *gemm, const struct bench_opencl_gemm_choice *choice)
{
	if (choice->scheme->takes != ALL)
		return 1;
	if (!choice->mma)
		return !gemm->trans_a && gemm->trans_b ? 1.125 : 1;
	double picked = choice->size == BENCH_OPENCL_GEMM_SMALL ? 1.1 : 1.4;
	return gemm->dtype == BENCH_TF32 ? (gemm->trans_a ? picked : 1) * (gemm->trans_b ? 1 : picked) : 1;
}

/*
 * Fills in what a product costs with `groups` to a tile, in ns of an H200 without the launch: the rounds, one
 * after another, of the unit that has most groups. Where groups share a tile, all of them write and read the
 * sums at 3 TB/s. The last one reads them once more at 117 GB/s, 2 us after the others. The figures fit f32;
 * docs/notes/kernel-experiments.md says how well.
 */
static void add_cost(const struct bench_device *device, const struct bench_gemm *gemm, size_t groups,
		     struct bench_opencl_gemm_choice *choice)
{
	const struct bench_opencl_gemm_scheme *scheme = choice->scheme;
	size_t rounds = bench_opencl_divide_up(gemm->k, scheme->tile_k);
	choice->rounds = bench_opencl_divide_up(rounds, groups);
	choice->groups = bench_opencl_divide_up(rounds, choice->rounds);
	size_t of_unit = bench_opencl_divide_up(choice->tiles * choice->groups, device->info.compute_units);
	double busy = (double)of_unit * scheme->busy;
	double bytes = (double)(scheme->tile_m * scheme->tile_n * choice->groups) *
		       (double)bench_opencl_gemm_real(gemm);
	double round = (busy > scheme->latency ? busy : scheme->latency) * layout_factor(gemm, choice);
	choice->cost = add_copies(gemm, choice) + (double)choice->rounds * round;
	if (scheme->maps) /* one tile after another, at most one group to a unit */
		choice->cost = add_copies(gemm, choice) +
			       (double)of_unit * ((double)choice->rounds * scheme->busy + scheme->between);
	if (choice->groups > 1)
		choice->cost += (2000 + bytes / 117 + 2 * bytes * (double)choice->tiles / 3000) *
				(double)device->tuned[BENCH_OPENCL_GEMM_SHARE] / 100;
}

/* With tensor cores, or without. */
static const struct bench_opencl_gemm_scheme *schemes_of(const struct bench_device *device,
							 const struct bench_gemm *gemm, bool mma)
{
	if (!mma && gemm->dtype == BENCH_F32 && device->nvidia_capability >= 8)
		return async_schemes[device->nvidia_capability < 10 ? device->nvidia_capability - 8 : 2];
	if (!mma)
		return local_schemes[gemm->dtype == BENCH_TF32 ? BENCH_F32 : gemm->dtype];
	unsigned later = device->nvidia_capability < 10 ? device->nvidia_capability - 8 : 2;
	return gemm->dtype == BENCH_TF32 ? tf32_schemes[later] : mma_schemes[later];
}

/* The best of these schemes, if it is better than what is there. */
static void choose_of(const struct bench_device *device, const struct bench_gemm *gemm, bool exact, bool mma,
		      struct bench_opencl_gemm_choice *best)
{
	static const size_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
	const struct bench_opencl_gemm_scheme *schemes = schemes_of(device, gemm, mma);
	struct bench_opencl_gemm_choice choice = {
		.mma = mma, .dtype = gemm->dtype == BENCH_TF32 && !mma ? BENCH_F32 : gemm->dtype};
	for (unsigned size = 0; size < BENCH_OPENCL_GEMM_SIZES; size++) {
		choice.size = (enum bench_opencl_gemm_size)size;
		choice.scheme = &schemes[size];
		choice.fit = fit_of(gemm, choice.scheme, exact);
		if (!is_possible(device, gemm, &choice))
			continue;
		choice.tiles = tiles_of(gemm, choice.scheme);
		bool split = choice.scheme->can_split && device->has_fence;
		for (size_t i = 0; i < (split ? sizeof(splits) / sizeof(*splits) : 1); i++) {
			if (i > 0 && splits[i] * choice.tiles > BENCH_OPENCL_GEMM_SPLIT_GROUPS)
				break;
			add_cost(device, gemm, splits[i], &choice);
			if (choice.cost < best->cost)
				*best = choice;
		}
	}
}

struct bench_opencl_gemm_choice bench_opencl_gemm_choose(const struct bench_device *device,
							 const struct bench_gemm *gemm, bool exact)
{
	struct bench_opencl_gemm_choice best = {.cost = INFINITY};
	bool tensor_cores = !bench_dtype_is_plain(gemm->dtype) && device->nvidia_capability >= 8;
	if (tensor_cores)
		choose_of(device, gemm, exact, true, &best);
	if (!tensor_cores || !is_aligned(gemm, strides_of(gemm)))
		choose_of(device, gemm, exact, false, &best);
	return best;
}

/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/choice.h"

#include <math.h>

#include "backends/opencl/tuning/tuning.h"

#define ALIGNMENT_MMA 16 /* bytes, of all strides of operands that tensor cores take as they are */

/* clang-format off */
#define NONE           {0}
#define ALL            BENCH_OPENCL_GEMM_TAKES_ALL
#define B_BY_STEPS     BENCH_OPENCL_GEMM_TAKES_B_BY_STEPS
#define STEPS_TOGETHER BENCH_OPENCL_GEMM_TAKES_STEPS_TOGETHER

/* By dtype and size: a large tile reads less, a small one gives more groups to run. */
#define LOCAL(m, n, k, latency, busy) \
	{"gemm_gpu.cl", "gemm_local", m, n, k, 256, "", {0, latency, busy, 0, 2000, 8.75}, ALL, true, false}
#define LOCAL_WIDE \
	{"gemm_gpu.cl", "gemm_local", 128, 256, 8, 256, "", {0, 1460, 1460, 0, 0, 0}, B_BY_STEPS, false, false}
static const struct bench_opencl_gemm_scheme local_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	[BENCH_F32] = {LOCAL(64, 64, 16, 800, 500), LOCAL(128, 128, 16, 1500, 1500), LOCAL_WIDE},
	[BENCH_F64] = {LOCAL(32, 32, 16, 700, 300), LOCAL(64, 64, 16, 1000, 1000), NONE},
	[BENCH_F16] = {LOCAL(64, 64, 16, 800, 500), LOCAL(128, 128, 16, 1500, 1500), NONE},
	[BENCH_BF16] = {LOCAL(64, 64, 16, 800, 500), LOCAL(128, 128, 16, 1500, 1500), NONE},
};

/* f32 on NVIDIA's GPUs, by capability: before 9.0, 9.x, later. More than 48 KiB of local memory takes 9.0. */
#define ASYNC(m, n, k, items, more, takes, split, ...) \
	{"gemm_async.cl", "gemm_async", m, n, k, items, more, {__VA_ARGS__}, takes, split, false}
#define ASYNC_TINY ASYNC(32, 32, 32, 256, " -DWARPS_M=1 -DWARPS_K=4 -DAS_STORED=1", ALL, true, 2690, 360, 305, 640, 1130, 20.7)
#define ASYNC_SMALL ASYNC(64, 32, 32, 256, " -DWARPS_N=1 -DWARPS_K=4 -DAS_STORED=1", ALL, true, 3500, 180, 585, 1890, 1330, 19)
#define ASYNC_NARROW ASYNC(64, 64, 32, 128, " -DAS_STORED=1", ALL, true, 4500, 1020, 890, 0, 150, 8.4)
#define ASYNC_MIDDLE ASYNC(128, 64, 16, 128, "", ALL, true, 5500, 930, 735, 0, 0, 6.5)
#define ASYNC_LARGE(more) ASYNC(128, 128, 8, 128, " -DDRIFT=1" more, ALL, true, 7900, 830, 712, 0, 0, 6.4)
#define ASYNC_WIDE(more) ASYNC(128, 256, 8, 256, " -DWARPS_N=4 -DDRIFT=1" more, B_BY_STEPS, false, 5000, 1335, 1335, 2000, 0, 0)
static const struct bench_opencl_gemm_scheme async_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{ASYNC_SMALL, ASYNC_LARGE(""), ASYNC_WIDE(""), NONE, NONE, ASYNC_TINY},
	{ASYNC_SMALL, ASYNC_LARGE(" -DNVIDIA=9"), ASYNC_WIDE(" -DSTAGES=4 -DNVIDIA=9"), ASYNC_NARROW, ASYNC_MIDDLE, ASYNC_TINY},
	{ASYNC_SMALL, ASYNC_LARGE(""), ASYNC_WIDE(""), NONE, NONE, ASYNC_TINY},
};

/*
 * Tensor cores, by compute capability: 8, 9, later. More stages hide more of the way to memory: 9.0 lets a
 * group have the 96 KiB that three take, and the 225 of gemm_tma.cl, though CL_DEVICE_LOCAL_MEM_SIZE says 48.
 */
#define MMA(m, n, k, items, more, ...) \
	{"gemm_mma.cl", "gemm_mma", m, n, k, items, more, {__VA_ARGS__}, ALL, true, false}
#define MAPPED(m, n, k, more, takes, ...) \
	{"gemm_tma.cl", "gemm_tma", m, n, k, 384, more, {__VA_ARGS__}, takes, true, true}
#define TINY(k, stages, ...) MMA(32, 32, k, 512, stages " -DWARPS_K=4", __VA_ARGS__)
#define SMALL_16(stages)     MMA(64, 64, 64, 128, stages, 3000, 330, 230, 100, 900, 10)
#define LARGE_16(stages)     MMA(128, 128, 64, 128, stages, 5600, 830, 600, 500, 1000, 8.6)
#define TINY_16(stages)      TINY(128, stages, 3020, 257, 271, 1080, 1300, 12)
#define MAPPED_16 \
	MAPPED(128, 256, 64, "", ALL, 0, 0, 585, 6210, 0, 8.2), \
	MAPPED(128, 64, 64, " -DSTAGES=8", ALL, 1500, 0, 258, 1830, 815, 8.2), \
	MAPPED(128, 128, 64, " -DSTAGES=6 -DPINGPONG=1", ALL, 2050, 0, 343, 3005, 0, 10.5)
static const struct bench_opencl_gemm_scheme mma_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{MMA(64, 64, 32, 128, " -DSTAGES=2", 3000, 200, 125, 500, 700, 10),
	 MMA(128, 128, 32, 128, " -DSTAGES=2", 7000, 350, 330, 1000, 1300, 5), NONE, NONE, NONE, TINY_16(" -DSTAGES=2")},
	{SMALL_16(" -DSTAGES=3"), LARGE_16(" -DSTAGES=3"), MAPPED_16, TINY_16(" -DSTAGES=3")},
	{SMALL_16(" -DSTAGES=3"), LARGE_16(" -DSTAGES=3"), NONE, NONE, NONE, TINY_16(" -DSTAGES=3")},
};
/* Of 16 bits where strides are no multiples of 16 bytes: not on 9.0, and on 9.0. */
#define ODD_SMALL MMA(64, 64, 64, 256, " -DSTAGES=2 -DWARPS_M=4", 2790, 870, 642, 560, 900, 4.6)
#define ODD_LARGE MMA(128, 128, 32, 256, " -DSTAGES=2 -DWARPS_M=4", 5280, 1000, 877, 3235, 750, 3.7)
#define ODD_TINY  TINY(128, " -DSTAGES=2", 2475, 774, 817, 1460, 1225, 16.5)
static const struct bench_opencl_gemm_scheme odd_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{ODD_SMALL, ODD_LARGE, NONE, NONE, NONE, ODD_TINY},
	{ODD_SMALL, ODD_LARGE, MAPPED_16, ODD_TINY},
};
/* Of tf32: half as many steps are as many bytes and instructions. By mma.sync where steps are neighbors. */
#define SMALL_TF32(k, stages) MMA(64, 64, k, 128, stages, 3400, 335, 254, 120, 700, 9.5)
#define LARGE_TF32(k, stages) MMA(128, 128, k, 128, stages, 7500, 770, 540, 0, 1600, 9)
#define TINY_TF32(stages)     TINY(64, stages, 2860, 156, 277, 1120, 1255, 16.3)
static const struct bench_opencl_gemm_scheme tf32_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{SMALL_TF32(16, " -DSTAGES=2"), LARGE_TF32(16, " -DSTAGES=2"), NONE, NONE, NONE, TINY_TF32(" -DSTAGES=2")},
	{SMALL_TF32(32, " -DSTAGES=3"), LARGE_TF32(32, " -DSTAGES=3"),
	 MAPPED(128, 256, 32, "", STEPS_TOGETHER, 0, 0, 564, 8360, 440, 7.8),
	 MAPPED(128, 64, 32, " -DSTAGES=8", STEPS_TOGETHER, 1100, 0, 197, 2745, 980, 7.9),
	 MAPPED(128, 128, 32, " -DSTAGES=6 -DPINGPONG=1", STEPS_TOGETHER, 990, 0, 311, 5280, 590, 9.5), TINY_TF32(" -DSTAGES=3")},
	{SMALL_TF32(32, " -DSTAGES=3"), LARGE_TF32(32, " -DSTAGES=3"), NONE, NONE, NONE, TINY_TF32(" -DSTAGES=3")},
};
/* Of f64, on 9.0 alone: others have no such units, or none that are faster than plain ones. */
static const struct bench_opencl_gemm_scheme f64_schemes[BENCH_OPENCL_GEMM_SIZES] = {
	MMA(64, 64, 16, 128, " -DSTAGES=3", 3200, 300, 325, 750, 1800, 9.7),
	MMA(128, 64, 16, 256, " -DSTAGES=3 -DWARPS_M=4", 3700, 400, 590, 1800, 3000, 8),
	NONE, NONE, NONE,
	MMA(32, 32, 32, 256, " -DSTAGES=3 -DWARPS_K=2", 2245, 315, 278, 600, 1315, 12.8),
};
/* clang-format on */

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
		return true;
	if (choice->size == BENCH_OPENCL_GEMM_WIDE && !takes_wide(gemm, choice))
		return false;
	return choice->size == BENCH_OPENCL_GEMM_SMALL || has_room(device, gemm, choice->scheme);
}

static enum bench_opencl_gemm_fit fit_of(const struct bench_gemm *gemm,
					 const struct bench_opencl_gemm_scheme *scheme, bool mma, bool exact)
{
	size_t strides_c = strides_of_operand(gemm, gemm->ldc, gemm->stride_c);
	if (scheme->maps)
		return is_aligned(gemm, strides_c | gemm->n) ? BENCH_OPENCL_GEMM_EXACT
							     : BENCH_OPENCL_GEMM_ANY;
	bool aligned = mma ? is_aligned(gemm, strides_of(gemm))
			   : strides_of(gemm) % bench_opencl_gemm_lanes(gemm->dtype) == 0;
	return exact ? BENCH_OPENCL_GEMM_EXACT : aligned ? BENCH_OPENCL_GEMM_ALIGNED : BENCH_OPENCL_GEMM_ANY;
}

/* ns of copying an operand, turned or padded, at the rate that was measured. */
static double copying(const struct bench_gemm *gemm, size_t rows, size_t columns, size_t stride)
{
	size_t count = stride ? bench_opencl_gemm_batch(gemm) : 1, bytes = bench_dtype_bytes(gemm->dtype);
	return 2 * (double)(count * rows * columns * bytes) / (bytes == 2 ? 3470 : 2770);
}

/* Fills in which operands are to be copied for the kernel, and how, and gives what that costs: one launch,
 * and the copies. */
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
	bool a = choice->turn_a || choice->pad_a, b = choice->turn_b || choice->pad_b;
	double launch = bench_dtype_bytes(gemm->dtype) == 2 ? 1770 : 2200;
	return (a || b ? launch : 0) + (a ? copying(gemm, gemm->m, gemm->k, gemm->stride_a) : 0) +
	       (b ? copying(gemm, gemm->k, gemm->n, gemm->stride_b) : 0);
}

/*
 * How much longer a round takes for how the operands are stored, as measured. In f32 an eighth where both are
 * transposed on their way to local memory (at 4096, on an H200). In tf32 with mma.sync three fifths where
 * strides are no multiples of 16 bytes, and so again in large tiles for an operand that is read element by
 * element.
 */
static double layout_factor(const struct bench_gemm *gemm, const struct bench_opencl_gemm_choice *choice)
{
	if (choice->scheme->takes != ALL)
		return 1;
	if (!choice->mma)
		return !gemm->trans_a && gemm->trans_b ? 1.125 : 1;
	if (gemm->dtype != BENCH_TF32)
		return 1;
	double picked = choice->size == BENCH_OPENCL_GEMM_LARGE ? 1.6 : 1;
	return (choice->fit == BENCH_OPENCL_GEMM_ANY ? 1.6 : 1) * (gemm->trans_a ? picked : 1) *
	       (gemm->trans_b ? 1 : picked);
}

/* How much of `between` a tile of gemm_tma.cl takes, for how C can be written: most of it is that. */
static double written_factor(enum bench_opencl_gemm_fit fit)
{
	return fit == BENCH_OPENCL_GEMM_EXACT ? 0.6 : 1;
}

/*
 * Fills in what a product costs with `groups` to a tile: the rounds, one after another, of the unit that has
 * most groups. Where groups share a tile, all of them write and read the sums at 3 TB/s, and the last one
 * adds them up. docs/notes/kernel-experiments.md says how well this fits.
 */
static void add_cost(const struct bench_device *device, const struct bench_gemm *gemm, size_t groups,
		     struct bench_opencl_gemm_choice *choice)
{
	const struct bench_opencl_gemm_scheme *scheme = choice->scheme;
	size_t rounds = bench_opencl_divide_up(gemm->k, scheme->tile_k);
	choice->rounds = bench_opencl_divide_up(rounds, groups);
	choice->groups = bench_opencl_divide_up(rounds, choice->rounds);
	double of_unit =
		(double)bench_opencl_divide_up(choice->tiles * choice->groups, device->info.compute_units);
	double bytes = (double)(scheme->tile_m * scheme->tile_n * choice->groups) *
		       (double)bench_opencl_gemm_real(gemm);
	double all = of_unit * scheme->ns.busy; /* of the unit's groups, for a round of each */
	double tiles = scheme->maps ? of_unit * written_factor(choice->fit) : of_unit - 1;
	choice->cost = add_copies(gemm, choice) + scheme->ns.start + tiles * scheme->ns.between +
		       (double)choice->rounds * layout_factor(gemm, choice) *
			       (all > scheme->ns.latency ? all : scheme->ns.latency);
	if (choice->groups > 1)
		choice->cost += (scheme->ns.join + bytes * scheme->ns.join_kib / 1024 +
				 2 * bytes * (double)choice->tiles / 3000) *
				(double)device->tuned[BENCH_OPENCL_GEMM_SHARE] / 100;
}

/* With tensor cores, or without. */
static const struct bench_opencl_gemm_scheme *schemes_of(const struct bench_device *device,
							 const struct bench_gemm *gemm, bool mma)
{
	unsigned later = device->nvidia_capability < 10 ? device->nvidia_capability - 8 : 2;
	if (!mma && gemm->dtype == BENCH_F32 && device->nvidia_capability >= 8)
		return async_schemes[later];
	if (!mma)
		return local_schemes[gemm->dtype == BENCH_TF32 ? BENCH_F32 : gemm->dtype];
	if (gemm->dtype == BENCH_F64)
		return f64_schemes;
	if (gemm->dtype == BENCH_TF32)
		return tf32_schemes[later];
	return is_aligned(gemm, strides_of(gemm)) ? mma_schemes[later] : odd_schemes[later == 1];
}

size_t bench_opencl_gemm_choices(const struct bench_device *device, const struct bench_gemm *gemm, bool exact,
				 struct bench_opencl_gemm_choice choices[BENCH_OPENCL_GEMM_CHOICES])
{
	static const size_t splits[BENCH_OPENCL_GEMM_SPLITS] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
	bool mma = bench_opencl_has_tensor_cores(device, gemm->dtype);
	const struct bench_opencl_gemm_scheme *schemes = schemes_of(device, gemm, mma);
	struct bench_opencl_gemm_choice choice = {
		.mma = mma, .dtype = gemm->dtype == BENCH_TF32 && !mma ? BENCH_F32 : gemm->dtype};
	size_t count = 0;
	for (unsigned size = 0; size < BENCH_OPENCL_GEMM_SIZES; size++) {
		choice.size = (enum bench_opencl_gemm_size)size;
		choice.scheme = &schemes[size];
		choice.fit = fit_of(gemm, choice.scheme, mma, exact);
		if (!is_possible(device, gemm, &choice))
			continue;
		choice.tiles = tiles_of(gemm, choice.scheme);
		size_t rounds = bench_opencl_divide_up(gemm->k, choice.scheme->tile_k);
		bool split = choice.scheme->can_split && device->has_fence;
		for (size_t i = 0; i < (split ? BENCH_OPENCL_GEMM_SPLITS : 1); i++) {
			if (i > 0 &&
			    (splits[i] > rounds || splits[i] * choice.tiles > BENCH_OPENCL_GEMM_SPLIT_GROUPS))
				break;
			add_cost(device, gemm, splits[i], &choice);
			choices[count++] = choice;
		}
	}
	return count;
}

struct bench_opencl_gemm_choice bench_opencl_gemm_choose(const struct bench_device *device,
							 const struct bench_gemm *gemm, bool exact)
{
	struct bench_opencl_gemm_choice choices[BENCH_OPENCL_GEMM_CHOICES];
	size_t count = bench_opencl_gemm_choices(device, gemm, exact, choices), best = 0;
	for (size_t i = 1; i < count; i++)
		if (choices[i].cost < choices[best].cost)
			best = i;
	return choices[best];
}

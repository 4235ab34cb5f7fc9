/*
 * GEMM on GPUs: kernels/gemm_gpu.cl on any device and for any type; for f16, bf16 and tf32, where there are
 * NVIDIA's tensor cores, gemm_mma.cl, and for the first two gemm_wgmma.cl on Hopper. They take the same
 * arguments; the files say how they work.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "gemm.h"

#define ALIGNMENT_MMA 16   /* bytes, of all strides */
#define SPLIT_GROUPS  2048 /* at most, where tiles have several: 128 MiB of sums */

/*
 * A kernel, the tile of C that one of its groups computes, and what a round of TILE_K steps costs on an H200,
 * in ns: `latency` for a group alone on its compute unit, `busy` for each of many. Of other devices the
 * ratios count.
 */
struct scheme {
	const char *source, *name;
	size_t tile_m, tile_n, tile_k; /* tile_m 0: there is none */
	size_t items;                  /* work-items of a group */
	const char *options;
	double latency, busy;
	bool any_transposes; /* as fast where B is stored transposed */
	bool can_split;      /* a tile can have several groups */
};

/* clang-format off */
#define NONE                                 {0}
#define LOCAL(m, n, k, latency, busy, split) {"gemm_gpu.cl", "gemm_local", m, n, k, 256, "", latency, busy, false, split}
#define MMA(m, n, k, latency, busy, more)    {"gemm_mma.cl", "gemm_mma", m, n, k, 128, more, latency, busy, true, true}
#define WGMMA                                {"gemm_wgmma.cl", "gemm_wgmma", 128, 256, 64, 256, "", 950, 950, true, false}
/* clang-format on */

/* By dtype and size: a large tile reads less, a small one gives more groups to run. */
static const struct scheme local_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	[BENCH_F32] = {LOCAL(64, 64, 16, 800, 500, true), LOCAL(128, 128, 16, 1500, 1500, true),
		       LOCAL(128, 256, 8, 1460, 1460, false)},
	[BENCH_F64] = {LOCAL(32, 32, 16, 700, 300, true), LOCAL(64, 64, 16, 1000, 1000, true), NONE},
	[BENCH_F16] = {LOCAL(64, 64, 16, 800, 500, true), LOCAL(128, 128, 16, 1500, 1500, true), NONE},
	[BENCH_BF16] = {LOCAL(64, 64, 16, 800, 500, true), LOCAL(128, 128, 16, 1500, 1500, true), NONE},
};
/*
 * By compute capability: 8, 9, later. More stages hide more of the way to memory: 9.0 lets a group have the
 * 96 KiB that three take, and the 192 of wgmma's four, though CL_DEVICE_LOCAL_MEM_SIZE says 48.
 */
static const struct scheme mma_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{MMA(64, 64, 32, 200, 125, " -DSTAGES=2"), MMA(128, 128, 32, 330, 330, " -DSTAGES=2"), NONE},
	{MMA(64, 64, 64, 260, 250, " -DSTAGES=3"), MMA(128, 128, 64, 660, 660, " -DSTAGES=3"), WGMMA},
	{MMA(64, 64, 64, 260, 250, " -DSTAGES=3"), MMA(128, 128, 64, 660, 660, " -DSTAGES=3"), NONE},
};
/* Of tf32: half as many steps are as many bytes and instructions. */
static const struct scheme tf32_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{MMA(64, 64, 16, 200, 125, " -DSTAGES=2"), MMA(128, 128, 16, 330, 330, " -DSTAGES=2"), NONE},
	{MMA(64, 64, 32, 260, 250, " -DSTAGES=3"), MMA(128, 128, 32, 660, 660, " -DSTAGES=3"), NONE},
	{MMA(64, 64, 32, 260, 250, " -DSTAGES=3"), MMA(128, 128, 32, 660, 660, " -DSTAGES=3"), NONE},
};

/* What the kernel may rely on: nothing, rows at multiples of its vectors, no edges. */
enum fit { FIT_ANY, FIT_ALIGNED, FIT_EXACT };

/* Elements of a vector: 16 bytes of the type that is computed in. */
static size_t lanes_of(enum bench_dtype dtype)
{
	return 16 / bench_dtype_bytes(bench_opencl_gemm_computes(dtype));
}

static size_t strides_of(const struct bench_gemm *gemm)
{
	size_t strides = gemm->lda | gemm->ldb | gemm->ldc;
	return gemm->batch > 1 ? strides | gemm->stride_a | gemm->stride_b | gemm->stride_c : strides;
}

/* Tiles of all products. */
static size_t tiles_of(const struct bench_gemm *gemm, const struct scheme *scheme)
{
	return bench_opencl_divide_up(gemm->m, scheme->tile_m) *
	       bench_opencl_divide_up(gemm->n, scheme->tile_n) * bench_opencl_gemm_batch(gemm);
}

/* Local memory for the two halves of the tile's operands. */
static bool has_room(const struct bench_device *device, const struct bench_gemm *gemm,
		     const struct scheme *scheme)
{
	cl_ulong local_bytes = 0;
	size_t needed = 2 * scheme->tile_k * (scheme->tile_m + scheme->tile_n + 2 * lanes_of(gemm->dtype)) *
			bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	clGetDeviceInfo(device->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_bytes), &local_bytes, NULL);
	return needed <= local_bytes;
}

/*
 * The widest tile needs vectors, and little to transpose on the way in: f32, 4096, 46.9 TFLOP/s as
 * against 37.8 with B transposed.
 */
static bool takes_wide(const struct bench_device *device, const struct bench_gemm *gemm, enum fit fit,
		       const struct scheme *scheme, bool mma)
{
	if ((gemm->trans_b && !scheme->any_transposes) || fit == FIT_ANY ||
	    (fit == FIT_EXACT && gemm->n % scheme->tile_n))
		return false;
	return !(mma && device->gemm.no_wgmma);
}

/* A size of tile, how many groups share one, and the rounds of each of these. */
struct choice {
	enum bench_opencl_gemm_size size;
	size_t groups, rounds;
	double cost;
};

/*
 * What a product costs with `groups` to a tile, in ns of an H200 without the launch: the rounds, one after
 * another, of the unit that has most groups; and, where they share, the sums, written and read by all groups
 * at 3 TB/s, and read once more by the last group of a tile, at 117 GB/s, 2 us after the others. The figures
 * fit f32; docs/kernels.md says how well.
 */
static struct choice cost_of(const struct bench_device *device, const struct bench_gemm *gemm,
			     const struct scheme *scheme, size_t groups)
{
	size_t rounds = bench_opencl_divide_up(gemm->k, scheme->tile_k), tiles = tiles_of(gemm, scheme);
	struct choice choice = {.rounds = bench_opencl_divide_up(rounds, groups)};
	choice.groups = bench_opencl_divide_up(rounds, choice.rounds);
	double busy = (double)bench_opencl_divide_up(tiles * choice.groups, device->info.compute_units) *
		      scheme->busy;
	double bytes = (double)(scheme->tile_m * scheme->tile_n * choice.groups) *
		       (double)bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	choice.cost = (double)choice.rounds * (busy > scheme->latency ? busy : scheme->latency);
	if (choice.groups > 1)
		choice.cost += (2000 + bytes / 117 + 2 * bytes * (double)tiles / 3000) *
			       (double)device->tuned[BENCH_OPENCL_GEMM_SHARE] / 100;
	return choice;
}

/* The cheapest of all. */
static struct choice choose(const struct bench_device *device, const struct bench_gemm *gemm, enum fit fit,
			    const struct scheme *schemes, bool mma)
{
	static const size_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
	struct choice best = {.cost = INFINITY};
	for (unsigned size = 0; size < BENCH_OPENCL_GEMM_SIZES; size++) {
		const struct scheme *scheme = &schemes[size];
		if (!scheme->tile_m ||
		    (size == BENCH_OPENCL_GEMM_WIDE && !takes_wide(device, gemm, fit, scheme, mma)) ||
		    (size > 0 && !mma && !has_room(device, gemm, scheme)))
			continue;
		bool split = scheme->can_split && device->has_fence;
		for (size_t i = 0; i < (split ? sizeof(splits) / sizeof(*splits) : 1); i++) {
			if (i > 0 && splits[i] * tiles_of(gemm, scheme) > SPLIT_GROUPS)
				break;
			struct choice choice = cost_of(device, gemm, scheme, splits[i]);
			choice.size = (enum bench_opencl_gemm_size)size;
			if (choice.cost < best.cost)
				best = choice;
		}
	}
	return best;
}

bool bench_opencl_gemm_has_tensor_cores(const struct bench_device *device, const struct bench_gemm *gemm)
{
	return !bench_dtype_is_plain(gemm->dtype) && device->nvidia_capability >= 8 &&
	       strides_of(gemm) * bench_dtype_bytes(gemm->dtype) % ALIGNMENT_MMA == 0;
}

/* A kernel whose group is larger than the device can run would fail at launch with less to say. */
static int check_group(struct bench_device *device, const struct bench_opencl_kernel *kernel, size_t items,
		       struct bench_error *error)
{
	size_t limit = 0;
	cl_int status = clGetKernelWorkGroupInfo(kernel->handle, device->id, CL_KERNEL_WORK_GROUP_SIZE,
						 sizeof(limit), &limit, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetKernelWorkGroupInfo", kernel->name);
	if (limit < items)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "gemm needs work-groups of %zu, device %s runs at most %zu of kernel %s",
				  items, device->info.slug, limit, kernel->name);
	return 0;
}

/* Memory for the sums of all groups, and a counter for each tile that is 0 between calls. */
static int reserve_parts(struct bench_device *device, const struct bench_gemm *gemm,
			 const struct scheme *scheme, size_t groups, struct bench_error *error)
{
	size_t real = bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	size_t bytes = tiles_of(gemm, scheme) * groups * scheme->tile_m * scheme->tile_n * real;
	if (bench_opencl_reserve(device, &device->gemm.partial, bytes, error) != 0)
		return -1;
	if (device->gemm.arrived.memory)
		return 0;
	const cl_uint none = 0;
	size_t size = SPLIT_GROUPS * sizeof(none); /* there are fewer tiles */
	if (bench_opencl_reserve(device, &device->gemm.arrived, size, error) != 0)
		return -1;
	cl_int status = clEnqueueFillBuffer(bench_opencl_queue(device), device->gemm.arrived.memory, &none,
					    sizeof(none), 0, size, 0, NULL, NULL);
	return status == CL_SUCCESS
		       ? 0
		       : bench_opencl_fail(error, device, status, "clEnqueueFillBuffer", "gemm's counters");
}

static const struct scheme *schemes_of(const struct bench_device *device, const struct bench_gemm *gemm,
				       bool mma)
{
	if (!mma)
		return local_schemes[gemm->dtype];
	unsigned later = device->nvidia_capability < 10 ? device->nvidia_capability - 8 : 2;
	return gemm->dtype == BENCH_TF32 ? tf32_schemes[later] : mma_schemes[later];
}

static enum fit fit_of(const struct bench_gemm *gemm, bool exact)
{
	if (exact)
		return FIT_EXACT;
	return strides_of(gemm) % lanes_of(gemm->dtype) == 0 ? FIT_ALIGNED : FIT_ANY;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm, const struct scheme *scheme,
		      enum fit fit, bool split, struct bench_opencl_kernel **slot, struct bench_error *error)
{
	/* As the tensor kernels count types. */
	static const int types[BENCH_DTYPES] = {[BENCH_F16] = 1, [BENCH_BF16] = 2, [BENCH_TF32] = 3};
	unsigned end = bench_opencl_gemm_end(gemm);
	char common[96], options[320];
	struct bench_opencl_kernel *made;
	if (*slot)
		return 0;
	bench_opencl_gemm_options(common, sizeof(common), gemm->dtype, fit == FIT_EXACT, end);
	snprintf(options, sizeof(options),
		 "%s -DLANES=%zu -DTILE_M=%zu -DTILE_N=%zu -DTILE_K=%zu -DTRANS_A=%d -DTRANS_B=%d "
		 "-DALIGNED=%d -DSPLIT=%d -DTYPE=%d -DBAND=%" PRIu64 "%s",
		 common, lanes_of(gemm->dtype), scheme->tile_m, scheme->tile_n, scheme->tile_k, gemm->trans_a,
		 gemm->trans_b, fit != FIT_ANY, split, types[gemm->dtype],
		 device->tuned[BENCH_OPENCL_GEMM_BAND], scheme->options);
	if (bench_opencl_kernel(device, scheme->source, options, scheme->name, &made, error) != 0 ||
	    check_group(device, made, scheme->items, error) != 0)
		return -1;
	*slot = made;
	return 0;
}

int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error)
{
	size_t real = bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	enum fit fit = fit_of(gemm, exact);
	bool mma = bench_opencl_gemm_has_tensor_cores(device, gemm);
	const struct scheme *schemes = schemes_of(device, gemm, mma);
	const struct choice choice = choose(device, gemm, fit, schemes, mma);
	const struct scheme *scheme = &schemes[choice.size];
	unsigned end = bench_opencl_gemm_end(gemm);
	struct bench_opencl_kernel **kernel =
		&device->gemm.gpu_kernels[gemm->dtype][mma][choice.size][gemm->trans_a][gemm->trans_b][fit]
					 [end][choice.groups > 1];
	if (get_kernel(device, gemm, scheme, fit, choice.groups > 1, kernel, error) != 0) {
		/* A driver that does not build wgmma has the other tensor kernel, which any driver builds. */
		if (!mma || choice.size != BENCH_OPENCL_GEMM_WIDE || error->code != BENCH_UNSUPPORTED)
			return -1;
		device->gemm.no_wgmma = true;
		return bench_opencl_gemm_gpu(device, gemm, exact, error);
	}
	size_t tiles = tiles_of(gemm, scheme);
	if (tiles > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%zu gemm of %zu x %zu have more tiles than device %s runs",
				  bench_opencl_gemm_batch(gemm), gemm->m, gemm->n, device->info.slug);
	cl_ulong lda = gemm->lda, ldb = gemm->ldb, ldc = gemm->ldc;
	cl_ulong stride_a = gemm->stride_a, stride_b = gemm->stride_b, stride_c = gemm->stride_c;
	cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n, k = (cl_uint)gemm->k;
	union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(gemm->dtype, gemm->beta);
	if (choice.groups > 1 && reserve_parts(device, gemm, scheme, choice.groups, error) != 0)
		return -1;
	struct bench_opencl_argument arguments[19] = {
		{sizeof(cl_mem), &gemm->a->memory},
		{sizeof(lda), &lda},
		{sizeof(stride_a), &stride_a},
		{sizeof(cl_mem), &gemm->b->memory},
		{sizeof(ldb), &ldb},
		{sizeof(stride_b), &stride_b},
		{sizeof(cl_mem), &gemm->c->memory},
		{sizeof(ldc), &ldc},
		{sizeof(stride_c), &stride_c},
		{sizeof(m), &m},
		{sizeof(n), &n},
		{sizeof(k), &k},
		{real, &alpha},
		{real, &beta},
	};
	cl_uint count = 14, groups = (cl_uint)choice.groups, rounds = (cl_uint)choice.rounds;
	if (groups > 1) {
		arguments[count++] = (struct bench_opencl_argument){sizeof(groups), &groups};
		arguments[count++] = (struct bench_opencl_argument){sizeof(rounds), &rounds};
		arguments[count++] =
			(struct bench_opencl_argument){sizeof(cl_mem), &device->gemm.partial.memory};
		arguments[count++] =
			(struct bench_opencl_argument){sizeof(cl_mem), &device->gemm.arrived.memory};
	}
	if (gemm->bias)
		arguments[count++] = (struct bench_opencl_argument){sizeof(cl_mem), &gemm->bias->memory};
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = count,
		.dimensions = 1,
		.global = {tiles * choice.groups * scheme->items},
		.local = {scheme->items},
	};
	return bench_opencl_launch(device, *kernel, &launch, error);
}

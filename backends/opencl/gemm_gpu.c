/*
 * GEMM on GPUs: kernels/gemm_gpu.cl on any device and for any type; for half, where there are NVIDIA's tensor
 * cores, gemm_mma.cl, and gemm_wgmma.cl on Hopper. They take the same arguments; the files say how they work.
 */
#include <stdio.h>

#include "gemm.h"

#define ALIGNMENT_MMA 8 /* elements, of all strides */

/* A kernel and the tile of C that one of its groups computes. */
struct scheme {
	const char *source, *name;
	size_t tile_m, tile_n, tile_k; /* tile_m 0: there is none */
	size_t items;                  /* work-items of a group */
	const char *options;
	bool any_transposes; /* as fast where B is stored transposed */
};

/* clang-format off */
#define NONE                {0}
#define LOCAL(m, n, k)      {"gemm_gpu.cl", "gemm_local", m, n, k, 256, "", false}
#define MMA(m, n, k, more)  {"gemm_mma.cl", "gemm_mma", m, n, k, 128, more, true}
#define WGMMA               {"gemm_wgmma.cl", "gemm_wgmma", 128, 256, 64, 256, "", true}
/* clang-format on */

/* By dtype and size: a large tile reads less, a small one gives more groups to run. */
static const struct scheme local_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	[BENCH_F32] = {LOCAL(64, 64, 16), LOCAL(128, 128, 16), LOCAL(128, 256, 8)},
	[BENCH_F64] = {LOCAL(32, 32, 16), LOCAL(64, 64, 16), NONE},
	[BENCH_F16] = {LOCAL(64, 64, 16), LOCAL(128, 128, 16), NONE},
};
/*
 * By compute capability: 8, 9, later. More stages hide more of the way to memory: 9.0 lets a group have the
 * 96 KiB that three take, and the 192 of wgmma's four, though CL_DEVICE_LOCAL_MEM_SIZE says 48.
 */
static const struct scheme mma_schemes[][BENCH_OPENCL_GEMM_SIZES] = {
	{MMA(64, 64, 32, " -DSTAGES=2"), MMA(128, 128, 32, " -DSTAGES=2"), NONE},
	{MMA(64, 64, 64, " -DSTAGES=3"), MMA(128, 128, 64, " -DSTAGES=3"), WGMMA},
	{MMA(64, 64, 64, " -DSTAGES=3"), MMA(128, 128, 64, " -DSTAGES=3"), NONE},
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
 * A group of the widest tile has a compute unit to itself. It pays where few units wait for the last ones,
 * and where little has to be transposed on the way in: then a fifth more (H200, f32, 4096).
 */
static bool is_wide(const struct bench_device *device, const struct bench_gemm *gemm, enum fit fit,
		    const struct scheme *scheme)
{
	if (!scheme->tile_m || (gemm->trans_b && !scheme->any_transposes) || fit == FIT_ANY ||
	    (fit == FIT_EXACT && gemm->n % scheme->tile_n))
		return false;
	size_t tiles = tiles_of(gemm, scheme), units = device->info.compute_units;
	size_t rounds = bench_opencl_divide_up(tiles, units);
	return 5 * tiles >= 4 * rounds * units;
}

/* Large tiles where there are enough of them for every compute unit. */
static enum bench_opencl_gemm_size choose_size(const struct bench_device *device,
					       const struct bench_gemm *gemm, enum fit fit,
					       const struct scheme *schemes, bool mma)
{
	const struct scheme *large = &schemes[BENCH_OPENCL_GEMM_LARGE],
			    *wide = &schemes[BENCH_OPENCL_GEMM_WIDE];
	if (!(mma && device->gemm.no_wgmma) && is_wide(device, gemm, fit, wide) &&
	    (mma || has_room(device, gemm, wide)))
		return BENCH_OPENCL_GEMM_WIDE;
	bool enough = tiles_of(gemm, large) >= device->info.compute_units;
	return enough && (mma || has_room(device, gemm, large)) ? BENCH_OPENCL_GEMM_LARGE
								: BENCH_OPENCL_GEMM_SMALL;
}

/* Are there tensor cores that can take the problem? What ends in a bias or an activation, they do not. */
static bool can_mma(const struct bench_device *device, const struct bench_gemm *gemm)
{
	return gemm->dtype == BENCH_F16 && device->nvidia_capability >= 8 &&
	       bench_opencl_gemm_end(gemm) == 0 && strides_of(gemm) % ALIGNMENT_MMA == 0;
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

static enum fit fit_of(const struct bench_gemm *gemm, bool exact)
{
	if (exact)
		return FIT_EXACT;
	return strides_of(gemm) % lanes_of(gemm->dtype) == 0 ? FIT_ALIGNED : FIT_ANY;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm, const struct scheme *scheme,
		      enum fit fit, struct bench_opencl_kernel **slot, struct bench_error *error)
{
	unsigned end = bench_opencl_gemm_end(gemm);
	char common[96], options[320];
	struct bench_opencl_kernel *made;
	if (*slot)
		return 0;
	bench_opencl_gemm_options(common, sizeof(common), gemm->dtype, fit == FIT_EXACT, end);
	snprintf(options, sizeof(options),
		 "%s -DLANES=%zu -DTILE_M=%zu -DTILE_N=%zu -DTILE_K=%zu -DTRANS_A=%d -DTRANS_B=%d "
		 "-DALIGNED=%d%s",
		 common, lanes_of(gemm->dtype), scheme->tile_m, scheme->tile_n, scheme->tile_k, gemm->trans_a,
		 gemm->trans_b, fit != FIT_ANY, scheme->options);
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
	bool mma = can_mma(device, gemm);
	unsigned later = mma ? device->nvidia_capability - 8 : 0;
	const struct scheme *schemes = mma ? mma_schemes[later < 2 ? later : 2] : local_schemes[gemm->dtype];
	enum bench_opencl_gemm_size size = choose_size(device, gemm, fit, schemes, mma);
	const struct scheme *scheme = &schemes[size];
	unsigned end = bench_opencl_gemm_end(gemm);
	struct bench_opencl_kernel **kernel =
		&device->gemm.gpu_kernels[gemm->dtype][mma][size][gemm->trans_a][gemm->trans_b][fit][end];
	if (get_kernel(device, gemm, scheme, fit, kernel, error) != 0) {
		/* A driver that does not build wgmma has the other tensor kernel, which any driver builds. */
		if (!mma || size != BENCH_OPENCL_GEMM_WIDE || error->code != BENCH_UNSUPPORTED)
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
	const struct bench_opencl_argument arguments[] = {
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
		{sizeof(cl_mem), gemm->bias ? &gemm->bias->memory : NULL},
	};
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = (cl_uint)(sizeof(arguments) / sizeof(*arguments)) - !gemm->bias,
		.dimensions = 1,
		.global = {tiles * scheme->items},
		.local = {scheme->items},
	};
	return bench_opencl_launch(device, *kernel, &launch, error);
}

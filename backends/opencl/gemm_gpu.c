/* GEMM on GPUs: kernels/gemm_gpu.cl, which says how it works. */
#include <stdio.h>

#include "gemm.h"

#define SOURCE "gemm_gpu.cl"
#define ITEMS  256 /* work-items of a group */
#define TILE_K 16

/* By [dtype][large]; a large tile reads less, a small one gives more groups to run. */
static const size_t tile_sides[][2] = {
	[BENCH_F32] = {64, 128}, [BENCH_F64] = {32, 64}, [BENCH_F16] = {64, 128}};

/* What the kernel may rely on: nothing, rows at multiples of its vectors, no edges. */
enum fit { FIT_ANY, FIT_ALIGNED, FIT_EXACT };

/* Elements of a vector: 16 bytes of the type that is computed in. */
static size_t lanes_of(enum bench_dtype dtype)
{
	return 16 / bench_dtype_bytes(bench_opencl_gemm_computes(dtype));
}

/* Tiles of all products. */
static size_t tiles_of(const struct bench_gemm *gemm, size_t side)
{
	return bench_opencl_divide_up(gemm->m, side) * bench_opencl_divide_up(gemm->n, side) *
	       bench_opencl_gemm_batch(gemm);
}

/* Large tiles where there are enough of them for every compute unit, and local memory for two halves. */
static bool choose_large(const struct bench_device *device, const struct bench_gemm *gemm)
{
	cl_ulong local_bytes = 0;
	size_t side = tile_sides[gemm->dtype][1];
	size_t needed = (size_t)4 * TILE_K * (side + lanes_of(gemm->dtype)) *
			bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	clGetDeviceInfo(device->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_bytes), &local_bytes, NULL);
	return needed <= local_bytes && tiles_of(gemm, side) >= device->info.compute_units;
}

/* A kernel whose group is larger than the device can run would fail at launch with less to say. */
static int check_group(struct bench_device *device, const struct bench_opencl_kernel *kernel,
		       struct bench_error *error)
{
	size_t limit = 0;
	cl_int status = clGetKernelWorkGroupInfo(kernel->handle, device->id, CL_KERNEL_WORK_GROUP_SIZE,
						 sizeof(limit), &limit, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetKernelWorkGroupInfo", kernel->name);
	if (limit < ITEMS)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "gemm needs work-groups of %d, device %s runs at most %zu of kernel %s",
				  ITEMS, device->info.slug, limit, kernel->name);
	return 0;
}

static enum fit fit_of(const struct bench_gemm *gemm, bool exact)
{
	size_t strides = gemm->lda | gemm->ldb | gemm->ldc;
	if (gemm->batch > 1)
		strides |= gemm->stride_a | gemm->stride_b | gemm->stride_c;
	if (exact)
		return FIT_EXACT;
	return strides % lanes_of(gemm->dtype) == 0 ? FIT_ALIGNED : FIT_ANY;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm, bool large, enum fit fit,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	unsigned end = bench_opencl_gemm_end(gemm);
	struct bench_opencl_kernel **slot =
		&device->gemm.gpu_kernels[gemm->dtype][large][gemm->trans_a][gemm->trans_b][fit][end];
	if (!*slot) {
		char common[96], options[256];
		struct bench_opencl_kernel *made;
		size_t side = tile_sides[gemm->dtype][large];
		bench_opencl_gemm_options(common, sizeof(common), gemm->dtype, fit == FIT_EXACT, end);
		snprintf(options, sizeof(options),
			 "%s -DLANES=%zu -DTILE_M=%zu -DTILE_N=%zu -DTILE_K=%d -DTRANS_A=%d -DTRANS_B=%d "
			 "-DALIGNED=%d",
			 common, lanes_of(gemm->dtype), side, side, TILE_K, gemm->trans_a, gemm->trans_b,
			 fit != FIT_ANY);
		if (bench_opencl_kernel(device, SOURCE, options, "gemm_local", &made, error) != 0 ||
		    check_group(device, made, error) != 0)
			return -1;
		*slot = made;
	}
	*kernel = *slot;
	return 0;
}

int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t real = bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	bool large = choose_large(device, gemm);
	if (get_kernel(device, gemm, large, fit_of(gemm, exact), &kernel, error) != 0)
		return -1;
	size_t tiles = tiles_of(gemm, tile_sides[gemm->dtype][large]);
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
		.global = {tiles * ITEMS},
		.local = {ITEMS},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

/* GEMM on GPUs: kernels/gemm_gpu.cl, which says how it works. */
#include <stdio.h>

#include "gemm.h"

#define SOURCE "gemm_gpu.cl"
#define ITEMS  256 /* work-items of a group */
#define TILE_K 16

/* By [dtype][large]; a large tile reads less, a small one gives more groups to run. */
static const size_t tile_sides[2][2] = {[BENCH_F32] = {64, 128}, [BENCH_F64] = {32, 64}};

/* Elements that one memory instruction of 16 bytes moves. */
static size_t lanes_of(enum bench_dtype dtype)
{
	return 16 / bench_dtype_bytes(dtype);
}

static size_t tiles_of(const struct bench_gemm *gemm, size_t side)
{
	return bench_opencl_divide_up(gemm->m, side) * bench_opencl_divide_up(gemm->n, side);
}

/* Large tiles where there are enough of them for every compute unit, and local memory for two halves. */
static bool choose_large(const struct bench_device *device, const struct bench_gemm *gemm)
{
	cl_ulong local_bytes = 0;
	size_t side = tile_sides[gemm->dtype][1];
	size_t needed = (size_t)4 * TILE_K * (side + lanes_of(gemm->dtype)) * bench_dtype_bytes(gemm->dtype);
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

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm, bool large, bool aligned,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	struct bench_opencl_kernel **slot =
		&device->gemm.gpu_kernels[gemm->dtype][large][gemm->trans_a][gemm->trans_b][aligned];
	if (!*slot) {
		char options[160];
		struct bench_opencl_kernel *made;
		size_t side = tile_sides[gemm->dtype][large];
		snprintf(options, sizeof(options),
			 "-DREAL=%s -DLANES=%zu -DTILE_M=%zu -DTILE_N=%zu -DTILE_K=%d -DTRANS_A=%d "
			 "-DTRANS_B=%d -DALIGNED=%d",
			 gemm->dtype == BENCH_F64 ? "double" : "float", lanes_of(gemm->dtype), side, side,
			 TILE_K, gemm->trans_a, gemm->trans_b, aligned);
		if (bench_opencl_kernel(device, SOURCE, options, "gemm_local", &made, error) != 0 ||
		    check_group(device, made, error) != 0)
			return -1;
		*slot = made;
	}
	*kernel = *slot;
	return 0;
}

int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm,
			  struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t lanes = lanes_of(gemm->dtype), real = bench_dtype_bytes(gemm->dtype);
	bool large = choose_large(device, gemm);
	bool aligned = gemm->lda % lanes == 0 && gemm->ldb % lanes == 0 && gemm->ldc % lanes == 0;
	if (get_kernel(device, gemm, large, aligned, &kernel, error) != 0)
		return -1;
	size_t tiles = tiles_of(gemm, tile_sides[gemm->dtype][large]);
	if (tiles > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "gemm of %zu x %zu has more tiles than device %s runs", gemm->m, gemm->n,
				  device->info.slug);
	cl_ulong lda = gemm->lda, ldb = gemm->ldb, ldc = gemm->ldc;
	cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n, k = (cl_uint)gemm->k;
	union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(gemm->dtype, gemm->beta);
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &gemm->a->memory},
		{sizeof(lda), &lda},
		{sizeof(cl_mem), &gemm->b->memory},
		{sizeof(ldb), &ldb},
		{sizeof(cl_mem), &gemm->c->memory},
		{sizeof(ldc), &ldc},
		{sizeof(m), &m},
		{sizeof(n), &n},
		{sizeof(k), &k},
		{real, &alpha},
		{real, &beta},
	};
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(*arguments),
		.dimensions = 1,
		.global = {tiles * ITEMS},
		.local = {ITEMS},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

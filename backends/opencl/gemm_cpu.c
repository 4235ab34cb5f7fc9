/* GEMM on CPU devices: kernels/gemm_cpu.cl, which says how it works. */
#include <stdio.h>

#include "gemm.h"

#define SOURCE "gemm_cpu.cl"
/* Of one lane of a packed slice: a panel of op(B) then fits in a first-level cache. */
#define SLICE_BYTES 2048
/* Panels of op(A) that stay in a second-level cache while the panels of op(B) pass by. */
#define BLOCK_PANELS 16
/* The largest problem that does without packing. */
#define DIRECT_FLOPS (2.0 * 256 * 256 * 256)
#define DIRECT_STEPS 256

enum { PACK, TILE, DIRECT };

/* A tile is mr rows by 2 vectors of `lanes`. */
struct shape {
	size_t lanes, mr, nr;
};

/*
 * The device's own vector width, within what the kernels are made for. 512-bit vectors
 * come with 32 registers (28 sums, 2 of B, 1 of A), narrower ones with 16 (12, 2, 1).
 */
static struct shape choose_shape(const struct bench_device *device, enum bench_dtype dtype)
{
	cl_uint width = 0;
	clGetDeviceInfo(device->id,
			dtype == BENCH_F64 ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE
					   : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
			sizeof(width), &width, NULL);
	size_t bits = width * bench_dtype_bytes(dtype) * 8;
	bits = bits >= 512 ? 512 : bits >= 256 ? 256 : 128;
	struct shape shape = {.lanes = bits / 8 / bench_dtype_bytes(dtype), .mr = bits == 512 ? 14 : 6};
	shape.nr = 2 * shape.lanes;
	return shape;
}

static int get_kernel(struct bench_device *device, enum bench_dtype dtype, const struct shape *shape,
		      int which, struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[] = {
		[PACK] = "gemm_pack", [TILE] = "gemm_tile", [DIRECT] = "gemm_direct"};
	struct bench_opencl_kernel **slot = &device->gemm.cpu[dtype][which];
	char options[96];
	snprintf(options, sizeof(options), "-DREAL=%s -DLANES=%zu -DMR=%zu -DDIRECT=%d",
		 dtype == BENCH_F64 ? "double" : "float", shape->lanes, shape->mr, which == DIRECT);
	if (!*slot && bench_opencl_kernel(device, SOURCE, options, names[which], slot, error) != 0)
		return -1;
	*kernel = *slot;
	return 0;
}

static int direct(struct bench_device *device, const struct bench_gemm *gemm, const struct shape *shape,
		  struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, gemm->dtype, shape, DIRECT, &kernel, error) != 0)
		return -1;
	size_t real = bench_dtype_bytes(gemm->dtype);
	cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n, k = (cl_uint)gemm->k;
	cl_ulong a_row = gemm->trans_a ? 1 : gemm->lda, a_step = gemm->trans_a ? gemm->lda : 1;
	cl_ulong ldb = gemm->ldb, ldc = gemm->ldc;
	union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(gemm->dtype, gemm->beta);
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &gemm->a->memory},
		{sizeof(a_row), &a_row},
		{sizeof(a_step), &a_step},
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
		.dimensions = 2,
		.global = {bench_opencl_divide_up(gemm->m, shape->mr),
			   bench_opencl_divide_up(gemm->n, shape->nr)},
		.local = {1, 1},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

/* Packs steps first..first+steps-1 of both matrices. */
static int pack(struct bench_device *device, const struct bench_gemm *gemm, const struct shape *shape,
		size_t first, size_t steps, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, gemm->dtype, shape, PACK, &kernel, error) != 0)
		return -1;
	size_t all_panels_a = bench_opencl_divide_up(gemm->m, shape->mr);
	cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n;
	cl_uint panels_a = (cl_uint)all_panels_a, step_count = (cl_uint)steps;
	cl_ulong a_row = gemm->trans_a ? 1 : gemm->lda, a_step = gemm->trans_a ? gemm->lda : 1;
	cl_ulong b_column = gemm->trans_b ? gemm->ldb : 1, b_step = gemm->trans_b ? 1 : gemm->ldb;
	cl_ulong first_a = first * a_step, first_b = first * b_step;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &gemm->a->memory},
		{sizeof(first_a), &first_a},
		{sizeof(a_row), &a_row},
		{sizeof(a_step), &a_step},
		{sizeof(cl_mem), &gemm->b->memory},
		{sizeof(first_b), &first_b},
		{sizeof(b_column), &b_column},
		{sizeof(b_step), &b_step},
		{sizeof(cl_mem), &device->gemm.packed_a.memory},
		{sizeof(cl_mem), &device->gemm.packed_b.memory},
		{sizeof(m), &m},
		{sizeof(n), &n},
		{sizeof(panels_a), &panels_a},
		{sizeof(step_count), &step_count},
	};
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(*arguments),
		.dimensions = 1,
		.global = {all_panels_a + bench_opencl_divide_up(gemm->n, shape->nr)},
		.local = {1},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

/* C = alpha * (the packed slice's product) + beta * C. */
static int multiply(struct bench_device *device, const struct bench_gemm *gemm, const struct shape *shape,
		    size_t steps, double beta_value, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, gemm->dtype, shape, TILE, &kernel, error) != 0)
		return -1;
	size_t real = bench_dtype_bytes(gemm->dtype);
	size_t panels_a = bench_opencl_divide_up(gemm->m, shape->mr);
	size_t block = panels_a < BLOCK_PANELS ? panels_a : BLOCK_PANELS;
	cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n, step_count = (cl_uint)steps;
	cl_ulong ldc = gemm->ldc;
	union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(gemm->dtype, beta_value);
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &device->gemm.packed_a.memory},
		{sizeof(cl_mem), &device->gemm.packed_b.memory},
		{sizeof(cl_mem), &gemm->c->memory},
		{sizeof(ldc), &ldc},
		{sizeof(m), &m},
		{sizeof(n), &n},
		{sizeof(step_count), &step_count},
		{real, &alpha},
		{real, &beta},
	};
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(*arguments),
		.dimensions = 3,
		.global = {block, bench_opencl_divide_up(gemm->n, shape->nr),
			   bench_opencl_divide_up(panels_a, block)},
		.local = {1, 1, 1},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

int bench_opencl_gemm_cpu(struct bench_device *device, const struct bench_gemm *gemm,
			  struct bench_error *error)
{
	struct shape shape = choose_shape(device, gemm->dtype);
	double flops = 2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k;
	if (!gemm->trans_b && gemm->m >= shape.mr && gemm->n >= shape.nr && gemm->k <= DIRECT_STEPS &&
	    flops <= DIRECT_FLOPS)
		return direct(device, gemm, &shape, error);

	size_t real = bench_dtype_bytes(gemm->dtype);
	size_t slices = bench_opencl_divide_up(gemm->k, SLICE_BYTES / real);
	size_t steps = bench_opencl_divide_up(gemm->k, slices); /* of slices of one size, but for the last */
	size_t rows = bench_opencl_divide_up(gemm->m, shape.mr) * shape.mr;
	size_t columns = bench_opencl_divide_up(gemm->n, shape.nr) * shape.nr;
	if (bench_opencl_reserve(device, &device->gemm.packed_a, rows * steps * real, error) != 0 ||
	    bench_opencl_reserve(device, &device->gemm.packed_b, columns * steps * real, error) != 0)
		return -1;
	for (size_t first = 0; first < gemm->k; first += steps) {
		size_t left = gemm->k - first;
		size_t count = left < steps ? left : steps;
		if (pack(device, gemm, &shape, first, count, error) != 0 ||
		    multiply(device, gemm, &shape, count, first ? 1.0 : gemm->beta, error) != 0)
			return -1;
	}
	return 0;
}

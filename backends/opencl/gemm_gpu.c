/*
 * GEMM on GPUs: kernels/gemm_gpu.cl on any device and for any type; for f16, bf16 and tf32, where there are
 * NVIDIA's tensor cores, gemm_mma.cl, and for the first two gemm_wgmma.cl on Hopper. They take the same
 * arguments; the files say how they work, and gemm_choice.c which one it is.
 */
#include <inttypes.h>

#include "gemm_choice.h"

enum { TURN_TILE = 32, TURN_ITEMS = 256 }; /* of kernels/gemm_turn.cl */

/* A kernel whose group is larger than the device can run would fail at launch with less to say. */
static int check_group(struct bench_device *device, const struct bench_opencl_kernel *kernel, size_t items,
		       struct bench_error *error)
{
	size_t limit = 0;
	if (bench_opencl_group_size(device, kernel, items, &limit, error) != 0)
		return -1;
	if (limit < items)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "gemm needs work-groups of %zu, device %s runs at most %zu of kernel %s",
				  items, device->info.slug, limit, kernel->name);
	return 0;
}

/* Memory for the sums of all groups, and a counter for each tile that is 0 between calls. */
static int reserve_parts(struct bench_device *device, const struct bench_gemm *gemm,
			 const struct bench_opencl_gemm_choice *choice, struct bench_error *error)
{
	size_t real = bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	size_t tile = choice->scheme->tile_m * choice->scheme->tile_n * real;
	if (bench_opencl_reserve(device, &device->gemm.partial, choice->tiles * choice->groups * tile,
				 error) != 0)
		return -1;
	if (device->gemm.arrived.memory)
		return 0;
	const cl_uint none = 0;
	size_t size = BENCH_OPENCL_GEMM_SPLIT_GROUPS * sizeof(none); /* there are fewer tiles */
	if (bench_opencl_reserve(device, &device->gemm.arrived, size, error) != 0)
		return -1;
	cl_int status = clEnqueueFillBuffer(bench_opencl_queue(device), device->gemm.arrived.memory, &none,
					    sizeof(none), 0, size, 0, NULL, NULL);
	if (status == CL_SUCCESS)
		return 0;
	clReleaseMemObject(device->gemm.arrived.memory);
	device->gemm.arrived = (struct bench_buffer){0}; /* counters that are there count from 0 */
	return bench_opencl_fail(error, device, status, "clEnqueueFillBuffer", "gemm's counters");
}

/* An operand of a problem: op of it is `rows` x `columns`. */
struct operand {
	const struct bench_buffer **buffer;
	bool *trans;
	size_t rows, columns;
	size_t *ld, *stride;
};

/* Copies an operand's matrices into `copy`, stored the other way: in rows at multiples of 16 bytes, without
 * gaps between matrices. The problem has them there then. */
static int turn(struct bench_device *device, const struct operand *operand, size_t batch,
		struct bench_buffer *copy, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t rows = *operand->trans ? operand->columns : operand->rows; /* as stored */
	size_t columns = *operand->trans ? operand->rows : operand->columns;
	cl_ulong from_ld = *operand->ld, from_stride = *operand->stride;
	cl_ulong to_ld = (rows + 3) / 4 * 4, to_stride = to_ld * columns;
	cl_uint from_rows = (cl_uint)rows, from_columns = (cl_uint)columns;
	size_t count = from_stride ? batch : 1; /* 0: one for all */
	size_t tiles =
		count * bench_opencl_divide_up(rows, TURN_TILE) * bench_opencl_divide_up(columns, TURN_TILE);
	if (bench_opencl_reserve(device, copy, count * to_stride * sizeof(cl_uint), error) != 0 ||
	    bench_opencl_kernel(device, "gemm_turn.cl", "", "gemm_turn", &kernel, error) != 0)
		return -1;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &(*operand->buffer)->memory},
		{sizeof(from_ld), &from_ld},
		{sizeof(from_stride), &from_stride},
		{sizeof(cl_mem), &copy->memory},
		{sizeof(to_ld), &to_ld},
		{sizeof(to_stride), &to_stride},
		{sizeof(from_rows), &from_rows},
		{sizeof(from_columns), &from_columns},
	};
	*operand->buffer = copy;
	*operand->trans = !*operand->trans;
	*operand->ld = to_ld;
	*operand->stride = from_stride ? to_stride : 0;
	return bench_opencl_launch_groups(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments), tiles,
					  TURN_ITEMS, error);
}

/* The problem, with the operands that the kernel wants otherwise stored so. */
static int turn_operands(struct bench_device *device, const struct bench_opencl_gemm_choice *choice,
			 struct bench_gemm *gemm, struct bench_error *error)
{
	size_t batch = bench_opencl_gemm_batch(gemm);
	const struct operand a = {&gemm->a, &gemm->trans_a, gemm->m, gemm->k, &gemm->lda, &gemm->stride_a};
	const struct operand b = {&gemm->b, &gemm->trans_b, gemm->k, gemm->n, &gemm->ldb, &gemm->stride_b};
	if (choice->turn_a && turn(device, &a, batch, &device->gemm.packed_a, error) != 0)
		return -1;
	return choice->turn_b ? turn(device, &b, batch, &device->gemm.packed_b, error) : 0;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm,
		      const struct bench_opencl_gemm_choice *choice, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	/* As the tensor kernels count types. */
	static const int types[BENCH_DTYPES] = {[BENCH_F16] = 1, [BENCH_BF16] = 2, [BENCH_TF32] = 3};
	const struct bench_opencl_gemm_scheme *scheme = choice->scheme;
	bool exact = choice->fit == BENCH_OPENCL_GEMM_EXACT, split = choice->groups > 1;
	bool trans_a = gemm->trans_a != choice->turn_a, trans_b = gemm->trans_b != choice->turn_b;
	unsigned end = bench_opencl_gemm_end(gemm);
	struct bench_opencl_kernel **slot =
		&device->gemm.gpu_kernels[gemm->dtype][choice->mma][choice->size][trans_a][trans_b]
					 [choice->fit][end][split];
	if (!*slot) {
		struct bench_opencl_kernel *made;
		char common[96];
		bench_opencl_gemm_options(common, sizeof(common), gemm->dtype, exact, end);
		if (bench_opencl_variant(
			    device, scheme->source, scheme->name, &made, error,
			    "%s -DLANES=%zu -DTILE_M=%zu -DTILE_N=%zu -DTILE_K=%zu -DTRANS_A=%d -DTRANS_B=%d "
			    "-DALIGNED=%d -DSPLIT=%d -DTYPE=%d -DBAND=%" PRIu64 "%s",
			    common, bench_opencl_gemm_lanes(gemm->dtype), scheme->tile_m, scheme->tile_n,
			    scheme->tile_k, trans_a, trans_b, choice->fit != BENCH_OPENCL_GEMM_ANY, split,
			    types[gemm->dtype], device->tuned[BENCH_OPENCL_GEMM_BAND],
			    scheme->options) != 0 ||
		    check_group(device, made, scheme->items, error) != 0)
			return -1;
		*slot = made;
	}
	*kernel = *slot;
	return 0;
}

int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error)
{
	const struct bench_opencl_gemm_choice choice = bench_opencl_gemm_choose(device, gemm, exact);
	struct bench_gemm turned = *gemm;
	struct bench_opencl_kernel *kernel;
	if (choice.tiles > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%zu gemm of %zu x %zu have more tiles than device %s runs",
				  bench_opencl_gemm_batch(gemm), gemm->m, gemm->n, device->info.slug);
	if (get_kernel(device, gemm, &choice, &kernel, error) != 0) {
		/* A driver that does not build wgmma has the other tensor kernel, which any driver builds. */
		if (!choice.mma || choice.size != BENCH_OPENCL_GEMM_WIDE || error->code != BENCH_UNSUPPORTED)
			return -1;
		device->gemm.no_wgmma = true;
		return bench_opencl_gemm_gpu(device, gemm, exact, error);
	}
	if (turn_operands(device, &choice, &turned, error) != 0 ||
	    (choice.groups > 1 && reserve_parts(device, gemm, &choice, error) != 0))
		return -1;
	size_t real = bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
	cl_ulong lda = turned.lda, ldb = turned.ldb, ldc = turned.ldc;
	cl_ulong stride_a = turned.stride_a, stride_b = turned.stride_b, stride_c = turned.stride_c;
	cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n, k = (cl_uint)gemm->k;
	union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(gemm->dtype, gemm->beta);
	struct bench_opencl_argument arguments[19] = {
		{sizeof(cl_mem), &turned.a->memory},
		{sizeof(lda), &lda},
		{sizeof(stride_a), &stride_a},
		{sizeof(cl_mem), &turned.b->memory},
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
	return bench_opencl_launch_groups(device, kernel, arguments, count, choice.tiles * choice.groups,
					  choice.scheme->items, error);
}

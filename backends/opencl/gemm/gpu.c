/* SPDX-License-Identifier: MIT */
/*
 * GEMM on GPUs: gemm_gpu.cl on any device and for any type, gemm_async.cl for f32 on NVIDIA's, gemm_mma.cl
 * for other types on tensor cores, and gemm_tma.cl for all of these but f64 on Hopper. The kernels say how
 * they work; choice.c picks one.
 */
#include "backends/opencl/gemm/gpu.h"

#include <inttypes.h>

#include "backends/opencl/gemm/maps.h"
#include "backends/opencl/gemm/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"
#include "backends/opencl/tuning/tuning.h"

enum { TURN_TILE = 64, TURN_ITEMS = 256 }; /* of gemm_turn.cl */
enum { PAD_ITEMS = 256 };
enum { OUT_ROWS = 16 }; /* of C that gemm_tma.cl writes at once */

/* An operand of a problem: op of it is `rows` x `columns`. */
struct operand {
	const struct bench_buffer **buffer;
	bool *trans;
	size_t rows, columns;
	size_t *ld, *stride;
};

/* Where an operand's matrices are copied to: rows at multiples of 16 bytes, no gaps between matrices. */
struct copy {
	struct bench_buffer *buffer;
	size_t rows, columns; /* as stored there */
	size_t ld, stride;
};

static int reserve_copy(struct bench_device *device, const struct operand *operand, size_t count,
			size_t bytes, bool turn, struct bench_buffer *buffer, struct copy *copy,
			struct bench_error *error)
{
	bool by_columns = *operand->trans != turn;
	size_t chunk = 16 / bytes;
	copy->buffer = buffer;
	copy->rows = by_columns ? operand->columns : operand->rows;
	copy->columns = by_columns ? operand->rows : operand->columns;
	copy->ld = bench_opencl_divide_up(copy->columns, chunk) * chunk;
	copy->stride = copy->ld * copy->rows;
	return bench_opencl_reserve(device, buffer, count * copy->stride * bytes, error);
}

/* Stored the other way. */
static int turn(struct bench_device *device, const struct operand *operand, const struct copy *to,
		size_t count, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t from_rows = to->columns, from_columns = to->rows;
	size_t tiles = count * bench_opencl_divide_up(from_rows, TURN_TILE) *
		       bench_opencl_divide_up(from_columns, TURN_TILE);
	const struct bench_opencl_variant variant = {"gemm_turn.cl", "gemm_turn", {0}, 0};
	if (bench_opencl_variant(device, &variant, &kernel, error, "%s", "") != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, *operand->buffer);
	BENCH_OPENCL_ULONGS(&list, *operand->ld, *operand->stride);
	BENCH_OPENCL_MEMORIES(&list, to->buffer);
	BENCH_OPENCL_ULONGS(&list, to->ld, to->stride);
	BENCH_OPENCL_UINTS(&list, from_rows, from_columns);
	return bench_opencl_launch_groups(device, kernel, &list, tiles, TURN_ITEMS, error);
}

/* As stored, with padding after each row. */
static int pad(struct bench_device *device, const struct operand *operand, const struct copy *to,
	       size_t count, size_t bytes, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t lines = count * to->rows;
	size_t chunks = lines * to->ld * bytes / 16;
	const struct bench_opencl_variant variant = {"gemm_pad.cl", "gemm_pad", {bytes}, 0};
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DBYTES=%zu", bytes) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, *operand->buffer);
	BENCH_OPENCL_ULONGS(&list, *operand->ld, *operand->stride);
	BENCH_OPENCL_MEMORIES(&list, to->buffer);
	BENCH_OPENCL_ULONGS(&list, to->ld);
	BENCH_OPENCL_UINTS(&list, to->rows, to->columns);
	BENCH_OPENCL_ULONGS(&list, lines);
	return bench_opencl_launch_groups(device, kernel, &list, bench_opencl_divide_up(chunks, PAD_ITEMS),
					  PAD_ITEMS, error);
}

/* The problem has the operand in `buffer` then. */
static int copy_operand(struct bench_device *device, const struct operand *operand,
			const struct bench_gemm *gemm, bool is_turned, struct bench_buffer *buffer,
			struct bench_error *error)
{
	size_t bytes = bench_dtype_bytes(gemm->dtype);
	size_t count = *operand->stride ? bench_opencl_gemm_batch(gemm) : 1; /* 0: one for all */
	struct copy to;
	if (reserve_copy(device, operand, count, bytes, is_turned, buffer, &to, error) != 0 ||
	    (is_turned ? turn(device, operand, &to, count, error)
		       : pad(device, operand, &to, count, bytes, error)) != 0)
		return -1;
	*operand->buffer = buffer;
	*operand->trans = *operand->trans != is_turned;
	*operand->ld = to.ld;
	*operand->stride = *operand->stride ? to.stride : 0;
	return 0;
}

/* The problem, with the operands that the kernel wants otherwise stored so. */
static int copy_operands(struct bench_device *device, const struct bench_opencl_gemm_choice *choice,
			 struct bench_gemm *gemm, struct bench_error *error)
{
	const struct operand a = {&gemm->a, &gemm->trans_a, gemm->m, gemm->k, &gemm->lda, &gemm->stride_a};
	const struct operand b = {&gemm->b, &gemm->trans_b, gemm->k, gemm->n, &gemm->ldb, &gemm->stride_b};
	struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	if ((choice->turn_a || choice->pad_a) &&
	    copy_operand(device, &a, gemm, choice->turn_a, &own->packed_a, error) != 0)
		return -1;
	return choice->turn_b || choice->pad_b
		       ? copy_operand(device, &b, gemm, choice->turn_b, &own->packed_b, error)
		       : 0;
}

static int get_kernel(struct bench_device *device, const struct bench_gemm *gemm,
		      const struct bench_opencl_gemm_choice *choice, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	const struct bench_opencl_gemm_scheme *scheme = choice->scheme;
	bool exact = choice->fit == BENCH_OPENCL_GEMM_EXACT && !scheme->maps, split = choice->groups > 1;
	bool trans_a = gemm->trans_a != choice->turn_a, trans_b = gemm->trans_b != choice->turn_b;
	unsigned end = bench_opencl_gemm_end(gemm);
	const struct bench_opencl_variant variant = {
		scheme->source,
		scheme->name,
		{choice->dtype, choice->size, trans_a, trans_b, choice->fit, end, split},
		/* Of a kernel with .maxnreg the driver names fewer work-items than it runs. */
		scheme->maps ? 0 : scheme->items};
	return bench_opencl_variant(
		device, &variant, kernel, error,
		BENCH_OPENCL_GEMM_OPTIONS
		" -DLANES=%zu -DTILE_M=%zu -DTILE_N=%zu -DTILE_K=%zu -DTRANS_A=%d -DTRANS_B=%d "
		"-DFIT=%d -DALIGNED=%d -DSPLIT=%d -DTYPE=%d -DBAND=%" PRIu64 " -DADDRESSES=%d%s",
		BENCH_OPENCL_GEMM_VALUES(choice->dtype, exact, end), bench_opencl_gemm_lanes(choice->dtype),
		scheme->tile_m, scheme->tile_n, scheme->tile_k, trans_a, trans_b, (int)choice->fit,
		choice->fit != BENCH_OPENCL_GEMM_ANY, split, bench_opencl_tensor_type(choice->dtype),
		device->tuned[BENCH_OPENCL_GEMM_BAND], device->has_addresses, scheme->options);
}

/* Matrices of an operand: of one that all products share there is one. */
static size_t count_of(const struct bench_gemm *gemm, size_t stride)
{
	return stride ? bench_opencl_gemm_batch(gemm) : 1;
}

/* Adds maps of A, B and C, as gemm_tma.cl copies them. */
static int add_maps(struct bench_device *device, const struct bench_gemm *gemm,
		    const struct bench_opencl_gemm_choice *choice, struct bench_opencl_list *list,
		    struct bench_error *error)
{
	const struct bench_opencl_gemm_scheme *scheme = choice->scheme;
	bool trans_a = gemm->trans_a, trans_b = gemm->trans_b;
	size_t bytes = bench_dtype_bytes(gemm->dtype), m = gemm->m, n = gemm->n, k = gemm->k;
	const struct bench_opencl_gemm_map maps[] = {
		{gemm->a->memory, bytes, trans_a ? k : m, trans_a ? m : k, count_of(gemm, gemm->stride_a),
		 gemm->lda, gemm->stride_a, trans_a ? scheme->tile_k : scheme->tile_m},
		{gemm->b->memory, bytes, trans_b ? n : k, trans_b ? k : n, count_of(gemm, gemm->stride_b),
		 gemm->ldb, gemm->stride_b, trans_b ? scheme->tile_n : scheme->tile_k},
		{gemm->c->memory, bytes, m, n, bench_opencl_gemm_batch(gemm), gemm->ldc, gemm->stride_c,
		 OUT_ROWS},
	};
	cl_uint numbers[3] = {0};
	/* C has rows that a map can be of, or is written without one. */
	for (size_t i = 0; i < (choice->fit == BENCH_OPENCL_GEMM_EXACT ? 3 : 2); i++)
		if (bench_opencl_gemm_map(device, &maps[i], &numbers[i], error) != 0)
			return -1;
	if (bench_opencl_list_add_buffer(device, list, &bench_opencl_gemm_of(device)->maps, error) != 0)
		return -1;
	BENCH_OPENCL_UINTS(list, numbers[0], numbers[1], numbers[2]);
	return 0;
}

static int add_operands(struct bench_device *device, const struct bench_gemm *gemm, bool maps,
			struct bench_opencl_list *list, struct bench_error *error)
{
	if (bench_opencl_list_add_buffer(device, list, gemm->a, error) != 0)
		return -1;
	if (!maps)
		BENCH_OPENCL_ULONGS(list, gemm->lda, gemm->stride_a);
	if (bench_opencl_list_add_buffer(device, list, gemm->b, error) != 0)
		return -1;
	if (!maps)
		BENCH_OPENCL_ULONGS(list, gemm->ldb, gemm->stride_b);
	if (bench_opencl_list_add_buffer(device, list, gemm->c, error) != 0)
		return -1;
	BENCH_OPENCL_ULONGS(list, gemm->ldc, gemm->stride_c);
	if (maps)
		BENCH_OPENCL_UINTS(list, bench_opencl_gemm_batch(gemm), count_of(gemm, gemm->stride_a),
				   count_of(gemm, gemm->stride_b));
	BENCH_OPENCL_UINTS(list, gemm->m, gemm->n, gemm->k);
	return 0;
}

static int launch(struct bench_device *device, const struct bench_gemm *gemm,
		  const struct bench_opencl_gemm_choice *choice, struct bench_opencl_kernel *kernel,
		  struct bench_error *error)
{
	const union bench_opencl_scalar alpha = bench_opencl_scalar(gemm->dtype, gemm->alpha),
					beta = bench_opencl_scalar(gemm->dtype, gemm->beta);
	struct bench_opencl_list list = {.count = 0};
	const size_t real = bench_opencl_gemm_real(gemm);
	const bool maps = choice->scheme->maps;
	size_t groups = choice->tiles * choice->groups;
	if (maps) /* each group takes one tile after another */
		groups = bench_opencl_smaller(groups, device->info.compute_units);
	if ((maps && add_maps(device, gemm, choice, &list, error) != 0) ||
	    add_operands(device, gemm, maps, &list, error) != 0)
		return -1;
	bench_opencl_list_add(&list, real, &alpha);
	bench_opencl_list_add(&list, real, &beta);
	if (choice->groups > 1) {
		BENCH_OPENCL_UINTS(&list, choice->groups, choice->rounds);
		if (bench_opencl_list_add_buffer(device, &list, &device->parts, error) != 0 ||
		    bench_opencl_list_add_buffer(device, &list, &device->arrived, error) != 0)
			return -1;
	}
	if (gemm->bias && bench_opencl_list_add_buffer(device, &list, gemm->bias, error) != 0)
		return -1;
	return bench_opencl_launch_groups(device, kernel, &list, groups, choice->scheme->items, error);
}

int bench_opencl_gemm_gpu_by(struct bench_device *device, const struct bench_gemm *gemm,
			     const struct bench_opencl_gemm_choice *choice, struct bench_error *error)
{
	struct bench_gemm copied = *gemm;
	struct bench_opencl_kernel *kernel;
	size_t real = bench_opencl_gemm_real(gemm);
	size_t parts =
		choice->tiles * choice->groups * choice->scheme->tile_m * choice->scheme->tile_n * real;
	if (get_kernel(device, gemm, choice, &kernel, error) != 0 ||
	    copy_operands(device, choice, &copied, error) != 0 ||
	    (choice->groups > 1 && bench_opencl_gemm_reserve_parts(device, parts, error) != 0))
		return -1;
	return launch(device, &copied, choice, kernel, error);
}

/* Does the model see no difference between them? */
static bool is_like(const struct bench_gemm *a, const struct bench_gemm *b)
{
	return a->m == b->m && a->n == b->n && a->k == b->k && a->dtype == b->dtype &&
	       a->trans_a == b->trans_a && a->trans_b == b->trans_b && a->lda == b->lda && a->ldb == b->ldb &&
	       a->ldc == b->ldc && a->batch == b->batch && a->stride_a == b->stride_a &&
	       a->stride_b == b->stride_b && a->stride_c == b->stride_c;
}

static const struct bench_opencl_gemm_choice *choose(struct bench_device *device,
						     const struct bench_gemm *gemm, bool exact)
{
	struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	size_t known = bench_opencl_smaller(own->chosen_count, BENCH_OPENCL_GEMM_CHOSEN);
	for (size_t i = 0; i < known; i++)
		if (own->chosen[i].exact == exact && is_like(&own->chosen[i].gemm, gemm))
			return &own->chosen[i].choice;
	size_t at = own->chosen_count++ % BENCH_OPENCL_GEMM_CHOSEN;
	own->chosen[at].gemm = *gemm;
	own->chosen[at].exact = exact;
	own->chosen[at].choice = bench_opencl_gemm_choose(device, gemm, exact);
	return &own->chosen[at].choice;
}

int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error)
{
	const struct bench_opencl_gemm_choice *choice = choose(device, gemm, exact);
	if (choice->tiles > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%zu gemm of %zu x %zu have more tiles than device %s runs",
				  bench_opencl_gemm_batch(gemm), gemm->m, gemm->n, device->info.slug);
	int result = bench_opencl_gemm_gpu_by(device, gemm, choice, error);
	if (result == 0 || !choice->scheme->maps || error->code != BENCH_UNSUPPORTED)
		return result;
	/* A driver that does not build wgmma has the other tensor kernel, which any driver builds. */
	device->no_wgmma = true;
	bench_opencl_gemm_of(device)->chosen_count = 0;
	return bench_opencl_gemm_gpu(device, gemm, exact, error);
}

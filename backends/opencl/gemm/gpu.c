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

enum { TURN_TILE = 64, COPY_ITEMS = 256 }; /* of gemm_copy.cl */
enum { OUT_ROWS = 16 };                    /* of C that gemm_tma.cl writes at once */

/* How gemm_copy.cl copies an operand. */
enum copying { COPY_NONE, COPY_PAD, COPY_TURN };

/* An operand of a problem: op of it is `rows` x `columns`. */
struct operand {
	const struct bench_buffer **buffer;
	bool *trans;
	size_t rows, columns;
	size_t *ld, *stride;
};

/*
 * Adds the copy of an operand's matrices to a launch of gemm_copy.cl, and changes the problem, which has them
 * in `to` then: rows at multiples of 16 bytes, no gaps between matrices. groups: that copy them.
 */
static int add_copy(struct bench_device *device, enum copying how, const struct operand *operand,
		    const struct bench_gemm *gemm, struct bench_buffer *to, struct bench_opencl_list *list,
		    size_t *groups, struct bench_error *error)
{
	bool turned = how == COPY_TURN;
	size_t bytes = bench_dtype_bytes(gemm->dtype), chunk = 16 / bytes;
	size_t count = *operand->stride ? bench_opencl_gemm_batch(gemm) : 1; /* 0: one for all */
	size_t rows = *operand->trans ? operand->columns : operand->rows;    /* as stored */
	size_t columns = *operand->trans ? operand->rows : operand->columns;
	size_t to_rows = turned ? columns : rows;
	size_t ld = bench_opencl_divide_up(turned ? rows : columns, chunk) * chunk;
	if (bench_opencl_reserve(device, to, count * to_rows * ld * bytes, error) != 0)
		return -1;
	BENCH_OPENCL_MEMORIES(list, *operand->buffer);
	BENCH_OPENCL_ULONGS(list, *operand->ld, *operand->stride);
	BENCH_OPENCL_MEMORIES(list, to);
	BENCH_OPENCL_ULONGS(list, ld);
	BENCH_OPENCL_UINTS(list, rows, columns, count);
	*groups = turned ? count * bench_opencl_divide_up(rows, TURN_TILE) *
				   bench_opencl_divide_up(columns, TURN_TILE)
			 : bench_opencl_divide_up(count * rows * (ld / chunk), COPY_ITEMS);
	*operand->buffer = to;
	*operand->trans = *operand->trans != turned;
	*operand->ld = ld;
	*operand->stride = *operand->stride ? to_rows * ld : 0;
	return 0;
}

/* The problem, with the operands that the kernel wants otherwise stored so: one launch for both. */
static int copy_operands(struct bench_device *device, const struct bench_opencl_gemm_choice *choice,
			 struct bench_gemm *gemm, struct bench_error *error)
{
	const struct operand operands[] = {
		{&gemm->a, &gemm->trans_a, gemm->m, gemm->k, &gemm->lda, &gemm->stride_a},
		{&gemm->b, &gemm->trans_b, gemm->k, gemm->n, &gemm->ldb, &gemm->stride_b}};
	const enum copying how[] = {choice->turn_a  ? COPY_TURN
				    : choice->pad_a ? COPY_PAD
						    : COPY_NONE,
				    choice->turn_b  ? COPY_TURN
				    : choice->pad_b ? COPY_PAD
						    : COPY_NONE};
	struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	struct bench_buffer *const to[] = {&own->packed_a, &own->packed_b};
	enum copying copies[2] = {COPY_NONE, COPY_NONE};
	size_t count = 0, groups[2] = {0, 0}, bytes = bench_dtype_bytes(gemm->dtype);
	struct bench_opencl_kernel *kernel;
	struct bench_opencl_list list = {.count = 0};
	for (size_t i = 0; i < 2; i++) {
		if (how[i] == COPY_NONE)
			continue;
		if (add_copy(device, how[i], &operands[i], gemm, to[i], &list, &groups[count], error) != 0)
			return -1;
		copies[count++] = how[i];
	}
	if (count == 0)
		return 0;
	if (count == 2)
		BENCH_OPENCL_UINTS(&list, groups[0]);
	const struct bench_opencl_variant variant = {
		"gemm_copy.cl", "gemm_copy", {copies[0], copies[1], bytes}, COPY_ITEMS};
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DCOPY_A=%d -DCOPY_B=%d -DBYTES=%zu",
				 (int)copies[0], (int)copies[1], bytes) != 0)
		return -1;
	return bench_opencl_launch_groups(device, kernel, &list, groups[0] + groups[1], COPY_ITEMS, error);
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

/* SPDX-License-Identifier: MIT */
/* GEMM on CPU devices: gemm_cpu.cl, which says how it works. */
#include "backends/opencl/gemm/cpu.h"

#include "backends/opencl/gemm/cpu_direct.h"
#include "backends/opencl/gemm/cpu_thin.h"
#include "backends/opencl/gemm/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/pair.h"
#include "backends/opencl/runtime/variants.h"
#include "backends/opencl/tuning/tuning.h"

#define SOURCE "gemm_cpu.cl"
/* Packed slices of a batch that are held at one time; one product's are held however large. */
#define PACKED_BYTES ((size_t)4 << 20)

/* Of a tile, at most, with vectors of less than 512 bits: there are half as many registers. */
#define NARROW_ROWS 6
#define TOGETHER    4 /* panels of op(B) that a work-item packs */

/* Of a long operand that several tiles may read one after the other. */
#define CACHED_BYTES ((size_t)1 << 20)

enum { PACK, TILE };

/* Is C stored shorter than it is summed? */
static bool is_short(enum bench_dtype dtype)
{
	return dtype == BENCH_F16 || dtype == BENCH_BF16;
}

/* A tile is mr rows by 2 vectors of `lanes`. */
struct shape {
	size_t lanes, mr, nr;
};

/* 512-bit vectors come with 32 registers (28 sums, 2 of B, 1 of A), narrower ones with 16 (12, 2, 1). */
static struct shape choose_shape(const struct bench_device *device, enum bench_dtype dtype)
{
	struct shape shape = {.lanes = bench_opencl_vector_lanes(device, dtype),
			      .mr = device->tuned[BENCH_OPENCL_GEMM_ROWS]};
	if (shape.lanes * bench_dtype_bytes(dtype) < 64 && shape.mr > NARROW_ROWS)
		shape.mr = NARROW_ROWS;
	shape.nr = 2 * shape.lanes;
	return shape;
}

/*
 * The problem in panels: what one call of pack and multiply works on is `count` products from
 * `product` on, and `steps` steps from `first` on.
 */
struct part {
	const struct bench_gemm *gemm;
	struct shape shape;
	bool exact;
	size_t panels_a, panels_b;
	size_t product, count;
	size_t first, steps;
};

static int get_kernel(struct bench_device *device, enum bench_dtype dtype, const struct shape *shape,
		      int which, bool exact, unsigned end, struct bench_opencl_kernel **kernel,
		      struct bench_error *error)
{
	static const char *const names[] = {"gemm_pack", "gemm_tile"};
	const struct bench_opencl_variant variant = {SOURCE, names[which], {dtype, exact, end}, 0};
	return bench_opencl_variant(device, &variant, kernel, error,
				    BENCH_OPENCL_GEMM_OPTIONS
				    " -DLANES=%zu -DMR=%zu -DWIDE=%zu -DTOGETHER=%d",
				    BENCH_OPENCL_GEMM_VALUES(dtype, exact, end), shape->lanes, shape->mr,
				    shape->nr / shape->lanes, TOGETHER);
}

/* Packs the part of both matrices. */
static int pack(struct bench_device *device, const struct part *part, struct bench_error *error)
{
	const struct bench_gemm *gemm = part->gemm;
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, gemm->dtype, &part->shape, PACK, part->exact, 0, &kernel, error) != 0)
		return -1;
	const struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	size_t a_row = gemm->trans_a ? 1 : gemm->lda, a_step = gemm->trans_a ? gemm->lda : 1;
	size_t b_column = gemm->trans_b ? gemm->ldb : 1, b_step = gemm->trans_b ? 1 : gemm->ldb;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, gemm->a);
	BENCH_OPENCL_ULONGS(&list, part->product * gemm->stride_a + part->first * a_step, a_row, a_step,
			    gemm->stride_a);
	BENCH_OPENCL_MEMORIES(&list, gemm->b);
	BENCH_OPENCL_ULONGS(&list, part->product * gemm->stride_b + part->first * b_step, b_column, b_step,
			    gemm->stride_b);
	BENCH_OPENCL_MEMORIES(&list, &own->packed_a, &own->packed_b);
	BENCH_OPENCL_UINTS(&list, gemm->m, gemm->n, part->panels_a, part->panels_b, part->steps);
	return bench_opencl_launch_grid(
		device, kernel, &list, 2,
		(const size_t[]){part->panels_a + bench_opencl_divide_up(part->panels_b, TOGETHER),
				 part->count},
		(const size_t[]){1, 1}, error);
}

/* Where the products of a part go, how many rows and columns of them, and what is done to them. */
struct output {
	enum bench_dtype dtype;
	const struct bench_buffer *c;
	size_t m, n, first, ld, stride;
	double beta;
	bool exact;
	unsigned end;
	const struct bench_buffer *bias;
	bool partials; /* f16 and bf16: the sums of the slices before are in `partial` */
};

/* C = alpha * (the packed part's products) + beta * C, and the end. */
static int multiply(struct bench_device *device, const struct part *part, const struct output *output,
		    struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, output->dtype, &part->shape, TILE, output->exact, output->end, &kernel,
		       error) != 0)
		return -1;
	const struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	size_t real = bench_dtype_bytes(bench_opencl_gemm_computes(output->dtype));
	size_t block = bench_opencl_smaller(part->panels_a, device->tuned[BENCH_OPENCL_GEMM_BLOCK]);
	size_t blocks = bench_opencl_divide_up(part->panels_a, block);
	union bench_opencl_scalar alpha = bench_opencl_scalar(output->dtype, part->gemm->alpha);
	union bench_opencl_scalar beta = bench_opencl_scalar(output->dtype, output->beta);
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, &own->packed_a, &own->packed_b, output->c);
	BENCH_OPENCL_ULONGS(&list, output->first, output->ld, output->stride);
	BENCH_OPENCL_UINTS(&list, output->m, output->n, part->steps, blocks);
	bench_opencl_list_add(&list, real, &alpha);
	bench_opencl_list_add(&list, real, &beta);
	if (is_short(output->dtype)) {
		/* The kernel ignores it without partials, but needs a buffer. */
		BENCH_OPENCL_MEMORIES(&list, output->partials ? &device->parts : &own->packed_a);
		BENCH_OPENCL_UINTS(&list, output->partials);
	}
	if (output->bias)
		BENCH_OPENCL_MEMORIES(&list, output->bias);
	return bench_opencl_launch_grid(device, kernel, &list, 3,
					(const size_t[]){block, part->panels_b, blocks * part->count},
					(const size_t[]){1, 1, 1}, error);
}

/* A slice goes to C, of which the last slice makes the end. */
static int multiply_slice(struct bench_device *device, const struct part *part, struct bench_error *error)
{
	const struct bench_gemm *gemm = part->gemm;
	bool last = part->first + part->steps == gemm->k, first = part->first == 0;
	struct output output = {
		.dtype = gemm->dtype,
		.c = gemm->c,
		.m = gemm->m,
		.n = gemm->n,
		.first = part->product * gemm->stride_c,
		.ld = gemm->ldc,
		.stride = gemm->stride_c,
		.beta = first ? gemm->beta : 1,
		.exact = part->exact,
		.end = last ? bench_opencl_gemm_end(gemm) : 0,
		.bias = last ? gemm->bias : NULL,
	};
	if (is_short(gemm->dtype) && last) {
		output.beta = gemm->beta;
		output.partials = !first;
	} else if (is_short(gemm->dtype)) {
		/* Slices before the last, in float: whole panels, whose padding is zero. */
		size_t rows = part->panels_a * part->shape.mr, columns = part->panels_b * part->shape.nr;
		output = (struct output){.dtype = BENCH_F32,
					 .c = &device->parts,
					 .m = rows,
					 .n = columns,
					 .ld = columns,
					 .stride = rows * columns,
					 .beta = first ? 0 : 1,
					 .exact = true};
	}
	return multiply(device, part, &output, error);
}

/* Of two thin sides, or one: are there sums enough for tiles, and does a cache hold the long operand? */
static bool fills_tiles(const struct bench_gemm *gemm)
{
	const size_t thin = bench_opencl_smaller(gemm->m, gemm->n), length = gemm->m + gemm->n - thin;
	/* A transposed B is copied: that takes longer than a few rows of C. */
	return thin > (gemm->trans_b && gemm->m == thin ? 8 : 4) &&
	       length * gemm->k * bench_dtype_bytes(gemm->dtype) <= CACHED_BYTES;
}

int bench_opencl_gemm_cpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error)
{
	struct bench_opencl_thin thin;
	struct bench_opencl_direct direct;
	const bool is_direct = bench_opencl_gemm_cpu_direct_plan(device, gemm, &direct);
	if (!(is_direct && fills_tiles(gemm)) && bench_opencl_gemm_cpu_thin_plan(device, gemm, &thin))
		return bench_opencl_gemm_cpu_thin_run(thin.by_caller ? device->caller : device, gemm, &thin,
						      error);
	const double flops = 2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k *
			     (double)bench_opencl_gemm_batch(gemm);
	if (is_direct) {
		if (!bench_opencl_is_callers(device, flops, bench_opencl_gemm_cpu_direct_has_halves(&direct)))
			return bench_opencl_gemm_cpu_direct_run(device, gemm, &direct, error);
		direct.together = direct.tiles;
		return bench_opencl_gemm_cpu_direct_run(device->caller, gemm, &direct, error);
	}
	enum bench_dtype computes = bench_opencl_gemm_computes(gemm->dtype);
	struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	struct part part = {.gemm = gemm, .shape = choose_shape(device, computes), .exact = exact};

	size_t real = bench_dtype_bytes(computes), batch = bench_opencl_gemm_batch(gemm);
	size_t slices = bench_opencl_divide_up(gemm->k, device->tuned[BENCH_OPENCL_GEMM_SLICE] / real);
	size_t steps = bench_opencl_divide_up(gemm->k, slices); /* of each slice; the last may have fewer */
	part.panels_a = bench_opencl_divide_up(gemm->m, part.shape.mr);
	part.panels_b = bench_opencl_divide_up(gemm->n, part.shape.nr);
	size_t rows = part.panels_a * part.shape.mr, columns = part.panels_b * part.shape.nr;
	size_t at_once = PACKED_BYTES / ((rows + columns) * steps * real);
	at_once = at_once < 1 ? 1 : at_once < batch ? at_once : batch;
	if (bench_opencl_reserve(device, &own->packed_a, at_once * rows * steps * real, error) != 0 ||
	    bench_opencl_reserve(device, &own->packed_b, at_once * columns * steps * real, error) != 0)
		return -1;
	if (is_short(gemm->dtype) && steps < gemm->k &&
	    bench_opencl_reserve(device, &device->parts, at_once * rows * columns * real, error) != 0)
		return -1;
	for (part.product = 0; part.product < batch; part.product += part.count) {
		part.count = bench_opencl_smaller(batch - part.product, at_once);
		for (part.first = 0; part.first < gemm->k; part.first += part.steps) {
			part.steps = bench_opencl_smaller(gemm->k - part.first, steps);
			if (pack(device, &part, error) != 0 || multiply_slice(device, &part, error) != 0)
				return -1;
		}
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Suite view_gemm: a matrix product on views, without a copy and with one. docs/suites/view.md
 * says how to read it.
 */
#include <inttypes.h>
#include <string.h>

#include "kit/dense.h"
#include "kit/view.h"
#include "suites/gemm_check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { LAYOUT, N, DTYPE };
enum { SIZE_MAX_VALUE = 1 << 20 };

static const struct bench_param params[] = {
	[LAYOUT] = BENCH_CHOICE("layout", "contiguous",
				"contiguous|transposed|sliced|copy_transposed|copy_sliced",
				"of A and B: as stored, views used as they are, or views copied first"),
	[N] = BENCH_INT("n", "1024", 1, SIZE_MAX_VALUE, "rows and columns of A, B and C"),
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	{.name = NULL},
};

#define ALL_LAYOUTS "layout=contiguous,transposed,sliced,copy_transposed,copy_sliced"
static const char *const quick[] = {ALL_LAYOUTS " n=256,1024", NULL};
static const char *const nightly[] = {ALL_LAYOUTS " n=256,512,1024,2048", NULL};

/* What a layout says, in the order of the parameter's choices. */
static const struct layout {
	bool transposed, sliced, copied;
} layouts[] = {
	{false, false, false}, {true, false, false}, {false, true, false},
	{true, false, true},   {false, true, true},
};

/* A or B. */
struct side {
	struct bench_operand
		stored; /* what the view is of; on the device too, but used there only uncopied */
	struct bench_operand packed; /* the copy; {0} without one */
	struct bench_view view;
};

struct state {
	struct bench_operands operands;
	struct side a, b;
	struct bench_operand c;
	struct bench_gemm gemm;
};

enum { STREAM_A = 1, STREAM_B };

static const struct layout *layout_of(const struct bench_case *bench_case)
{
	return &layouts[bench_case->values[LAYOUT].integer];
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	const struct layout *layout = layout_of(bench_case);
	int64_t size = bench_case->values[N].integer;
	uint64_t n = (uint64_t)size, packed, stored;
	if (size < 1 || size > SIZE_MAX_VALUE ||
	    !bench_dense_bytes(n, n, bench_operand_dtype(&bench_case->values[DTYPE]), &packed))
		return bench_fail(error, BENCH_USAGE, "view_gemm: n=%" PRId64 " is no size of a matrix",
				  size);
	stored = layout->sliced ? 2 * packed : packed;
	work->flops = 2.0 * (double)n * (double)n * (double)n;
	work->bytes = 3.0 * (double)packed;
	work->device_bytes = 2 * stored + packed + (layout->copied ? 2 * packed : 0);
	work->largest_bytes = stored;
	work->host_bytes = work->device_bytes + bench_gemm_check_bytes(n, n, n);
	return 0;
}

/* The n x n view of an operand: its transpose, the left half of its columns, or all of it. */
static int make_view(const struct layout *layout, enum bench_dtype dtype, size_t n, struct bench_view *view,
		     struct bench_error *error)
{
	size_t shape[] = {n, layout->sliced ? 2 * n : n};
	if (bench_view_packed(dtype, 2, shape, view, error))
		return -1;
	if (layout->sliced)
		return bench_view_slice(view, 1, 0, n, 1, view, error);
	return layout->transposed ? bench_view_transpose(view, 0, 1, view, error) : 0;
}

static int make_side(const struct bench_case *bench_case, uint64_t stream, struct side *side,
		     struct bench_error *error)
{
	const struct layout *layout = layout_of(bench_case);
	enum bench_dtype dtype = bench_operand_dtype(&bench_case->values[DTYPE]);
	size_t n = (size_t)bench_case->values[N].integer;
	if (make_view(layout, dtype, n, &side->view, error) ||
	    bench_operand_input(bench_case, dtype, layout->sliced ? 2 * n * n : n * n, stream, &side->stored,
				error))
		return -1;
	return layout->copied ? bench_operand_output(bench_case, dtype, n * n, &side->packed, error) : 0;
}

/* The operand that the product reads of a side, as struct bench_gemm has it. */
static int as_operand(const struct side *side, size_t n, const struct bench_buffer **buffer, bool *trans,
		      size_t *ld, struct bench_error *error)
{
	if (side->packed.buffer) {
		*buffer = side->packed.buffer;
		*trans = false;
		*ld = n;
		return 0;
	}
	*buffer = side->stored.buffer;
	return bench_view_matrix(&side->view, trans, ld, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	size_t n = (size_t)bench_case->values[N].integer;
	enum bench_dtype dtype = bench_operand_dtype(&bench_case->values[DTYPE]);
	struct state *state = bench_operands_begin(bench_case, sizeof(*state), "view_gemm",
						   bench_case->backend->gemm ? NULL : "gemm", dtype, error);
	if (!state || make_side(bench_case, STREAM_A, &state->a, error) ||
	    make_side(bench_case, STREAM_B, &state->b, error) ||
	    bench_operand_output(bench_case, dtype, n * n, &state->c, error))
		return -1;
	struct bench_gemm *gemm = &state->gemm;
	*gemm = bench_gemm_square(dtype, n);
	gemm->c = state->c.buffer;
	return as_operand(&state->a, n, &gemm->a, &gemm->trans_a, &gemm->lda, error) ||
			       as_operand(&state->b, n, &gemm->b, &gemm->trans_b, &gemm->ldb, error)
		       ? -1
		       : 0;
}

/* rows x columns elements of `bytes` each, at strides in elements, into rows of n. */
static void copy_tile(const char *from, ptrdiff_t row_stride, ptrdiff_t column_stride, char *to, size_t n,
		      size_t rows, size_t columns, size_t bytes)
{
	const ptrdiff_t row_step = row_stride * (ptrdiff_t)bytes, step = column_stride * (ptrdiff_t)bytes;
	for (size_t i = 0; i < rows; i++, from += row_step, to += n * bytes) {
		const char *source = from;
		if (column_stride == 1)
			memcpy(to, from, columns * bytes);
		else if (bytes == sizeof(uint64_t))
			for (size_t j = 0; j < columns; j++, source += step)
				memcpy(to + j * sizeof(uint64_t), source, sizeof(uint64_t));
		else
			for (size_t j = 0; j < columns; j++, source += step)
				memcpy(to + j * sizeof(uint32_t), source, sizeof(uint32_t));
	}
}

/* The view, packed: whole rows where they are contiguous, else in tiles that stay in the first-level cache.
 */
static void copy_view(struct side *side)
{
	enum { TILE = 32 };
	const struct bench_view *view = &side->view;
	size_t n = view->shape[0], bytes = bench_dtype_bytes(view->dtype);
	size_t width = view->stride[1] == 1 ? n : TILE;
	const char *from = side->stored.host;
	char *to = side->packed.host;
	for (size_t i = 0; i < n; i += TILE)
		for (size_t j = 0; j < n; j += width)
			copy_tile(from + bench_view_position(view, (const size_t[]){i, j}) * bytes,
				  view->stride[0], view->stride[1], to + (i * n + j) * bytes, n,
				  n - i < TILE ? n - i : TILE, n - j < width ? n - j : width, bytes);
}

static int copy_side(const struct bench_case *bench_case, struct side *side, struct bench_error *error)
{
	copy_view(side);
	return bench_operand_upload(bench_case, &side->packed, error);
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	bool copied = layout_of(bench_case)->copied;
	for (uint64_t i = 0; i < iterations; i++)
		if ((copied &&
		     (copy_side(bench_case, &state->a, error) || copy_side(bench_case, &state->b, error))) ||
		    bench_case->backend->gemm(bench_case->device, &state->gemm, error))
			return -1;
	return 0;
}

/* The view as the reference sees it: from the layout alone, not from what was given to the backend. */
static struct bench_matrix matrix_of(const struct bench_case *bench_case, const struct side *side)
{
	const struct layout *layout = layout_of(bench_case);
	size_t n = (size_t)bench_case->values[N].integer;
	return (struct bench_matrix){bench_operand_dtype(&bench_case->values[DTYPE]),
				     layout->transposed,
				     n,
				     n,
				     layout->sliced ? 2 * n : n,
				     side->stored.host};
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	return bench_gemm_check_square(matrix_of(bench_case, &state->a), matrix_of(bench_case, &state->b),
				       bench_gemm_matrix(state->gemm.dtype, state->gemm.n, state->c.host),
				       bench_case->seed, check, error);
}

const struct bench_suite bench_suite_view_gemm = {
	.name = "view_gemm",
	.summary = "a matrix product on transposed and sliced views, without a copy and with one",
	.sweeps = {quick, nightly, NULL},
	.variants = "layout",
	BENCH_OPERANDS_HOOKS,
};

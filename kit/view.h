/* SPDX-License-Identifier: MIT */
/*
 * A view of a tensor: which elements of a packed array, in which order. It owns nothing and
 * reads no data; the cost of making one from another does not depend on its size. Element
 * (i_0, i_1, ...) stands at offset + sum_k i_k stride[k], in elements from the array's start.
 *
 * A view starts at bench_view_packed, and every function here gives a view of elements that
 * the view given had: it never leaves the array. Invariant: the sizes that are not zero
 * multiply to at most BENCH_VIEW_ELEMENTS, so that no index, stride or product of sizes
 * overflows.
 *
 * Functions are pure. `result` may be `view` itself, and is untouched on failure. Wrong
 * input, from the program's outside or not: -1, BENCH_USAGE, with what was asked for.
 */
#ifndef BENCH_KIT_VIEW_H
#define BENCH_KIT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_VIEW_RANK 8

/* Elements of the largest view: their bytes, of any type, fit in ptrdiff_t. */
#define BENCH_VIEW_ELEMENTS ((size_t)PTRDIFF_MAX / 8)

struct bench_view {
	enum bench_dtype dtype;
	unsigned rank;                     /* axes, 0 to BENCH_VIEW_RANK; 0: a single element */
	size_t offset;                     /* of element (0, 0, ...), in elements */
	size_t shape[BENCH_VIEW_RANK];     /* sizes of the axes, the slowest first; 0 is allowed */
	ptrdiff_t stride[BENCH_VIEW_RANK]; /* elements from one index to the next; negative: backwards */
};

/* All of a packed row-major array of that shape. */
int bench_view_packed(enum bench_dtype dtype, unsigned rank, const size_t *shape, struct bench_view *result,
		      struct bench_error *error);

/* The error path of bench_view_transpose. */
int bench_view_no_axis(const char *operation, const struct bench_view *view, unsigned axis,
		       struct bench_error *error);

/*
 * Exchanges two axes, which may be the same. Inline, as the questions below are: a call would cost
 * as much as the work.
 */
static inline int bench_view_transpose(const struct bench_view *view, unsigned axis, unsigned other,
				       struct bench_view *result, struct bench_error *error)
{
	if (axis >= view->rank || other >= view->rank)
		return bench_view_no_axis("transpose", view, axis >= view->rank ? axis : other, error);
	size_t size = view->shape[axis], other_size = view->shape[other];
	ptrdiff_t stride = view->stride[axis], other_stride = view->stride[other];
	*result = *view;
	result->shape[axis] = other_size;
	result->shape[other] = size;
	result->stride[axis] = other_stride;
	result->stride[other] = stride;
	return 0;
}

/* Has it no elements? */
static inline bool bench_view_is_empty(const struct bench_view *view)
{
	for (unsigned axis = 0; axis < view->rank; axis++)
		if (view->shape[axis] == 0)
			return true;
	return false;
}

/* Are the elements consecutive in row-major order? Without elements: yes. */
static inline bool bench_view_is_contiguous(const struct bench_view *view)
{
	size_t expected = 1;
	for (unsigned axis = view->rank; axis-- > 0;) {
		if (view->stride[axis] != (ptrdiff_t)expected && view->shape[axis] != 1)
			return bench_view_is_empty(view);
		expected *= view->shape[axis];
	}
	return true;
}

/* Is it not contiguous, but contiguous with its last two axes exchanged? */
static inline bool bench_view_is_transposed(const struct bench_view *view)
{
	if (view->rank < 2)
		return false;
	unsigned row = view->rank - 2, column = view->rank - 1;
	size_t rows = view->shape[row], columns = view->shape[column];
	/* With one row or one column the exchange changes nothing. */
	if (rows < 2 || columns < 2 || view->stride[row] != 1 || view->stride[column] != (ptrdiff_t)rows)
		return false;
	size_t expected = rows * columns;
	for (unsigned axis = row; axis-- > 0;) {
		size_t size = view->shape[axis];
		if (size == 0 || (size != 1 && view->stride[axis] != (ptrdiff_t)expected))
			return false;
		expected *= size;
	}
	return true;
}

/* Axis k of the result is axis order[k]; order[0..rank-1] names each axis once. */
int bench_view_permute(const struct bench_view *view, const unsigned *order, struct bench_view *result,
		       struct bench_error *error);

/*
 * Of one axis the `count` indices start, start + step, ...; all must exist. step < 0 goes
 * backwards; 0 is refused. count == 0 is a view without elements.
 */
int bench_view_slice(const struct bench_view *view, unsigned axis, size_t start, size_t count, ptrdiff_t step,
		     struct bench_view *result, struct bench_error *error);

/*
 * The same elements in the same row-major order, in another shape with as many. BENCH_UNSUPPORTED, with the
 * reason, if strides cannot express it and only a copy could.
 */
int bench_view_reshape(const struct bench_view *view, unsigned rank, const size_t *shape,
		       struct bench_view *result, struct bench_error *error);

/* Repeats axes of size 1, and new ones in front, to `shape`; axes are matched from the last on. */
int bench_view_broadcast(const struct bench_view *view, unsigned rank, const size_t *shape,
			 struct bench_view *result, struct bench_error *error);

/* The number of elements, counting repeated ones each time. Cannot overflow: see the invariant. */
size_t bench_view_count(const struct bench_view *view);

/* The place of element index[0..rank-1], which must exist, in elements from the array's start. */
size_t bench_view_position(const struct bench_view *view, const size_t *index);

/*
 * A view of rank 2 as an operand of struct bench_gemm: `trans` and `ld` >= 1, with no copy. The caller adds
 * view->offset. BENCH_UNSUPPORTED if neither stride is 1, or rows overlap.
 */
int bench_view_matrix(const struct bench_view *view, bool *trans, size_t *ld, struct bench_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
#include "kit/view.h"

/* Multiplies the sizes that are not zero; false where that exceeds BENCH_VIEW_ELEMENTS. */
static bool sizes_fit(unsigned rank, const size_t *shape)
{
	size_t product = 1;
	for (unsigned axis = 0; axis < rank; axis++) {
		if (shape[axis] == 0)
			continue;
		if (__builtin_mul_overflow(product, shape[axis], &product) || product > BENCH_VIEW_ELEMENTS)
			return false;
	}
	return true;
}

static int check_shape(const char *operation, unsigned rank, const size_t *shape, struct bench_error *error)
{
	if (rank > BENCH_VIEW_RANK)
		return bench_fail(error, BENCH_USAGE, "view: %s: rank %u is above %d, the highest", operation,
				  rank, BENCH_VIEW_RANK);
	if (!sizes_fit(rank, shape))
		return bench_fail(
			error, BENCH_USAGE,
			"view: %s: the sizes multiply to more than %zu elements, the most there are",
			operation, BENCH_VIEW_ELEMENTS);
	return 0;
}

static struct bench_view packed(enum bench_dtype dtype, size_t offset, unsigned rank, const size_t *shape)
{
	struct bench_view view = {.dtype = dtype, .rank = rank, .offset = offset};
	size_t stride = 1;
	for (unsigned axis = rank; axis-- > 0;) {
		view.shape[axis] = shape[axis];
		view.stride[axis] = (ptrdiff_t)stride;
		stride *= shape[axis] ? shape[axis] : 1;
	}
	return view;
}

int bench_view_packed(enum bench_dtype dtype, unsigned rank, const size_t *shape, struct bench_view *result,
		      struct bench_error *error)
{
	if (check_shape("packed", rank, shape, error))
		return -1;
	*result = packed(dtype, 0, rank, shape);
	return 0;
}

int bench_view_no_axis(const char *operation, const struct bench_view *view, unsigned axis,
		       struct bench_error *error)
{
	return bench_fail(error, BENCH_USAGE, "view: %s: no axis %u in a view of rank %u", operation, axis,
			  view->rank);
}

int bench_view_permute(const struct bench_view *view, const unsigned *order, struct bench_view *result,
		       struct bench_error *error)
{
	struct bench_view permuted = *view;
	unsigned seen = 0;
	for (unsigned axis = 0; axis < view->rank; axis++) {
		unsigned from = order[axis];
		if (from >= view->rank)
			return bench_view_no_axis("permute", view, from, error);
		if (seen & 1U << from)
			return bench_fail(error, BENCH_USAGE, "view: permute: axis %u is named twice", from);
		seen |= 1U << from;
		permuted.shape[axis] = view->shape[from];
		permuted.stride[axis] = view->stride[from];
	}
	*result = permuted;
	return 0;
}

/* Does index start + (count - 1) step exist in an axis of that size? count >= 1. */
static bool last_exists(size_t size, size_t start, size_t count, ptrdiff_t step)
{
	size_t steps = count - 1, distance = step < 0 ? -(size_t)step : (size_t)step;
	if (start >= size)
		return false;
	size_t room = step < 0 ? start : size - 1 - start;
	return steps <= room / distance;
}

int bench_view_slice(const struct bench_view *view, unsigned axis, size_t start, size_t count, ptrdiff_t step,
		     struct bench_view *result, struct bench_error *error)
{
	if (axis >= view->rank)
		return bench_view_no_axis("slice", view, axis, error);
	size_t size = view->shape[axis];
	if (step == 0)
		return bench_fail(error, BENCH_USAGE,
				  "view: slice: a step of 0; to repeat elements use broadcast");
	if (count == 0 ? start > size : !last_exists(size, start, count, step))
		return bench_fail(
			error, BENCH_USAGE,
			"view: slice: %zu indices from %zu in steps of %td leave axis %u, of size %zu", count,
			start, step, axis, size);
	ptrdiff_t stride = view->stride[axis];
	*result = *view;
	result->shape[axis] = count;
	if (count > 0)
		result->offset = (size_t)((ptrdiff_t)view->offset + (ptrdiff_t)start * stride);
	/* With more than one index, step is less than the size, and so the product within the array. */
	if (count > 1)
		result->stride[axis] = stride * step;
	return 0;
}

size_t bench_view_count(const struct bench_view *view)
{
	size_t count = 1;
	for (unsigned axis = 0; axis < view->rank; axis++) {
		if (view->shape[axis] == 0)
			return 0;
		count *= view->shape[axis];
	}
	return count;
}

size_t bench_view_position(const struct bench_view *view, const size_t *index)
{
	ptrdiff_t position = (ptrdiff_t)view->offset;
	for (unsigned axis = 0; axis < view->rank; axis++)
		position += (ptrdiff_t)index[axis] * view->stride[axis];
	return (size_t)position;
}

/*
 * The view with as few axes as possible: axes of size 1 are dropped, and neighbors that are one axis cut in
 * two are merged. The view must have elements.
 */
static struct bench_view merged(const struct bench_view *view)
{
	struct bench_view result = {.dtype = view->dtype, .offset = view->offset};
	for (unsigned axis = 0; axis < view->rank; axis++) {
		size_t size = view->shape[axis];
		ptrdiff_t stride = view->stride[axis];
		if (size == 1)
			continue;
		unsigned last = result.rank - 1;
		if (result.rank > 0 && result.stride[last] == stride * (ptrdiff_t)size) {
			result.shape[last] *= size;
			result.stride[last] = stride;
		} else {
			result.shape[result.rank] = size;
			result.stride[result.rank++] = stride;
		}
	}
	return result;
}

/*
 * Each new axis, from the last on, is cut off the end of the merged axis that it lies in. A size that
 * does not divide what is left of that axis would reach into another one.
 */
static bool cut(const struct bench_view *whole, struct bench_view *result)
{
	unsigned from = whole->rank;
	size_t left = 1; /* of axis `from`, not yet cut off */
	ptrdiff_t stride = 1;
	for (unsigned axis = result->rank; axis-- > 0;) {
		size_t size = result->shape[axis];
		if (size > 1 && left == 1) {
			left = whole->shape[--from];
			stride = whole->stride[from];
		}
		if (left % size != 0)
			return false;
		result->stride[axis] = stride;
		stride *= (ptrdiff_t)size;
		left /= size;
	}
	return true;
}

int bench_view_reshape(const struct bench_view *view, unsigned rank, const size_t *shape,
		       struct bench_view *result, struct bench_error *error)
{
	if (check_shape("reshape", rank, shape, error))
		return -1;
	struct bench_view reshaped = packed(view->dtype, view->offset, rank, shape);
	size_t count = bench_view_count(view), new_count = bench_view_count(&reshaped);
	if (count != new_count)
		return bench_fail(error, BENCH_USAGE,
				  "view: reshape: the view has %zu elements and the new shape %zu", count,
				  new_count);
	if (count > 0) {
		struct bench_view whole = merged(view);
		if (!cut(&whole, &reshaped))
			return bench_fail(error, BENCH_UNSUPPORTED,
					  "view: reshape: no strides give this view of rank %u that shape of "
					  "rank %u: it needs a copy",
					  view->rank, rank);
	}
	*result = reshaped;
	return 0;
}

int bench_view_broadcast(const struct bench_view *view, unsigned rank, const size_t *shape,
			 struct bench_view *result, struct bench_error *error)
{
	if (check_shape("broadcast", rank, shape, error))
		return -1;
	if (rank < view->rank)
		return bench_fail(error, BENCH_USAGE, "view: broadcast: rank %u is below the view's, %u",
				  rank, view->rank);
	struct bench_view wide = {.dtype = view->dtype, .rank = rank, .offset = view->offset};
	unsigned added = rank - view->rank;
	for (unsigned axis = 0; axis < rank; axis++) {
		size_t size = axis < added ? 1 : view->shape[axis - added];
		wide.shape[axis] = shape[axis];
		if (size == shape[axis] && axis >= added)
			wide.stride[axis] = view->stride[axis - added];
		else if (size != 1)
			return bench_fail(error, BENCH_USAGE,
					  "view: broadcast: axis %u has size %zu and cannot become %zu", axis,
					  size, shape[axis]);
	}
	*result = wide;
	return 0;
}

int bench_view_matrix(const struct bench_view *view, bool *trans, size_t *ld, struct bench_error *error)
{
	if (view->rank != 2)
		return bench_fail(error, BENCH_USAGE, "view: matrix: rank %u is not 2", view->rank);
	for (unsigned row = 0; row < 2; row++) {
		unsigned column = 1 - row;
		size_t columns = view->shape[column] ? view->shape[column] : 1;
		bool dense = view->stride[column] == 1 || view->shape[column] <= 1;
		bool apart = view->stride[row] > 0 && (size_t)view->stride[row] >= columns;
		if (!dense || !(apart || view->shape[row] <= 1))
			continue;
		*trans = row == 1;
		*ld = apart ? (size_t)view->stride[row] : columns;
		return 0;
	}
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "view: matrix: strides %td and %td: one must be 1 and the other reach over a row; "
			  "this view needs a copy",
			  view->stride[0], view->stride[1]);
}

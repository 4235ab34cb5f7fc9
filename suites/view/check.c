/* SPDX-License-Identifier: MIT */
#include "suites/view/check.h"

/* Index number `number` of a shape, in row-major order. */
static void index_of(unsigned rank, const size_t *shape, size_t number, size_t *index)
{
	for (unsigned axis = rank; axis-- > 0;) {
		index[axis] = number % shape[axis];
		number /= shape[axis];
	}
}

static size_t elements(unsigned rank, const size_t *shape)
{
	size_t count = 1;
	for (unsigned axis = 0; axis < rank; axis++)
		count *= shape[axis];
	return count;
}

static void swap(size_t *sizes, unsigned a, unsigned b)
{
	size_t size = sizes[a];
	sizes[a] = sizes[b];
	sizes[b] = size;
}

/* Do the elements stand one after the other, in row-major order of all axes, or with the last two swapped? */
static bool in_order(const struct bench_view *view, bool swapped)
{
	size_t shape[BENCH_VIEW_RANK], index[BENCH_VIEW_RANK];
	unsigned rank = view->rank;
	for (unsigned axis = 0; axis < rank; axis++)
		shape[axis] = view->shape[axis];
	if (swapped)
		swap(shape, rank - 2, rank - 1);
	size_t count = elements(rank, shape);
	for (size_t number = 0; number < count; number++) {
		index_of(rank, shape, number, index);
		if (swapped)
			swap(index, rank - 2, rank - 1);
		if (bench_view_position(view, index) != view->offset + number)
			return false;
	}
	return true;
}

bool bench_view_answer(enum bench_view_op op, const struct bench_view *view)
{
	bool contiguous = in_order(view, false);
	return op == BENCH_VIEW_IS_CONTIGUOUS ? contiguous : !contiguous && in_order(view, true);
}

/* The shape that the result should have. */
static void expected_shape(enum bench_view_op op, const struct bench_view *input, const size_t *asked,
			   size_t *shape)
{
	unsigned rank = input->rank;
	bool given = op == BENCH_VIEW_RESHAPE || op == BENCH_VIEW_BROADCAST;
	for (unsigned axis = 0; axis < rank; axis++)
		shape[axis] = given                      ? asked[axis]
			      : op == BENCH_VIEW_PERMUTE ? input->shape[rank - 1 - axis]
							 : input->shape[axis];
	if (op == BENCH_VIEW_TRANSPOSE)
		swap(shape, rank - 2, rank - 1);
	if (op == BENCH_VIEW_SLICE)
		shape[rank - 1]--;
}

/* The index of the input that index number `number`, `index`, of the result should mean. */
static void source_index(enum bench_view_op op, const struct bench_view *input, size_t number,
			 const size_t *index, size_t *source)
{
	unsigned rank = input->rank;
	for (unsigned axis = 0; axis < rank; axis++)
		source[axis] = op == BENCH_VIEW_PERMUTE     ? index[rank - 1 - axis]
			       : op == BENCH_VIEW_BROADCAST ? index[axis] % input->shape[axis]
							    : index[axis];
	if (op == BENCH_VIEW_TRANSPOSE)
		swap(source, rank - 2, rank - 1);
	if (op == BENCH_VIEW_SLICE)
		source[rank - 1]++;
	if (op == BENCH_VIEW_RESHAPE)
		index_of(rank, input->shape, number, source);
}

bool bench_view_is_right(enum bench_view_op op, const struct bench_view *input, const size_t *asked,
			 const struct bench_view *output)
{
	size_t shape[BENCH_VIEW_RANK] = {0}, index[BENCH_VIEW_RANK], source[BENCH_VIEW_RANK] = {0};
	unsigned rank = input->rank;
	if (output->rank != rank || output->dtype != input->dtype)
		return false;
	expected_shape(op, input, asked, shape);
	for (unsigned axis = 0; axis < rank; axis++)
		if (output->shape[axis] != shape[axis])
			return false;
	size_t count = elements(rank, shape);
	for (size_t number = 0; number < count; number++) {
		index_of(rank, shape, number, index);
		source_index(op, input, number, index, source);
		if (bench_view_position(output, index) != bench_view_position(input, source))
			return false;
	}
	return true;
}

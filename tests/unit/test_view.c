/* SPDX-License-Identifier: MIT */
/* The algebra of views against indices counted one by one, and input that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "kit/view.h"

enum { LIMIT = 4096 };

/* The elements of a view in row-major order, each by its position: what a view means, told naively. */
struct listing {
	unsigned rank;
	size_t shape[BENCH_VIEW_RANK];
	size_t count;
	size_t positions[LIMIT];
};

static void must(int status, const struct bench_error *error)
{
	if (status)
		fail_msg("%s", error->text);
}

static size_t number_of(const struct listing *listing, const size_t *index)
{
	size_t number = 0;
	for (unsigned axis = 0; axis < listing->rank; axis++)
		number = number * listing->shape[axis] + index[axis];
	return number;
}

static void index_of(const struct listing *listing, size_t number, size_t *index)
{
	for (unsigned axis = listing->rank; axis-- > 0;) {
		index[axis] = number % listing->shape[axis];
		number /= listing->shape[axis];
	}
}

/* Sets the shape and the count of elements. */
static void shape_listing(struct listing *listing, unsigned rank, const size_t *shape)
{
	listing->rank = rank;
	listing->count = 1;
	for (unsigned axis = 0; axis < rank; axis++) {
		listing->shape[axis] = shape[axis];
		listing->count *= shape[axis];
	}
	assert_true(listing->count <= LIMIT);
}

static void expect_listing(const struct bench_view *view, const struct listing *expected)
{
	assert_int_equal(view->rank, expected->rank);
	assert_int_equal(bench_view_count(view), expected->count);
	for (unsigned axis = 0; axis < view->rank; axis++)
		assert_int_equal(view->shape[axis], expected->shape[axis]);
	for (size_t number = 0; number < expected->count; number++) {
		size_t index[BENCH_VIEW_RANK];
		index_of(expected, number, index);
		assert_int_equal(bench_view_position(view, index), expected->positions[number]);
	}
}

static bool is_run(const struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->positions[i] != listing->positions[0] + i)
			return false;
	return true;
}

static void list_permuted(const struct listing *from, const unsigned *order, struct listing *to)
{
	size_t shape[BENCH_VIEW_RANK] = {0}, index[BENCH_VIEW_RANK], source[BENCH_VIEW_RANK];
	for (unsigned axis = 0; axis < from->rank; axis++)
		shape[axis] = from->shape[order[axis]];
	shape_listing(to, from->rank, shape);
	for (size_t number = 0; number < to->count; number++) {
		index_of(to, number, index);
		for (unsigned axis = 0; axis < to->rank; axis++)
			source[order[axis]] = index[axis];
		to->positions[number] = from->positions[number_of(from, source)];
	}
}

static void list_sliced(const struct listing *from, unsigned axis, size_t start, size_t count, ptrdiff_t step,
			struct listing *to)
{
	size_t shape[BENCH_VIEW_RANK], index[BENCH_VIEW_RANK];
	memcpy(shape, from->shape, sizeof(shape));
	shape[axis] = count;
	shape_listing(to, from->rank, shape);
	for (size_t number = 0; number < to->count; number++) {
		index_of(to, number, index);
		index[axis] = (size_t)((ptrdiff_t)start + (ptrdiff_t)index[axis] * step);
		to->positions[number] = from->positions[number_of(from, index)];
	}
}

static void list_broadcast(const struct listing *from, unsigned rank, const size_t *shape, struct listing *to)
{
	size_t index[BENCH_VIEW_RANK], source[BENCH_VIEW_RANK];
	shape_listing(to, rank, shape);
	for (size_t number = 0; number < to->count; number++) {
		index_of(to, number, index);
		for (unsigned axis = 0; axis < from->rank; axis++)
			source[axis] = index[axis + rank - from->rank] % from->shape[axis];
		to->positions[number] = from->positions[number_of(from, source)];
	}
}

static void expect_questions(const struct bench_view *view, const struct listing *listing)
{
	bool contiguous = is_run(listing), transposed = false;
	if (!contiguous && view->rank >= 2) {
		static struct listing swapped;
		unsigned order[BENCH_VIEW_RANK];
		for (unsigned axis = 0; axis < view->rank; axis++)
			order[axis] = axis;
		order[view->rank - 2] = view->rank - 1;
		order[view->rank - 1] = view->rank - 2;
		list_permuted(listing, order, &swapped);
		transposed = is_run(&swapped);
	}
	assert_int_equal(bench_view_is_contiguous(view), contiguous);
	assert_int_equal(bench_view_is_transposed(view), transposed);
}

/* One operation drawn at random, on the view and on the listing; they stay equal. */
static void random_step(struct bench_rng *rng, struct bench_view *view, struct listing *listing)
{
	static struct listing next;
	struct bench_error error = {0};
	unsigned rank = view->rank, axis = rank ? bench_rng_u32(rng) % rank : 0;
	size_t items[BENCH_VIEW_RANK], size = rank ? view->shape[axis] : 0;
	unsigned order[BENCH_VIEW_RANK], operation = bench_rng_u32(rng) % 4;
	for (unsigned i = 0; i < rank; i++) {
		items[i] = i;
		order[i] = i;
	}
	if (operation == 0 && rank > 0) {
		unsigned other = bench_rng_u32(rng) % rank;
		order[axis] = other;
		order[other] = axis;
		must(bench_view_transpose(view, axis, other, view, &error), &error);
		list_permuted(listing, order, &next);
	} else if (operation == 1) {
		bench_rng_shuffle(rng, items, rank);
		for (unsigned i = 0; i < rank; i++)
			order[i] = (unsigned)items[i];
		must(bench_view_permute(view, order, view, &error), &error);
		list_permuted(listing, order, &next);
	} else if (operation == 2 && rank > 0 && size > 0) {
		size_t start = (size_t)bench_rng_below(rng, size), count = bench_rng_u32(rng) % 8 ? 1 : 0;
		ptrdiff_t step = 1 + (ptrdiff_t)(bench_rng_u32(rng) % 2);
		size_t room = size - 1 - start;
		if (start >= size / 2) {
			room = start;
			step = -step;
		}
		if (count)
			count += room / (size_t)llabs(step);
		must(bench_view_slice(view, axis, start, count, step, view, &error), &error);
		list_sliced(listing, axis, start, count, step, &next);
	} else {
		unsigned added = rank < BENCH_VIEW_RANK && listing->count < LIMIT / 16;
		size_t shape[BENCH_VIEW_RANK];
		shape[0] = 1 + bench_rng_u32(rng) % 3;
		for (unsigned i = 0; i < rank; i++)
			shape[i + added] =
				view->shape[i] == 1 && listing->count < LIMIT / 32 ? 2 : view->shape[i];
		size_t count = 1;
		for (unsigned i = 0; i < rank + added; i++)
			count *= shape[i];
		if (count > LIMIT)
			return;
		must(bench_view_broadcast(view, rank + added, shape, view, &error), &error);
		list_broadcast(listing, rank + added, shape, &next);
	}
	*listing = next;
}

/* Every shape that cuts or merges axes of sizes up to the count; where strides exist, they must be found. */
static void expect_reshapes(struct bench_rng *rng, const struct bench_view *view,
			    const struct listing *listing)
{
	static struct listing reshaped;
	struct bench_view result;
	struct bench_error error = {0};
	size_t left = listing->count, shape[BENCH_VIEW_RANK];
	unsigned rank = 0;
	while (left > 1 && rank < BENCH_VIEW_RANK - 1) {
		size_t size = 1 + (size_t)bench_rng_below(rng, left);
		while (left % size)
			size--;
		shape[rank++] = size;
		left /= size;
	}
	shape[rank++] = left;
	reshaped = *listing;
	shape_listing(&reshaped, rank, shape);
	if (bench_view_reshape(view, rank, shape, &result, &error) == 0) {
		expect_listing(&result, &reshaped);
		return;
	}
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "needs a copy"));
	/* Strides, if there were any, are told by the neighbors of the first element. */
	bool strided = true;
	size_t index[BENCH_VIEW_RANK];
	for (size_t number = 0; number < reshaped.count && strided; number++) {
		ptrdiff_t position = (ptrdiff_t)reshaped.positions[0];
		index_of(&reshaped, number, index);
		for (unsigned axis = 0; axis < rank; axis++) {
			size_t unit[BENCH_VIEW_RANK] = {0};
			unit[axis] = shape[axis] > 1;
			ptrdiff_t neighbour = (ptrdiff_t)reshaped.positions[number_of(&reshaped, unit)];
			position += (ptrdiff_t)index[axis] * (neighbour - (ptrdiff_t)reshaped.positions[0]);
		}
		strided = position == (ptrdiff_t)reshaped.positions[number];
	}
	assert_false(strided);
}

static void any_sequence_of_operations_means_what_its_indices_mean(void **state)
{
	(void)state;
	static struct listing listing;
	struct bench_rng rng;
	bench_rng_start(&rng, 7, 1);
	for (unsigned trial = 0; trial < 1500; trial++) {
		struct bench_view view;
		struct bench_error error = {0};
		unsigned rank = trial % 6;
		size_t shape[BENCH_VIEW_RANK];
		for (unsigned axis = 0; axis < rank; axis++)
			shape[axis] = 1 + bench_rng_u32(&rng) % 4;
		must(bench_view_packed(BENCH_F64, rank, shape, &view, &error), &error);
		shape_listing(&listing, rank, shape);
		for (size_t i = 0; i < listing.count; i++)
			listing.positions[i] = i;
		for (unsigned step = 0; step < 6; step++) {
			expect_listing(&view, &listing);
			expect_questions(&view, &listing);
			if (listing.count > 0)
				expect_reshapes(&rng, &view, &listing);
			random_step(&rng, &view, &listing);
		}
		expect_listing(&view, &listing);
		assert_int_equal(view.dtype, BENCH_F64);
	}
}

static struct bench_view packed(unsigned rank, const size_t *shape)
{
	struct bench_view view;
	struct bench_error error = {0};
	must(bench_view_packed(BENCH_F32, rank, shape, &view, &error), &error);
	return view;
}

static void expect_refused(int status, const struct bench_error *error, enum bench_code code,
			   const char *part)
{
	assert_int_equal(status, -1);
	assert_int_equal(error->code, code);
	if (!strstr(error->text, part))
		fail_msg("'%s' does not say '%s'", error->text, part);
}

static void shapes_that_overflow_are_refused_whatever_zeros_hide_it(void **state)
{
	(void)state;
	static const size_t shapes[][3] = {
		{SIZE_MAX, 1, 1},
		{SIZE_MAX, SIZE_MAX, SIZE_MAX},
		{(size_t)1 << 32, (size_t)1 << 32, 1},
		{0, (size_t)1 << 32, (size_t)1 << 32},
		{(size_t)1 << 40, 0, (size_t)1 << 40},
		{BENCH_VIEW_ELEMENTS + 1, 1, 1},
		{BENCH_VIEW_ELEMENTS, 2, 0},
	};
	static const size_t one[] = {1, 1, 1};
	struct bench_view single = packed(3, one), result;
	struct bench_error error = {0};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		expect_refused(bench_view_packed(BENCH_F32, 3, shapes[i], &result, &error), &error,
			       BENCH_USAGE, "elements");
		expect_refused(bench_view_broadcast(&single, 3, shapes[i], &result, &error), &error,
			       BENCH_USAGE, "elements");
		expect_refused(bench_view_reshape(&single, 3, shapes[i], &result, &error), &error,
			       BENCH_USAGE, "elements");
	}
	const size_t largest[] = {BENCH_VIEW_ELEMENTS};
	result = packed(1, largest);
	assert_int_equal(bench_view_count(&result), BENCH_VIEW_ELEMENTS);
}

static void ranks_and_axes_that_do_not_exist_are_refused(void **state)
{
	(void)state;
	static const size_t ones[BENCH_VIEW_RANK + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	struct bench_view view = packed(BENCH_VIEW_RANK, ones), result;
	struct bench_error error = {0};
	unsigned twice[BENCH_VIEW_RANK] = {0, 1, 2, 3, 4, 5, 6, 6};
	unsigned beyond[BENCH_VIEW_RANK] = {0, 1, 2, 3, 4, 5, 6, UINT32_MAX};
	/* Volatile, or compilers warn of what an axis 8 would do past the test that refuses it. */
	volatile unsigned past = BENCH_VIEW_RANK, far_past = UINT32_MAX;
	bool trans;
	size_t ld;
	expect_refused(bench_view_packed(BENCH_F32, 9, ones, &result, &error), &error, BENCH_USAGE, "rank 9");
	expect_refused(bench_view_reshape(&view, 9, ones, &result, &error), &error, BENCH_USAGE, "rank 9");
	expect_refused(bench_view_broadcast(&view, UINT32_MAX, ones, &result, &error), &error, BENCH_USAGE,
		       "rank 4294967295");
	expect_refused(bench_view_broadcast(&view, 7, ones, &result, &error), &error, BENCH_USAGE, "rank 7");
	expect_refused(bench_view_transpose(&view, past, 0, &result, &error), &error, BENCH_USAGE, "axis 8");
	expect_refused(bench_view_transpose(&view, 0, far_past, &result, &error), &error, BENCH_USAGE,
		       "axis");
	expect_refused(bench_view_slice(&view, 8, 0, 1, 1, &result, &error), &error, BENCH_USAGE, "axis 8");
	expect_refused(bench_view_permute(&view, twice, &result, &error), &error, BENCH_USAGE, "axis 6");
	expect_refused(bench_view_permute(&view, beyond, &result, &error), &error, BENCH_USAGE, "no axis");
	expect_refused(bench_view_matrix(&view, &trans, &ld, &error), &error, BENCH_USAGE, "rank 8");
	view = packed(0, ones);
	assert_true(bench_view_is_contiguous(&view) && !bench_view_is_transposed(&view));
	assert_int_equal(bench_view_count(&view), 1);
	expect_refused(bench_view_transpose(&view, 0, 0, &result, &error), &error, BENCH_USAGE, "rank 0");
}

static void slices_that_leave_their_axis_are_refused_and_change_nothing(void **state)
{
	(void)state;
	static const size_t shape[] = {3, 10};
	static const struct {
		size_t start, count;
		ptrdiff_t step;
		bool right;
	} slices[] = {
		{0, 10, 1, true},
		{0, 11, 1, false},
		{9, 10, -1, true},
		{9, 11, -1, false},
		{9, 1, PTRDIFF_MAX, true},
		{0, 1, PTRDIFF_MIN, true},
		{0, 2, PTRDIFF_MAX, false},
		{9, 2, PTRDIFF_MIN, false},
		{10, 1, 1, false},
		{10, 0, 1, true},
		{11, 0, 1, false},
		{SIZE_MAX, 1, 1, false},
		{SIZE_MAX, 2, 1, false},
		{1, SIZE_MAX, 1, false},
		{9, SIZE_MAX, -1, false},
		{1, 4, 3, false},
		{0, 4, 3, true},
		{0, 5, 0, false},
		{0, 1, 0, false},
	};
	const struct bench_view view = packed(2, shape);
	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
		struct bench_view result = view;
		struct bench_error error = {0};
		int status = bench_view_slice(&result, 1, slices[i].start, slices[i].count, slices[i].step,
					      &result, &error);
		assert_int_equal(status, slices[i].right ? 0 : -1);
		if (status) {
			assert_int_equal(error.code, BENCH_USAGE);
			assert_memory_equal(&result, &view, sizeof(view));
		}
	}
}

static void views_without_elements_are_views(void **state)
{
	(void)state;
	static const size_t shape[] = {2, 0, 3}, other[] = {0, 7}, wrong[] = {6};
	struct bench_view view = packed(3, shape), result;
	struct bench_error error = {0};
	assert_int_equal(bench_view_count(&view), 0);
	assert_true(bench_view_is_contiguous(&view));
	must(bench_view_transpose(&view, 0, 2, &view, &error), &error);
	assert_true(bench_view_is_contiguous(&view) && !bench_view_is_transposed(&view));
	must(bench_view_reshape(&view, 2, other, &result, &error), &error);
	assert_int_equal(result.shape[1], 7);
	expect_refused(bench_view_reshape(&view, 1, wrong, &result, &error), &error, BENCH_USAGE, "6");
	expect_refused(bench_view_slice(&view, 1, 0, 1, 1, &result, &error), &error, BENCH_USAGE, "axis 1");
}

static void what_cannot_be_broadcast_is_refused_by_its_axis(void **state)
{
	(void)state;
	static const size_t shape[] = {1, 3}, wrong[] = {2, 4}, empty[] = {0, 3};
	struct bench_view view = packed(2, shape), result;
	struct bench_error error = {0};
	expect_refused(bench_view_broadcast(&view, 2, wrong, &result, &error), &error, BENCH_USAGE, "axis 1");
	must(bench_view_broadcast(&view, 2, empty, &result, &error), &error);
	assert_int_equal(bench_view_count(&result), 0);
}

static void a_matrix_is_an_operand_of_gemm_where_one_stride_is_one(void **state)
{
	(void)state;
	static const size_t shape[] = {4, 10}, row[] = {1, 10}, tall[] = {5, 10};
	struct bench_view view = packed(2, shape), result;
	struct bench_error error = {0};
	bool trans;
	size_t ld;
	must(bench_view_matrix(&view, &trans, &ld, &error), &error);
	assert_true(!trans && ld == 10);
	must(bench_view_slice(&view, 1, 3, 5, 1, &result, &error), &error);
	must(bench_view_matrix(&result, &trans, &ld, &error), &error);
	assert_true(!trans && ld == 10 && result.offset == 3);
	must(bench_view_transpose(&result, 0, 1, &result, &error), &error);
	must(bench_view_matrix(&result, &trans, &ld, &error), &error);
	assert_true(trans && ld == 10);
	must(bench_view_slice(&view, 1, 0, 5, 2, &result, &error), &error);
	expect_refused(bench_view_matrix(&result, &trans, &ld, &error), &error, BENCH_UNSUPPORTED, "copy");
	must(bench_view_slice(&view, 0, 3, 4, -1, &result, &error), &error);
	expect_refused(bench_view_matrix(&result, &trans, &ld, &error), &error, BENCH_UNSUPPORTED, "copy");
	view = packed(2, row);
	must(bench_view_broadcast(&view, 2, tall, &result, &error), &error);
	expect_refused(bench_view_matrix(&result, &trans, &ld, &error), &error, BENCH_UNSUPPORTED, "copy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_sequence_of_operations_means_what_its_indices_mean),
		cmocka_unit_test(shapes_that_overflow_are_refused_whatever_zeros_hide_it),
		cmocka_unit_test(ranks_and_axes_that_do_not_exist_are_refused),
		cmocka_unit_test(slices_that_leave_their_axis_are_refused_and_change_nothing),
		cmocka_unit_test(views_without_elements_are_views),
		cmocka_unit_test(what_cannot_be_broadcast_is_refused_by_its_axis),
		cmocka_unit_test(a_matrix_is_an_operand_of_gemm_where_one_stride_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * What the operations of suite view should give, by their definitions over indices, apart from how
 * they are computed. Pure functions; each looks at every element of a view.
 */
#ifndef SUITES_VIEW_CHECK_H
#define SUITES_VIEW_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "kit/view.h"

/* In the order of the choices of the suite's parameter `op`. */
enum bench_view_op {
	BENCH_VIEW_TRANSPOSE, /* of the last two axes */
	BENCH_VIEW_IS_CONTIGUOUS,
	BENCH_VIEW_IS_TRANSPOSED,
	BENCH_VIEW_SLICE,     /* the last axis without its first index */
	BENCH_VIEW_RESHAPE,   /* to the shape asked for */
	BENCH_VIEW_PERMUTE,   /* the axes backwards */
	BENCH_VIEW_BROADCAST, /* to the shape asked for */
};

/* The right answer of IS_CONTIGUOUS or IS_TRANSPOSED for a view of rank >= 2 without empty axes. */
bool bench_view_answer(enum bench_view_op op, const struct bench_view *view);

/*
 * Is `output` the right result of one of the other operations: has it the right shape, and does each of its
 * indices mean the element that it should? `asked`: read by RESHAPE and BROADCAST, of the input's rank.
 */
bool bench_view_is_right(enum bench_view_op op, const struct bench_view *input, const size_t *asked,
			 const struct bench_view *output);

#endif

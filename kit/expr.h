/* SPDX-License-Identifier: MIT */
/*
 * Expressions that users write over named numbers and arrays: sizes, the contents of arrays and expected
 * results. All numbers are doubles.
 *
 *	a ? b : c   || &&   | ^ &   == !=   < <= > >=   << >>   + -   * / %   - ! ~    as in C
 *	x[i], x[i, j]                        an element of an array
 *	x.f[i]                               of an array whose name is "x.f"
 *	abs ceil cos erf exp floor log max min mul32 pow round sin sqrt tan tanh
 *	sum(k, from, to, term)               of the terms for k = from, from + 1, ... below to
 *	let(v, value, result)                the result, in which v is the value
 *	uniform(low, high), normal()         random, where the caller allows it
 *
 * Operators on bits take whole numbers up to 2^53.
 */
#ifndef BENCH_KIT_EXPR_H
#define BENCH_KIT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"
#include "kit/rng.h"

struct bench_expr;

/* What an expression may name. */
struct bench_expr_symbol {
	const char *name; /* "": nothing, to keep a number free */
	bool array;
	bool implied; /* nobody has given the name, so the variable of a sum may hide it */
};

/*
 * Reads an expression of at most 1,000 characters. BENCH_USAGE says what is wrong, and *at where: characters
 * from the start of `text`. The expression is the arena's.
 */
int bench_expr_parse(const char *text, const struct bench_expr_symbol *symbols, size_t count, bool random,
		     struct bench_arena *arena, const struct bench_expr **expr, size_t *at,
		     struct bench_error *error);

/* Does it name a number among the symbols from `first` up to, but not including, `end`? */
bool bench_expr_uses(const struct bench_expr *expr, size_t first, size_t end);

/*
 * A value and what the error of computing it in floating point is proportional to, to first order: how large
 * the terms were that it was made of. Of a sum that is the sum of the magnitudes of its terms.
 */
struct bench_expr_number {
	double value, scale;
};

enum { BENCH_EXPR_INDICES = 3, BENCH_EXPR_LOCALS = 8 };

/* What an evaluation takes, and what it adds to. */
struct bench_expr_context {
	const double *values; /* of the symbols that are numbers, by symbol */
	/* An element of an array; false: there is none at that place. NULL where no symbol is an array. */
	bool (*element)(const void *arrays, size_t symbol, const double *index, size_t indices,
			double *value);
	const void *arrays;
	struct bench_rng *rng;      /* NULL where none is allowed */
	uint64_t steps, most_steps; /* taken so far; an evaluation that would take more than the most fails */
	double operations;          /* roundings of those steps, as they count for a tolerance */
	struct bench_expr_number locals[BENCH_EXPR_LOCALS]; /* of sum and let within each other */
};

/* BENCH_USAGE: an element that is not there, or too many steps. */
int bench_expr_evaluate(const struct bench_expr *expr, struct bench_expr_context *context,
			struct bench_expr_number *number, struct bench_error *error);

#endif

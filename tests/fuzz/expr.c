/* SPDX-License-Identifier: MIT */
/* Expressions of users. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kit/expr.h"

static const struct bench_expr_symbol symbols[] = {
	{.name = "n"}, {.name = "a"}, {.name = "x", .array = true}};
static const double values[] = {10, -2.5, 0};

static bool element(const void *arrays, size_t symbol, const double *index, size_t indices, double *value)
{
	(void)arrays;
	FUZZ_CHECK(symbol == 2 && indices >= 1 && indices <= BENCH_EXPR_INDICES);
	*value = index[0];
	return index[0] >= 0 && index[0] < 100;
}

/* An expression that was taken comes to a number within its steps, or says why not. */
static void evaluate(const struct bench_expr *expr)
{
	struct bench_rng rng;
	struct bench_expr_number number;
	struct bench_error error = {0};
	bench_rng_start(&rng, 1, 1);
	struct bench_expr_context context = {
		.values = values, .element = element, .rng = &rng, .most_steps = 100000};
	if (bench_expr_evaluate(expr, &context, &number, &error) != 0)
		FUZZ_CHECK(error.code == BENCH_USAGE && *error.text);
	else
		FUZZ_CHECK(isnan(number.value) || isnan(number.scale) || number.scale >= fabs(number.value));
	FUZZ_CHECK(context.steps <= context.most_steps + 1);
}

void fuzz_expr(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct bench_arena arena = {0};
	struct bench_error error = {0};
	const struct bench_expr *expr;
	size_t at = 0;
	if (bench_expr_parse(text, symbols, 3, size % 2, &arena, &expr, &at, &error) == 0)
		evaluate(expr);
	else
		FUZZ_CHECK(error.code == BENCH_USAGE && *error.text);
	FUZZ_CHECK(at <= strlen(text));
	bench_arena_free(&arena);
	free(text);
}

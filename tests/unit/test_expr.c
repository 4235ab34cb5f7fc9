/* SPDX-License-Identifier: MIT */
/* Expressions of users: what they come to, how errors are carried, and what is refused where. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kit/expr.h"

static const struct bench_expr_symbol symbols[] = {{.name = "n"},
						   {.name = "a"},
						   {.name = ""},
						   {.name = "x", .array = true},
						   {.name = "i", .implied = true}};
enum { SYMBOLS = sizeof(symbols) / sizeof(symbols[0]) };
static const double values[SYMBOLS] = {10, 2.5};

/* x is 2 by 3 of 0, 1, 2, ... */
static bool element(const void *arrays, size_t symbol, const double *index, size_t indices, double *value)
{
	(void)arrays;
	assert_int_equal(symbol, 3);
	double at = indices == 1 ? index[0] : indices == 2 ? 3 * index[0] + index[1] : -1;
	*value = at;
	return at >= 0 && at < 6 && at == floor(at);
}

static struct bench_expr_number number_of(const char *text, double *operations)
{
	struct bench_arena arena = {0};
	struct bench_error error;
	struct bench_rng rng;
	struct bench_expr_number number;
	const struct bench_expr *expr;
	size_t at;
	bench_rng_start(&rng, 1, 1);
	struct bench_expr_context context = {
		.values = values, .element = element, .rng = &rng, .most_steps = 100000};
	if (bench_expr_parse(text, symbols, SYMBOLS, true, &arena, &expr, &at, &error) != 0 ||
	    bench_expr_evaluate(expr, &context, &number, &error) != 0)
		fail_msg("%s: %s", text, error.text);
	if (operations)
		*operations = context.operations;
	bench_arena_free(&arena);
	return number;
}

static void expressions_come_to_what_they_come_to_in_c(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"10 - 3 - 2", 5},
		{"2 * -n", -20},
		{"!0 + !5", 1},
		{"7 % 4 * 2", 6},
		{"1 / 4", 0.25},
		{"1e3 + .5", 1000.5},
		{"18446744073709551616", 0x1p64},
		{"n == 10 && a < 3", 1},
		{"n != 10 || a >= 3", 0},
		{"n <= 9 ? 1 : a > 2 ? 2 : 3", 2},
		{"min(n, 3) + max(n, 3) + pow(2, 5)", 45},
		{"ceil(n / 4) * 4", 12},
		{"floor(-0.5) + round(2.5) + abs(-1)", 3},
		{"sqrt(16) + exp(0) + log(1) + cos(0) + sin(0) + tan(0) + tanh(0) + erf(0)", 6},
		{"x[4] + x[1, 2]", 9},
		{"sum(k, 0, n, k)", 45},
		{"sum(k, 0, 3, sum(j, 0, 2, k * j))", 3},
		{"sum(i, 0, 3, i)", 3},
		{"sum(k, 3, 3, 1 / 0)", 0},
		{"6 & 3 | 8 ^ 12", 6},
		{"1 | 2 == 2", 1},
		{"4 < 1 << 3 && 1 << 2 + 1 == 8", 1},
		{"-5 >> 1", -3},
		{"~5 + (-1 & 0xff)", 249},
		{"(0xdeadbeef << 13 ^ 0xdeadbeef) & 0xffffffff", 0x69705eef},
		{"(0xdeadbeef << 31) >> 31", 0xdeadbeef},
		{"7 || 1 & 0", 1},
		{"let(v, n + 1, v * v)", 121},
		{"let(v, sum(i, 0, 3, i), v + n)", 13},
		{"let(v, let(w, n, w + 1), v * let(w, 2, w))", 22},
		{"sum(k, sum(j, 0, 2, j), sum(j, 0, 4, j), k + sum(j, 0, 2, j))", 20},
		{"mul32(0xdeadbeef, 0x85ebca6b)", 0x9bac63e5},
		{"sum(k, 0, 3, let(v, k * k, let(w, v + 1, v * w)))", 22},
		/* What is not chosen is not looked at. */
		{"n > 20 && x[n] > 0", 0},
		{"n < 20 || x[n] > 0", 1},
		{"n < 6 ? x[n] : 0", 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double value = number_of(rows[i].text, NULL).value;
		if (value != rows[i].value)
			fail_msg("%s is %.17g, not %.17g", rows[i].text, value, rows[i].value);
	}
	for (int i = 0; i < 20; i++) {
		double value = number_of("uniform(2, 3)", NULL).value;
		assert_true(value >= 2 && value < 3 && isfinite(number_of("normal()", NULL).value));
	}
}

/* Rounding errors are proportional to the terms, and not to what is left of them. */
static void the_scale_is_that_of_the_terms(void **state)
{
	(void)state;
	double operations;
	assert_true(number_of("1000 - 999", NULL).scale == 1999);
	assert_true(number_of("(1000 - 999) * 3", NULL).scale == 5997);
	assert_true(number_of("(1000 - 999) / 4", NULL).scale == 499.75);
	assert_true(number_of("-(1000 - 999) ", NULL).scale == 1999);
	assert_true(number_of("sum(k, 0, 4, k % 2 ? 1 : -1)", NULL).scale == 4);
	/* d exp(x) = exp(x) dx. */
	assert_true(fabs(number_of("exp(1000 - 999)", NULL).scale / exp(1) / 1999 - 1) < 1e-5);
	assert_true(number_of("let(v, 1000 - 999, v * 2)", NULL).scale == 2 * 1999);
	assert_true(number_of("floor(1000.5 - 999)", NULL).scale == 1);
	assert_true(number_of("abs(999 - 1000)", NULL).scale == 1999);
	/* An index is exact; a function counts as more than one rounding. */
	number_of("a * x[2 + 3] + 1", &operations);
	assert_true(operations == 2);
	number_of("exp(a)", &operations);
	assert_true(operations > 1);
}

#define ANYWHERE ((size_t)-1)

static void expect_refused(const char *text, size_t place, const char *words)
{
	struct bench_arena arena = {0};
	struct bench_error error = {0};
	const struct bench_expr *expr;
	size_t at = 0;
	if (bench_expr_parse(text, symbols, SYMBOLS, false, &arena, &expr, &at, &error) == 0)
		fail_msg("%.40s was accepted", text);
	if ((at != place && place != ANYWHERE) || !strstr(error.text, words) || error.code != BENCH_USAGE)
		fail_msg("%.40s is refused at %zu with: %s", text, at, error.text);
	bench_arena_free(&arena);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
	(void)state;
	char deep[200], long_one[1200];
	expect_refused("", 0, "expected a number");
	expect_refused("1 +", 3, "it ends here");
	expect_refused("1 + * 2", 4, "expected a number, a name or '(' at '* 2'");
	expect_refused("(1 + 2", 6, "')'");
	expect_refused("1 2", 2, "an operator");
	expect_refused("m + 1", 0, "no name 'm'");
	expect_refused("2 * sqr(n)", 4, "did you mean 'sqrt'");
	expect_refused("pow(2)", 4, "takes 2 arguments and has 1");
	expect_refused("sqrt(1, 2, 3, 4)", 14, "expected");
	expect_refused("x + 1", 0, "x[i]");
	expect_refused("1 + x[]", 4, "x[] has no index");
	expect_refused("x[1", 3, "']'");
	expect_refused("x[1, 2, 3, 4]", 11, "']'");
	expect_refused("sum(1, 2, 3)", 4, "variable");
	expect_refused("sum(k, 0, k, 1)", 10, "no name 'k'");
	expect_refused("sum(k, 0, 3)", 11, "sum(k, from, to, term)");
	expect_refused("sum(k, 0, 3, k) + k", 18, "no name 'k'");
	expect_refused("uniform(0, 1)", 0, "no function 'uniform'");
	expect_refused("n ? 1", 5, "':'");
	expect_refused("1e999", 0, "finite");
	expect_refused("2 * 9007199254740993", 4, "2^53");
	expect_refused("let(p, 1, let(q, 1, let(u, 1, let(v, 1, let(w, 1, let(y, 1, "
		       "let(z, 1, let(r, 1, let(s, 1, 1)))))))))",
		       84, "more than 8");
	expect_refused("sum(n, 0, 4, n)", 4, "there is a 'n' already");
	expect_refused("let(n, 4, n)", 4, "there is a 'n' already");
	expect_refused("let(v, sum(k, 0, 2, k), k)", 24, "no name 'k'");
	expect_refused("let(v, 1, v) + v", 15, "no name 'v'");
	expect_refused("let(v, v, 1)", 7, "no name 'v'");
	expect_refused("let(v, 1)", 8, "let(v, value, result)");
	expect_refused("let(2, 1, 1)", 4, "a name for the value");
	expect_refused("sum(k, 0, 4, sum(k, 0, 4, k))", 17, "there is a 'k' already");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	expect_refused(deep, 30, "levels");
	memset(long_one, '1', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = '\0';
	expect_refused(long_one, 0, "characters");
	for (size_t i = 0; i < 901; i++)
		long_one[i] = i % 2 ? '+' : '1';
	long_one[901] = '\0';
	expect_refused(long_one, ANYWHERE, "numbers, names and operators");
}

static void what_cannot_be_evaluated_is_an_error_and_no_number(void **state)
{
	(void)state;
	static const struct {
		const char *text, *words;
	} rows[] = {{"x[6]", "[6] is outside"},
		    {"x[0.5]", "[0.5] is outside"},
		    {"1 + x[1, 9]", "[1, 9] is outside"},
		    {"x[0, 0, 0]", "outside"},
		    {"x[x[6]]", "[6] is outside"},
		    {"sum(k, 0, 1e9, k)", "steps"},
		    {"sum(k, 0, 1e300, x[9])", "outside"},
		    {"2.5 & 1", "'&' takes whole numbers up to 2^53, and has 2.5"},
		    {"~9007199254740994", "'~' takes whole numbers"},
		    {"1 | 0 / 0", "'|' takes"},
		    {"1 << 64", "0 to 63 bits"},
		    {"1 >> -1", "0 to 63 bits"},
		    {"0xffffffff << 24 | 1", "beyond 2^53: mask before"},
		    {"(0xffffffff << 33) & 1", "takes whole numbers"},
		    {"0xffffffff * 0xffffffff & 1", "the product of two uint is mul32(a, b)"}};
	struct bench_arena arena = {0};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_expr_context context = {
			.values = values, .element = element, .most_steps = 10000};
		struct bench_expr_number number;
		struct bench_error error = {0};
		const struct bench_expr *expr;
		size_t at;
		assert_int_equal(
			bench_expr_parse(rows[i].text, symbols, SYMBOLS, false, &arena, &expr, &at, &error),
			0);
		assert_int_equal(bench_expr_evaluate(expr, &context, &number, &error), -1);
		if (!strstr(error.text, rows[i].words))
			fail_msg("%s: %s", rows[i].text, error.text);
	}
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_come_to_what_they_come_to_in_c),
		cmocka_unit_test(the_scale_is_that_of_the_terms),
		cmocka_unit_test(what_is_wrong_is_said_with_its_place),
		cmocka_unit_test(what_cannot_be_evaluated_is_an_error_and_no_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

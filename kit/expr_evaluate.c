/* SPDX-License-Identifier: MIT */
/* The evaluation of expressions, with the scale and the number of roundings of what they compute. */
#include "kit/expr_internal.h"

#include <math.h>

#include "core/text.h"

enum { FUNCTION_ROUNDINGS = 16 }; /* OpenCL allows a float's functions that many units in the last place */

/* The low 32 bits of a product of two of 32 bits, as OpenCL's uint has it; NaN of other numbers. */
static double mul32(double a, double b)
{
	const bool whole =
		a >= 0 && b >= 0 && a <= UINT32_MAX && b <= UINT32_MAX && a == floor(a) && b == floor(b);
	return whole ? (double)(uint32_t)((uint64_t)a * (uint64_t)b) : (double)NAN;
}

const struct kit_expr_function kit_expr_functions[] = {
	{"abs", fabs, NULL, true},    {"ceil", ceil, NULL, true},  {"cos", cos, NULL, false},
	{"erf", erf, NULL, false},    {"exp", exp, NULL, false},   {"floor", floor, NULL, true},
	{"log", log, NULL, false},    {"max", NULL, fmax, false},  {"min", NULL, fmin, false},
	{"mul32", NULL, mul32, true}, {"pow", NULL, pow, false},   {"round", round, NULL, true},
	{"sin", sin, NULL, false},    {"sqrt", sqrt, NULL, false}, {"tan", tan, NULL, false},
	{"tanh", tanh, NULL, false},
};
const size_t kit_expr_function_count = sizeof(kit_expr_functions) / sizeof(kit_expr_functions[0]);

struct evaluation {
	const struct bench_expr *expr;
	struct bench_expr_context *context;
	struct bench_error *error;
	bool failed;
};

static struct bench_expr_number evaluate(struct evaluation *evaluation, size_t index);

static struct bench_expr_number plain(double value)
{
	return (struct bench_expr_number){value, fabs(value)};
}

static struct bench_expr_number of_scale(double value, double scale)
{
	return (struct bench_expr_number){value, scale >= fabs(value) ? scale : fabs(value)};
}

static struct bench_expr_number fail(struct evaluation *evaluation)
{
	evaluation->failed = true;
	return plain((double)NAN);
}

#define MOST_EXACT (INT64_C(1) << 53)

/* A whole number that is exact: up to 2^53, or what a shift made of such a one. */
static bool whole(struct evaluation *evaluation, const char *name, size_t index, double value, int64_t *out)
{
	const struct node *node = &evaluation->expr->nodes[index];
	const bool shifted = node->kind == BINARY && node->which == SHIFT_LEFT;
	if (value == floor(value) && (shifted ? fabs(value) < 0x1p63 : fabs(value) <= MOST_EXACT)) {
		*out = (int64_t)value;
		return true;
	}
	if (!evaluation->failed)
		bench_fail(evaluation->error, BENCH_USAGE,
			   "'%s' takes whole numbers up to 2^53, and has %.17g%s", name, value,
			   value > 0x1p53 ? ": the product of two uint is mul32(a, b)" : "");
	evaluation->failed = true;
	return false;
}

static struct bench_expr_number bits(struct evaluation *evaluation, const struct node *node, double x,
				     double y)
{
	const char *name = kit_expr_operators[node->which].text;
	const bool shift = node->which == SHIFT_LEFT || node->which == SHIFT_RIGHT;
	int64_t a, b;
	if (!whole(evaluation, name, node->child[0], x, &a) ||
	    !whole(evaluation, name, node->child[1], y, &b))
		return plain((double)NAN);
	if (shift && (b < 0 || b > 63)) {
		bench_fail(evaluation->error, BENCH_USAGE, "'%s' shifts by 0 to 63 bits, and not by %.17g",
			   name, y);
		return fail(evaluation);
	}
	if (shift)
		return plain(node->which == SHIFT_LEFT ? ldexp(x, (int)b) : floor(ldexp(x, -(int)b)));
	const int64_t made = node->which == BITS_AND ? a & b : node->which == BITS_OR ? a | b : a ^ b;
	if (made >= -MOST_EXACT && made <= MOST_EXACT)
		return plain((double)made);
	bench_fail(evaluation->error, BENCH_USAGE,
		   "'%s' gives %lld, which is beyond 2^53: mask before a shift, as in (x & 0xff) << 24", name,
		   (long long)made);
	return fail(evaluation);
}

static struct bench_expr_number binary(struct evaluation *evaluation, const struct node *node)
{
	const struct bench_expr_number a = evaluate(evaluation, node->child[0]);
	/* What && and || need not look at may not be there. */
	if ((node->which == OR && a.value != 0) || (node->which == AND && a.value == 0))
		return plain(a.value != 0);
	const struct bench_expr_number b = evaluate(evaluation, node->child[1]);
	const double x = a.value, y = b.value;
	evaluation->context->operations += node->which >= PLUS;
	switch ((enum operator)node->which) {
	case OR:
	case AND:
		return plain(y != 0);
	case EQUAL:
		return plain(x == y);
	case UNEQUAL:
		return plain(x != y);
	case AT_MOST:
		return plain(x <= y);
	case AT_LEAST:
		return plain(x >= y);
	case SHIFT_LEFT:
	case SHIFT_RIGHT:
	case BITS_OR:
	case BITS_XOR:
	case BITS_AND:
		return bits(evaluation, node, x, y);
	case BELOW:
		return plain(x < y);
	case ABOVE:
		return plain(x > y);
	case PLUS:
		return of_scale(x + y, a.scale + b.scale);
	case MINUS:
		return of_scale(x - y, a.scale + b.scale);
	case TIMES:
		return of_scale(x * y, fmax(fabs(x) * b.scale, fabs(y) * a.scale));
	case OVER:
		return of_scale(x / y, fmax(a.scale / fabs(y), fabs(x) * b.scale / (y * y)));
	case MODULO:
		return of_scale(fmod(x, y), a.scale);
	}
	return fail(evaluation);
}

static double apply(size_t function, double a, double b)
{
	return kit_expr_functions[function].one ? kit_expr_functions[function].one(a)
						: kit_expr_functions[function].two(a, b);
}

/* By how much the function changes with an error of `scale` in its argument, by a small step. */
static double carried(double there, double value, double step, double scale)
{
	return fabs(there - value) / step * scale;
}

static struct bench_expr_number call(struct evaluation *evaluation, const struct node *node)
{
	const size_t f = node->which;
	const struct bench_expr_number a = evaluate(evaluation, node->child[0]),
				       b = node->count > 1 ? evaluate(evaluation, node->child[1]) : plain(0);
	const double value = apply(f, a.value, b.value);
	if (kit_expr_functions[f].exact)
		return of_scale(value, f == 0 ? a.scale : 0);
	evaluation->context->operations += FUNCTION_ROUNDINGS;
	const double da = a.value != 0 ? fabs(a.value) * 0x1p-20 : 0x1p-20,
		     db = b.value != 0 ? fabs(b.value) * 0x1p-20 : 0x1p-20;
	double scale = carried(apply(f, a.value + da, b.value), value, da, a.scale);
	if (node->count > 1)
		scale = fmax(scale, carried(apply(f, a.value, b.value + db), value, db, b.scale));
	return of_scale(value, scale);
}

static struct bench_expr_number element(struct evaluation *evaluation, const struct node *node)
{
	struct bench_expr_context *context = evaluation->context;
	const double operations = context->operations;
	double index[BENCH_EXPR_INDICES], value;
	for (size_t i = 0; i < node->count; i++)
		index[i] = evaluate(evaluation, node->child[i]).value;
	context->operations = operations; /* those of an index are exact */
	if (evaluation->failed)
		return plain((double)NAN);
	if (context->element(context->arrays, node->which, index, node->count, &value))
		return plain(value);
	BENCH_SCOPED_TEXT text = {0};
	for (size_t i = 0; i < node->count; i++)
		bench_text_add(&text, "%s%.17g", i ? ", " : "", index[i]);
	bench_fail(evaluation->error, BENCH_USAGE, "%s[%s] is outside of the array", node->name, text.data);
	return fail(evaluation);
}

static struct bench_expr_number sum(struct evaluation *evaluation, const struct node *node)
{
	struct bench_expr_context *context = evaluation->context;
	const double from = evaluate(evaluation, node->child[0]).value,
		     to = evaluate(evaluation, node->child[1]).value;
	struct bench_expr_number total = {0, 0};
	for (uint64_t i = 0; from + (double)i < to && !evaluation->failed; i++) {
		context->locals[node->which] = plain(from + (double)i);
		const struct bench_expr_number term = evaluate(evaluation, node->child[2]);
		total.value += term.value;
		total.scale += term.scale;
		context->operations++;
	}
	return total;
}

static struct bench_expr_number evaluate(struct evaluation *evaluation, size_t index)
{
	struct bench_expr_context *context = evaluation->context;
	const struct node *node = &evaluation->expr->nodes[index];
	struct bench_expr_number a, b;
	int64_t whole_number;
	if (!evaluation->failed && ++context->steps > context->most_steps) {
		bench_fail(evaluation->error, BENCH_USAGE, "it takes more than %llu steps",
			   (unsigned long long)context->most_steps);
		return fail(evaluation);
	}
	if (evaluation->failed)
		return plain((double)NAN);
	switch (node->kind) {
	case NUMBER:
		return plain(node->number);
	case SYMBOL:
		return plain(context->values[node->which]);
	case LOCAL:
		return context->locals[node->which];
	case ELEMENT:
		return element(evaluation, node);
	case NEGATE:
		a = evaluate(evaluation, node->child[0]);
		return of_scale(-a.value, a.scale);
	case NOT:
		return plain(evaluate(evaluation, node->child[0]).value == 0);
	case BITS_NOT:
		a = evaluate(evaluation, node->child[0]);
		return whole(evaluation, "~", node->child[0], a.value, &whole_number)
			       ? plain((double)~whole_number)
			       : plain((double)NAN);
	case BINARY:
		return binary(evaluation, node);
	case CHOICE:
		return evaluate(evaluation,
				node->child[evaluate(evaluation, node->child[0]).value != 0 ? 1 : 2]);
	case CALL:
		return call(evaluation, node);
	case SUM:
		return sum(evaluation, node);
	case LET:
		a = evaluate(evaluation, node->child[0]);
		context->locals[node->which] = a;
		return evaluate(evaluation, node->child[1]);
	case UNIFORM:
		a = evaluate(evaluation, node->child[0]);
		b = evaluate(evaluation, node->child[1]);
		return plain(a.value + (b.value - a.value) * bench_rng_uniform(context->rng));
	case NORMAL:
		return plain(bench_rng_normal(context->rng));
	}
	return fail(evaluation);
}

int bench_expr_evaluate(const struct bench_expr *expr, struct bench_expr_context *context,
			struct bench_expr_number *number, struct bench_error *error)
{
	struct evaluation evaluation = {.expr = expr, .context = context, .error = error};
	*number = evaluate(&evaluation, expr->root);
	return evaluation.failed ? -1 : 0;
}

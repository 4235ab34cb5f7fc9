/* SPDX-License-Identifier: MIT */
/* Expressions: a parser by precedence climbing into an array of nodes, and their evaluation. */
#include "kit/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum {
	MOST_CHARACTERS = 1000,
	MOST_NODES = 400,
	MOST_DEPTH = 60,
	MOST_LOCALS = BENCH_EXPR_LOCALS,
	MOST_NAMES = 128
};
enum { FUNCTION_ROUNDINGS = 16 }; /* OpenCL allows a float's functions that many units in the last place */

enum kind {
	NUMBER,
	SYMBOL,
	LOCAL,
	ELEMENT,
	NEGATE,
	NOT,
	BITS_NOT,
	BINARY,
	CHOICE,
	CALL,
	SUM,
	LET,
	UNIFORM,
	NORMAL
};

struct node {
	enum kind kind;
	double number;
	size_t which;     /* symbol, local, operator or function */
	const char *name; /* of an array, for messages */
	size_t count;     /* of children */
	size_t child[4];
};

struct bench_expr {
	size_t count, root;
	struct node nodes[];
};

/* The operators of two operands; a higher level binds more tightly. Longer texts stand before their
 * beginnings. */
enum operator{
	OR,
	AND,
	EQUAL,
	UNEQUAL,
	AT_MOST,
	AT_LEAST,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	BELOW,
	ABOVE,
	BITS_OR,
	BITS_XOR,
	BITS_AND,
	PLUS,
	MINUS,
	TIMES,
	OVER,
	MODULO
};
static const struct {
	const char *text;
	int level;
} operators[] = {
	[OR] = {"||", 1},          [AND] = {"&&", 2},   [BITS_OR] = {"|", 3},  [BITS_XOR] = {"^", 4},
	[BITS_AND] = {"&", 5},     [EQUAL] = {"==", 6}, [UNEQUAL] = {"!=", 6}, [AT_MOST] = {"<=", 7},
	[AT_LEAST] = {">=", 7},    [BELOW] = {"<", 7},  [ABOVE] = {">", 7},    [SHIFT_LEFT] = {"<<", 8},
	[SHIFT_RIGHT] = {">>", 8}, [PLUS] = {"+", 9},   [MINUS] = {"-", 9},    [TIMES] = {"*", 10},
	[OVER] = {"/", 10},        [MODULO] = {"%", 10}};
enum { OPERATORS = sizeof(operators) / sizeof(operators[0]), MOST_LEVEL = 10 };

/* The low 32 bits of a product of two of 32 bits, as OpenCL's uint has it; NaN of other numbers. */
static double mul32(double a, double b)
{
	const bool whole =
		a >= 0 && b >= 0 && a <= UINT32_MAX && b <= UINT32_MAX && a == floor(a) && b == floor(b);
	return whole ? (double)(uint32_t)((uint64_t)a * (uint64_t)b) : (double)NAN;
}

static const struct {
	const char *name;
	double (*one)(double a);
	double (*two)(double a, double b);
	bool exact; /* gives one of the numbers that a computation has, too */
} functions[] = {
	{"abs", fabs, NULL, true},    {"ceil", ceil, NULL, true},  {"cos", cos, NULL, false},
	{"erf", erf, NULL, false},    {"exp", exp, NULL, false},   {"floor", floor, NULL, true},
	{"log", log, NULL, false},    {"max", NULL, fmax, false},  {"min", NULL, fmin, false},
	{"mul32", NULL, mul32, true}, {"pow", NULL, pow, false},   {"round", round, NULL, true},
	{"sin", sin, NULL, false},    {"sqrt", sqrt, NULL, false}, {"tan", tan, NULL, false},
	{"tanh", tanh, NULL, false},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

struct parser {
	const char *text, *at;
	const struct bench_expr_symbol *symbols;
	size_t symbol_count;
	bool random;
	struct node nodes[MOST_NODES];
	size_t count;
	char locals[MOST_LOCALS][32];
	size_t local_count;
	int depth;
	struct bench_error *error;
};

static int parse_choice(struct parser *parser, size_t *index);

static void skip_blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static int expected(struct parser *parser, const char *what)
{
	if (!*parser->at)
		return bench_fail(parser->error, BENCH_USAGE, "expected %s, and it ends here", what);
	return bench_fail(parser->error, BENCH_USAGE, "expected %s at '%.10s'", what, parser->at);
}

/* Takes a text that may follow. */
static bool take(struct parser *parser, const char *text)
{
	skip_blanks(parser);
	if (strncmp(parser->at, text, strlen(text)) != 0)
		return false;
	parser->at += strlen(text);
	return true;
}

static int need(struct parser *parser, const char *text, const char *what)
{
	return take(parser, text) ? 0 : expected(parser, what);
}

static int add(struct parser *parser, const struct node *node, size_t *index)
{
	if (parser->count == MOST_NODES)
		return bench_fail(parser->error, BENCH_USAGE, "more than %d numbers, names and operators",
				  MOST_NODES);
	*index = parser->count;
	parser->nodes[parser->count++] = *node;
	return 0;
}

/* Expressions separated by commas, up to `end`. */
static int parse_list(struct parser *parser, struct node *node, size_t most, const char *end,
		      const char *what)
{
	if (node->count == 0 && take(parser, end))
		return 0;
	do {
		if (node->count == most)
			return expected(parser, what);
		if (parse_choice(parser, &node->child[node->count]) != 0)
			return -1;
		node->count++;
	} while (take(parser, ","));
	return need(parser, end, what);
}

static bool is_name(char c, bool first)
{
	return c == '_' || (first ? isalpha((unsigned char)c) : isalnum((unsigned char)c));
}

/* "x", or a field of what has some: "x.y". */
static size_t name_length(const char *text)
{
	size_t length = 0;
	while (is_name(text[length], length == 0) ||
	       (length && text[length] == '.' && is_name(text[length + 1], true)))
		length++;
	return length;
}

static bool same(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && strncmp(name, text, length) == 0;
}

static bool is_known(const struct parser *parser, const char *name)
{
	bool known = false;
	for (size_t i = 0; i < parser->symbol_count; i++)
		known |= !parser->symbols[i].implied && strcmp(parser->symbols[i].name, name) == 0;
	for (size_t i = 0; i < parser->local_count; i++)
		known |= strcmp(parser->locals[i], name) == 0;
	return known;
}

/* sum(k, from, to, term) or let(v, value, result), behind its '('. */
static int parse_bound(struct parser *parser, enum kind kind, size_t *index)
{
	struct node node = {.kind = kind, .which = parser->local_count};
	const char *form = kind == SUM ? "',': sum(k, from, to, term)" : "',': let(v, value, result)";
	const size_t parts = kind == SUM ? 3 : 2;
	skip_blanks(parser);
	size_t length = name_length(parser->at);
	if (length == 0 || length >= sizeof(parser->locals[0]))
		return expected(parser,
				kind == SUM ? "the name of the sum's variable" : "a name for the value");
	if (parser->local_count == MOST_LOCALS)
		return bench_fail(parser->error, BENCH_USAGE, "more than %d of sum and let within each other",
				  MOST_LOCALS);
	char name[sizeof(parser->locals[0])] = "", *local = parser->locals[parser->local_count];
	memcpy(name, parser->at, length);
	/* It would hide the other one, which the term may mean. */
	if (is_known(parser, name))
		return bench_fail(parser->error, BENCH_USAGE, "there is a '%s' already: choose another name",
				  name);
	parser->at += length;
	/* The variable is known in the last part alone; its place is taken before, since other parts may have
	 * variables, too. */
	*local = '\0';
	parser->local_count++;
	for (; node.count < parts; node.count++) {
		if (need(parser, ",", form) != 0)
			return -1;
		if (node.count == parts - 1)
			memcpy(local, name, sizeof(name));
		if (parse_choice(parser, &node.child[node.count]) != 0)
			return -1;
	}
	parser->local_count--;
	return need(parser, ")",
		    kind == SUM ? "')' behind the term of a sum" : "')' behind the result of let") != 0
		       ? -1
		       : add(parser, &node, index);
}

static int wrong_count(struct parser *parser, const char *name, size_t takes, size_t has)
{
	return bench_fail(parser->error, BENCH_USAGE, "%s takes %zu argument%s and has %zu", name, takes,
			  takes == 1 ? "" : "s", has);
}

/* A function, behind its '('. */
static int parse_call(struct parser *parser, const char *name, size_t length, size_t *index)
{
	const char *names[FUNCTIONS + 4];
	char word[32] = "";
	struct node node = {.kind = CALL};
	const char *start = parser->at;
	size_t f = 0;
	if (same("sum", name, length))
		return parse_bound(parser, SUM, index);
	if (same("let", name, length))
		return parse_bound(parser, LET, index);
	for (; f < FUNCTIONS && !same(functions[f].name, name, length); f++)
		names[f] = functions[f].name;
	node.which = f;
	size_t takes = f < FUNCTIONS && functions[f].one ? 1 : 2;
	if (f == FUNCTIONS && parser->random &&
	    (same("uniform", name, length) || same("normal", name, length))) {
		node.kind = name[0] == 'u' ? UNIFORM : NORMAL;
		takes = name[0] == 'u' ? 2 : 0;
	} else if (f == FUNCTIONS) {
		size_t count = FUNCTIONS;
		names[count++] = "sum", names[count++] = "let";
		if (parser->random)
			names[count++] = "uniform", names[count++] = "normal";
		memcpy(word, name, length < sizeof(word) ? length : sizeof(word) - 1);
		parser->at = name;
		return bench_text_no_such("function", word, names, count, "", parser->error);
	}
	if (parse_list(parser, &node, 3, ")", "')' behind the arguments of a function") != 0)
		return -1;
	if (node.count == takes)
		return add(parser, &node, index);
	parser->at = start;
	memcpy(word, name, length < sizeof(word) ? length : sizeof(word) - 1);
	return wrong_count(parser, word, takes, node.count);
}

static int no_such_name(struct parser *parser, const char *name, size_t length)
{
	const char *names[MOST_NAMES];
	char word[64] = "";
	size_t count = 0;
	for (size_t i = 0; i < parser->local_count; i++)
		if (parser->locals[i][0])
			names[count++] = parser->locals[i];
	for (size_t i = 0; i < parser->symbol_count && count < MOST_NAMES; i++)
		if (parser->symbols[i].name[0])
			names[count++] = parser->symbols[i].name;
	memcpy(word, name, length < sizeof(word) ? length : sizeof(word) - 1);
	parser->at = name;
	if (count == 0)
		return bench_fail(parser->error, BENCH_USAGE, "there is no '%s': nothing has a name here",
				  word);
	return bench_text_no_such("name", word, names, count, "", parser->error);
}

static int parse_name(struct parser *parser, size_t *index)
{
	const char *name = parser->at;
	size_t length = name_length(name);
	parser->at += length;
	if (take(parser, "("))
		return parse_call(parser, name, length, index);
	for (size_t i = parser->local_count; i-- > 0;)
		if (same(parser->locals[i], name, length))
			return add(parser, &(struct node){.kind = LOCAL, .which = i}, index);
	for (size_t i = 0; i < parser->symbol_count; i++) {
		if (!same(parser->symbols[i].name, name, length))
			continue;
		struct node node = {.kind = parser->symbols[i].array ? ELEMENT : SYMBOL,
				    .which = i,
				    .name = parser->symbols[i].name};
		if (!parser->symbols[i].array)
			return add(parser, &node, index);
		if (!take(parser, "[")) {
			parser->at = name;
			return bench_fail(parser->error, BENCH_USAGE,
					  "%s is an array: say which element, %s[i]", parser->symbols[i].name,
					  parser->symbols[i].name);
		}
		if (parse_list(parser, &node, BENCH_EXPR_INDICES, "]", "']' behind the index") != 0)
			return -1;
		if (node.count)
			return add(parser, &node, index);
		parser->at = name;
		return bench_fail(parser->error, BENCH_USAGE, "%s[] has no index", parser->symbols[i].name);
	}
	return no_such_name(parser, name, length);
}

static int parse_number(struct parser *parser, size_t *index)
{
	char *end;
	struct node node = {.kind = NUMBER, .number = strtod(parser->at, &end)};
	if (end == parser->at || !isfinite(node.number))
		return expected(parser, "a finite number");
	/* Who writes all digits means all of them. */
	if ((size_t)(end - parser->at) == strspn(parser->at, "0123456789") &&
	    strtold(parser->at, NULL) != (long double)node.number)
		return expected(parser, "a whole number that a double can hold (all up to 2^53)");
	parser->at = end;
	return add(parser, &node, index);
}

static int parse_operand(struct parser *parser, size_t *index)
{
	struct node node = {.kind = NEGATE, .count = 1};
	int result;
	skip_blanks(parser);
	if (++parser->depth > MOST_DEPTH)
		return bench_fail(parser->error, BENCH_USAGE, "more than %d levels deep", MOST_DEPTH);
	if (take(parser, "(")) {
		result = parse_choice(parser, index) != 0 ? -1 : need(parser, ")", "')'");
	} else if (*parser->at == '-' || *parser->at == '!' || *parser->at == '~') {
		node.kind = *parser->at == '-' ? NEGATE : *parser->at == '!' ? NOT : BITS_NOT;
		parser->at++;
		result = parse_operand(parser, &node.child[0]) != 0 ? -1 : add(parser, &node, index);
	} else if (is_name(*parser->at, true)) {
		result = parse_name(parser, index);
	} else if (isdigit((unsigned char)*parser->at) || *parser->at == '.') {
		result = parse_number(parser, index);
	} else {
		result = expected(parser, "a number, a name or '('");
	}
	parser->depth--;
	return result;
}

/* Operators of this level or a higher one, left to right. */
static int parse_binary(struct parser *parser, int level, size_t *index)
{
	if (level > MOST_LEVEL)
		return parse_operand(parser, index);
	if (parse_binary(parser, level + 1, index) != 0)
		return -1;
	for (;;) {
		size_t o = 0;
		skip_blanks(parser);
		while (o < OPERATORS &&
		       strncmp(parser->at, operators[o].text, strlen(operators[o].text)) != 0)
			o++;
		if (o == OPERATORS || operators[o].level != level)
			return 0;
		parser->at += strlen(operators[o].text);
		struct node node = {.kind = BINARY, .which = o, .count = 2, .child = {*index}};
		if (parse_binary(parser, level + 1, &node.child[1]) != 0 || add(parser, &node, index) != 0)
			return -1;
	}
}

static int parse_choice(struct parser *parser, size_t *index)
{
	struct node node = {.kind = CHOICE, .count = 3};
	int result = 0;
	if (++parser->depth > MOST_DEPTH)
		return bench_fail(parser->error, BENCH_USAGE, "more than %d levels deep", MOST_DEPTH);
	if (parse_binary(parser, 1, &node.child[0]) != 0)
		return -1;
	*index = node.child[0];
	if (take(parser, "?"))
		result = parse_choice(parser, &node.child[1]) != 0 || need(parser, ":", "':' of '?'") != 0 ||
					 parse_choice(parser, &node.child[2]) != 0 ||
					 add(parser, &node, index) != 0
				 ? -1
				 : 0;
	parser->depth--;
	return result;
}

int bench_expr_parse(const char *text, const struct bench_expr_symbol *symbols, size_t count, bool random,
		     struct bench_arena *arena, const struct bench_expr **expr, size_t *at,
		     struct bench_error *error)
{
	struct parser parser = {.text = text,
				.at = text,
				.symbols = symbols,
				.symbol_count = count,
				.random = random,
				.error = error};
	size_t root = 0;
	int result = 0;
	if (strlen(text) > MOST_CHARACTERS)
		result = bench_fail(error, BENCH_USAGE, "more than %d characters", MOST_CHARACTERS);
	if (result == 0)
		result = parse_choice(&parser, &root);
	skip_blanks(&parser);
	if (result == 0 && *parser.at)
		result = expected(&parser, "an operator");
	*at = (size_t)(parser.at - text);
	if (result != 0)
		return -1;
	struct bench_expr *made =
		bench_arena_alloc(arena, 1, sizeof(*made) + parser.count * sizeof(*made->nodes));
	made->count = parser.count;
	made->root = root;
	memcpy(made->nodes, parser.nodes, parser.count * sizeof(*made->nodes));
	*expr = made;
	return 0;
}

bool bench_expr_uses(const struct bench_expr *expr, size_t first, size_t end)
{
	for (size_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].kind == SYMBOL && expr->nodes[i].which >= first &&
		    expr->nodes[i].which < end)
			return true;
	return false;
}

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
static bool whole(struct evaluation *evaluation, const char *operator, size_t index, double value,
		  int64_t *out)
{
	const struct node *node = &evaluation->expr->nodes[index];
	const bool shifted = node->kind == BINARY && node->which == SHIFT_LEFT;
	if (value == floor(value) && (shifted ? fabs(value) < 0x1p63 : fabs(value) <= MOST_EXACT)) {
		*out = (int64_t)value;
		return true;
	}
	if (!evaluation->failed)
		bench_fail(evaluation->error, BENCH_USAGE,
			   "'%s' takes whole numbers up to 2^53, and has %.17g%s", operator, value,
			   value > 0x1p53 ? ": the product of two uint is mul32(a, b)" : "");
	evaluation->failed = true;
	return false;
}

static struct bench_expr_number bits(struct evaluation *evaluation, const struct node *node, double x,
				     double y)
{
	const char *operator= operators[node->which].text;
	const bool shift = node->which == SHIFT_LEFT || node->which == SHIFT_RIGHT;
	int64_t a, b;
	if (!whole(evaluation, operator, node->child[0], x, &a) ||
	    !whole(evaluation, operator, node->child[1], y, &b))
		return plain((double)NAN);
	if (shift && (b < 0 || b > 63)) {
		bench_fail(evaluation->error, BENCH_USAGE,
			   "'%s' shifts by 0 to 63 bits, and not by %.17g", operator, y);
		return fail(evaluation);
	}
	if (shift)
		return plain(node->which == SHIFT_LEFT ? ldexp(x, (int)b) : floor(ldexp(x, -(int)b)));
	const int64_t made = node->which == BITS_AND ? a & b : node->which == BITS_OR ? a | b : a ^ b;
	if (made >= -MOST_EXACT && made <= MOST_EXACT)
		return plain((double)made);
	bench_fail(evaluation->error, BENCH_USAGE,
		   "'%s' gives %lld, which is beyond 2^53: mask before a shift, as in (x & 0xff) << 24",
		   operator,(long long) made);
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
	return functions[function].one ? functions[function].one(a) : functions[function].two(a, b);
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
	if (functions[f].exact)
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

/* SPDX-License-Identifier: MIT */
/* Expressions: a parser by precedence climbing into an array of nodes. */
#include "kit/expr_internal.h"

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

/* Longer texts stand before their beginnings. */
const struct kit_expr_operator kit_expr_operators[] = {
	[OR] = {"||", 1},          [AND] = {"&&", 2},   [BITS_OR] = {"|", 3},  [BITS_XOR] = {"^", 4},
	[BITS_AND] = {"&", 5},     [EQUAL] = {"==", 6}, [UNEQUAL] = {"!=", 6}, [AT_MOST] = {"<=", 7},
	[AT_LEAST] = {">=", 7},    [BELOW] = {"<", 7},  [ABOVE] = {">", 7},    [SHIFT_LEFT] = {"<<", 8},
	[SHIFT_RIGHT] = {">>", 8}, [PLUS] = {"+", 9},   [MINUS] = {"-", 9},    [TIMES] = {"*", 10},
	[OVER] = {"/", 10},        [MODULO] = {"%", 10}};
enum { OPERATORS = sizeof(kit_expr_operators) / sizeof(kit_expr_operators[0]), MOST_LEVEL = 10 };

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
	const char *names[MOST_NAMES];
	char word[32] = "";
	struct node node = {.kind = CALL};
	const char *start = parser->at;
	size_t f = 0;
	if (same("sum", name, length))
		return parse_bound(parser, SUM, index);
	if (same("let", name, length))
		return parse_bound(parser, LET, index);
	for (; f < kit_expr_function_count && !same(kit_expr_functions[f].name, name, length); f++)
		names[f] = kit_expr_functions[f].name;
	node.which = f;
	size_t takes = f < kit_expr_function_count && kit_expr_functions[f].one ? 1 : 2;
	if (f == kit_expr_function_count && parser->random &&
	    (same("uniform", name, length) || same("normal", name, length))) {
		node.kind = name[0] == 'u' ? UNIFORM : NORMAL;
		takes = name[0] == 'u' ? 2 : 0;
	} else if (f == kit_expr_function_count) {
		size_t count = kit_expr_function_count;
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
		while (o < OPERATORS && strncmp(parser->at, kit_expr_operators[o].text,
						strlen(kit_expr_operators[o].text)) != 0)
			o++;
		if (o == OPERATORS || kit_expr_operators[o].level != level)
			return 0;
		parser->at += strlen(kit_expr_operators[o].text);
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

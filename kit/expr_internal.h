/* SPDX-License-Identifier: MIT */
/* What the parser of expressions (expr.c) makes and their evaluation (expr_evaluate.c) reads: an array of
 * nodes. */
#ifndef BENCH_KIT_EXPR_INTERNAL_H
#define BENCH_KIT_EXPR_INTERNAL_H

#include "kit/expr.h"

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

/* The operators of two operands; from PLUS on they round. */
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
struct kit_expr_operator {
	const char *text;
	int level; /* a higher one binds more tightly */
};
extern const struct kit_expr_operator kit_expr_operators[];

struct kit_expr_function {
	const char *name;
	double (*one)(double a);
	double (*two)(double a, double b);
	bool exact; /* gives one of the numbers that a computation has, too */
};
extern const struct kit_expr_function kit_expr_functions[];
extern const size_t kit_expr_function_count;

#endif

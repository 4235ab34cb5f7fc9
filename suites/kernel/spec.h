/* SPDX-License-Identifier: MIT */
/*
 * The specification of a user's kernel: its arguments, sizes, cases and check. docs/user-kernels.md is its
 * reference.
 */
#ifndef SUITES_KERNEL_SPEC_H
#define SUITES_KERNEL_SPEC_H

#include <cjson/cJSON.h>

#include "bench/backend.h"
#include "bench/suite.h"
#include "core/arena.h"
#include "kit/expr.h"
#include "suites/kernel/data.h"

enum { BENCH_KERNEL_PARAMS = 16, BENCH_KERNEL_VARIANTS = 16, BENCH_KERNEL_INDICES = 4 };
enum { BENCH_KERNEL_SYMBOLS = BENCH_KERNEL_PARAMS + BENCH_KERNEL_INDICES + BENCH_KERNEL_ARGUMENTS };

/* An expression or a text of the spec, and where it stands there: "saxpy.json:7:12: args: shape". */
struct bench_kernel_expr {
	const struct bench_expr *expr; /* NULL: none was given */
	const char *place;
};
struct bench_kernel_words {
	const char *text; /* {NAME} stands for the value of a parameter */
	const char *place;
};

struct bench_kernel_shape {
	struct bench_kernel_expr extents[BENCH_KERNEL_DIMENSIONS];
	size_t count; /* 0: none was given */
};

/* A number, local memory, or a buffer that the kernel reads, writes, or both. */
enum bench_kernel_access {
	BENCH_KERNEL_VALUE,
	BENCH_KERNEL_LOCAL,
	BENCH_KERNEL_IN,
	BENCH_KERNEL_OUT,
	BENCH_KERNEL_INOUT
};

struct bench_kernel_spec_argument {
	const char *name;
	struct bench_kernel_words type;
	enum bench_kernel_access access;
	struct bench_kernel_shape shape;
	struct bench_kernel_expr
		value; /* of a number; of a buffer what it is filled with, by default random */
	struct bench_kernel_expr
		check; /* what must come out; none: what a file has, or the reference gives */
	struct bench_kernel_words file; /* of its elements, as they must come out; text NULL: none */
	double tolerance;               /* below 0: derived from the expression */
};

/* What is launched. */
struct bench_kernel_spec_launch {
	const char *variant; /* NULL if it is the only one */
	const char *kernel;
	struct bench_kernel_words options;
	struct bench_kernel_shape global, local;
};

struct bench_kernel_spec {
	struct bench_suite suite; /* by which hooks find the rest */
	const char *file, *source;
	/* Without the parameter of the variants, which is the last of the suite's; with the tunables, which
	 * are none of the suite's, and the last of these. */
	size_t param_count;
	/* Parameters, then i, i0, i1, i2, then arguments. */
	struct bench_expr_symbol symbols[BENCH_KERNEL_SYMBOLS];
	size_t symbol_count;
	struct bench_kernel_spec_argument arguments[BENCH_KERNEL_ARGUMENTS];
	size_t argument_count;
	struct bench_kernel_spec_launch launches[BENCH_KERNEL_VARIANTS];
	size_t launch_count;
	struct bench_kernel_spec_launch reference; /* kernel NULL: there is none */
	struct bench_kernel_expr flops, bytes;
	/* What is left to measurement (suites/kernel/tune.h): "NAME.TX"; the values in force. */
	struct bench_tunable tunables[BENCH_KERNEL_PARAMS];
	uint64_t tuned[BENCH_KERNEL_PARAMS];
	size_t tunable_count;
	struct bench_kernel_expr constraints[BENCH_KERNEL_PARAMS];
	const char *constraint_texts[BENCH_KERNEL_PARAMS];
	size_t constraint_count;
	bool searched; /* it is the twin of one that is measured, whose winner is checked in full there */
	const char *identity; /* of source and spec, for what was measured; NULL: no tunables */
};

/*
 * Reads an extension of kind "kernel": "file" and "source" of the kernel, "spec_file" and "spec", a text in
 * JSON. Fills the suite except for its hooks; the arena owns the spec. BENCH_USAGE with FILE:LINE:COLUMN.
 */
int bench_kernel_spec_read(const cJSON *extension, struct bench_arena *arena, struct bench_kernel_spec **spec,
			   struct bench_error *error);

/* The first symbols of the indices and of the arguments. */
static inline size_t bench_kernel_spec_indices(const struct bench_kernel_spec *spec)
{
	return spec->param_count;
}
static inline size_t bench_kernel_spec_arguments(const struct bench_kernel_spec *spec)
{
	return spec->param_count + BENCH_KERNEL_INDICES;
}

#endif

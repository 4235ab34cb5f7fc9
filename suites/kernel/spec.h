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

enum {
	BENCH_KERNEL_PARAMS = 16,
	BENCH_KERNEL_VARIANTS = 16,
	BENCH_KERNEL_LOOPS = 3, /* within each other */
	BENCH_KERNEL_INDICES = 4,
	BENCH_KERNEL_COLUMNS = 256,
	BENCH_KERNEL_MOST_NUMBER = 1024, /* bytes of a number, vector or structure by value */
	BENCH_KERNEL_LABELS = 32         /* launches of chains whose times are known */
};
enum {
	BENCH_KERNEL_SYMBOLS =
		BENCH_KERNEL_PARAMS + BENCH_KERNEL_LOOPS + BENCH_KERNEL_INDICES + BENCH_KERNEL_COLUMNS
};

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

/* A structure, laid out as C does. Fields of structures in it are its own: "home.x". */
struct bench_kernel_layout {
	const char *name;
	struct bench_kernel_layout_field {
		const char *name;
		struct bench_kernel_wide type; /* of one, and the elements of all together */
		size_t offset;
		size_t times, stride; /* of an array of structures, how many; and a structure's bytes */
	} * fields;
	struct bench_kernel_field *bare; /* for backends: the same, and the structures in it */
	size_t count, bare_count, bytes, alignment;
};

/* An image without its extents, and one texel. */
struct bench_kernel_spec_image {
	struct bench_kernel_image bare;
	struct bench_kernel_wide texel;
};

/* A number, local memory, or a buffer that the kernel reads, writes, or both, or that belongs to a chain
 * alone. */
enum bench_kernel_access {
	BENCH_KERNEL_VALUE,
	BENCH_KERNEL_LOCAL,
	BENCH_KERNEL_IN,
	BENCH_KERNEL_OUT,
	BENCH_KERNEL_INOUT,
	BENCH_KERNEL_SCRATCH
};

/* Numbers of one type in an argument: all that it has, or one field of its structures. */
struct bench_kernel_spec_column {
	const struct bench_kernel_layout_field *field; /* NULL: all */
	struct bench_kernel_expr fill;                 /* by default random */
	struct bench_kernel_expr
		check;  /* what must come out; none: what a file has, or the reference gives, */
	bool unchecked; /* or nobody says */
};

struct bench_kernel_spec_argument {
	const char *name, *place;
	struct bench_kernel_words type; /* of an element, or of the whole number; of a structure its name */
	const struct bench_kernel_layout *layout; /* NULL: it has no structures */
	const struct bench_kernel_spec_image *image;
	const struct bench_kernel_sampler *sampler;
	const char *declared; /* of an element, in the source; NULL: `type` */
	enum bench_kernel_access access;
	struct bench_kernel_shape shape;
	struct bench_kernel_expr *values; /* of a number, and of a vector's or structure's in their order */
	size_t value_count;
	size_t column, column_count;    /* its columns among the spec's */
	struct bench_kernel_words file; /* of its elements, as they must come out; text NULL: none */
	double tolerance;               /* below 0: derived from the expression */
};

/* What a launch passes: an argument of the spec, or a number that only this launch has. */
struct bench_kernel_spec_pass {
	const char *name;               /* for messages */
	size_t argument;                /* SIZE_MAX: its own number, */
	struct bench_kernel_words type; /* of this type */
	struct bench_kernel_expr value;
};

/* What is launched. */
struct bench_kernel_spec_launch {
	const char *kernel;
	struct bench_kernel_words options;
	struct bench_kernel_shape global, local;
	struct bench_kernel_spec_pass *passes; /* NULL: the arguments of the spec, in their order */
	size_t pass_count;
	size_t label; /* in the spec's metrics; a launch that is not of a chain has none */
};

enum bench_kernel_op_kind {
	BENCH_KERNEL_LAUNCH,
	BENCH_KERNEL_LOOP,
	BENCH_KERNEL_SET,
	BENCH_KERNEL_SWAP,
	BENCH_KERNEL_UNTIL /* made of a loop that has it; none of the spec's */
};

/* What an iteration does, in order. */
struct bench_kernel_spec_ops {
	struct bench_kernel_spec_op *list;
	size_t count;
};
struct bench_kernel_spec_op {
	enum bench_kernel_op_kind kind;
	const char *place;
	struct bench_kernel_spec_launch launch;
	/* Of a loop: the counter's symbol, its first value, and the one that it ends before; what is run, and
	 * what ends it earlier where it is not 0. */
	size_t symbol;
	struct bench_kernel_expr from, to, until;
	struct bench_kernel_spec_ops body;
	size_t arguments[2];            /* that are swapped; the first one is set, */
	struct bench_kernel_expr value; /* to this */
};

/* One iteration of a variant, or the reference. */
struct bench_kernel_spec_program {
	const char *variant; /* NULL if it is the only one */
	struct bench_kernel_spec_ops ops;
	bool chain; /* made of "launches" */
};

struct bench_kernel_spec {
	struct bench_suite suite; /* by which hooks find the rest */
	const char *file, *source;
	const char *name_place, *params_place, *presets_place; /* for what is wrong with the suite */
	/* Without the parameter of the variants, which is the last of the suite's; with the tunables, which
	 * are none of the suite's, and the last of these. */
	size_t param_count;
	/* Parameters, then counters of loops, i, i0, i1, i2, then columns of arguments. */
	struct bench_expr_symbol symbols[BENCH_KERNEL_SYMBOLS];
	size_t symbol_count;
	struct bench_kernel_spec_argument arguments[BENCH_KERNEL_ARGUMENTS];
	size_t argument_count;
	struct bench_kernel_spec_column columns[BENCH_KERNEL_COLUMNS];
	size_t column_count;
	struct bench_kernel_layout *layouts;
	size_t layout_count;
	struct bench_kernel_spec_program programs[BENCH_KERNEL_VARIANTS];
	size_t program_count;
	struct bench_kernel_spec_program reference; /* no ops: there is none */
	struct bench_kernel_expr flops, bytes;
	/* Device times of the launches of chains; ends with an entry whose name is NULL. */
	struct bench_metric_spec labels[BENCH_KERNEL_LABELS + 1];
	size_t label_count;
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

/* The first symbol of the tunables. */
static inline size_t bench_kernel_spec_tunables(const struct bench_kernel_spec *spec)
{
	return spec->param_count - spec->tunable_count;
}
/* The first symbols of the loops, of the indices and of the columns. */
static inline size_t bench_kernel_spec_loops(const struct bench_kernel_spec *spec)
{
	return spec->param_count;
}
static inline size_t bench_kernel_spec_indices(const struct bench_kernel_spec *spec)
{
	return spec->param_count + BENCH_KERNEL_LOOPS;
}
static inline size_t bench_kernel_spec_columns(const struct bench_kernel_spec *spec)
{
	return bench_kernel_spec_indices(spec) + BENCH_KERNEL_INDICES;
}

static inline bool bench_kernel_spec_is_buffer(const struct bench_kernel_spec_argument *argument)
{
	return argument->access != BENCH_KERNEL_VALUE && argument->access != BENCH_KERNEL_LOCAL;
}
static inline bool bench_kernel_spec_is_output(const struct bench_kernel_spec_argument *argument)
{
	return argument->access == BENCH_KERNEL_OUT || argument->access == BENCH_KERNEL_INOUT;
}
/* Has it contents before a launch? */
static inline bool bench_kernel_spec_is_input(const struct bench_kernel_spec_argument *argument)
{
	return argument->access == BENCH_KERNEL_IN || argument->access == BENCH_KERNEL_INOUT;
}

#endif

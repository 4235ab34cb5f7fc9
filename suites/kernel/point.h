/* SPDX-License-Identifier: MIT */
/* A spec at one point of its parameters: all expressions of sizes and numbers have their values. */
#ifndef SUITES_KERNEL_POINT_H
#define SUITES_KERNEL_POINT_H

#include "suites/kernel/spec.h"

/* Where the elements of a column lie: `each` of them in every record of `stride` bytes, from `offset` on.
 * `run` of them lie behind each other; the next ones begin `hop` bytes behind these. */
struct bench_kernel_point_column {
	const struct bench_kernel_type *type;
	size_t offset, stride, each, run, hop;
	size_t extents[BENCH_KERNEL_DIMENSIONS], dimensions;
	size_t count; /* of elements, in all */
};

struct bench_kernel_point_argument {
	char type[32];       /* of an element or number, in OpenCL C */
	size_t size;         /* of a record in bytes: an element, or a structure */
	size_t count, bytes; /* of its records; of a number 1 */
	unsigned char number[BENCH_KERNEL_MOST_NUMBER];
	char file[512]; /* of what must come out; "": none */
};

/* A kernel that is launched with certain arguments; its sizes and own numbers are the step's. */
struct bench_kernel_point_kernel {
	const struct bench_kernel_spec_launch *spec;
	char options[512];
	size_t memory[BENCH_KERNEL_ARGUMENTS]; /* the spec's argument whose memory each argument gets; */
	const struct bench_kernel_type *types[BENCH_KERNEL_ARGUMENTS]; /* SIZE_MAX: a number of this type */
	size_t count;
};

/* What is enqueued, in order. */
struct bench_kernel_step {
	enum bench_kernel_op_kind kind; /* a launch, set or until */
	const struct bench_kernel_spec_op *op;
	size_t kernel;  /* of a launch */
	size_t numbers; /* of the launch alone: where they begin, of 8 bytes each */
	size_t global[BENCH_KERNEL_DIMENSIONS], local[BENCH_KERNEL_DIMENSIONS];
	size_t memory;            /* that is set, */
	unsigned char pattern[8]; /* to copies of this */
	size_t next;              /* of an until: the step after the loop */
	bool last;                /* and the loop has no further round */
};

/* An iteration, its loops unrolled. */
struct bench_kernel_plan {
	struct bench_kernel_point_kernel *kernels;
	struct bench_kernel_step *steps;
	unsigned char (*numbers)[8];
	size_t kernel_count, step_count, number_count;
	size_t places[BENCH_KERNEL_ARGUMENTS]; /* at its end: whose memory each argument is */
	struct bench_arena arena;
};

struct bench_kernel_point {
	double values[BENCH_KERNEL_SYMBOLS];
	struct bench_kernel_point_argument arguments[BENCH_KERNEL_ARGUMENTS];
	struct bench_kernel_point_column columns[BENCH_KERNEL_COLUMNS];
	const struct bench_kernel_spec_program *program;
};

/* The byte, from the start of the buffer's contents, at which an element of a column lies. */
static inline size_t bench_kernel_point_place(const struct bench_kernel_point_column *column, size_t index)
{
	const size_t in = index % column->each;
	return index / column->each * column->stride + column->offset + in / column->run * column->hop +
	       in % column->run * column->type->bytes;
}

/* From the values of a case alone. BENCH_USAGE, with the place in the spec, where they fit none. */
int bench_kernel_point_make(const struct bench_case *bench_case, struct bench_kernel_point *point,
			    struct bench_error *error);

/* What one iteration of a program enqueues, at the point of a case. bench_arena_free(&plan->arena) frees it.
 * BENCH_USAGE, as above.
 */
int bench_kernel_plan_make(const struct bench_case *bench_case, const struct bench_kernel_point *point,
			   const struct bench_kernel_spec_program *program, struct bench_kernel_plan *plan,
			   struct bench_error *error);

/* Puts the values of parameters and tunables for their {NAME}s; finds the value of an expression over
 * parameters and counters of loops, and of those of a shape. */
int bench_kernel_point_words(const struct bench_case *bench_case, const double *values,
			     const struct bench_kernel_words *words, char *out, size_t size,
			     struct bench_error *error);
int bench_kernel_point_evaluate(const struct bench_kernel_expr *expr, const double *values, double *number,
				struct bench_error *error);
int bench_kernel_point_shape(const struct bench_kernel_shape *shape, const double *values, size_t *extents,
			     struct bench_error *error);

/* The values of i, i0, i1, i2 at an element; and the place of an element by its number or its indices: false
 * if there is none. */
void bench_kernel_point_index(const struct bench_kernel_point_column *column, size_t at, double *values);
bool bench_kernel_point_find(const struct bench_kernel_point_column *column, const double *index,
			     size_t indices, size_t *place);

/* The work of one iteration: by default of `bytes`, each buffer is read, or written, or both, once. */
int bench_kernel_point_work(const struct bench_kernel_spec *spec, const struct bench_kernel_point *point,
			    struct bench_work *work, struct bench_error *error);

#endif

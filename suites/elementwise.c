/* SPDX-License-Identifier: MIT */
/*
 * Suite elementwise: c = a + b or c = a * b over vectors, by size and by the width of the
 * vectors that a work-item handles. docs/suites/elementwise.md says how to read it.
 */
#include <math.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, OP, COUNT, WIDTH };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	[OP] = BENCH_CHOICE("op", "add", "add|mul", "sum or product of two vectors"),
	[COUNT] = BENCH_INT("count", "1000000", 1, (int64_t)1 << 36, "elements of a vector"),
	[WIDTH] = BENCH_INT("width", "0", 0, 16,
			    "elements that a work-item handles as one vector: 1, 2, 4, 8 or 16; "
			    "0: as the backend sees fit"),
	BENCH_DATA,
	{.name = NULL},
};

static const char *const quick[] = {
	"count=1000,1000000",
	"width=4",
	"op=mul count=100000",
	NULL,
};

#define NIGHTLY "count=1000,10000,100000,1000000,16000000", "width=2,4,8,16", "op=mul count=1000000,16000000"

static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {NIGHTLY,
				   "width=2,4,8,16 count=16000000",
				   "op=mul count=1000,10000,100000 width=1",
				   "op=mul width=2,4,8,16",
				   "dtype=f64 width=1,2,4,8,16",
				   NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand a, b, c;
	struct bench_elementwise elementwise;
};

/* Streams of the case's seed. */
enum { STREAM_A = 1, STREAM_B };

/* The case's work, without its buffers. */
static struct bench_elementwise elementwise_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_elementwise){
		.op = strcmp(values[OP].text, "mul") == 0 ? BENCH_ELEMENTWISE_MUL : BENCH_ELEMENTWISE_ADD,
		.dtype = bench_operand_dtype(&values[DTYPE]),
		.count = (size_t)values[COUNT].integer,
		.width = (unsigned)values[WIDTH].integer,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_elementwise elementwise = elementwise_of(bench_case);
	if (bench_vectors_width("elementwise", &bench_case->values[WIDTH], error) ||
	    bench_vectors_work("elementwise", &bench_case->values[COUNT], elementwise.dtype, 3, work, error))
		return -1;
	work->flops = (double)elementwise.count;
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_elementwise elementwise = elementwise_of(bench_case);
	struct state *state = bench_operands_begin(
		bench_case, sizeof(*state), "elementwise",
		bench_case->backend->elementwise ? NULL : "elementwise operations", elementwise.dtype, error);
	if (!state ||
	    bench_operand_input(bench_case, elementwise.dtype, elementwise.count, STREAM_A, &state->a,
				error) ||
	    bench_operand_input(bench_case, elementwise.dtype, elementwise.count, STREAM_B, &state->b,
				error) ||
	    bench_operand_output(bench_case, elementwise.dtype, elementwise.count, &state->c, error))
		return -1;
	elementwise.a = state->a.buffer;
	elementwise.b = state->b.buffer;
	elementwise.c = state->c.buffer;
	state->elementwise = elementwise;
	return 0;
}

BENCH_RUN(elementwise)

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	bool product = state->elementwise.op == BENCH_ELEMENTWISE_MUL;
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	double worst = 0;
	for (size_t i = 0; i < state->c.count; i++) {
		double a = bench_operand_element(&state->a, i), b = bench_operand_element(&state->b, i);
		double expected = product ? a * b : a + b;
		worst = bench_dense_worse(worst, bench_dense_error(bench_operand_element(&state->c, i),
								   expected, fabs(expected)));
	}
	*check = (struct bench_check){.error = worst,
				      .tolerance = bench_dense_roundoff(state->c.dtype),
				      .method = "each element against reference in double"};
	return 0;
}

const struct bench_suite bench_suite_elementwise = {
	.name = "elementwise",
	.summary = "sum or product of two vectors, element by element",
	.sweeps = {quick, nightly, full},
	.joined = "data",
	BENCH_OPERANDS_HOOKS,
};

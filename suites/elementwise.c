/*
 * Suite elementwise: c = a + b or c = a * b over vectors, by size and by the width of the
 * vectors that a work-item handles. docs/suites/elementwise.md says how to read it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/suites.h"

enum { DTYPE, OP, COUNT, WIDTH };

static const struct bench_param params[] = {
	[DTYPE] = {.name = "dtype",
		   .type = BENCH_PARAM_CHOICE,
		   .fallback = "f32",
		   .choices = "f32|f64",
		   .help = "type of the elements"},
	[OP] = {.name = "op",
		.type = BENCH_PARAM_CHOICE,
		.fallback = "add",
		.choices = "add|mul",
		.help = "sum or product of two vectors"},
	[COUNT] = {.name = "count",
		   .type = BENCH_PARAM_INT,
		   .fallback = "1000000",
		   .min = 1,
		   .max = (int64_t)1 << 36,
		   .help = "elements of a vector"},
	[WIDTH] = {.name = "width",
		   .type = BENCH_PARAM_INT,
		   .fallback = "1",
		   .min = 1,
		   .max = 16,
		   .help = "elements that a work-item handles as one vector: 1, 2, 4, 8 or 16"},
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
	struct bench_operand a, b, c;
	struct bench_elementwise elementwise;
};

/* Streams of the case's seed. */
enum { STREAM_A = 1, STREAM_B };

/* The case's work, but for its buffers. */
static struct bench_elementwise elementwise_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_elementwise){
		.op = strcmp(values[OP].text, "mul") == 0 ? BENCH_ELEMENTWISE_MUL : BENCH_ELEMENTWISE_ADD,
		.dtype = bench_dense_dtype(&values[DTYPE]),
		.count = (size_t)values[COUNT].integer,
		.width = (unsigned)values[WIDTH].integer,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_elementwise elementwise = elementwise_of(bench_case);
	int64_t width = bench_case->values[WIDTH].integer;
	uint64_t bytes;
	if (width < 1 || width > 16 || (width & (width - 1)))
		return bench_fail(error, BENCH_USAGE,
				  "elementwise: width=%" PRId64 ": it is 1, 2, 4, 8 or 16", width);
	if (bench_case->values[COUNT].integer < 1 ||
	    !bench_dense_bytes(elementwise.count, 1, elementwise.dtype, &bytes))
		return bench_fail(error, BENCH_USAGE, "elementwise: count=%" PRId64 " is no size of a vector",
				  bench_case->values[COUNT].integer);
	work->flops = (double)elementwise.count;
	work->bytes = 3 * (double)bytes;
	work->device_bytes = 3 * bytes;
	work->largest_bytes = bytes;
	work->host_bytes = 3 * bytes;
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_elementwise elementwise = elementwise_of(bench_case);
	if (!bench_case->backend->elementwise)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no elementwise operations",
				  bench_case->backend->name);
	if (bench_dense_dtype_supported(bench_case, elementwise.dtype, error))
		return -1;
	struct state *state = bench_case->state = calloc(1, sizeof(*state));
	if (!state)
		return bench_fail(error, BENCH_NO_MEMORY, "elementwise: no host memory");
	if (bench_operand_make(bench_case, elementwise.dtype, elementwise.count, &state->a, error) ||
	    bench_operand_make(bench_case, elementwise.dtype, elementwise.count, &state->b, error) ||
	    bench_operand_make(bench_case, elementwise.dtype, elementwise.count, &state->c, error) ||
	    bench_operand_fill(bench_case, STREAM_A, &state->a, error) ||
	    bench_operand_fill(bench_case, STREAM_B, &state->b, error))
		return -1;
	elementwise.a = state->a.buffer;
	elementwise.b = state->b.buffer;
	elementwise.c = state->c.buffer;
	state->elementwise = elementwise;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (bench_case->backend->elementwise(bench_case->device, &state->elementwise, error))
			return -1;
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return bench_operand_spoil(bench_case, &state->c, error);
}

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
	*check = (struct bench_check){.error = worst, .tolerance = bench_dense_roundoff(state->c.dtype)};
	snprintf(check->method, sizeof(check->method), "each element against reference in double");
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_operand_free(bench_case, &state->a);
	bench_operand_free(bench_case, &state->b);
	bench_operand_free(bench_case, &state->c);
	free(state);
	bench_case->state = NULL;
}

const struct bench_suite bench_suite_elementwise = {
	.abi = BENCH_SUITE_ABI,
	.name = "elementwise",
	.summary = "sum or product of two vectors, element by element",
	.params = params,
	.sweeps = {quick, nightly, full},
	.work = work,
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.check = check,
	.teardown = teardown,
};

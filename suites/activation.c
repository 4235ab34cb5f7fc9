/* SPDX-License-Identifier: MIT */
/*
 * Suite activation: relu, gelu or gelu_tanh of a vector, by size and by the width of the
 * vectors that a work-item handles. docs/suites/activation.md says how to read it.
 */
#include <math.h>

#include "kit/dense.h"
#include "kit/reference.h"
#include "suites/activation.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, FUNCTION, COUNT, WIDTH };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	[FUNCTION] = BENCH_CHOICE("function", "relu", "relu|gelu|gelu_tanh",
				  "max(x, 0); gelu by erf; gelu by tanh"),
	[COUNT] = BENCH_INT("count", "1000000", 1, (int64_t)1 << 36, "elements of a vector"),
	[WIDTH] = BENCH_INT("width", "0", 0, 16,
			    "elements that a work-item handles as one vector: 1, 2, 4, 8 or 16; "
			    "0: as the backend sees fit"),
	{.name = NULL},
};

static const char *const quick[] = {"function=relu,gelu,gelu_tanh count=100000", NULL};

#define NIGHTLY                                                                                              \
	"function=relu,gelu count=1000,10000,100000,1000000,16000000",                                       \
		"function=gelu_tanh count=1000000,16000000", "function=relu,gelu,gelu_tanh width=16"

static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {
	NIGHTLY, "function=gelu_tanh count=1000,10000,100000", "function=relu,gelu,gelu_tanh width=2,4,8",
	"dtype=f64 function=relu,gelu,gelu_tanh count=1000,1000000,16000000", NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand a, c;
	struct bench_activate activate;
};

/* Of the case's seed. */
enum { STREAM_A = 1 };

/* Inputs are uniform in [-RANGE, RANGE): beyond, gelu(x) is x or 0 to some 1e-8. */
#define RANGE 6

/* Inputs beside those at random, where formulas break: zeros, the far ends, where x^2 or x^3 is lost. */
static const double special[] = {0, -0.0, 1e4, -1e4, 1e30, -1e30, 1e-30, -1e-30};
enum { SPECIAL = sizeof(special) / sizeof(special[0]) };

/* The case's work, without its buffers. */
static struct bench_activate activate_of(const struct bench_case *bench_case)
{
	static const enum bench_activation functions[] = {BENCH_ACTIVATION_RELU, BENCH_ACTIVATION_GELU,
							  BENCH_ACTIVATION_GELU_TANH};
	const struct bench_value *values = bench_case->values;
	return (struct bench_activate){
		.function = functions[values[FUNCTION].integer],
		.dtype = bench_operand_dtype(&values[DTYPE]),
		.count = (size_t)values[COUNT].integer,
		.width = (unsigned)values[WIDTH].integer,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_activate activate = activate_of(bench_case);
	if (bench_vectors_width("activation", &bench_case->values[WIDTH], error) ||
	    bench_vectors_work("activation", &bench_case->values[COUNT], activate.dtype, 2, work, error))
		return -1;
	work->flops = bench_activation_flops(activate.function) * (double)activate.count;
	return 0;
}

/* Uniform in the range, with the special ones spread among them where there are enough. */
static int fill(const struct bench_case *bench_case, struct bench_operand *a, struct bench_error *error)
{
	bench_rng_fill(bench_case->seed, STREAM_A, a->dtype, a->host, a->count);
	for (size_t i = 0; i < a->count; i++)
		bench_operand_set(a, i, RANGE * bench_operand_element(a, i));
	for (size_t i = 0; i < SPECIAL && a->count >= 4 * (size_t)SPECIAL; i++)
		bench_operand_set(a, i * (a->count / SPECIAL), special[i]);
	return bench_operand_upload(bench_case, a, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_activate activate = activate_of(bench_case);
	struct state *state = bench_operands_begin(
		bench_case, sizeof(*state), "activation",
		bench_case->backend->activate ? NULL : "activation functions", activate.dtype, error);
	if (!state || bench_operand_make(bench_case, activate.dtype, activate.count, &state->a, error) ||
	    bench_operand_output(bench_case, activate.dtype, activate.count, &state->c, error) ||
	    fill(bench_case, &state->a, error))
		return -1;
	activate.a = state->a.buffer;
	activate.c = state->c.buffer;
	state->activate = activate;
	return 0;
}

BENCH_RUN(activate)

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	double worst = 0;
	for (size_t i = 0; i < state->c.count; i++) {
		double x = bench_operand_element(&state->a, i), found = bench_operand_element(&state->c, i);
		double expected = bench_reference_activation(state->activate.function, x);
		worst = bench_dense_worse(worst, bench_dense_error(found, expected, fabs(x)));
	}
	*check = (struct bench_check){
		.error = worst,
		.tolerance = bench_activation_tolerance(state->activate.function, state->activate.dtype),
		.method = "each element against reference in double"};
	return 0;
}

const struct bench_suite bench_suite_activation = {
	.name = "activation",
	.summary = "relu and gelu of a vector, element by element",
	.sweeps = {quick, nightly, full},
	BENCH_OPERANDS_HOOKS,
};

/* SPDX-License-Identifier: MIT */
/*
 * Suite fused: a chain of operations in one call, against the same in one call each, with what
 * is between them in memory. docs/suites/fused.md says how to read it.
 */
#include <inttypes.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/activation.h"
#include "suites/fused/check.h"
#include "suites/gemm_check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, CHAIN, N, WIDTH, VARIANT };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	[CHAIN] = BENCH_CHOICE("chain", "add_relu", "add_relu|mul_relu|affine|gemm_bias_relu|gemm_bias_gelu",
			       "max(a + b, 0); max(a b, 0); a b + c, of vectors; relu or gelu of A B + bias"),
	[N] = BENCH_INT("n", "1000000", 1, (int64_t)1 << 36,
			"elements of a vector; of gemm_...: rows and columns of each matrix"),
	[WIDTH] = BENCH_INT("width", "0", 0, 16,
			    "elements that a work-item of an elementwise kernel handles: 1, 2, 4, 8 or 16; "
			    "0: as the backend sees fit"),
	[VARIANT] = BENCH_CHOICE("variant", "unfused", "unfused|fused",
				 "one call for each operation, or one for the chain"),
	{.name = NULL},
};

#define BOTH " variant=unfused,fused"

static const char *const quick[] = {"chain=add_relu n=1000000" BOTH, "chain=gemm_bias_relu n=256" BOTH, NULL};

#define NIGHTLY                                                                                              \
	"chain=add_relu n=1000,1000000,16000000" BOTH, "chain=mul_relu,affine n=1000000,16000000" BOTH,      \
		"chain=gemm_bias_relu,gemm_bias_gelu n=256,1024" BOTH,                                       \
		"chain=gemm_bias_gelu n=1024 width=16" BOTH

static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {NIGHTLY,
				   "chain=mul_relu,affine n=1000,10000,100000" BOTH,
				   "chain=add_relu n=10000,100000" BOTH,
				   "dtype=f64 chain=add_relu,mul_relu,affine n=1000000" BOTH,
				   "chain=gemm_bias_relu,gemm_bias_gelu n=512,2048" BOTH,
				   NULL};

enum { LAUNCHES, BYTES_MOVED };

static const struct bench_metric_spec metrics[] = {
	[LAUNCHES] = {"launches", "count", BENCH_BETTER_LOWER,
		      "kernels that the device is given for one iteration"},
	[BYTES_MOVED] = {"bytes_moved", "B", BENCH_BETTER_LOWER,
			 "what the calls of one iteration must read and write, at the least"},
	{.name = NULL},
};

/* What a chain is: of vectors, or a layer with an activation. */
static const struct chain {
	enum bench_fused_op op;
	enum bench_activation layer; /* NONE: of vectors */
	unsigned inputs;             /* vectors that it reads */
} chains[] = {
	{.op = BENCH_FUSED_ADD_RELU, .inputs = 2},     {.op = BENCH_FUSED_MUL_RELU, .inputs = 2},
	{.op = BENCH_FUSED_AFFINE, .inputs = 3},       {.layer = BENCH_ACTIVATION_RELU, .inputs = 3},
	{.layer = BENCH_ACTIVATION_GELU, .inputs = 3},
};

/* A case's shape, out of its values. */
struct shape {
	const struct chain *chain;
	enum bench_dtype dtype;
	size_t n, count; /* count: elements of every operand but a layer's bias, which has n */
	unsigned width;
	bool fused;
	unsigned between; /* operands between the calls */
};

/* Operands: up to three inputs, the result, and what is between the calls. */
enum { A, B, C, RESULT, FIRST, SECOND, OPERANDS };

typedef int step(const struct bench_case *bench_case, struct bench_error *error);

struct state {
	struct bench_operands operands;
	struct shape shape;
	struct bench_operand arrays[OPERANDS]; /* {0} where the case has none such */
	step *iterate;
	uint64_t iterations, launches; /* of all calls of run */
};

/* Streams of the case's seed, by operand. */
enum { STREAM_FIRST = 1 };

static bool is_layer(const struct shape *shape)
{
	return shape->chain->layer != BENCH_ACTIVATION_NONE;
}

static int shape_of(const struct bench_case *bench_case, struct shape *shape, struct bench_error *error)
{
	const struct bench_value *values = bench_case->values;
	uint64_t n = (uint64_t)values[N].integer, bytes;
	*shape = (struct shape){
		.chain = &chains[values[CHAIN].integer],
		.dtype = bench_operand_dtype(&values[DTYPE]),
		.n = (size_t)n,
		.width = (unsigned)values[WIDTH].integer,
		.fused = strcmp(values[VARIANT].text, "fused") == 0,
	};
	uint64_t rows = is_layer(shape) ? n : 1;
	if (bench_vectors_width("fused", &values[WIDTH], error))
		return -1;
	if (values[N].integer < 1 || !bench_dense_bytes(rows, n, shape->dtype, &bytes))
		return bench_fail(error, BENCH_USAGE, "fused: n=%" PRId64 " is no size for %s",
				  values[N].integer, values[CHAIN].text);
	shape->count = (size_t)(rows * n);
	shape->between = shape->fused ? 0 : is_layer(shape) ? 2 : 1;
	return 0;
}

/* Elements of an operand, 0 where the case has none such. */
static size_t operand_count(const struct shape *shape, int operand)
{
	if (operand == C)
		return shape->chain->inputs < 3 ? 0 : is_layer(shape) ? shape->n : shape->count;
	if (operand >= FIRST)
		return (unsigned)(operand - FIRST) < shape->between ? shape->count : 0;
	return shape->count;
}

/* Each operand is read or written once, and what is between the calls is both. */
static double bytes_moved(const struct shape *shape)
{
	double elements = 0;
	for (int i = 0; i < OPERANDS; i++)
		elements += (i >= FIRST ? 2 : 1) * (double)operand_count(shape, i);
	return elements * (double)bench_dtype_bytes(shape->dtype);
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct shape shape;
	if (shape_of(bench_case, &shape, error))
		return -1;
	uint64_t real = bench_dtype_bytes(shape.dtype);
	double count = (double)shape.count;
	work->flops = 2 * count;
	if (is_layer(&shape))
		work->flops = (2 * (double)shape.n + 1 + bench_activation_flops(shape.chain->layer)) * count;
	work->bytes = bytes_moved(&shape);
	for (int i = 0; i < OPERANDS; i++)
		work->device_bytes += operand_count(&shape, i) * real;
	work->largest_bytes = shape.count * real;
	work->host_bytes = work->device_bytes + (is_layer(&shape) ? bench_layer_bytes(shape.n) : 0);
	return 0;
}

static struct bench_buffer *buffer(const struct state *state, int operand)
{
	return state->arrays[operand].buffer;
}

static int iterate_fused(const struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	const struct bench_fused fused = {.op = state->shape.chain->op,
					  .dtype = state->shape.dtype,
					  .count = state->shape.count,
					  .width = state->shape.width,
					  .a = buffer(state, A),
					  .b = buffer(state, B),
					  .c = buffer(state, C),
					  .d = buffer(state, RESULT)};
	return bench_case->backend->fused(bench_case->device, &fused, error);
}

static int activate(const struct bench_case *bench_case, enum bench_activation function, int from,
		    struct bench_error *error)
{
	const struct state *state = bench_case->state;
	const struct bench_activate activate = {.function = function,
						.dtype = state->shape.dtype,
						.count = state->shape.count,
						.width = state->shape.width,
						.a = buffer(state, from),
						.c = buffer(state, RESULT)};
	return bench_case->backend->activate(bench_case->device, &activate, error);
}

static int iterate_unfused(const struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	const struct bench_backend *backend = bench_case->backend;
	enum bench_fused_op op = state->shape.chain->op;
	struct bench_elementwise elementwise = {.op = op == BENCH_FUSED_ADD_RELU ? BENCH_ELEMENTWISE_ADD
										 : BENCH_ELEMENTWISE_MUL,
						.dtype = state->shape.dtype,
						.count = state->shape.count,
						.width = state->shape.width,
						.a = buffer(state, A),
						.b = buffer(state, B),
						.c = buffer(state, FIRST)};
	if (backend->elementwise(bench_case->device, &elementwise, error))
		return -1;
	if (op != BENCH_FUSED_AFFINE)
		return activate(bench_case, BENCH_ACTIVATION_RELU, FIRST, error);
	elementwise.op = BENCH_ELEMENTWISE_ADD;
	elementwise.a = buffer(state, FIRST);
	elementwise.b = buffer(state, C);
	elementwise.c = buffer(state, RESULT);
	return backend->elementwise(bench_case->device, &elementwise, error);
}

/* The product alone, into `to`. */
static struct bench_gemm product(const struct state *state, int to)
{
	struct bench_gemm gemm = bench_gemm_square(state->shape.dtype, state->shape.n);
	gemm.a = buffer(state, A);
	gemm.b = buffer(state, B);
	gemm.c = buffer(state, to);
	return gemm;
}

static int iterate_layer_fused(const struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	struct bench_gemm gemm = product(state, RESULT);
	gemm.bias = buffer(state, C);
	gemm.activation = state->shape.chain->layer;
	return bench_case->backend->gemm(bench_case->device, &gemm, error);
}

static int iterate_layer_unfused(const struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	const struct bench_gemm gemm = product(state, FIRST);
	const struct bench_bias_add bias_add = {.dtype = gemm.dtype,
						.rows = gemm.m,
						.cols = gemm.n,
						.a = buffer(state, FIRST),
						.bias = buffer(state, C),
						.c = buffer(state, SECOND)};
	if (bench_case->backend->gemm(bench_case->device, &gemm, error) ||
	    bench_case->backend->bias_add(bench_case->device, &bias_add, error))
		return -1;
	return activate(bench_case, state->shape.chain->layer, SECOND, error);
}

static int check_supported(const struct bench_case *bench_case, const struct shape *shape,
			   struct bench_error *error)
{
	const struct bench_backend *backend = bench_case->backend;
	const char *lacks = NULL;
	if (is_layer(shape))
		lacks = !backend->gemm       ? "gemm"
			: shape->fused       ? NULL
			: !backend->bias_add ? "bias_add"
					     : NULL;
	else if (shape->fused)
		lacks = backend->fused ? NULL : "fused operations";
	else
		lacks = backend->elementwise ? NULL : "elementwise operations";
	if (!shape->fused && !lacks && !backend->activate)
		lacks = "activation functions";
	return bench_operands_supported(bench_case, lacks, shape->dtype, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct shape shape;
	if (shape_of(bench_case, &shape, error) || check_supported(bench_case, &shape, error))
		return -1;
	struct state *state = bench_state_make(bench_case, sizeof(*state), "fused", error);
	if (!state)
		return -1;
	state->shape = shape;
	if (is_layer(&shape))
		state->iterate = shape.fused ? iterate_layer_fused : iterate_layer_unfused;
	else
		state->iterate = shape.fused ? iterate_fused : iterate_unfused;
	for (int i = 0; i < OPERANDS; i++) {
		size_t count = operand_count(&shape, i);
		struct bench_operand *array = &state->arrays[i];
		uint64_t stream = STREAM_FIRST + (uint64_t)i;
		if (count &&
		    (i < RESULT ? bench_operand_input(bench_case, shape.dtype, count, stream, array, error)
				: bench_operand_output(bench_case, shape.dtype, count, array, error)))
			return -1;
	}
	if (!is_layer(&shape))
		return 0;
	if (bench_layer_fill(bench_case->seed, shape.n, &state->arrays[A], error))
		return -1;
	return bench_operand_upload(bench_case, &state->arrays[A], error);
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	uint64_t before = bench_case_stats(bench_case).launches;
	for (uint64_t i = 0; i < iterations; i++)
		if (state->iterate(bench_case, error))
			return -1;
	state->launches += bench_case_stats(bench_case).launches - before;
	state->iterations += iterations;
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	struct bench_operand *arrays = state->arrays;
	const struct shape *shape = &state->shape;
	if (bench_operand_download(bench_case, &arrays[RESULT], error))
		return -1;
	if (!is_layer(shape)) {
		bench_fused_check(shape->chain->op, &arrays[A], &arrays[B], &arrays[C], &arrays[RESULT],
				  check);
		return 0;
	}
	const struct bench_layer layer = {.seed = bench_case->seed,
					  .n = shape->n,
					  .activation = shape->chain->layer,
					  .b = &arrays[B],
					  .bias = &arrays[C],
					  .found = &arrays[RESULT]};
	return bench_layer_check(&layer, check, error);
}

static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	(void)error;
	const struct state *state = bench_case->state;
	if (bench_case->backend->device_stats && state->iterations)
		report->value(report->context, &metrics[LAUNCHES],
			      (double)state->launches / (double)state->iterations);
	report->value(report->context, &metrics[BYTES_MOVED], bytes_moved(&state->shape));
	return 0;
}

const struct bench_suite bench_suite_fused = {
	.name = "fused",
	.summary = "a chain of operations in one call, or in one call each",
	.sweeps = {quick, nightly, full},
	.variants = "variant",
	.metrics = metrics,
	.report = report,
	BENCH_OPERANDS_HOOKS,
};

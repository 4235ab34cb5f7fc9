/* SPDX-License-Identifier: MIT */
/*
 * Suite reduction: sum, max, argmax and dot, by size and by who finishes what the threads of
 * the device leave. docs/suites/reduction.md says how to read it.
 *
 * The data. By the yardstick of kit/dense.h a sum of 16000000 floats may err by 0.0007 of
 * their magnitudes, so a kernel that drops thousands of them would pass. So the elements of sums lie on a
 * grid coarse enough that no sum of any of them is rounded, and the check asks for
 * the exact value: whatever the order of the additions, one element left out or taken twice is seen.
 *
 * How coarse: elements are multiples of 2^-p in [-1, 1], of mean zero. By Hoeffding's inequality (JASA
 * 58(301), 1963) a sum of n of them exceeds 8 sqrt(n) with a probability below 2 exp(-32), 3e-14. For our
 * uniform elements the true probability is far smaller. Below that bound the sum is a whole number of units
 * under 2^digits, and so exact, if 2^p 8 sqrt(n) <= 2^digits. Products have the unit 2^-2p.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, OP, COUNT, STAGES, RESULT };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	[OP] = BENCH_CHOICE("op", "sum", "sum|max|argmax|dot", "what is made of the vector; dot takes two"),
	[COUNT] = BENCH_INT("count", "1000000", 1, (int64_t)1 << 32, "elements of a vector"),
	[STAGES] = BENCH_CHOICE("stages", "auto", "one|two|host|last|auto",
				"one work-group; many, and who finishes: a second launch, the host, the last "
				"group; auto: the backend's choice"),
	[RESULT] = BENCH_CHOICE("result", "host", "host|device", "where the value is wanted"),
	{.name = NULL},
};

#define ALL_STAGES "stages=one,two,host,last"

static const char *const quick[] = {ALL_STAGES " count=1000000", NULL};

#define NIGHTLY                                                                                              \
	ALL_STAGES " count=1000,10000,100000,1000000,16000000",                                              \
		ALL_STAGES " op=max,argmax,dot count=1000000,16000000",                                      \
		ALL_STAGES " dtype=f64 count=1000000,16000000", "result=device count=1000000,16000000"

static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {
	NIGHTLY, ALL_STAGES " op=max,argmax,dot count=1000,10000,100000",
	ALL_STAGES " dtype=f64 op=sum,max,argmax,dot count=1000,10000,100000,1000000,16000000", NULL};

/* What a reduction leaves: the index of argmax, else the value in the type. */
union result {
	float narrow;
	double wide;
	uint64_t index;
};

struct state {
	struct bench_operands operands;
	struct bench_operand a, b; /* b of dot only */
	struct bench_buffer *to;   /* of a result that stays on the device, else NULL */
	size_t peak_at;            /* where the one largest element of max and argmax is */
	double replaced;           /* what was there */
	struct bench_reduction reduction;
	union result result;
	double expected, magnitude; /* of sum and dot: the value, and the sum of |a| or |a b| */
};

/* Streams of the case's seed. */
enum { STREAM_A = 1, STREAM_B, STREAM_PEAK };

/* Larger than all others. */
#define PEAK 1.5

static bool has_peak(const struct bench_reduction *reduction)
{
	return reduction->op == BENCH_REDUCTION_MAX || reduction->op == BENCH_REDUCTION_ARGMAX;
}

/* The case's work, without its buffers. The words are in the order of the enumerations. */
static struct bench_reduction reduction_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_reduction){
		.op = (enum bench_reduction_op)values[OP].integer,
		.dtype = bench_operand_dtype(&values[DTYPE]),
		.count = (size_t)values[COUNT].integer,
		.stages = (enum bench_reduction_stages)values[STAGES].integer,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_reduction reduction = reduction_of(bench_case);
	unsigned vectors = reduction.op == BENCH_REDUCTION_DOT ? 2 : 1;
	if (bench_vectors_work("reduction", &bench_case->values[COUNT], reduction.dtype, vectors, work,
			       error))
		return -1;
	work->flops = vectors * (double)reduction.count;
	return 0;
}

/* The p of the head of this file. */
static int grid_bits(const struct bench_reduction *reduction)
{
	int digits = reduction->dtype == BENCH_F64 ? DBL_MANT_DIG : FLT_MANT_DIG, root = 0;
	while (((uint64_t)1 << 2 * root) < reduction->count)
		root++;
	int bits = digits - 3 - root;
	return reduction->op == BENCH_REDUCTION_DOT ? bits / 2 : bits;
}

static int make_vector(const struct bench_case *bench_case, const struct bench_reduction *reduction,
		       uint64_t stream, struct bench_operand *operand, struct bench_error *error)
{
	if (bench_operand_make(bench_case, reduction->dtype, reduction->count, operand, error))
		return -1;
	bench_rng_fill(bench_case->seed, stream, operand->dtype, operand->host, operand->count);
	double units = ldexp(1, grid_bits(reduction));
	if (!has_peak(reduction))
		for (size_t i = 0; i < operand->count; i++)
			bench_operand_set(operand, i,
					  rint(bench_operand_element(operand, i) * units) / units);
	return 0;
}

/* Puts the largest element elsewhere, on the host and the device. */
static int move_peak(const struct bench_case *bench_case, struct state *state, size_t to,
		     struct bench_error *error)
{
	bench_operand_set(&state->a, state->peak_at, state->replaced);
	state->peak_at = to;
	state->replaced = bench_operand_element(&state->a, to);
	bench_operand_set(&state->a, to, PEAK);
	return bench_operand_upload(bench_case, &state->a, error);
}

static size_t random_place(const struct bench_case *bench_case, size_t count)
{
	struct bench_rng rng;
	bench_rng_start(&rng, bench_case->seed, STREAM_PEAK);
	return (size_t)bench_rng_below(&rng, count);
}

/* Exact in double: see the head of this file. */
static void make_expected(struct state *state)
{
	for (size_t i = 0; i < state->a.count; i++) {
		double term = bench_operand_element(&state->a, i);
		if (state->reduction.op == BENCH_REDUCTION_DOT)
			term *= bench_operand_element(&state->b, i);
		state->expected += term;
		state->magnitude += fabs(term);
	}
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_reduction reduction = reduction_of(bench_case);
	struct state *state = bench_operands_begin(bench_case, sizeof(*state), "reduction",
						   bench_case->backend->reduction ? NULL : "reductions",
						   reduction.dtype, error);
	if (!state)
		return -1;
	state->reduction = reduction;
	if (make_vector(bench_case, &reduction, STREAM_A, &state->a, error))
		return -1;
	if (has_peak(&reduction)) {
		state->replaced = bench_operand_element(&state->a, 0);
		if (move_peak(bench_case, state, random_place(bench_case, reduction.count), error))
			return -1;
	} else if (bench_operand_upload(bench_case, &state->a, error)) {
		return -1;
	}
	if (reduction.op == BENCH_REDUCTION_DOT &&
	    (make_vector(bench_case, &reduction, STREAM_B, &state->b, error) ||
	     bench_operand_upload(bench_case, &state->b, error)))
		return -1;
	if (!has_peak(&reduction))
		make_expected(state);
	if (strcmp(bench_case->values[RESULT].text, "device") == 0 &&
	    bench_case->backend->alloc(bench_case->device, sizeof(state->result), &state->to, error))
		return -1;
	state->reduction.to = state->to;
	state->reduction.a = state->a.buffer;
	state->reduction.b = state->b.buffer;
	state->reduction.result = &state->result;
	return 0;
}

BENCH_RUN(reduction)

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	if (state->reduction.op == BENCH_REDUCTION_ARGMAX)
		state->result.index = UINT64_MAX;
	else if (state->reduction.dtype == BENCH_F64)
		state->result.wide = (double)NAN;
	else
		state->result.narrow = NAN;
	return state->to ? bench_case->backend->upload(bench_case->device, state->to, &state->result,
						       sizeof(state->result), error)
			 : 0;
}

/* The result to the host, where it is not there already. */
static int fetch(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return state->to ? bench_case->backend->download(bench_case->device, state->to, &state->result,
							 sizeof(state->result), error)
			 : 0;
}

/* How far off the result is; 0 is right. */
static double error_of(const struct state *state)
{
	if (state->reduction.op == BENCH_REDUCTION_ARGMAX)
		return state->result.index != state->peak_at;
	double found =
		state->reduction.dtype == BENCH_F64 ? state->result.wide : (double)state->result.narrow;
	if (state->reduction.op == BENCH_REDUCTION_MAX)
		return bench_dense_error(found, PEAK, PEAK);
	return bench_dense_error(found, state->expected, state->magnitude);
}

/*
 * With one largest element somewhere, max and argmax pass though they look nowhere else. So they are run
 * again with it first, last, and in the middle of the last few, and then it is put back.
 */
static int check_other_peaks(struct bench_case *bench_case, double *worst, struct bench_error *error)
{
	struct state *state = bench_case->state;
	size_t count = state->a.count, timed = state->peak_at;
	const size_t places[] = {0, count - 1, count - 1 - count % 16 / 2};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (move_peak(bench_case, state, places[i], error) || prepare(bench_case, error) ||
		    run(bench_case, 1, error) || bench_case->backend->finish(bench_case->device, error) ||
		    fetch(bench_case, error))
			return -1;
		*worst = bench_dense_worse(*worst, error_of(state));
	}
	return move_peak(bench_case, state, timed, error);
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration gives the same */
	struct state *state = bench_case->state;
	if (fetch(bench_case, error))
		return -1;
	double worst = error_of(state);
	if (has_peak(&state->reduction) && check_other_peaks(bench_case, &worst, error))
		return -1;
	*check = (struct bench_check){.error = worst};
	snprintf(check->method, sizeof(check->method), "%s",
		 has_peak(&state->reduction) ? "exact: the largest planted here, first, last and near the end"
					     : "exact: sums of the data are not rounded");
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (state)
		bench_case->backend->release(bench_case->device, state->to);
	bench_operands_teardown(bench_case);
}

const struct bench_suite bench_suite_reduction = {
	.name = "reduction",
	.summary = "sum, max, argmax or dot of vectors, finished by one group, a second launch, the host or "
		   "the last group",
	.sweeps = {quick, nightly, full},
	.variants = "stages",
	.prepare = prepare,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};

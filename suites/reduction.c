/*
 * Suite reduction: sum, max, argmax and dot, by size and by who finishes what the threads of
 * the device leave. docs/suites/reduction.md says how to read it.
 *
 * The data. By the yardstick of suites/dense.h a sum of 16000000 floats may err by 0.0007 of
 * their magnitudes, so a kernel that drops thousands of them would pass. So the elements of sums lie on a
 * grid coarse enough that no sum of any of them is rounded, and the check asks for
 * the exact value: whatever the order of the additions, one element left out or taken twice is seen.
 *
 * How coarse: elements are multiples of 2^-p in [-1, 1], of mean zero. By Hoeffding's inequality a sum of
 * some n of them is beyond 8 sqrt(n) with a probability under 2 exp(-32), 3e-14 (JASA 58(301), 1963; for
 * our uniform ones the true one is far smaller). Below that it is an integer of units under 2^digits, and so
 * exact, where 2^p 8 sqrt(n) <= 2^digits. Products have the unit 2^-2p.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/suites.h"

enum { DTYPE, OP, COUNT, STAGES };

static const struct bench_param params[] = {
	[DTYPE] = {.name = "dtype",
		   .type = BENCH_PARAM_CHOICE,
		   .fallback = "f32",
		   .choices = "f32|f64",
		   .help = "type of the elements"},
	[OP] = {.name = "op",
		.type = BENCH_PARAM_CHOICE,
		.fallback = "sum",
		.choices = "sum|max|argmax|dot",
		.help = "what is made of the vector; dot takes two"},
	[COUNT] = {.name = "count",
		   .type = BENCH_PARAM_INT,
		   .fallback = "1000000",
		   .min = 1,
		   .max = (int64_t)1 << 32,
		   .help = "elements of a vector"},
	[STAGES] = {.name = "stages",
		    .type = BENCH_PARAM_CHOICE,
		    .fallback = "one",
		    .choices = "one|two|host",
		    .help = "one work-group; many, and a second launch; many, and the host finishes"},
	{.name = NULL},
};

#define ALL_STAGES "stages=one,two,host"

static const char *const quick[] = {ALL_STAGES " count=1000000", NULL};

#define NIGHTLY                                                                                              \
	ALL_STAGES " count=1000,10000,100000,1000000,16000000",                                              \
		ALL_STAGES " op=max,argmax,dot count=1000000,16000000",                                      \
		ALL_STAGES " dtype=f64 count=1000000,16000000"

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
	struct bench_operand a, b; /* b of dot only */
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

/* The case's work, but for its buffers. The words stand in the order of the enumerations. */
static struct bench_reduction reduction_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_reduction){
		.op = (enum bench_reduction_op)values[OP].integer,
		.dtype = bench_dense_dtype(&values[DTYPE]),
		.count = (size_t)values[COUNT].integer,
		.stages = (enum bench_reduction_stages)values[STAGES].integer,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_reduction reduction = reduction_of(bench_case);
	uint64_t bytes, vectors = reduction.op == BENCH_REDUCTION_DOT ? 2 : 1;
	if (bench_case->values[COUNT].integer < 1 ||
	    !bench_dense_bytes(reduction.count, 1, reduction.dtype, &bytes))
		return bench_fail(error, BENCH_USAGE, "reduction: count=%" PRId64 " is no size of a vector",
				  bench_case->values[COUNT].integer);
	work->flops = (double)vectors * (double)reduction.count;
	work->bytes = (double)vectors * (double)bytes;
	work->device_bytes = vectors * bytes;
	work->largest_bytes = bytes;
	work->host_bytes = vectors * bytes;
	return 0;
}

static void set_element(struct bench_operand *operand, size_t index, double value)
{
	if (operand->dtype == BENCH_F64)
		((double *)operand->host)[index] = value;
	else
		((float *)operand->host)[index] = (float)value;
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
			set_element(operand, i, rint(bench_operand_element(operand, i) * units) / units);
	return 0;
}

/* Puts the largest element elsewhere, on the host and the device. */
static int move_peak(const struct bench_case *bench_case, struct state *state, size_t to,
		     struct bench_error *error)
{
	set_element(&state->a, state->peak_at, state->replaced);
	state->peak_at = to;
	state->replaced = bench_operand_element(&state->a, to);
	set_element(&state->a, to, PEAK);
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
	if (!bench_case->backend->reduction)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no reductions",
				  bench_case->backend->name);
	if (bench_dense_dtype_supported(bench_case, reduction.dtype, error))
		return -1;
	struct state *state = bench_case->state = calloc(1, sizeof(*state));
	if (!state)
		return bench_fail(error, BENCH_NO_MEMORY, "reduction: no host memory");
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
	state->reduction.a = state->a.buffer;
	state->reduction.b = state->b.buffer;
	state->reduction.result = &state->result;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (bench_case->backend->reduction(bench_case->device, &state->reduction, error))
			return -1;
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	if (state->reduction.op == BENCH_REDUCTION_ARGMAX)
		state->result.index = UINT64_MAX;
	else if (state->reduction.dtype == BENCH_F64)
		state->result.wide = (double)NAN;
	else
		state->result.narrow = NAN;
	return 0;
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
		    run(bench_case, 1, error) || bench_case->backend->finish(bench_case->device, error))
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
	if (!state)
		return;
	bench_operand_free(bench_case, &state->a);
	bench_operand_free(bench_case, &state->b);
	free(state);
	bench_case->state = NULL;
}

const struct bench_suite bench_suite_reduction = {
	.abi = BENCH_SUITE_ABI,
	.name = "reduction",
	.summary = "sum, max, argmax or dot of vectors, finished by one group, a second launch or the host",
	.params = params,
	.sweeps = {quick, nightly, full},
	.variants = "stages",
	.work = work,
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.check = check,
	.teardown = teardown,
};

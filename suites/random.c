/* SPDX-License-Identifier: MIT */
/*
 * Suite random: filling a vector with random numbers, by distribution and size.
 * docs/suites/random.md says how to read it.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "kit/dense.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, DISTRIBUTION, COUNT };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64",
			       "type of the elements; of bits, unsigned numbers of its size"),
	[DISTRIBUTION] = BENCH_CHOICE("distribution", "uniform", "bits|uniform|normal",
				      "the generator's numbers, uniform in [0, 1), or normal (0, 1)"),
	[COUNT] = BENCH_INT("count", "1000000", 1, (int64_t)1 << 36, "elements of the vector"),
	{.name = NULL},
};

#define ALL_DISTRIBUTIONS "distribution=bits,uniform,normal"

static const char *const quick[] = {ALL_DISTRIBUTIONS " count=1000000", NULL};

#define NIGHTLY                                                                                              \
	ALL_DISTRIBUTIONS " count=1000,1000000,16000000", "count=10000,100000", ALL_DISTRIBUTIONS " dtype=f64"

static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {NIGHTLY, "distribution=bits,normal count=10000,100000",
				   ALL_DISTRIBUTIONS " dtype=f64 count=1000,10000,100000,16000000", NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand out;
	struct bench_random random;
};

/* Stream of the case's seed. */
enum { STREAM = 1 };

/* The case's work, without its buffer. The words are in the order of the enumeration. */
static struct bench_random random_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_random){
		.distribution = (enum bench_random_distribution)values[DISTRIBUTION].integer,
		.dtype = bench_operand_dtype(&values[DTYPE]),
		.count = (size_t)values[COUNT].integer,
		.seed = bench_case->seed,
		.stream = STREAM,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_random random = random_of(bench_case);
	if (bench_vectors_work("random", &bench_case->values[COUNT], random.dtype, 1, work, error))
		return -1;
	work->items = (double)random.count;
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_random random = random_of(bench_case);
	struct state *state = bench_operands_begin(bench_case, sizeof(*state), "random",
						   bench_case->backend->random ? NULL : "random numbers",
						   random.dtype, error);
	if (!state || bench_operand_output(bench_case, random.dtype, random.count, &state->out, error))
		return -1;
	state->random = random;
	state->random.out = state->out.buffer;
	return 0;
}

BENCH_RUN(random)

/*
 * The error of a normal number over its radius and the epsilon of the type. include/bench/random.h allows
 * a backend 12: OpenCL's functions are good to 3 ulp (log), 3 (sqrt) and 4 (cospi), and of plain C the angle,
 * 2 pi v, errs by 6.3 epsilon at most. Our own angle in double errs by as much of the epsilon of f64.
 */
#define NORMAL_TOLERANCE 20

/* What a block of the stream makes: its numbers, the values, and how far a value may be off (exact: 0). */
struct expected {
	uint64_t words[4];
	double values[4], slack[4];
};

static void make_normal(struct expected *expected, size_t i, double epsilon)
{
	double radius = sqrt(-2 * log(1 - expected->values[i]));
	double angle = 6.283185307179586476925 * expected->values[i + 1];
	expected->values[i] = radius * cos(angle);
	expected->values[i + 1] = radius * sin(angle);
	expected->slack[i] = expected->slack[i + 1] = NORMAL_TOLERANCE * radius * epsilon;
}

static size_t of_a_block(const struct bench_random *random)
{
	return random->dtype == BENCH_F64 ? 2 : 4;
}

static void expect_block(const struct bench_random *random, size_t number, struct expected *expected)
{
	uint32_t block[4];
	bool wide = random->dtype == BENCH_F64;
	*expected = (struct expected){0};
	bench_rng_block(random->seed, random->stream, random->position + number, block);
	for (size_t i = 0; i < of_a_block(random); i++) {
		uint64_t word = wide ? block[2 * i] | (uint64_t)block[2 * i + 1] << 32 : block[i];
		expected->words[i] = word;
		expected->values[i] = wide ? (double)(word >> 11) * 0x1p-53 : (double)(word >> 8) * 0x1p-24;
	}
	if (random->distribution == BENCH_RANDOM_NORMAL)
		for (size_t i = 0; i < of_a_block(random); i += 2)
			make_normal(expected, i, wide ? DBL_EPSILON : (double)FLT_EPSILON);
}

/* Element `i` as found; bits are scaled to [0, 1). *word: its bits. */
static double found_at(const struct bench_operand *out, bool bits, size_t i, uint64_t *word)
{
	if (out->dtype == BENCH_F64) {
		*word = ((const uint64_t *)out->host)[i];
		return bits ? (double)*word * 0x1p-64 : ((const double *)out->host)[i];
	}
	*word = ((const uint32_t *)out->host)[i];
	return bits ? (double)*word * 0x1p-32 : (double)((const float *)out->host)[i];
}

/* Sums of the first four powers of what was found, its mean as it should be taken off. */
enum { POWERS = 4 };

static void add_powers(double value, double sums[POWERS])
{
	double power = 1;
	for (int i = 0; i < POWERS; i++) {
		power *= value;
		sums[i] += power;
	}
}

/* Vectors shorter than this are too short for the moments to be normal. */
#define MOMENTS_COUNT 1000

/* How many standard errors a moment may be off: 2e-9 of false alarms by the normal law, 1e-6 for the fourth
 * at 1000. */
#define MOMENTS_SIGMAS 6

/*
 * The means of the powers against theory, the worst over what is allowed. The mean of y^k has the variance
 * (E y^2k - (E y^k)^2) / count. This is of Philox and of the formulas rather than of the device, all of whose
 * elements are compared: both sides may have one mistake in common.
 */
static double moments_error(bool normal, const double sums[POWERS], size_t count)
{
	static const double theory[2][2 * POWERS] = {
		{0, 1.0 / 12, 0, 1.0 / 80, 0, 1.0 / 448, 0, 1.0 / 2304}, /* uniform on [-1/2, 1/2] */
		{0, 1, 0, 3, 0, 15, 0, 105},
	};
	const double *mean = theory[normal];
	double worst = 0, n = (double)count;
	for (int i = 0; i < POWERS; i++) {
		double sigma = sqrt((mean[2 * i + 1] - mean[i] * mean[i]) / n);
		worst = bench_dense_worse(worst, fabs(sums[i] / n - mean[i]) / (MOMENTS_SIGMAS * sigma));
	}
	return worst;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	const struct bench_random *random = &state->random;
	bool bits = random->distribution == BENCH_RANDOM_BITS;
	bool normal = random->distribution == BENCH_RANDOM_NORMAL;
	double worst = 0, sums[POWERS] = {0};
	struct expected expected;
	if (bench_operand_download(bench_case, &state->out, error))
		return -1;
	for (size_t i = 0; i < random->count; i++) {
		size_t in_block = i % of_a_block(random);
		uint64_t word;
		if (in_block == 0)
			expect_block(random, i / of_a_block(random), &expected);
		double found = found_at(&state->out, bits, i, &word);
		double off =
			bits ? (word == expected.words[in_block] ? 0 : (double)INFINITY)
			     : bench_dense_error(found, expected.values[in_block], expected.slack[in_block]);
		worst = bench_dense_worse(worst, off);
		add_powers(normal ? found : found - 0.5, sums);
	}
	if (random->count >= MOMENTS_COUNT)
		worst = bench_dense_worse(worst, moments_error(normal, sums, random->count));
	*check = (struct bench_check){.error = worst, .tolerance = 1};
	snprintf(check->method, sizeof(check->method), "all against Random123%s, of what is allowed",
		 random->count >= MOMENTS_COUNT ? " and 4 moments" : "");
	return 0;
}

const struct bench_suite bench_suite_random = {
	.name = "random",
	.summary = "random numbers by Philox: bits, uniform or normal",
	.sweeps = {quick, nightly, full},
	BENCH_OPERANDS_HOOKS,
};

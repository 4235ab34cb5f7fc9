/* SPDX-License-Identifier: MIT */
/*
 * Suite peak: what the device can do at the most. The other suites' rates are set against
 * these ceilings. docs/suites/peak.md says how to read it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { WHAT, DTYPE, BYTES, ROUNDS };
enum { TENSOR_ROUNDS = 16 }; /* steps on tensor cores for each of `rounds`, as much faster as they are */

static const struct bench_param params[] = {
	[WHAT] = BENCH_CHOICE(
		"what", "fma", "fma|tensor|read|add|launch",
		"multiply-adds, those of tensor cores, reading, c = a + b, or the smallest kernel"),
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64|f16|bf16|tf32",
			       "type of the elements; the last three of tensor cores only"),
	[BYTES] = BENCH_INT(
		"bytes", "402653184", 1, (int64_t)1 << 40,
		"read, add: size of all vectors together; of a read below 16 MiB, over and over, a cache's"),
	[ROUNDS] = BENCH_INT(
		"rounds", "4096", 1, 1000000,
		"fma, tensor: steps for each lane (tensor: 16 times as many); read of a cache: elements of "
		"each part; enough that writing the results does not count"),
	{.name = NULL},
};

static const char *const quick[] = {"what=fma,read,add,launch", "what=fma dtype=f64",
				    "what=tensor dtype=f16,bf16,tf32,f64",
				    "what=read bytes=16KiB,256KiB,4MiB", NULL};

/* Multiply-adds in flight: enough for any device. */
#define FMA_LANES ((size_t)1 << 22)
/* Sums on tensor cores: 528 groups, as many for each unit where there are 132, 88, 66 or 48. With 114, the
 * last round of groups leaves units idle: 7% are lost. */
#define TENSOR_LANES (528 * bench_peak_multiple(BENCH_PEAK_TENSOR))

enum what { FMA, TENSOR, READ, ADD, LAUNCH };

struct state {
	struct bench_operands operands;
	enum what what;
	struct bench_operand a, b, out;
	struct bench_peak peak;
	struct bench_elementwise add;
};

static enum what what_of(const struct bench_case *bench_case)
{
	static const char *const names[] = {
		[FMA] = "fma", [TENSOR] = "tensor", [READ] = "read", [ADD] = "add"};
	for (int what = FMA; what < LAUNCH; what++)
		if (strcmp(bench_case->values[WHAT].text, names[what]) == 0)
			return (enum what)what;
	return LAUNCH;
}

static enum bench_dtype dtype_of(const struct bench_case *bench_case)
{
	return bench_operand_dtype(&bench_case->values[DTYPE]);
}

/*
 * Elements of a read that is too small to be read once: the largest power of two of them, which stays in a
 * cache, over and over; each part adds `rounds` of them. 0 for any other read, and for one that is too small
 * even for that.
 */
static size_t held_of(const struct bench_case *bench_case)
{
	size_t elements = (size_t)bench_case->values[BYTES].integer / bench_dtype_bytes(dtype_of(bench_case));
	size_t part = (size_t)bench_case->values[ROUNDS].integer, held = 1;
	if (what_of(bench_case) != READ || elements >= bench_peak_multiple(BENCH_PEAK_READ))
		return 0;
	while (2 * held <= elements)
		held *= 2;
	bool fits = (part & (part - 1)) == 0 && part <= held &&
		    part % (bench_peak_multiple(BENCH_PEAK_READ) / BENCH_PEAK_PARTS) == 0;
	return fits ? held : 0;
}

/* Elements that one iteration goes through; 0 where `bytes` is too small. */
static size_t count_of(const struct bench_case *bench_case)
{
	size_t real = bench_dtype_bytes(dtype_of(bench_case));
	size_t bytes = (size_t)bench_case->values[BYTES].integer;
	switch (what_of(bench_case)) {
	case FMA:
		return FMA_LANES;
	case TENSOR:
		return TENSOR_LANES;
	case LAUNCH:
		return bench_peak_multiple(BENCH_PEAK_FMA);
	case READ:
		if (held_of(bench_case))
			return (size_t)bench_case->values[ROUNDS].integer * BENCH_PEAK_PARTS;
		return bytes / real / bench_peak_multiple(BENCH_PEAK_READ) *
		       bench_peak_multiple(BENCH_PEAK_READ);
	default:
		return bytes / real / 3;
	}
}

static unsigned rounds_of(const struct bench_case *bench_case)
{
	const unsigned rounds = (unsigned)bench_case->values[ROUNDS].integer;
	return what_of(bench_case) == FMA      ? rounds
	       : what_of(bench_case) == TENSOR ? TENSOR_ROUNDS * rounds
					       : 1;
}

/* Of the results, which tensor cores add up in another type. */
static enum bench_dtype out_dtype(const struct bench_case *bench_case)
{
	return what_of(bench_case) == TENSOR && dtype_of(bench_case) != BENCH_F64 ? BENCH_F32
										  : dtype_of(bench_case);
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	enum what what = what_of(bench_case);
	size_t count = count_of(bench_case);
	uint64_t bytes = count * bench_dtype_bytes(out_dtype(bench_case));
	size_t held = held_of(bench_case);
	uint64_t stored = held ? held * bench_dtype_bytes(dtype_of(bench_case)) : bytes;
	uint64_t parts = BENCH_PEAK_PARTS * bench_dtype_bytes(dtype_of(bench_case));
	if (count == 0)
		return bench_fail(error, BENCH_USAGE, "peak: bytes=%" PRId64 " is less than a kernel needs",
				  bench_case->values[BYTES].integer);
	if (what == TENSOR && rounds_of(bench_case) % BENCH_PEAK_TENSOR_STEPS != 0)
		return bench_fail(error, BENCH_USAGE,
				  "peak: rounds=%" PRId64 " of tensor cores: a multiple of %d is needed",
				  bench_case->values[ROUNDS].integer,
				  BENCH_PEAK_TENSOR_STEPS / TENSOR_ROUNDS);
	work->largest_bytes = stored > parts || what != READ ? stored : parts;
	work->device_bytes = what == ADD ? 3 * bytes : what == READ ? stored + parts : bytes;
	work->host_bytes = work->device_bytes;
	if (what == FMA || what == TENSOR)
		work->flops = 2.0 * (double)count * rounds_of(bench_case);
	else if (what == LAUNCH)
		work->items = 1;
	else
		work->bytes = what == ADD ? 3 * (double)bytes : (double)bytes;
	return 0;
}

/* Whole numbers from 0 to 3: their sums are exact in every type, in any order. */
static void fill(struct bench_operand *operand, uint64_t seed)
{
	for (size_t i = 0; i < operand->count; i++) {
		uint64_t mixed = (i + seed) * 0x9E3779B97F4A7C15;
		bench_operand_set(operand, i, (double)(mixed >> 62));
	}
}

static int make_input(const struct bench_case *bench_case, size_t count, uint64_t stream,
		      struct bench_operand *operand, struct bench_error *error)
{
	if (bench_operand_make(bench_case, dtype_of(bench_case), count, operand, error))
		return -1;
	fill(operand, bench_case->seed + stream);
	return bench_operand_upload(bench_case, operand, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	enum what what = what_of(bench_case);
	const struct bench_backend *backend = bench_case->backend;
	size_t count = count_of(bench_case), held = held_of(bench_case);
	if (what == ADD ? !backend->elementwise : !backend->peak)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s does not measure its ceilings",
				  backend->name);
	struct state *state =
		bench_operands_begin(bench_case, sizeof(*state), "peak", NULL, dtype_of(bench_case), error);
	if (!state)
		return -1;
	state->what = what;
	if ((what == READ || what == ADD) && make_input(bench_case, held ? held : count, 1, &state->a, error))
		return -1;
	if (what == ADD && make_input(bench_case, count, 2, &state->b, error))
		return -1;
	if (bench_operand_output(bench_case, out_dtype(bench_case), what == READ ? BENCH_PEAK_PARTS : count,
				 &state->out, error))
		return -1;
	state->peak = (struct bench_peak){.what = what == READ     ? BENCH_PEAK_READ
						  : what == TENSOR ? BENCH_PEAK_TENSOR
								   : BENCH_PEAK_FMA,
					  .dtype = dtype_of(bench_case),
					  .count = count,
					  .rounds = rounds_of(bench_case),
					  .a = state->a.buffer,
					  .out = state->out.buffer,
					  .held = held};
	state->add = (struct bench_elementwise){.op = BENCH_ELEMENTWISE_ADD,
						.dtype = dtype_of(bench_case),
						.count = count,
						.a = state->a.buffer,
						.b = state->b.buffer,
						.c = state->out.buffer};
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	const struct bench_backend *backend = bench_case->backend;
	for (uint64_t i = 0; i < iterations; i++)
		if (state->what == ADD ? backend->elementwise(bench_case->device, &state->add, error)
				       : backend->peak(bench_case->device, &state->peak, error))
			return -1;
	return 0;
}

/*
 * Multiply-adds have a closed form: 1 is the fixed point, and each step brings x nearer to it by the
 * factor. A rounding error, at most u (twice that if the device rounds twice), shrinks in the same way.
 * Together they are at most 2 u (1 - factor^rounds) / (1 - factor). Gives what element `i` should be; `left`:
 * factor^rounds.
 */
static double expected_of(const struct state *state, size_t i, double left)
{
	const double start = (double)(i % BENCH_PEAK_STARTS) / BENCH_PEAK_STARTS;
	return state->what == ADD ? bench_operand_element(&state->a, i) + bench_operand_element(&state->b, i)
	       : state->what == TENSOR ? state->peak.rounds
				       : 1 + (start - 1) * left;
}

static double error_of(const struct state *state)
{
	double worst = 0, left = pow(BENCH_PEAK_FACTOR, state->peak.rounds);
	for (size_t i = 0; i < state->out.count; i++)
		worst = bench_dense_worse(worst, bench_dense_error(bench_operand_element(&state->out, i),
								   expected_of(state, i, left), 1));
	return worst;
}

static double read_error(const struct state *state)
{
	double found = 0, expected = 0;
	size_t times = state->peak.held ? state->peak.count / state->peak.held : 1;
	for (size_t i = 0; i < state->out.count; i++)
		found += bench_operand_element(&state->out, i);
	for (size_t i = 0; i < state->a.count; i++)
		expected += bench_operand_element(&state->a, i);
	/* Each element is added as often as any other. */
	return bench_dense_error(found, expected * (double)times, 1);
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	if (bench_operand_download(bench_case, &state->out, error))
		return -1;
	const bool exact = state->what == ADD || state->what == READ || state->what == TENSOR;
	*check = (struct bench_check){.error = state->what == READ ? read_error(state) : error_of(state)};
	if (!exact)
		check->tolerance = 2 * bench_dense_roundoff(state->out.dtype) *
				   (1 - pow(BENCH_PEAK_FACTOR, state->peak.rounds)) / (1 - BENCH_PEAK_FACTOR);
	snprintf(check->method, sizeof(check->method), "%s",
		 !exact                ? "each lane against the closed form"
		 : state->what == READ ? "the sum, whole numbers: exact"
				       : "each element, whole numbers: exact");
	return 0;
}

const struct bench_suite bench_suite_peak = {
	.name = "peak",
	.summary = "the device's ceilings: arithmetic, memory, launch",
	.sweeps = {quick},
	BENCH_OPERANDS_HOOKS,
};

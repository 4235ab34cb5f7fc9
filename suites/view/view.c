/* SPDX-License-Identifier: MIT */
/*
 * Suite view: what one operation on a tensor view costs, which moves no data.
 * docs/suites/view.md says how to read it.
 */
#include <stdint.h>
#include <string.h>

#include "kit/rng.h"
#include "kit/view.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"
#include "suites/view/check.h"

enum { OP, RANK };

static const struct bench_param params[] = {
	[OP] = BENCH_CHOICE("op", "transpose",
			    "transpose|is_contiguous|is_transposed|slice|reshape|permute|broadcast",
			    "the operation"),
	[RANK] = BENCH_INT("rank", "2", 2, BENCH_VIEW_RANK, "axes of the views"),
	{.name = NULL},
};

#define ALL_OPS "op=transpose,is_contiguous,is_transposed,slice,reshape,permute,broadcast"
static const char *const quick[] = {ALL_OPS " rank=2", NULL};
static const char *const nightly[] = {ALL_OPS " rank=2,4,8", NULL};

/* Views that the operations go round; a power of two, so that the next one costs an addition and a mask. */
enum { SLOTS = 16 };

struct state {
	struct bench_view inputs[SLOTS];
	struct bench_view outputs[SLOTS]; /* of the operations that make a view */
	bool answers[SLOTS];              /* of those that ask */
	unsigned rank;
	unsigned order[BENCH_VIEW_RANK];       /* permute: the axes backwards */
	size_t shapes[SLOTS][BENCH_VIEW_RANK]; /* reshape, broadcast: what is asked for */
	uint64_t executed;                     /* operations since prepare */
	uint64_t sum;                          /* of their digests */
};

/* One operation on the view of `slot`, its result kept there too, and a digest of that; -1 where it failed.
 */
typedef int operation(struct state *state, size_t slot, uint64_t *digest, struct bench_error *error);

static inline uint64_t digest_of(const struct bench_view *view)
{
	return view->offset + (uint64_t)view->stride[0] + 1;
}

/* An operation of kit/view.h that makes a view, with the arguments between the input and the output. */
#define MAKES_VIEW(op, ...)                                                                                  \
	static inline int op(struct state *state, size_t slot, uint64_t *digest, struct bench_error *error)  \
	{                                                                                                    \
		const struct bench_view *input = &state->inputs[slot];                                       \
		struct bench_view *output = &state->outputs[slot];                                           \
		int status = bench_view_##op(input, __VA_ARGS__, output, error);                             \
		*digest = digest_of(output);                                                                 \
		return status;                                                                               \
	}
MAKES_VIEW(transpose, state->rank - 2, state->rank - 1)
/* The last axis without its first index. */
MAKES_VIEW(slice, state->rank - 1, 1, input->shape[state->rank - 1] - 1, 1)
MAKES_VIEW(reshape, state->rank, state->shapes[slot])
MAKES_VIEW(permute, state->order)
MAKES_VIEW(broadcast, state->rank, state->shapes[slot])

static inline int keep_answer(struct state *state, size_t slot, bool answer, uint64_t *digest)
{
	state->answers[slot] = answer;
	*digest = answer ? 2 : 1;
	return 0;
}

static inline int is_contiguous(struct state *state, size_t slot, uint64_t *digest, struct bench_error *error)
{
	(void)error;
	return keep_answer(state, slot, bench_view_is_contiguous(&state->inputs[slot]), digest);
}

static inline int is_transposed(struct state *state, size_t slot, uint64_t *digest, struct bench_error *error)
{
	(void)error;
	return keep_answer(state, slot, bench_view_is_transposed(&state->inputs[slot]), digest);
}

/*
 * What is timed, all of it: the loop, the operation, its result written to memory and its digest added.
 * The empty statement is opaque: the compiler must assume that it reads and changes all memory, so
 * that it knows nothing of the inputs, and can drop, merge or move no operation. Inlined into
 * each function below, where `op` is a constant.
 */
static inline __attribute__((always_inline)) int repeat(struct state *state, uint64_t iterations,
							operation *op, struct bench_error *error)
{
	uint64_t executed = state->executed, sum = state->sum, digest = 0;
	for (uint64_t i = 0; i < iterations; i++) {
		__asm__ volatile("" : : "r"(state) : "memory");
		if (op(state, executed++ % SLOTS, &digest, error))
			return -1;
		sum += digest;
	}
	__asm__ volatile("" : : "r"(state) : "memory");
	state->executed = executed;
	state->sum = sum;
	return 0;
}

#define REPEAT(op)                                                                                           \
	static int repeat_##op(struct state *state, uint64_t iterations, struct bench_error *error)          \
	{                                                                                                    \
		return repeat(state, iterations, op, error);                                                 \
	}
REPEAT(transpose)
REPEAT(is_contiguous)
REPEAT(is_transposed)
REPEAT(slice)
REPEAT(reshape)
REPEAT(permute)
REPEAT(broadcast)

/* In the order of enum bench_view_op. */
static int (*const repeats[])(struct state *state, uint64_t iterations, struct bench_error *error) = {
	repeat_transpose, repeat_is_contiguous, repeat_is_transposed, repeat_slice,
	repeat_reshape,   repeat_permute,       repeat_broadcast,
};

static enum bench_view_op op_of(const struct bench_case *bench_case)
{
	return (enum bench_view_op)bench_case->values[OP].integer;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)error;
	(void)bench_case;
	work->items = 1;
	work->host_bytes = sizeof(struct state);
	return 0;
}

/* Kinds of inputs; the first two are contiguous. */
enum { PACKED, FIRST_ROW_CUT, TRANSPOSED, EVERY_SECOND_COLUMN, KINDS };

/* A view of `shape` of that kind, cut out of a packed one that is as large as it takes. */
static int make_input(unsigned kind, unsigned rank, const size_t *shape, struct bench_view *view,
		      struct bench_error *error)
{
	unsigned row = rank - 2, column = rank - 1;
	size_t whole[BENCH_VIEW_RANK];
	memcpy(whole, shape, sizeof(whole));
	if (kind == FIRST_ROW_CUT)
		whole[0]++;
	if (kind == EVERY_SECOND_COLUMN)
		whole[column] *= 2;
	if (kind == TRANSPOSED) {
		whole[row] = shape[column];
		whole[column] = shape[row];
	}
	if (bench_view_packed(BENCH_F32, rank, whole, view, error))
		return -1;
	if (kind == FIRST_ROW_CUT)
		return bench_view_slice(view, 0, 1, shape[0], 1, view, error);
	if (kind == EVERY_SECOND_COLUMN)
		return bench_view_slice(view, column, 0, shape[column], 2, view, error);
	return kind == TRANSPOSED ? bench_view_transpose(view, row, column, view, error) : 0;
}

/* Sizes of 2 and 3 at random, so that the check can look at every element of any rank. */
static int make_slot(struct state *state, enum bench_view_op op, size_t slot, struct bench_rng *rng,
		     struct bench_error *error)
{
	size_t shape[BENCH_VIEW_RANK] = {0}, *asked = state->shapes[slot];
	for (unsigned axis = 0; axis < state->rank; axis++)
		shape[axis] = 2 + bench_rng_u32(rng) % 2;
	for (unsigned axis = 0; axis < state->rank; axis++)
		asked[axis] = op == BENCH_VIEW_RESHAPE ? shape[state->rank - 1 - axis] : shape[axis];
	if (op == BENCH_VIEW_BROADCAST)
		shape[0] = 1;
	/* The others would have to be copied to be reshaped. */
	unsigned kinds = op == BENCH_VIEW_RESHAPE ? TRANSPOSED : KINDS;
	return make_input((unsigned)bench_rng_below(rng, kinds), state->rank, shape, &state->inputs[slot],
			  error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_state_make(bench_case, sizeof(*state), "view", error);
	if (!state)
		return -1;
	state->rank = (unsigned)bench_case->values[RANK].integer;
	for (unsigned axis = 0; axis < state->rank; axis++)
		state->order[axis] = state->rank - 1 - axis;
	struct bench_rng rng;
	bench_rng_start(&rng, bench_case->seed, 1);
	for (size_t slot = 0; slot < SLOTS; slot++)
		if (make_slot(state, op_of(bench_case), slot, &rng, error))
			return -1;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	return repeats[op_of(bench_case)](bench_case->state, iterations, error);
}

/* No right output has rank 0, and the sum of one answer that was never given is 0. */
static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	memset(state->outputs, 0, sizeof(state->outputs));
	state->executed = 0;
	state->sum = 0;
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)error;
	const struct state *state = bench_case->state;
	enum bench_view_op op = op_of(bench_case);
	bool asks = op == BENCH_VIEW_IS_CONTIGUOUS || op == BENCH_VIEW_IS_TRANSPOSED;
	uint64_t sum = 0, wrong = 0;
	for (size_t slot = 0; slot < SLOTS; slot++) {
		uint64_t times = iterations / SLOTS + (slot < iterations % SLOTS);
		if (times == 0)
			continue;
		const struct bench_view *input = &state->inputs[slot], *output = &state->outputs[slot];
		if (asks)
			wrong += bench_view_answer(op, input) != state->answers[slot];
		else
			wrong += !bench_view_is_right(op, input, state->shapes[slot], output);
		sum += times * (!asks ? digest_of(output) : state->answers[slot] ? 2 : 1);
	}
	*check = (struct bench_check){.error = (double)(wrong + (sum != state->sum)),
				      .method = "every index against its definition; sum of all"};
	return 0;
}

const struct bench_suite bench_suite_view = {
	.name = "view",
	.summary = "operations on tensor views, which move no data",
	.sweeps = {quick, nightly, NULL},
	.host_only = true,
	.prepare = prepare,
	.teardown = bench_state_free,
	BENCH_SUITE_HOOKS,
};

/* SPDX-License-Identifier: MIT */
/*
 * Suite null: nothing, timed. It shows the harness's per-iteration overhead and, with spin > 0, that the time
 * follows the work. docs/suites/null.md says how to read it.
 */
#include <math.h>
#include <stdint.h>

#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { SPIN };

static const struct bench_param params[] = {
	[SPIN] = BENCH_INT("spin", "0", 0, 1000000000, "dependent additions in an iteration; 0: it is empty"),
	{.name = NULL},
};

static const char *const quick[] = {"spin=0,1000", NULL};
static const char *const nightly[] = {"spin=0,1000,1000000", NULL};

struct state {
	uint64_t executed; /* iterations since prepare */
	uint64_t steps;    /* additions since prepare */
};

/*
 * The empty statement is opaque and costs no instruction. The compiler must assume that it reads and changes
 * `value`, so it cannot drop a step, merge it with the next or move it out of the loop.
 */
static inline uint64_t step(uint64_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)error;
	(void)bench_case;
	work->items = 1;
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	return bench_state_make(bench_case, sizeof(struct state), "null", error) ? 0 : -1;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	uint64_t spin = (uint64_t)bench_case->values[SPIN].integer;
	uint64_t executed = state->executed, steps = state->steps;
	for (uint64_t i = 0; i < iterations; i++) {
		executed = step(executed);
		for (uint64_t j = 0; j < spin; j++)
			steps = step(steps);
	}
	state->executed = executed;
	state->steps = steps;
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	*(struct state *)bench_case->state = (struct state){0};
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)error;
	const struct state *state = bench_case->state;
	uint64_t spin = (uint64_t)bench_case->values[SPIN].integer;
	*check = (struct bench_check){.error = fabs((double)state->executed - (double)iterations) +
					       fabs((double)state->steps - (double)(iterations * spin)),
				      .method = "iterations and steps counted"};
	return 0;
}

const struct bench_suite bench_suite_null = {
	.name = "null",
	.summary = "the harness itself: an empty iteration, and additions in a row",
	.sweeps = {quick, nightly, NULL},
	.host_only = true,
	.of_harness = true,
	.prepare = prepare,
	.teardown = bench_state_free,
	BENCH_SUITE_HOOKS,
};

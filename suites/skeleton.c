/*
 * A template: copy this file, rename `skeleton`, and list the suite in suites.h. It is built and tested as it
 * stands, but not in the table. docs/adding-a-suite.md goes through it; bench/suite.h is the contract.
 *
 * It measures the triad a = b + s c of STREAM on the host (McCalpin, "Memory bandwidth and
 * machine balance in current high performance computers", 1995). A suite that runs on
 * devices leaves `host_only` out, and calls case->backend with case->device: elementwise.c is one.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/rng.h"
#include "suites/params.h"
#include "suites/suites.h"

/* The parameters, in the order of the table: indices into case->values. */
enum { COUNT, SCALE };

/*
 * The table of parameters. Names, order and canonical values are the key of all history:
 * add new ones at the end, with a fallback that means what was so before.
 */
static const struct bench_param params[] = {
	[COUNT] = BENCH_INT("count", "1000000", 1, 1000000000, "elements of each array"),
	[SCALE] = BENCH_REAL("scale", "3", "the factor s"),
	{.name = NULL}, /* ends the table */
};

/*
 * The cases: one sweep a line, the cross product of its values. `quick` takes seconds;
 * `nightly` and `full` default to the list before them.
 */
static const char *const quick[] = {"count=1000,1000000", NULL};
static const char *const nightly[] = {"count=1000,10000,100000,1000000,10000000", NULL};

/* What a case keeps from setup to teardown. */
struct state {
	size_t count;
	double *a, *b, *c;
};

/*
 * required. From case->values alone; nothing is allocated yet. Say what an iteration is
 * worth; the harness derives the rates. Refuse with BENCH_USAGE what cannot be.
 */
static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	int64_t count = bench_case->values[COUNT].integer;
	if (count < 1 || count > INT64_MAX / 64)
		return bench_fail(error, BENCH_USAGE, "skeleton: count=%" PRId64 " is no size of an array",
				  count);
	work->flops = 2.0 * (double)count;
	work->bytes = 3.0 * sizeof(double) * (double)count;
	work->host_bytes = 3 * sizeof(double) * (uint64_t)count;
	return 0;
}

/*
 * required. Allocates, and fills from case->seed, so that every run has the same data.
 * After a failure teardown is called all the same: keep what was made in case->state.
 */
static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state = calloc(1, sizeof(*state));
	if (!state)
		return bench_fail(error, BENCH_NO_MEMORY, "skeleton: no host memory");
	state->count = (size_t)bench_case->values[COUNT].integer;
	state->a = malloc(state->count * sizeof(double));
	state->b = malloc(state->count * sizeof(double));
	state->c = malloc(state->count * sizeof(double));
	if (!state->a || !state->b || !state->c)
		return bench_fail(error, BENCH_NO_MEMORY, "skeleton: no host memory for %zu elements",
				  state->count);
	bench_rng_fill(bench_case->seed, 1, BENCH_F64, state->b, state->count);
	bench_rng_fill(bench_case->seed, 2, BENCH_F64, state->c, state->count);
	return 0;
}

/* required. This is timed: the work, `iterations` times, and nothing else. */
static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)error;
	const struct state *state = bench_case->state;
	double scale = bench_case->values[SCALE].real;
	double *restrict a = state->a;
	const double *restrict b = state->b, *restrict c = state->c;
	for (uint64_t i = 0; i < iterations; i++) {
		for (size_t j = 0; j < state->count; j++)
			a[j] = b[j] + scale * c[j];
		/* The compiler must assume that `a` is read here, so that no iteration is dropped. */
		__asm__ volatile("" : : "r"(a) : "memory");
	}
	return 0;
}

/* optional, but needed wherever run() writes: a run() that does nothing must not pass. */
static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	for (size_t i = 0; i < state->count; i++)
		state->a[i] = (double)NAN;
	return 0;
}

/*
 * required. Compares with a reference computed another way, or with what must hold, and
 * gives the worst error and how much of it rounding explains. `iterations` matters where
 * the work accumulates; here every iteration gives the same.
 */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations;
	(void)error;
	const struct state *state = bench_case->state;
	double scale = bench_case->values[SCALE].real;
	*check = (struct bench_check){.tolerance = DBL_EPSILON};
	snprintf(check->method, sizeof(check->method), "every element against fma");
	for (size_t i = 0; i < state->count; i++) {
		double normaliser = fabs(state->b[i]) + fabs(scale * state->c[i]);
		double difference = fabs(state->a[i] - fma(scale, state->c[i], state->b[i]));
		double found = difference == 0 ? 0 : difference / normaliser;
		if (!(found <= check->error)) /* also where it is NaN: that must stay */
			check->error = found;
		if (isnan(found))
			break;
	}
	return 0;
}

/* required. Frees what setup made, which may be nothing or half of it. */
static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	free(state->a);
	free(state->b);
	free(state->c);
	free(state);
	bench_case->state = NULL;
}

const struct bench_suite bench_suite_skeleton = {
	.abi = BENCH_SUITE_ABI,
	.name = "skeleton",
	.summary = "a template: the triad a = b + s c on the host",
	.params = params,
	.sweeps = {quick, nightly, NULL},
	.host_only = true,
	.work = work,
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.check = check,
	.teardown = teardown,
};

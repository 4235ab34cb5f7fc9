/*
 * A template, whatever its name: the suite below is the triad. Put yours in its place.
 *
 * A whole suite, for what BENCH_FN cannot express: metrics other than time, sweeps by preset, calls of
 * backends. <bench/suite.h> is the contract. This one measures the triad a = b + s c of STREAM on the host
 * (McCalpin, "Memory bandwidth and machine balance in current high performance computers", 1995). A suite
 * that runs on devices leaves `host_only` out and calls case->backend with case->device.
 */
#include <bench/plugin.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The parameters: indices into case->values. Names, order and values identify a case in every history, so add
 * new parameters at the end, with a fallback that keeps the old meaning.
 */
enum { COUNT, SCALE };

static const struct bench_param params[] = {
	[COUNT] = {.name = "count",
		   .type = BENCH_PARAM_INT,
		   .fallback = "100000",
		   .min = 1,
		   .max = 1000000000,
		   .help = "elements of each array"},
	[SCALE] = {.name = "scale", .type = BENCH_PARAM_REAL, .fallback = "3", .help = "the factor s"},
	{.name = NULL},
};

/* The cases of each preset: a line is the cross product of its values. `quick` should take seconds. */
static const char *const quick[] = {"count=1000,100000", NULL};
static const char *const nightly[] = {"count=1000,10000,100000,1000000,10000000", NULL};

/* What a case keeps from setup to teardown. */
struct state {
	size_t count;
	double scale, *a, *b, *c;
};

/*
 * required. The work of one iteration and the memory needed, from case->values alone. Return BENCH_USAGE
 * where the values do not fit together.
 */
static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	double count = (double)bench_case->values[COUNT].integer;
	(void)error;
	work->flops = 2 * count;
	work->bytes = 3 * sizeof(double) * count;
	work->host_bytes = (uint64_t)work->bytes;
	return 0;
}

/*
 * required. Allocates and fills, the same data in every run. Keep what was made in case->state: teardown
 * follows even after a failure.
 */
static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state = calloc(1, sizeof(*state));
	if (!state)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory");
	state->count = (size_t)bench_case->values[COUNT].integer;
	state->scale = bench_case->values[SCALE].real;
	state->a = malloc(state->count * sizeof(double));
	state->b = malloc(state->count * sizeof(double));
	state->c = malloc(state->count * sizeof(double));
	if (!state->a || !state->b || !state->c)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for %zu elements", state->count);
	for (size_t i = 0; i < state->count; i++) {
		state->b[i] = (double)(i % 1000) / 1000;
		state->c[i] = 1 - (double)(i % 777) / 777;
	}
	return 0;
}

/* required. This is timed: do the work `iterations` times, and nothing else. */
static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	double *restrict a = state->a;
	(void)error;
	for (uint64_t i = 0; i < iterations; i++) {
		for (size_t j = 0; j < state->count; j++)
			a[j] = state->b[j] + state->scale * state->c[j];
		/* The compiler must assume that `a` is read here, so it cannot drop an iteration. */
		__asm__ volatile("" : : "r"(a) : "memory");
	}
	return 0;
}

/* optional, but needed wherever run() writes, so that a run() that does nothing fails the check. */
static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	(void)error;
	for (size_t i = 0; i < state->count; i++)
		state->a[i] = (double)NAN;
	return 0;
}

/*
 * required. The worst error against an independent reference, and how much of it rounding explains.
 * `iterations` matters where the work accumulates.
 */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	const struct state *state = bench_case->state;
	(void)iterations;
	(void)error;
	*check = (struct bench_check){.tolerance = 4 * (fabs(state->scale) + 1) * DBL_EPSILON};
	snprintf(check->method, sizeof(check->method), "every element against fma");
	for (size_t i = 0; i < state->count; i++) {
		double off = fabs(state->a[i] - fma(state->scale, state->c[i], state->b[i]));
		if (!(off <= check->error)) /* true for NaN too, which must not get lost */
			check->error = off;
		if (isnan(off))
			break;
	}
	return 0;
}

/* required. Frees what setup made: all of it, part of it or nothing. */
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

static const struct bench_suite this_suite = {
	.abi = BENCH_SUITE_ABI,
	.name = "example_suite",
	.summary = "the triad a = b + s c on the host",
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

static const struct bench_suite *const suites[] = {&this_suite, NULL};
BENCH_PLUGIN(suites, NULL);

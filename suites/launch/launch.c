/* SPDX-License-Identifier: MIT */
/*
 * Suite launch: what a call costs that is not its kernel: launches of a kernel that does
 * nothing, programs made anew, and the host's share of a sum. docs/suites/launch.md says how to
 * read it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/clock.h"
#include "suites/launch/launch.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { WHAT, BATCH, BUFFERS };
enum { EMPTY, PIPELINED, BATCHED, ENQUEUE, COMPILE_COLD, COMPILE_DISK, COMPILE_WARM, SHARE };

static const struct bench_param params[] = {
	[WHAT] = BENCH_CHOICE("what", "empty",
			      "empty|pipelined|batched|enqueue|compile_cold|compile_disk|compile_warm|share",
			      "empty launches: one and a wait, many in a row, `batch` and a wait, or "
			      "enqueuing alone; a program from source, from disk or at hand; a sum of 10^6"),
	[BATCH] = BENCH_INT("batch", "1", 1, 100000,
			    "launches between two waits, where what=batched or what=enqueue"),
	[BUFFERS] = BENCH_CHOICE("buffers", "0", "0|1|2|4|8|16",
				 "buffers among the arguments of the kernel that is launched"),
	{.name = NULL},
};

static const char *const quick[] = {"what=empty,compile_disk,share", "what=batched batch=100", NULL};
static const char *const nightly[] = {"what=empty,pipelined,compile_cold,compile_disk,compile_warm,share",
				      "what=batched batch=10,100", "what=enqueue batch=16", NULL};
static const char *const full[] = {"what=empty,pipelined,compile_cold,compile_disk,compile_warm,share",
				   "what=batched batch=1,10,100,1000", "what=enqueue batch=1,16,256",
				   "what=pipelined buffers=1,2,4,8,16", NULL};

static const struct bench_metric_spec metrics[] = {
	[BENCH_LAUNCH_ENQUEUE_TIME] = {"enqueue_time", "s", BENCH_BETTER_LOWER,
				       "the enqueuing call of one launch"},
	[BENCH_LAUNCH_BUILD_TIME] = {"build_time", "s", BENCH_BETTER_LOWER,
				     "making or finding the program, before it runs"},
	[BENCH_LAUNCH_KERNEL_TIME] = {"kernel_time", "s", BENCH_BETTER_LOWER,
				      "the kernel of a call, by the device's clock"},
	[BENCH_LAUNCH_HOST_SHARE] = {"host_share", "ratio", BENCH_BETTER_NONE,
				     "what of a call is not the kernel"},
	{.name = NULL},
};

enum { COLD_SAMPLES = 3 }; /* each leaves a program in the driver's own cache */

double bench_launch_now(void)
{
	return (double)bench_clock_real.now_ns(NULL) * 1e-9;
}

void bench_launch_keep(struct bench_launch *state, int metric, double value)
{
	struct bench_launch_series *series = &state->series[metric];
	if (series->count < BENCH_LAUNCH_SAMPLES_MAX)
		series->values[series->count++] = value;
}

double bench_launch_miscount(uint64_t found, uint64_t expected)
{
	return found > expected ? (double)(found - expected) : (double)(expected - found);
}

static int what_of(const struct bench_case *bench_case)
{
	return (int)bench_case->values[WHAT].integer;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	int64_t batch = bench_case->values[BATCH].integer;
	int what = what_of(bench_case);
	if (batch < 1 || batch > params[BATCH].max || (batch != 1 && what != BATCHED && what != ENQUEUE))
		return bench_fail(error, BENCH_USAGE,
				  "launch: batch=%" PRId64
				  " with what=%s: only batched and enqueue have a batch, of 1 to %" PRId64,
				  batch, bench_case->values[WHAT].text, params[BATCH].max);
	if (bench_case->values[BUFFERS].integer != 0 && what > ENQUEUE)
		return bench_fail(
			error, BENCH_USAGE,
			"launch: buffers=%s with what=%s: only empty launches have a number of them",
			bench_case->values[BUFFERS].text, bench_case->values[WHAT].text);
	work->items = (double)batch;
	work->samples = what == COMPILE_COLD ? COLD_SAMPLES : 0;
	if (what == SHARE) {
		const uint64_t bytes = BENCH_LAUNCH_SHARE_COUNT * sizeof(float);
		work->flops = BENCH_LAUNCH_SHARE_COUNT;
		work->bytes = 3 * (double)bytes;
		work->device_bytes = work->host_bytes = 3 * bytes;
		work->largest_bytes = bytes;
	} else {
		work->device_bytes = work->largest_bytes = sizeof(uint64_t);
	}
	return 0;
}

static int setup_launches(struct bench_case *bench_case, struct bench_error *error)
{
	if (!bench_case->backend->empty)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "backend %s launches no kernels: its operations are calls of functions",
				  bench_case->backend->name);
	if (!bench_case->backend->device_stats)
		return bench_fail(
			error, BENCH_UNSUPPORTED,
			"backend %s does not count its launches: empty ones leave nothing else to check",
			bench_case->backend->name);
	return 0;
}

static int enqueue(const struct bench_case *bench_case, uint64_t count, struct bench_error *error)
{
	int64_t choice = bench_case->values[BUFFERS].integer;
	unsigned buffers = choice ? 1U << (choice - 1) : 0;
	for (uint64_t i = 0; i < count; i++)
		if (bench_case->backend->empty(bench_case->device, buffers, error))
			return -1;
	return 0;
}

static int run_pipelined(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	return enqueue(bench_case, iterations, error);
}

static int run_batches(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	const struct bench_launch *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (enqueue(bench_case, state->batch, error) ||
		    bench_case->backend->finish(bench_case->device, error))
			return -1;
	return 0;
}

/* Each batch meets an empty queue, so that it never waits for a place in it; the wait is not counted. */
static int run_enqueue(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	double spent = 0;
	for (uint64_t i = 0; i < iterations; i++) {
		double start = bench_launch_now();
		if (enqueue(bench_case, state->batch, error))
			return -1;
		spent += bench_launch_now() - start;
		if (bench_case->backend->finish(bench_case->device, error))
			return -1;
	}
	state->seconds = spent;
	state->calls = iterations * state->batch;
	return 0;
}

static int observe_enqueue(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct bench_launch *state = bench_case->state;
	bench_launch_keep(state, BENCH_LAUNCH_ENQUEUE_TIME, state->seconds / (double)state->calls);
	return 0;
}

static int check_launches(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
			  struct bench_error *error)
{
	(void)error;
	const struct bench_launch *state = bench_case->state;
	uint64_t launches = bench_case_stats(bench_case).launches - state->before.launches;
	check->error = bench_launch_miscount(launches, iterations * state->batch);
	snprintf(check->method, sizeof(check->method), "launches counted");
	return 0;
}

static const struct bench_launch_kind empty = {
	.setup = setup_launches, .run = run_batches, .check = check_launches};
static const struct bench_launch_kind pipelined = {
	.setup = setup_launches, .run = run_pipelined, .check = check_launches};
static const struct bench_launch_kind enqueuing = {
	.setup = setup_launches, .run = run_enqueue, .observe = observe_enqueue, .check = check_launches};

/* By the values of `what`. */
static const struct bench_launch_kind *const kinds[] = {
	[EMPTY] = &empty,
	[PIPELINED] = &pipelined,
	[BATCHED] = &empty,
	[ENQUEUE] = &enqueuing,
	[COMPILE_COLD] = &bench_launch_program,
	[COMPILE_DISK] = &bench_launch_program,
	[COMPILE_WARM] = &bench_launch_program,
	[SHARE] = &bench_launch_share,
};

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_launch *state = bench_state_make(bench_case, sizeof(*state), "launch", error);
	if (!state)
		return -1;
	state->batch = (uint64_t)bench_case->values[BATCH].integer;
	if (what_of(bench_case) == COMPILE_DISK)
		state->from = BENCH_COMPILE_DISK;
	if (what_of(bench_case) == COMPILE_WARM)
		state->from = BENCH_COMPILE_WARM;
	return kinds[what_of(bench_case)]->setup(bench_case, error);
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	return kinds[what_of(bench_case)]->run(bench_case, iterations, error);
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	const struct bench_launch_kind *kind = kinds[what_of(bench_case)];
	state->before = bench_case_stats(bench_case);
	return kind->prepare ? kind->prepare(bench_case, error) : 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	*check = (struct bench_check){.tolerance = 0};
	return kinds[what_of(bench_case)]->check(bench_case, iterations, check, error);
}

static int observe(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)iterations;
	const struct bench_launch_kind *kind = kinds[what_of(bench_case)];
	return kind->observe ? kind->observe(bench_case, error) : 0;
}

static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	(void)error;
	const struct bench_launch *state = bench_case->state;
	for (size_t i = 0; i < BENCH_LAUNCH_METRICS; i++)
		for (size_t j = 0; j < state->series[i].count; j++)
			report->value(report->context, &metrics[i], state->series[i].values[j]);
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct bench_launch *state = bench_case->state;
	if (!state)
		return;
	bench_case->backend->release(bench_case->device, state->out);
	bench_operands_teardown(bench_case);
}

const struct bench_suite bench_suite_launch = {
	.name = "launch",
	.summary = "overhead of a call: launch, compilation, the host's share",
	.sweeps = {quick, nightly, full},
	.metrics = metrics,
	.prepare = prepare,
	.observe = observe,
	.report = report,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};

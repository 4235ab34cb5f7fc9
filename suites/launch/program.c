/* SPDX-License-Identifier: MIT */
/* Suite launch, programs: made from source, loaded from disk, or found on the device. */
#include <stdio.h>
#include <sys/random.h>

#include "suites/launch/launch.h"

/* The program that is loaded from disk or found: one for all time, so that one entry lies on disk. */
#define KNOWN_STAMP UINT64_C(0x1a7c0de5eed0f00d)

static int compile(struct bench_case *bench_case, enum bench_compile_from from, uint64_t stamp,
		   double *seconds, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	const struct bench_compile compile = {.from = from, .stamp = stamp, .out = state->out};
	state->stamp = stamp;
	return bench_case->backend->compile(bench_case->device, &compile, seconds, error);
}

/* Twice from disk: the first call may find nothing there, the second must not. */
static int expect_disk(struct bench_case *bench_case, struct bench_error *error)
{
	double seconds;
	if (compile(bench_case, BENCH_COMPILE_DISK, KNOWN_STAMP, &seconds, error))
		return -1;
	struct bench_device_stats before = bench_case_stats(bench_case);
	if (compile(bench_case, BENCH_COMPILE_DISK, KNOWN_STAMP, &seconds, error))
		return -1;
	if (bench_case_stats(bench_case).cached == before.cached)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "backend %s has no cache on disk here: a program was not found again; it "
				  "is switched off, or its folder cannot be written",
				  bench_case->backend->name);
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	double seconds;
	if (!bench_case->backend->compile || !bench_case->backend->device_stats)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "backend %s compiles nothing while it runs: its operations come compiled",
				  bench_case->backend->name);
	if (bench_case->backend->alloc(bench_case->device, sizeof(uint64_t), &state->out, error))
		return -1;
	switch (state->from) {
	case BENCH_COMPILE_DISK:
		return expect_disk(bench_case, error);
	case BENCH_COMPILE_WARM:
		return compile(bench_case, BENCH_COMPILE_WARM, KNOWN_STAMP, &seconds, error);
	default:
		return 0;
	}
}

/* 64 random bits: that they were drawn before, on this machine or any other, will not happen. */
static int new_stamp(uint64_t *stamp, struct bench_error *error)
{
	if (getrandom(stamp, sizeof(*stamp), 0) == (ssize_t)sizeof(*stamp))
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT, "launch: the system has no random numbers (getrandom)");
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	enum bench_compile_from from = state->from;
	double spent = 0;
	for (uint64_t i = 0; i < iterations; i++) {
		uint64_t stamp = KNOWN_STAMP;
		double seconds;
		if ((from == BENCH_COMPILE_COLD && new_stamp(&stamp, error)) ||
		    compile(bench_case, from, stamp, &seconds, error))
			return -1;
		spent += seconds;
	}
	state->seconds = spent;
	state->calls = iterations;
	return 0;
}

static int observe(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct bench_launch *state = bench_case->state;
	bench_launch_keep(state, BENCH_LAUNCH_BUILD_TIME, state->seconds / (double)state->calls);
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	const uint64_t nothing = 0;
	return bench_case->backend->upload(bench_case->device, state->out, &nothing, sizeof(nothing), error);
}

/* Each program from where it was asked to come, each run once, and the last of them the right one. */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	const struct bench_launch *state = bench_case->state;
	enum bench_compile_from from = state->from;
	struct bench_device_stats now = bench_case_stats(bench_case);
	uint64_t written;
	if (bench_case->backend->download(bench_case->device, state->out, &written, sizeof(written), error))
		return -1;
	check->error = bench_launch_miscount(now.compiled - state->before.compiled,
					     from == BENCH_COMPILE_COLD ? iterations : 0) +
		       bench_launch_miscount(now.cached - state->before.cached,
					     from == BENCH_COMPILE_DISK ? iterations : 0) +
		       bench_launch_miscount(now.launches - state->before.launches, iterations) +
		       (written == state->stamp ? 0 : 1);
	snprintf(check->method, sizeof(check->method), "programs and runs counted, and what the last wrote");
	return 0;
}

const struct bench_launch_kind bench_launch_program = {
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.observe = observe,
	.check = check,
};

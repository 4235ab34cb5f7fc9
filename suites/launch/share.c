/* SPDX-License-Identifier: MIT */
/* Suite launch, share: what of a call is the kernel, and what is the host. */
#include <stdio.h>

#include "suites/launch/launch.h"

enum { CALLS = 8 }; /* behind each sample of the host's share */

/* Streams of the case's seed. */
enum { STREAM_A = 1, STREAM_B };

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	if (bench_operands_supported(bench_case,
				     bench_case->backend->elementwise ? NULL : "elementwise operations",
				     BENCH_F32, error))
		return -1;
	if (!bench_case->info->device_time || !bench_case->backend->time_begin)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "device %s of backend %s reports no device time: a call and its kernel "
				  "cannot be told apart",
				  bench_case->info->name, bench_case->backend->name);
	if (bench_operand_input(bench_case, BENCH_F32, BENCH_LAUNCH_SHARE_COUNT, STREAM_A, &state->a,
				error) ||
	    bench_operand_input(bench_case, BENCH_F32, BENCH_LAUNCH_SHARE_COUNT, STREAM_B, &state->b,
				error) ||
	    bench_operand_output(bench_case, BENCH_F32, BENCH_LAUNCH_SHARE_COUNT, &state->c, error))
		return -1;
	state->add = (struct bench_elementwise){.op = BENCH_ELEMENTWISE_ADD,
						.dtype = BENCH_F32,
						.count = BENCH_LAUNCH_SHARE_COUNT,
						.a = state->a.buffer,
						.b = state->b.buffer,
						.c = state->c.buffer};
	return 0;
}

/* A call is over when its result is there. */
static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	const struct bench_launch *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (bench_case->backend->elementwise(bench_case->device, &state->add, error) ||
		    bench_case->backend->finish(bench_case->device, error))
			return -1;
	return 0;
}

/* The same calls by the host's clock and, right after, by the device's. */
static int observe(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_launch *state = bench_case->state;
	double start = bench_launch_now(), kernels = 0;
	if (run(bench_case, CALLS, error))
		return -1;
	double calls = bench_launch_now() - start;
	if (bench_case->backend->time_begin(bench_case->device, error))
		return -1;
	int result = run(bench_case, CALLS, error);
	/* Also after a failure: the device must leave its timing mode. */
	if (bench_case->backend->time_end(bench_case->device, &kernels, result ? NULL : error) || result)
		return -1;
	bench_launch_keep(state, BENCH_LAUNCH_KERNEL_TIME, kernels / CALLS);
	bench_launch_keep(state, BENCH_LAUNCH_HOST_SHARE, 1 - kernels / calls);
	return 0;
}

/* The sum in double, rounded to float, is the sum rounded once: OpenCL, too, asks that of it. */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct bench_launch *state = bench_case->state;
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	const float *a = state->a.host, *b = state->b.host, *c = state->c.host;
	size_t wrong = 0;
	for (size_t i = 0; i < BENCH_LAUNCH_SHARE_COUNT; i++)
		wrong += !(c[i] == (float)((double)a[i] + (double)b[i]));
	check->error = (double)wrong;
	snprintf(check->method, sizeof(check->method), "sums that are not the exact ones, rounded once");
	return 0;
}

const struct bench_launch_kind bench_launch_share = {
	.setup = setup,
	.run = run,
	.prepare = bench_operands_spoil,
	.observe = observe,
	.check = check,
};

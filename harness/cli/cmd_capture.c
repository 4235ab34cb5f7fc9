/* SPDX-License-Identifier: MIT */
/* bench capture: which products and kernels a program computes, how often and for how long. */
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "app/capture.h"
#include "cli/call.h"
#include "cli/say.h"

static const struct cli_option options[] = {
	{"output", 'o', "FILE", "the file to write"},
	{0},
};

static const struct cli_default defaults[] = {
	{"output", NULL, "capture.json", NULL},
	{0},
};

static void say(const struct bench_app_capture *capture)
{
	char products[32], launches[32];
	bench_text_quantity(products, sizeof(products), capture->products.seconds, "s");
	bench_text_quantity(launches, sizeof(launches), capture->launches.seconds, "s");
	if (capture->products.calls + capture->launches.calls == 0)
		cli_say("%s made no call that can be captured: no product of a BLAS that it is linked to, "
			"and no launch of an OpenCL kernel; %s was not written",
			capture->command[0], capture->output);
	if (capture->products.calls)
		cli_say("%s: %" PRIu64 " product%s of %" PRIu64 " shape%s, %s; 'bench run --suite gemm --set "
			"shapes=@%s' measures them",
			capture->output, capture->products.calls, bench_text_plural(capture->products.calls),
			capture->products.shapes, bench_text_plural(capture->products.shapes), products,
			capture->output);
	if (capture->launches.calls)
		cli_say("%s: %" PRIu64 " launch%s of OpenCL kernels, %" PRIu64
			" different one%s, %s on the device",
			capture->output, capture->launches.calls, capture->launches.calls == 1 ? "" : "es",
			capture->launches.shapes, bench_text_plural(capture->launches.shapes), launches);
	if (capture->lost)
		cli_say("warning: %" PRIu64 " more calls were not counted: their shapes are too many",
			capture->lost);
}

/* Ends as the program did: of the same signal, without a second core file. */
static int end_like(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	const struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static int capture(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_app_capture captured = {.output = cli_value(args, "output")};
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "say which program: bench capture -- PROGRAM ARGUMENTS");
	char **command = bench_arena_alloc(args->arena, args->operand_count + 1, sizeof(*command));
	for (size_t i = 0; i < args->operand_count; i++)
		command[i] = (char *)args->operands[i];
	captured.command = command;
	if (bench_app_capture(&captured, error) != 0)
		return -1;
	say(&captured);
	return end_like(captured.status);
}

const struct cli_verb cli_capture = {
	.name = "capture",
	.summary = "count the matrix products and OpenCL kernels of any program",
	.usage = "[-o FILE] -- PROGRAM [ARGUMENTS]",
	.about = "Runs the program and writes each shape of its matrix products (BLAS, CLBlast) and each "
		 "OpenCL kernel with its sizes, how often it was called and how long that took.\n"
		 "'bench run --suite gemm --set shapes=@FILE' then measures these products, weighted by "
		 "their use.\n"
		 "Exit status: the program's; 5 if it could not be run, or the file could not be written.",
	.examples = "bench capture -- python3 train.py\n"
		    "bench capture -o shapes.json -- ./solver --steps 100\n"
		    "bench run --suite gemm --set shapes=@shapes.json",
	.options = options,
	.max_operands = 1000000,
	.defaults = defaults,
	.run = capture,
};

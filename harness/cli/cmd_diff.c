/* SPDX-License-Identifier: MIT */
/* bench diff: two runs side by side. */
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "report/render/diff.h"

static const struct cli_option options[] = {
	{"all", 0, NULL, "also show what is the same"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static int diff(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	BENCH_SCOPED_RUN *first = NULL, *second = NULL;
	if (args->operand_count != 2)
		return bench_fail(error, BENCH_USAGE, "bench diff takes two runs: bench diff last~1 last");
	if (cli_load_run(call, args->operands[0], false, &first, error) != 0 ||
	    cli_load_run(call, args->operands[1], false, &second, error) != 0)
		return -1;
	const struct bench_diff_options shown = {.all = cli_given(args, "all"),
						 .exact = call->report.format->exact,
						 .width = call->report.width};
	size_t same = bench_render_diff_grid(first, second, &shown, &call->grid);
	int status = cli_print_grid(call, CLI_OK);
	if (same && call->report.format->terminal)
		cli_say("%zu more facts and results are the same (--all shows them)", same);
	return status;
}

const struct cli_verb cli_diff = {
	.name = "diff",
	.summary = "show two runs side by side: plan, environment, results",
	.usage = "RUN RUN [--all] [--format F]",
	.about = "Shows how two runs differ: command, plan, commit, host and devices. It shows the "
		 "results that differ, largest change first: intervals that do not overlap, cases that only "
		 "one "
		 "run has, and cases that ended differently. It judges nothing: 'bench compare' shows what "
		 "is slower. RUN is last, "
		 "last~N, a run's id, a run folder (even of a killed run), or a baseline of one run.\n"
		 "Exit status: 0, whatever differs.",
	.examples = "bench diff last~1 last\n"
		    "bench diff runs/20261120-231503 last --all\n"
		    "bench diff main last --format markdown",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 2,
	.run = diff,
};

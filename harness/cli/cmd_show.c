/* SPDX-License-Identifier: MIT */
/* bench show: a stored run rendered again. */
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_COMPARE_WITH("add the verdicts against this baseline"),
	{"repeat", 0, NULL, "show the command line that repeats each case"},
	{"stats", 0, NULL, "also show minimum, maximum, deviation, quartiles and a histogram of each case"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTIONS_TABLE,
	CLI_OPTION_FORMAT,
	{0},
};

static int check_columns(struct cli_call *call, const struct bench_run *run, struct bench_error *error)
{
	const char **own = NULL;
	size_t count = 0;
	for (size_t i = 0; call->report.columns && i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++)
			BENCH_PUSH(call->args->arena, own, count) = run->results[i].metrics[m].name;
	return cli_check_columns(call->report.columns, own, count, error);
}

static int print(struct cli_call *call, const struct bench_run *run,
		 const struct bench_comparison *comparison)
{
	call->report.repeat = cli_given(call->args, "repeat");
	if (call->report.format->terminal)
		bench_text_add(&call->out, "command %s\n",
			       bench_render_words_line(call->args->arena,
						       bench_record_command_line(run, call->args->arena)));
	call->report.format->run(run, comparison, &call->report, &call->out);
	return cli_print(&call->out, CLI_OK);
}

static int show(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const bool compared = cli_given(args, "baseline");
	BENCH_SCOPED_RUN *run = NULL;
	BENCH_SCOPED_COMPARISON *comparison = NULL;
	const char *name = args->operand_count ? args->operands[0] : "last";

	if (cli_load_run(call, name, compared, &run, error) != 0 || check_columns(call, run, error) != 0 ||
	    (compared && cli_compare_run(args, call->store, run, &comparison, error) != 0))
		return -1;
	return print(call, run, comparison);
}

const struct cli_verb cli_show = {
	.name = "show",
	.summary = "show a stored run again",
	.usage = "[RUN] [--baseline NAME|RUN] [--format F]",
	.about = "RUN is last (the default), last~N, a run's id, a run folder (even of a killed run), or a "
		 "baseline of one run.",
	.examples = "bench show\n"
		    "bench show last~3 --format markdown\n"
		    "bench show last --baseline main\n"
		    "bench show runs/20261120-231503 --format json",
	.options = options,
	.max_operands = 1,
	.run = show,
};

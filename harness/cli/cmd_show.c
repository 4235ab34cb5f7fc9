/* SPDX-License-Identifier: MIT */
/* bench show: a stored run rendered again. */
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"

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

static int check_columns(const struct bench_report_options *report, const struct bench_run *run,
			 struct bench_error *error)
{
	struct bench_arena arena = {0};
	const char **own = NULL;
	size_t count = 0;
	for (size_t i = 0; report->columns && i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++)
			BENCH_PUSH(&arena, own, count) = run->results[i].metrics[m].name;
	int result = cli_check_columns(report->columns, own, count, error);
	bench_arena_free(&arena);
	return result;
}

static int show(const struct cli_args *args)
{
	struct bench_error error, no_store = {0};
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_run *run = NULL;
	struct bench_comparison *comparison = NULL;
	struct bench_text out = {0};
	int status;
	const char *name = args->operand_count ? args->operands[0] : "last";
	const char *folder = cli_given(args, "baseline") ? NULL : name;
	/* A run folder can be shown without a history; that there is none is said where the run is not found.
	 */
	if (cli_report_options(args, &report, &error) != 0)
		return cli_fail(&error);
	if (bench_app_try_store(cli_places(args).db, folder, &store, &no_store) != 0)
		return cli_fail(&no_store);
	if (bench_app_load_run(store, cli_places(args).runs_dir, name, &run, &error) != 0 ||
	    check_columns(&report, run, &error) != 0 ||
	    (cli_given(args, "baseline") && cli_compare_run(args, store, run, &comparison, &error) != 0)) {
		status = cli_fail(&error);
		if (!store)
			cli_fail(&no_store);
		goto out;
	}
	report.repeat = cli_given(args, "repeat");
	if (report.format->terminal) {
		struct bench_arena arena = {0};
		bench_text_add(&out, "command ");
		bench_text_add_line(&out, bench_record_command_line(run, &arena));
		bench_text_add(&out, "\n");
		bench_arena_free(&arena);
	}
	report.format->run(run, comparison, &report, &out);
	status = cli_print(&out, CLI_OK);
out:
	bench_compare_free(comparison);
	bench_record_free(run);
	bench_store_close(store);
	return status;
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

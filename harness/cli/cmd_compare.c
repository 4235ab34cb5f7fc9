/* SPDX-License-Identifier: MIT */
/* bench compare: what changed between a baseline and a run. */
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_COMPARE_WITH("what to compare with"),
	CLI_OPTION_NEW_ONLY,
	CLI_OPTION_STRICT,
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_ONLY,
	CLI_OPTION_ALL,
	CLI_OPTION_EXPLAIN,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"baseline", NULL, NULL, "the previous run"},
	{0},
};

static int compare(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_run *run = NULL;
	struct bench_comparison *comparison = NULL;
	int status;
	const char *name = args->operand_count ? args->operands[0] : "last";
	if (cli_report_options(args, &report, &error) != 0 ||
	    bench_app_open_store(cli_places(args).db, &store, &error) != 0 ||
	    bench_app_load_run(store, cli_places(args).runs_dir, name, &run, &error) != 0 ||
	    cli_compare_run(args, store, run, &comparison, &error) != 0) {
		status = cli_refuse(args, &report, &error);
		goto out;
	}
	report.candidate = run;
	status = cli_print_verdicts(comparison, &report,
				    cli_exit(bench_compare_outcome(comparison, report.failing)));
	cli_keep_verdicts(args, comparison);
out:
	bench_compare_free(comparison);
	bench_record_free(run);
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_compare = {
	.name = "compare",
	.summary = "show what got slower or faster, or is missing, since a baseline",
	.usage = "[RUN] [--baseline NAME|RUN|rolling:N] [options]",
	.about =
		"RUN is last (the default), last~N, a run's id, a run folder, or a baseline of one run. "
		"Without --baseline, it is compared with the previous run on this host with the same "
		"preset. Earlier runs are those whose commits are on the first-parent line of RUN's commit. "
		"docs/comparing.md explains the verdicts.\n"
		"A metric is suspected if it is slower on one night of a gate, or by one value only; the "
		"next night confirms or clears it.\n"
		"Exit status: 4 if a case is broken or missing; else 1 if something is slower, out of bounds "
		"or under an open alarm; else 6 if something is suspected, or unclear with --strict; else 0. "
		"3 if there "
		"is nothing to compare with.",
	.examples = "bench compare\n"
		    "bench compare last --baseline main --threshold 3%\n"
		    "bench compare runs/20261120-231503 --baseline rolling:5 --format markdown\n"
		    "bench compare last --baseline last~1 --strict\n"
		    "bench compare last --baseline main --format junit >verdicts.xml",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_COMPARISON,
	.max_operands = 1,
	.run = compare,
};

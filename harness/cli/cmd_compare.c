/* SPDX-License-Identifier: MIT */
/* bench compare: what changed between a baseline and a run, or several runs side by side. */
#include "app/columns.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_COMPARE_WITH("what to compare with"),
	{"by", 0, "KEY[=V,..]",
	 "a column for each value of: backend, device, branch, commit, host, build, a label or a parameter"},
	{"geomean", 0, NULL, "also the geometric mean of the ratios, by suite and over all"},
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

/* Several columns: the worst of them decides; columns by a key are alternatives, none of which is to blame.
 */
static int status_of(const struct bench_columns *columns, unsigned failing)
{
	static const enum bench_outcome worst_first[] = {BENCH_OUTCOME_WRONG, BENCH_OUTCOME_SLOWER,
							 BENCH_OUTCOME_UNCLEAR, BENCH_OUTCOME_BEGUN};
	for (size_t i = 0; !columns->by && i < sizeof(worst_first) / sizeof(worst_first[0]); i++)
		for (size_t c = 1; c < columns->count; c++)
			if (bench_compare_outcome(columns->items[c].comparison, failing) == worst_first[i])
				return cli_exit(worst_first[i]);
	return CLI_OK;
}

static int read_columns(struct cli_call *call, struct bench_app_columns_request *request,
			struct bench_compare_options *comparing, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	*request = (struct bench_app_columns_request){.names = args->operands,
						      .count = args->operand_count,
						      .baseline = cli_value(args, "baseline"),
						      .by = cli_value(args, "by"),
						      .means = cli_given(args, "geomean")};
	if (request->baseline && (request->by || request->count > 1))
		return bench_fail(error, BENCH_USAGE,
				  "--baseline is for one run: of several, the first is the baseline%s",
				  request->by ? "; --by KEY=FIRST,OTHER chooses it" : "");
	if (bench_format_parse(call->report.format->name, args->verb->name, BENCH_RENDERED_COLUMNS,
			       &call->report.format, error) != 0)
		return -1;
	return cli_read_comparing(args, NULL, comparing, error);
}

static int compare_columns(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const struct bench_app_places places = cli_places(args);
	struct bench_app_columns_request request;
	struct bench_compare_options comparing;
	struct bench_columns columns = {0};
	int status = -1;
	if (read_columns(call, &request, &comparing, error) != 0 ||
	    bench_app_try_store(places.db, args->operand_count ? args->operands[0] : NULL, &call->store,
				error) != 0)
		return -1;
	if (bench_app_columns(&places, call->store, &request, &comparing, &columns, error) == 0) {
		call->report.format->columns(&columns, &call->report, &call->out);
		status = cli_print(&call->out, status_of(&columns, call->report.failing));
	}
	bench_compare_columns_free(&columns);
	return status;
}

static int compare(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *name = args->operand_count ? args->operands[0] : "last";
	BENCH_SCOPED_RUN *run = NULL;
	BENCH_SCOPED_COMPARISON *comparison = NULL;

	if (args->operand_count > 1 || cli_given(args, "by") || cli_given(args, "geomean"))
		return compare_columns(call, error);
	if (cli_open_store(call, error) != 0 ||
	    bench_app_load_run(call->store, cli_places(args).runs_dir, name, &run, error) != 0 ||
	    cli_compare_run(args, call->store, run, &comparison, error) != 0)
		return -1;
	call->report.candidate = run;
	int status = cli_print_verdicts(comparison, &call->report,
					cli_exit(bench_compare_outcome(comparison, call->report.failing)));
	cli_keep_verdicts(args, comparison);
	return status;
}

const struct cli_verb cli_compare = {
	.name = "compare",
	.summary = "show what got slower or faster, or is missing, since a baseline",
	.usage = "[RUN] [--baseline NAME|RUN|rolling:N] [options]\n"
		 "RUN RUN.. [--geomean] [options]\n"
		 "[RUN..] --by KEY[=VALUE,..] [--geomean] [options]",
	.about = "RUN is last (the default), last~N, a run's id, a run folder, or a baseline of one run. "
		 "Without --baseline, it is compared with the previous run on this host with the same "
		 "preset. Earlier runs are those whose commits are on the first-parent line of RUN's commit. "
		 "docs/comparing.md explains the verdicts.\n"
		 "Several runs stand side by side, up to 20; each is compared with the first. There, RUN may "
		 "also be LABEL=VALUE, a branch or a commit: its newest run. --by makes a column of each "
		 "value of KEY, and compares by pairs of invocations where one run measured both.\n"
		 "A metric is suspected if it is slower on one night of a gate, or by one value only; the "
		 "next night confirms or clears it.\n"
		 "Exit status: 4 if a case is broken or missing; else 1 if something is slower, out of "
		 "bounds or under an open alarm; else 6 if something is suspected, or unclear with --strict; "
		 "else 0. 3 if there is nothing to compare with. Of several runs, the worst counts; with "
		 "--by it is 0, as columns are alternatives.",
	.examples = "bench compare\n"
		    "bench compare last --baseline main --threshold 3%\n"
		    "bench compare runs/20261120-231503 --baseline rolling:5 --format markdown\n"
		    "bench compare last --baseline last~1 --strict\n"
		    "bench compare last --baseline main --format junit >verdicts.xml\n"
		    "bench compare main feature-a feature-b --geomean\n"
		    "bench compare last --by backend=openblas,opencl --geomean",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_COMPARISON,
	.max_operands = BENCH_COLUMNS_MOST,
	.run = compare,
};

/* bench compare: what changed between a baseline and a run. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_COMPARE_WITH("what to compare with (default: the run before)"),
	{"strict", 0, NULL, "exit with status 6 where something is unclear"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

/* Verdicts are kept beside the runs that they are about, for the year after. */
static int keep(struct bench_store *store, const struct bench_comparison *comparison,
		struct bench_error *error)
{
	struct bench_verdict_row *rows = calloc(comparison->verdict_count + 1, sizeof(*rows));
	if (!rows)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for the verdicts");
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		rows[i] = (struct bench_verdict_row){.key = verdict->key,
						     .verdict = bench_verdict_name(verdict->kind),
						     .ratio = verdict->ratio,
						     .lo = verdict->lo,
						     .hi = verdict->hi,
						     .p_adjusted = verdict->p_adjusted,
						     .mde = verdict->mde};
	}
	int result = bench_store_keep_verdicts(store, comparison->candidate_id, comparison->baseline_name,
					       rows, comparison->verdict_count, error);
	free(rows);
	return result;
}

static int compare(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_run *run = NULL;
	struct bench_comparison *comparison = NULL;
	struct bench_text out = {0};
	int status;
	const char *name = args->operand_count ? args->operands[0] : "last";
	if (cli_report_options(args, &report, &error) != 0 || cli_open_store(args, &store, &error) != 0 ||
	    cli_load_run(args, store, name, &run, &error) != 0 ||
	    cli_compare_runs(args, store, run, &comparison, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	bench_report_comparison(comparison, &report, &out);
	status = cli_print(&out, bench_comparison_exit(comparison, cli_given(args, "strict")));
	/* A history that cannot be written to does not take the verdict away. */
	bench_store_close(store);
	store = NULL;
	if (bench_store_open(cli_value(args, "db", "results.db"), BENCH_STORE_WRITE, &store, &error) != 0 ||
	    keep(store, comparison, &error) != 0)
		fprintf(stderr, "bench: warning: the verdicts are not kept: %s\n", error.text);
out:
	bench_comparison_free(comparison);
	bench_run_free(run);
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_compare = {
	.name = "compare",
	.summary = "say what got slower, faster or lost between a baseline and a run",
	.usage = "[RUN] [--baseline NAME|RUN|rolling:N] [options]",
	.about = "RUN is last (the default), last~N, a run's id, a run folder, or a baseline of one run. "
		 "Without\n"
		 "--baseline, the run before it on this host with the same preset. docs/comparing.md says "
		 "how the\n"
		 "verdicts are reached. Exit status: 4 if a case is broken or missing, else 1 if something "
		 "is\n"
		 "slower, else 0; 3 if there is nothing to compare with; 6 if something is unclear, under "
		 "--strict.",
	.examples = "bench compare\n"
		    "bench compare last --baseline main --threshold 3%\n"
		    "bench compare runs/20261120-231503 --baseline rolling:5 --format markdown\n"
		    "bench compare last --baseline last~1 --strict",
	.options = options,
	.max_operands = 1,
	.run = compare,
};

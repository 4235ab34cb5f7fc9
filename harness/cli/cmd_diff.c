/* SPDX-License-Identifier: MIT */
/* bench diff: two runs side by side. */
#include "app/runs.h"
#include "cli/arguments.h"
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

/* A run folder needs no history; one that is opened serves both. */
static int load(const struct cli_args *args, const char *name, struct bench_store **store,
		struct bench_run **run, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(args);
	struct bench_error no_store = {0};
	if (!*store && bench_app_try_store(places.db, name, store, &no_store) != 0) {
		*error = no_store;
		return -1;
	}
	return bench_app_load_run(*store, places.runs_dir, name, run, error);
}

static int diff(const struct cli_args *args)
{
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_run *first = NULL, *second = NULL;
	struct bench_grid grid = {0};
	struct bench_text out = {0};
	struct bench_error error;
	int status;
	if (args->operand_count != 2) {
		bench_fail(&error, BENCH_USAGE, "bench diff takes two runs: bench diff last~1 last");
		return cli_fail(&error);
	}
	if (cli_report_options(args, &report, &error) != 0 ||
	    load(args, args->operands[0], &store, &first, &error) != 0 ||
	    load(args, args->operands[1], &store, &second, &error) != 0) {
		status = cli_fail(&error);
	} else {
		const struct bench_diff_options shown = {
			.all = cli_given(args, "all"), .exact = report.format->exact, .width = report.width};
		size_t same = bench_render_diff_grid(first, second, &shown, &grid);
		report.format->grid(&grid, &report, &out);
		status = cli_print(&out, CLI_OK);
		if (same && report.format->terminal)
			cli_say("%zu more facts and results are the same (--all shows them)", same);
	}
	bench_render_grid_free(&grid);
	bench_record_free(first);
	bench_record_free(second);
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_diff = {
	.name = "diff",
	.summary = "show two runs side by side: plan, environment, results",
	.usage = "RUN RUN [--all] [--format F]",
	.about =
		"Shows how two runs differ: command, plan, commit, host and devices. Of the results it shows "
		"those whose intervals do not overlap, that only one run has, or that ended differently, "
		"largest change first. It judges nothing: 'bench compare' shows what is slower. RUN is last, "
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

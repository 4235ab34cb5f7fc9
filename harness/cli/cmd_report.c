/* SPDX-License-Identifier: MIT */
/* bench report: the history as a folder of pages. */
#include "app/gate.h"
#include "app/report.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"

static const struct cli_option options[] = {
	{"out", 'o', "DIR", "the folder of the pages; an older report there is replaced"},
	{"runs", 0, "N", "how many of the newest runs get a page each"},
	CLI_OPTIONS_PERIOD,
	CLI_OPTIONS_COMPARE_WITH("the baseline of runs that were not judged yet"),
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

static const struct cli_default defaults[] = {
	{"baseline", NULL, BENCH_APP_GATE_AGAINST, NULL},
	{"out", NULL, "report", NULL},
	{"runs", NULL, "400", NULL}, /* a year of nights */
	{"threshold", NULL, "5%", NULL},
	{0},
};

static int report(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_app_report written;
	uint64_t runs;
	struct bench_app_report_request request = {
		.places = cli_places(args),
		.folder = cli_value(args, "out"),
		.baseline = cli_value(args, "baseline"),
		.since = cli_value(args, "since"),
		.until = cli_value(args, "until"),
		.host = cli_host(),
	};
	if (cli_read_whole(args, "runs", 1, 100000, &runs, error) != 0 ||
	    cli_read_comparing(args, NULL, &request.comparing, error) != 0)
		return -1;
	request.runs = (size_t)runs;
	request.changes = (struct bench_app_changepoint_options){.least = request.comparing.threshold,
								 .alpha = request.comparing.alpha};
	if (bench_app_report(&request, &written, error) != 0)
		return -1;
	cli_say("wrote %zu files, %.1f MB: open %s/index.html", written.pages, (double)written.bytes / 1e6,
		request.folder);
	return CLI_OK;
}

const struct cli_verb cli_report = {
	.name = "report",
	.summary = "write the history as a folder of HTML pages",
	.usage = "[--out DIR] [--runs N] [--since WHEN] [--until WHEN] [--threshold P]",
	.about = "An overview with open alarms and recent changes, and a page for each suite, metric, run, "
		 "comparison and device. The pages load nothing from elsewhere, and can be opened from disk. "
		 "The report is written to a new folder first, so that the old one stays until it is "
		 "complete. --since and --until limit it to runs of a period. Files that bench report did "
		 "not write are never replaced.",
	.examples = "bench report\n"
		    "bench report --since 90d\n"
		    "bench report --out public --db nightly.db --threshold 3%",
	.options = options,
	.defaults = defaults,
	.run = report,
};

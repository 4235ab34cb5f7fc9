/* bench report: the history as a folder of pages. */
#include "app/gate.h"
#include "app/report.h"
#include "cli/arguments.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"

static const struct cli_option options[] = {
	{"out", 'o', "DIR", "where the pages go (default: report); an older report there is replaced"},
	{"runs", 0, "N", "so many of the newest runs have a page of their own (default: 400)"},
	CLI_OPTIONS_COMPARE_WITH(
		"with what runs are compared that were not judged yet (default: rolling:10)"),
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

static int report(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_app_report written;
	uint64_t runs;
	struct bench_app_report_request request = {
		.places = cli_places(args),
		.folder = cli_value(args, "out", "report"),
		.baseline = cli_value(args, "baseline", BENCH_APP_GATE_AGAINST),
		.host = cli_host(),
	};
	if (cli_read_whole(args, "runs", BENCH_APP_REPORT_RUNS, 1, 100000, &runs, &error) != 0 ||
	    cli_read_comparing(args, &request.comparing, &error) != 0)
		return cli_fail(&error);
	request.runs = (size_t)runs;
	request.changes = (struct bench_app_changepoint_options){.least = request.comparing.threshold,
								 .alpha = request.comparing.alpha};
	if (bench_app_report(&request, &written, &error) != 0)
		return cli_fail(&error);
	cli_say("wrote %zu files, %.1f MB: open %s/index.html", written.pages, (double)written.bytes / 1e6,
		request.folder);
	return CLI_OK;
}

const struct cli_verb cli_report = {
	.name = "report",
	.summary = "write the history as a folder of pages for a browser",
	.usage = "[--out DIR] [--runs N] [--threshold P]",
	.about = "An overview with open alarms and what moved, and a page for each suite, metric, run, "
		 "comparison and "
		 "device. The pages ask for nothing from elsewhere, and open from a disk. The folder is "
		 "written "
		 "beside its place first: until all is there the old one stays. What bench report did not "
		 "write is "
		 "never replaced.",
	.examples = "bench report\n"
		    "bench report --out public --db nightly.db --threshold 3%",
	.options = options,
	.run = report,
};

/* bench run: plan, measure, keep, show. */
#include <stdio.h>

#include "cli/measuring.h"
#include "cli/resume.h"
#include "cli/validate.h"
#include "core/text.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	{"no-store", 0, NULL, "leave the history alone; 'bench ingest' can add the run later"},
	CLI_OPTIONS_COMPARE_WITH("compare with this at the end, as 'bench compare' does"),
	CLI_OPTION_RESUME,
	{"dry-run", 'n', NULL, "list the cases and end"},
	{"validate", 0, NULL, "run the kernels under Oclgrind: accesses out of bounds, data races"},
	{"repeat", 0, NULL, "show the command line that repeats each case"},
	CLI_OPTION_FORMAT,
	{0},
};

static int print_plan(const struct bench_plan *plan)
{
	struct bench_text out = {0};
	for (size_t i = 0; i < plan->case_count; i++)
		bench_text_add(&out, "%s%s%s\n", plan->cases[i].key,
			       plan->cases[i].unsupported ? "  unsupported: " : "",
			       plan->cases[i].unsupported ? plan->cases[i].unsupported : "");
	return cli_print(&out, CLI_OK);
}

/* The run; with --baseline, its verdicts beside the numbers, what they rest on below, and their exit status.
 */
static int show(const struct cli_baseline *baseline, const struct bench_run *run,
		const struct bench_report_options *report, int status)
{
	struct bench_error error;
	struct bench_text out = {0};
	struct bench_comparison *comparison = NULL;
	bool compared = baseline->count > 0 && status != CLI_INTERRUPTED;
	if (compared && cli_compare_with(baseline, run, &comparison, &error) != 0) {
		int refused = cli_fail(&error);
		status = status == CLI_OK ? refused : status;
	}
	report->format->run(run, comparison, report, &out);
	if (comparison && report->format->terminal) {
		bench_text_add(&out, "\n");
		report->format->comparison(comparison, report, &out);
	}
	if (comparison && status == CLI_OK)
		status = bench_compare_exit(comparison, false);
	bench_compare_free(comparison);
	status = cli_print(&out, status);
	if (!compared && status == CLI_OK && report->format->terminal)
		fprintf(stderr, "bench: run %s; 'bench compare' says what changed since the run before\n",
			run->id);
	return status;
}

static int run(const struct cli_args *args)
{
	if (cli_given(args, "validate") && !cli_validating())
		return cli_validate(args);
	struct bench_error error;
	struct bench_report_options report;
	struct cli_measuring measuring = {0};
	struct cli_baseline baseline = {0};
	int status = CLI_OK;
	bool resume = cli_given(args, "resume");
	if (cli_report_options(args, &report, &error) != 0 ||
	    (resume ? cli_resume_plan(args, &measuring, &error)
		    : cli_measuring_plan(args, NULL, &measuring, &error)) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	report.repeat = cli_given(args, "repeat");
	if (cli_given(args, "dry-run")) {
		status = print_plan(measuring.plan);
		goto out;
	}
	/* A baseline that is not there is said now, and "last" is the last before this one. */
	if ((resume ? cli_resume_open(&measuring, &error) : cli_measuring_open(&measuring, &error)) != 0 ||
	    (cli_given(args, "baseline") &&
	     cli_prepare_comparison(args, measuring.store, measuring.run, &baseline, &error) != 0) ||
	    cli_measuring_run(&measuring, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	status = show(&baseline, measuring.run, &report, cli_measuring_keep(&measuring));
out:
	cli_baseline_free(&baseline);
	cli_measuring_free(&measuring);
	return status;
}

const struct cli_verb cli_run = {
	.name = "run",
	.summary = "measure suites, keep the run and show it",
	.usage = "[--suite S,..|all] [--backend B[:DEV],..] [--set k=v1,v2] [--preset P] [options]",
	.about =
		"Every case is checked for its result, measured in fresh processes, and kept: in a folder "
		"of\n"
		"its own under runs/, and in the history (results.db). Exit status 0; 4 if a case failed or\n"
		"gave a wrong result; 3 if nothing could be measured; 5 if it could not be kept; 130 if\n"
		"interrupted. With --baseline, else that of 'bench compare'. With --validate the kernels run "
		"in a\n"
		"simulator that sees what they must not do; unless said otherwise that is suite correctness\n"
		"at small sizes, on OpenCL, once, and the run is not added to the history.\n"
		"--resume measures what a killed run has not, as that run was asked to.",
	.examples = "bench run --suite gemm\n"
		    "bench run --suite gemm --set n=512,1024 --backend opencl:gpu,openblas --budget 30s\n"
		    "bench run --suite all --preset quick --label host=quiet\n"
		    "bench run --suite gemm --baseline main --threshold 3%\n"
		    "bench run --resume 20261120-231503\n"
		    "bench run --validate\n"
		    "bench run --suite transfer --filter 'bytes>=1048576' --format csv >transfer.csv",
	.options = options,
	.run = run,
};

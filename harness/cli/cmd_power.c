/* SPDX-License-Identifier: MIT */
/* bench power: how small a slowdown would be seen here? */
#include <stdio.h>

#include "app/power.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "report/plot/plot.h"

#define MOST_TRIALS    1000
#define MOST_SLOWDOWNS 20

static const struct cli_option options[] = {
	{"slowdowns", 0, "P,..", "the slowdowns to inject"},
	{"trials", 0, "N", "runs for each slowdown"},
	{"baseline-runs", 0, "N", "runs of unchanged code in each baseline"},
	{"run-budget", 0, "TIME", "budget of each run"},
	CLI_OPTIONS_VERDICT,
	{"output", 'o', "FILE", "also draw the result: .svg, .png or .pdf"},
	CLI_OPTION_FORMAT,
	{"no-store", 0, NULL, "do not write to the history"},
	CLI_OPTIONS_MEASURING,
	{0},
};

static const struct cli_default defaults[] = {
	{"baseline-runs", NULL, "3", NULL},
	{"budget", NULL, NULL, "what --trials take"},
	{"preset", NULL, "quick", NULL},
	{"run-budget", NULL, NULL, "the preset's"},
	{"slowdowns", NULL, "1%,2%,3%,5%,10%", NULL},
	{"threshold", NULL, "5%", NULL},
	{"trials", NULL, "10", NULL},
	{"trials", "--budget", "1000", "as many as fit"},
	{0},
};

static int read_slowdowns(const struct cli_args *args, double slowdowns[MOST_SLOWDOWNS], size_t *count,
			  struct bench_error *error)
{
	const char *text = cli_value(args, "slowdowns");
	char *rest = bench_arena_string(args->arena, text), *item;
	double last = 0;
	*count = 0;
	while ((item = bench_text_next(&rest, ','))) {
		double value;
		if (!bench_text_fraction(item, &value) || !(value > last) || *count == MOST_SLOWDOWNS) {
			char expected[96];
			snprintf(expected, sizeof(expected),
				 "up to %d fractions above 0, ascending, such as 1%%,2%%,5%%",
				 MOST_SLOWDOWNS);
			return bench_text_no_fraction("--slowdowns", text, item, expected, error);
		}
		slowdowns[(*count)++] = last = value;
	}
	return *count ? 0 : bench_fail(error, BENCH_USAGE, "--slowdowns: none is given");
}

static void show_progress(void *context, const struct bench_app_power_progress *now)
{
	char what[32] = "unchanged code", out_of[32] = "";
	(void)context;
	if (now->slowdown > 0)
		snprintf(what, sizeof(what), "slowdown %.4g%%", 100 * now->slowdown);
	if (now->total)
		snprintf(out_of, sizeof(out_of), "/%zu", now->total);
	cli_say_plain("[%zu%s] %s, about %.0f s left", now->done, out_of, what, now->left);
}

static int check_output(const char *output, struct bench_error *error)
{
	const struct bench_plot_place place = {.file = output};
	return bench_plot_check(&place, error);
}

static int read_power(const struct cli_args *args, double slowdowns[MOST_SLOWDOWNS],
		      struct bench_app_power_request *request, struct bench_error *error)
{
	const char *set = cli_overrides().slowdown;
	*request = (struct bench_app_power_request){.slowdowns = slowdowns, .progress = show_progress};
	if (set && *set)
		return bench_fail(error, BENCH_USAGE,
				  "bench power sets " BENCH_SLOWDOWN_VARIABLE " itself: unset it");
	if (read_slowdowns(args, slowdowns, &request->slowdown_count, error) != 0 ||
	    cli_read_whole(args, "trials", BENCH_APP_POWER_LEAST_TRIALS, MOST_TRIALS, &request->trials,
			   error) != 0 ||
	    cli_read_whole(args, "baseline-runs", 1, 100, &request->baseline_runs, error) != 0 ||
	    cli_read_comparing(args, NULL, &request->comparing, error) != 0 ||
	    cli_read_seconds(args, "budget", &request->budget, error) != 0 ||
	    cli_read_seconds(args, "run-budget", &request->run_seconds, error) != 0)
		return -1;
	if (check_output(cli_value(args, "output"), error) != 0)
		return -1;
	return cli_read_request(args, &request->measure, error);
}

static int show(struct cli_call *call, const struct bench_app_power *power, int status,
		struct bench_error *error)
{
	const char *output = cli_value(call->args, "output");
	struct bench_plot_place place = {.file = output};
	struct bench_power *result = NULL;
	if (bench_app_power_compare(power, &result, error) != 0)
		return -1;
	call->report.format->power(result, &call->report, &call->out);
	status = cli_print(&call->out, status);
	if (output && bench_plot_power(result, &place, error) == 0) {
		cli_say("drew %s", output);
	} else if (output) {
		int failed = cli_fail(error);
		status = status == CLI_OK ? failed : status;
	}
	bench_compare_power_free(result);
	return status;
}

static int power(struct cli_call *call, struct bench_error *error)
{
	double slowdowns[MOST_SLOWDOWNS];
	struct bench_app_power_request request;
	struct bench_app_power power = {0};
	if (read_power(call->args, slowdowns, &request, error) != 0 ||
	    bench_app_power_plan(&power, &request, cli_host(), error) != 0)
		return -1;
	/* What was measured before something went wrong is counted all the same. */
	int failed = bench_app_power_measure(&power, error) == 0 ? CLI_OK : cli_fail(error);
	int status = failed ? failed : cli_exit(power.outcome);
	if (power.count)
		status = show(call, &power, status, error);
	bench_app_power_free(&power);
	return status;
}

const struct cli_verb cli_power = {
	.name = "power",
	.summary = "show how small a slowdown this machine can detect",
	.usage = "[--suite S,..] [--slowdowns P,..] [--trials N] [--budget TIME] [-o FILE] [options]",
	.about = "Measures the cases many times, unchanged and with injected slowdowns. Compares each run "
		 "with runs of unchanged code, as 'bench compare' does, and reports how often a slowdown is "
		 "detected. --budget is for all runs together, --run-budget for each. The runs are stored "
		 "with the label aside=power, which keeps them out of rolling baselines. docs/power.md "
		 "explains the result.\n"
		 "Exit status: 0; 3 if nothing could be measured; 4 if a case failed or gave a wrong result; "
		 "130 if interrupted, with a report on what was measured.",
	.examples = "bench power --suite gemm --set n=256,512 --backend openblas --budget 10m\n"
		    "bench power --suite gemm --slowdowns 2%,5%,10% --trials 20 -o power.svg\n"
		    "bench power --suite view --run-budget 5s --baseline-runs 7 --format json",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_POWER,
	.run = power,
};

/* SPDX-License-Identifier: MIT */
/* bench run: plan, measure, keep, show. */
#include <string.h>

#include "app/resume.h"
#include "app/turn.h"
#include "app/validate.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	CLI_OPTION_NO_STORE,
	CLI_OPTIONS_COMPARE_WITH("compare the run with this, as 'bench compare' does"),
	{"id", 0, "ID", "the run's id and the name of its folder"},
	{"resume", 0, "RUN", "continue an interrupted or killed run: its id or folder"},
	{"dry-run", 'n', NULL, "list the cases and exit"},
	{"validate", 0, NULL, "run the kernels in Oclgrind: finds invalid accesses and data races"},
	{"repeat", 0, NULL, "show the command line that repeats each case"},
	CLI_OPTIONS_TABLE,
	{"stats", 0, NULL, "also show minimum, maximum, deviation, quartiles and a histogram of each case"},
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"id", NULL, NULL, "its start time"},
	{"preset", NULL, "quick", NULL},
	{"threshold", NULL, "5%", NULL},
	{0},
};

static int print_plan(struct cli_call *call, const struct bench_plan *plan)
{
	for (size_t i = 0; i < plan->case_count; i++)
		bench_text_add(&call->out, "%s%s%s\n", plan->cases[i].key,
			       plan->cases[i].unsupported ? "  unsupported: " : "",
			       plan->cases[i].unsupported ? plan->cases[i].unsupported : "");
	return cli_print(&call->out, CLI_OK);
}

/* The run; with --baseline, its verdicts beside the numbers, what they rest on below, and their exit status.
 */
static int show(struct cli_call *call, const struct bench_app_baseline *baseline, const struct bench_run *run,
		int status)
{
	const struct bench_format *format = call->report.format;
	struct bench_error error;
	BENCH_SCOPED_COMPARISON *comparison = NULL;
	bool compared = baseline->count > 0 && status != CLI_INTERRUPTED;
	if (compared && bench_app_baseline_compare(baseline, run, &comparison, &error) != 0) {
		int refused = cli_fail(&error);
		status = status == CLI_OK ? refused : status;
	}
	format->run(run, comparison, &call->report, &call->out);
	if (comparison && format->terminal) {
		bench_text_add(&call->out, "\n");
		format->comparison(comparison, &call->report, &call->out);
	}
	if (comparison && status == CLI_OK)
		status = cli_exit(bench_compare_outcome(comparison, 0));
	status = cli_print(&call->out, status);
	if (!compared && status == CLI_OK && format->terminal)
		cli_say("run %s; 'bench compare' says what changed since the run before", run->id);
	return status;
}

/* What a run that is taken up does not have in its record. */
static const char *const allowed[] = {
	"resume", "db",        "no-store",  "runs-dir", "format",     "budget",      "time-limit", "columns",
	"wide",   "stats",     CLI_PROJECT, "exec",     "exec-shell", "exec-output", "kernel",     "spec",
	"plugin", "extension", "prepare",   "cleanup",  "warmup",     "runs"};

static int check_resume(const struct cli_args *args, struct bench_error *error)
{
	for (size_t i = 0; i < args->given_count; i++) {
		/* From there --exec has the values of its placeholders. */
		bool known = strcmp(args->given[i]->name, "set") == 0 && cli_given(args, "exec");
		known |= BENCH_FIND(allowed, sizeof(allowed) / sizeof(allowed[0]), args->given[i]->name) !=
			 NULL;
		if (!known)
			return bench_fail(
				error, BENCH_USAGE,
				"--%s does not go with --resume: the record of the run has the settings",
				args->given[i]->name);
	}
	return 0;
}

/* Said also where nothing is compared: a run of an hour is no place to find out. */
static int check_comparing(const struct cli_args *args, struct bench_error *error)
{
	static const char *const comparing[] = {"branch", "threshold", "alpha", "floor", "allow-env-change"};
	struct bench_compare_options unused;
	for (size_t i = 0; i < sizeof(comparing) / sizeof(comparing[0]); i++)
		if (cli_given(args, comparing[i]) && !cli_given(args, "baseline"))
			return bench_fail(error, BENCH_USAGE,
					  "--%s needs --baseline: without it, nothing is compared",
					  comparing[i]);
	return cli_read_comparing(args, NULL, &unused, error);
}

static int plan(const struct cli_args *args, struct bench_app_measure *measure,
		struct bench_app_request *request, struct bench_error *error)
{
	const char *resume = cli_value(args, "resume");
	if ((resume && check_resume(args, error) != 0) || check_comparing(args, error) != 0 ||
	    cli_read_request(args, request, error) != 0)
		return -1;
	if (cli_given(args, "dry-run"))
		request->wait_seconds = BENCH_APP_NO_TURN;
	request->id = cli_value(args, "id");
	if (request->id && !bench_record_folder_is_id(request->id))
		return bench_fail(error, BENCH_USAGE,
				  "--id '%s': expected letters, digits, '.', '_' and '-', at most 60, not "
				  "'last'",
				  request->id);
	if (resume)
		return bench_app_resume_plan(measure, request, cli_host(), resume, error);
	if (bench_app_measure_plan(measure, request, cli_host(), NULL, error) != 0)
		return -1;
	cli_exec_pace(args, measure);
	return 0;
}

/* A baseline that is not there is said now, and "last" is the last before this one. */
static int find_baseline(const struct cli_args *args, const struct bench_app_measure *measure,
			 struct bench_app_line *line, struct bench_app_baseline *baseline,
			 struct bench_error *error)
{
	const char *text = cli_value(args, "baseline");
	struct bench_compare_options comparing;
	if (!text)
		return 0;
	const struct bench_app_places *places = &measure->request->places;
	if (cli_read_comparing(args, NULL, &comparing, error) != 0 ||
	    bench_app_line_of(measure->store, &places->line, &measure->run->git, args->arena, line, error) !=
		    0)
		return -1;
	return bench_app_baseline_load(places, measure->store, line, measure->run, text, &comparing, baseline,
				       error);
}

static void add(struct bench_arena *arena, const char ***words, size_t *count, const char *name,
		const char *value)
{
	BENCH_PUSH(arena, *words, *count) = bench_arena_format(arena, "--%s", name);
	if (value)
		BENCH_PUSH(arena, *words, *count) = value;
}

static bool sets_shapes(const struct cli_args *args)
{
	size_t count;
	const char *const *sets = cli_values(args, "set", &count);
	for (size_t i = 0; i < count; i++)
		if (strncmp(sets[i], "shapes=", strlen("shapes=")) == 0)
			return true;
	return false;
}

/*
 * The same command under Oclgrind, with what suits a validation where it was not said: suite correctness at
 * small sizes, on OpenCL, once, out of the history. Each step is simulated: what takes a second on a device
 * may take many minutes.
 */
static int validate(const struct cli_args *args, struct bench_error *error)
{
	static const struct {
		const char *name, *value;
	} usual[] = {{"preset", "quick"},
		     {"backend", "opencl"},
		     {"invocations", "1"},
		     {"time-limit", "30m"},
		     {"no-store", NULL}};
	const char **words = NULL;
	size_t count = 0;
	int status;
	BENCH_PUSH(args->arena, words, count) = args->verb->name;
	for (size_t i = 0; i < args->given_count; i++)
		add(args->arena, &words, &count, args->given[i]->name,
		    args->given[i]->argument ? args->values[i] : NULL);
	if (!cli_given(args, "suite") && !cli_given(args, "kernel")) {
		add(args->arena, &words, &count, "suite", "correctness");
		if (!sets_shapes(args))
			add(args->arena, &words, &count, "set", "shapes=small");
	}
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!cli_given(args, usual[i].name))
			add(args->arena, &words, &count, usual[i].name, usual[i].value);
	return bench_app_validate(words, count, &status, error) == 0 ? status : -1;
}

/* A wrong name is said before the time is spent. */
static int check_columns(struct cli_call *call, const struct bench_plan *plan, struct bench_error *error)
{
	const char **own = NULL;
	size_t count = 0;
	for (size_t i = 0; i < plan->case_count; i++) {
		const struct bench_metric_spec *metric = plan->cases[i].suite->metrics;
		if (i > 0 && plan->cases[i].suite == plan->cases[i - 1].suite)
			continue;
		for (; metric && metric->name; metric++)
			BENCH_PUSH(call->args->arena, own, count) = metric->name;
	}
	return cli_check_columns(call->report.columns, own, count, error);
}

/* What is planned; with --dry-run it is listed. */
static int measure(struct cli_call *call, struct bench_app_measure *measure, struct bench_app_line *line,
		   struct bench_app_baseline *baseline, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	if (check_columns(call, measure->plan, error) != 0)
		return -1;
	call->report.repeat = cli_given(args, "repeat");
	measure->shows_noise = !call->report.format->exact;
	if (cli_given(args, "dry-run"))
		return print_plan(call, measure->plan);
	if ((cli_given(args, "resume") ? bench_app_resume_open : bench_app_measure_open)(measure, error) !=
		    0 ||
	    find_baseline(args, measure, line, baseline, error) != 0 ||
	    bench_app_measure_run(measure, error) != 0)
		return -1;
	return show(call, baseline, measure->run, cli_exit(bench_app_measure_keep(measure)));
}

static int run(struct cli_call *call, struct bench_error *error)
{
	struct bench_app_request request;
	struct bench_app_measure planned = {0};
	struct bench_app_line line = {0};
	struct bench_app_baseline baseline = {0};
	if (cli_given(call->args, "validate") && !bench_app_validating())
		return validate(call->args, error);
	int status = plan(call->args, &planned, &request, error);
	if (status == 0)
		status = measure(call, &planned, &line, &baseline, error);
	bench_app_baseline_free(&baseline);
	bench_app_measure_free(&planned);
	return status;
}

const struct cli_verb cli_run = {
	.name = "run",
	.summary = "measure suites, store the run and show it",
	.usage = "[--suite S,..|all] [--backend B[:DEV],..] [--set k=v1,v2] [--preset P] [options]",
	.about = "Checks the result of every case, measures it in fresh processes, and stores the run in a "
		 "folder under runs/ and in the history (results.db).\n"
		 "With --baseline, compares the run and exits as 'bench compare' does.\n"
		 "--validate runs the kernels in a simulator that detects invalid accesses and data races. "
		 "By default it runs suite correctness at small sizes, on OpenCL, once, and does not write "
		 "to the history.\n"
		 "--resume measures what a killed run left out, with that run's options.\n"
		 "Exit status: 0; 2 for a wrong option, value or specification; 3 if nothing could be "
		 "measured; 4 if a "
		 "case failed or gave a wrong result; 5 if the run could not be stored; 130 if interrupted.",
	.examples = "bench run --suite gemm\n"
		    "bench run --suite gemm --set n=512,1024 --backend opencl:gpu,openblas --budget 30s\n"
		    "bench run --suite all --preset quick --label host=quiet\n"
		    "bench run --suite gemm --baseline main --threshold 3%\n"
		    "bench run --plugin ./mine.so\n"
		    "bench run --resume 20261120-231503\n"
		    "bench run --validate\n"
		    "bench run --suite transfer --filter 'bytes>=1048576' --format csv >transfer.csv",
	.options = options,
	.defaults = defaults,
	.run = run,
};

/* bench run: plan, measure, keep, show. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/validate.h"
#include "core/file.h"
#include "core/text.h"
#include "measure/environment.h"
#include "measure/session.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static const struct cli_option options[] = {
	CLI_OPTIONS_PLAN,
	{"budget", 0, "TIME", "how long to measure, in all: 90s, 5m (default: the preset's)"},
	{"precision", 0, "P", "stop early once the medians are known within this (default: 1%)"},
	{"invocations", 'k', "K", "fresh processes for each case (default: the preset's)"},
	{"threads", 't', "N", "host threads that backends may use (default: all)"},
	{"time-limit", 0, "TIME", "end a case that hangs for so long (default: 120s)"},
	{"seed", 0, "N", "of input data and order (default: 1)"},
	{"label", 'l', "K=V", "kept with the run; may be repeated"},
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_DB,
	{"no-store", 0, NULL, "leave the history alone; 'bench ingest' can add the run later"},
	CLI_OPTIONS_COMPARE_WITH("compare with this at the end, as 'bench compare' does"),
	{"dry-run", 'n', NULL, "list the cases and end"},
	{"validate", 0, NULL, "run the kernels under Oclgrind: accesses out of bounds, data races"},
	{"repeat", 0, NULL, "show the command line that repeats each case"},
	CLI_OPTION_FORMAT,
	{0},
};

static int read_whole(const struct cli_args *args, const char *name, uint64_t fallback, uint64_t least,
		      uint64_t most, uint64_t *value, struct bench_error *error)
{
	const char *text = cli_value(args, name, NULL);
	*value = fallback;
	if (!text)
		return 0;
	char *end;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno || *end || end == text || text[0] < '0' || text[0] > '9' || *value < least || *value > most)
		return bench_fail(error, BENCH_USAGE, "--%s '%s': expected a whole number from %llu to %llu",
				  name, text, (unsigned long long)least, (unsigned long long)most);
	return 0;
}

static int read_seconds(const struct cli_args *args, const char *name, double fallback, double *value,
			struct bench_error *error)
{
	const char *text = cli_value(args, name, NULL);
	*value = fallback;
	if (text && !bench_text_duration(text, value))
		return bench_fail(error, BENCH_USAGE, "--%s '%s': expected a time such as 90s, 5m or 250ms",
				  name, text);
	return 0;
}

static int read_labels(const struct cli_args *args, struct bench_run *run, struct bench_error *error)
{
	size_t count;
	const char *const *labels = cli_values(args, "label", &count);
	for (size_t i = 0; i < count; i++) {
		const char *equals = strchr(labels[i], '=');
		if (!equals || equals == labels[i])
			return bench_fail(error, BENCH_USAGE, "--label '%s': expected key=value", labels[i]);
		char *key = bench_arena_format(&run->arena, "%.*s", (int)(equals - labels[i]), labels[i]);
		bench_pair_set(&run->arena, &run->labels, &run->label_count, key, equals + 1);
	}
	return 0;
}

struct run_options {
	uint64_t invocations, threads, seed;
	double budget, precision, time_limit;
	const struct cli_preset *preset;
};

static int read_options(const struct cli_args *args, size_t suite_count, struct run_options *to,
			struct bench_error *error)
{
	if (cli_preset(args, &to->preset, error) != 0)
		return -1;
	double budget = fmin(to->preset->budget_seconds * (double)suite_count, to->preset->most_seconds);
	const char *precision = cli_value(args, "precision", NULL);
	to->precision = to->preset->precision;
	if (precision && (!bench_text_fraction(precision, &to->precision) || to->precision <= 0))
		return bench_fail(error, BENCH_USAGE, "--precision '%s': expected a fraction such as 1%%",
				  precision);
	if (read_whole(args, "invocations", to->preset->invocations, 1, 1000, &to->invocations, error) != 0 ||
	    read_whole(args, "threads", 0, 1, 4096, &to->threads, error) != 0 ||
	    read_whole(args, "seed", 1, 0, UINT64_MAX, &to->seed, error) != 0 ||
	    read_seconds(args, "budget", budget, &to->budget, error) != 0 ||
	    read_seconds(args, "time-limit", 120, &to->time_limit, error) != 0)
		return -1;
	return 0;
}

static char *command_line(const struct cli_args *args, struct bench_arena *arena)
{
	struct bench_text text = {0};
	bench_text_add(&text, "bench %s", args->verb->name);
	for (size_t i = 0; i < args->given_count; i++) {
		bench_text_add(&text, " --%s", args->given[i]->name);
		if (args->given[i]->argument) {
			bench_text_add(&text, " ");
			bench_text_add_shell(&text, args->values[i]);
		}
	}
	char *line = bench_arena_string(arena, text.data);
	bench_text_free(&text);
	return line;
}

static void add_string(struct bench_arena *arena, char ***array, size_t *count, const char *text)
{
	*(char **)bench_arena_push(arena, array, count, sizeof(char *)) = bench_arena_string(arena, text);
}

static void describe_selection(const struct cli_args *args, const struct bench_suite *const *suites,
			       const struct bench_plan *plan, struct bench_run *run)
{
	struct bench_selection *selection = &run->selection;
	for (size_t s = 0; suites[s]; s++)
		add_string(&run->arena, &selection->suites, &selection->suite_count, suites[s]->name);
	for (size_t t = 0; t < plan->target_count; t++) {
		const struct bench_target *target = &plan->targets[t];
		char *name =
			bench_arena_format(&run->arena, "%s:%s", target->backend->name, target->info.slug);
		add_string(&run->arena, &selection->targets, &selection->target_count, name);
		if (target->unavailable || !target->backend->open)
			continue;
		struct bench_device_record *device =
			bench_arena_push(&run->arena, &run->devices, &run->device_count, sizeof(*device));
		device->backend = bench_arena_string(&run->arena, target->backend->name);
		device->info = target->info;
	}
	selection->filter = bench_arena_string(&run->arena, cli_value(args, "filter", ""));
	selection->backends = bench_arena_string(&run->arena, cli_value(args, "backend", ""));
	size_t count;
	const char *const *sets = cli_values(args, "set", &count);
	for (size_t i = 0; i < count; i++)
		add_string(&run->arena, &selection->sets, &selection->set_count, sets[i]);
}

/*
 * Git keeps silent about a tree that belongs to another user, as it does in many CI containers. The year
 * after, nobody knows which commit was measured: better said now.
 */
static void warn_without_commit(const struct bench_run *run)
{
	static const char *const places[] = {".git", "../.git", "../../.git"};
	for (size_t i = 0; !run->git.present && i < sizeof(places) / sizeof(places[0]); i++) {
		if (access(places[i], F_OK) != 0)
			continue;
		fprintf(stderr, "bench: warning: git does not tell the commit of this work tree ('git "
				"status' says why); "
				"the run is kept without it\n");
		return;
	}
}

static int fill_run(const struct cli_args *args, const struct run_options *from, struct bench_run *run,
		    struct bench_error *error)
{
	run->started = (int64_t)time(NULL);
	run->command = command_line(args, &run->arena);
	run->preset = bench_arena_string(&run->arena, from->preset->name);
	run->budget_seconds = from->budget;
	run->precision = from->precision;
	run->invocations = (unsigned)from->invocations;
	run->seed = from->seed;
	if (read_labels(args, run, error) != 0)
		return -1;
	bench_environment_host(run, (unsigned)from->threads);
	bench_environment_git(run);
	warn_without_commit(run);
	return 0;
}

static int print_plan(const struct bench_plan *plan)
{
	struct bench_text out = {0};
	for (size_t i = 0; i < plan->case_count; i++)
		bench_text_add(&out, "%s%s%s\n", plan->cases[i].key,
			       plan->cases[i].unsupported ? "  unsupported: " : "",
			       plan->cases[i].unsupported ? plan->cases[i].unsupported : "");
	return cli_print(&out, CLI_OK);
}

/* What must work at the end is tried before the time is spent. */
static int check_storage(const struct cli_args *args, struct bench_store **store, struct bench_error *error)
{
	const char *runs_dir = cli_value(args, "runs-dir", "runs");
	bool there = bench_file_is_folder(runs_dir);
	if (bench_file_make_folder(runs_dir, error) != 0 || bench_file_check_writable(runs_dir, error) != 0)
		return -1;
	if (cli_given(args, "no-store") ||
	    bench_store_open(cli_value(args, "db", "results.db"), BENCH_STORE_WRITE, store, error) == 0)
		return 0;
	if (!there)
		rmdir(runs_dir);
	return -1;
}

/*
 * The devices' ceilings as the history has them: of the newest run of suite peak on this host. Without them
 * shares are not shown, so that a history that cannot tell is no error here.
 */
static void recall_ceilings(struct bench_store *store, struct bench_run *run)
{
	const char *fingerprint = bench_pair_get(run->host, run->host_count, "fingerprint");
	for (size_t i = 0; store && i < run->device_count; i++) {
		struct bench_device_record *device = &run->devices[i];
		struct bench_run *measured;
		struct bench_error error;
		char id[64];
		if (bench_store_last_of(store, "peak", device->backend, device->info.slug, fingerprint, id,
					sizeof(id), &error) != 0 ||
		    !*id || bench_store_load(store, id, &measured, &error) != 0)
			continue;
		for (size_t j = 0; j < measured->device_count; j++)
			if (strcmp(measured->devices[j].backend, device->backend) == 0 &&
			    strcmp(measured->devices[j].info.slug, device->info.slug) == 0)
				device->ceilings = measured->devices[j].ceilings;
		bench_run_free(measured);
	}
}

static int measure(const struct cli_args *args, const struct bench_plan *plan, const struct run_options *from,
		   struct bench_run *run, struct bench_folder *folder, struct bench_error *error)
{
	static const char *const worker[] = {"bench", "worker", NULL};
	struct cli_progress progress;
	struct sigaction action = {.sa_handler = on_signal};
	struct bench_session_options session = {.executable = "/proc/self/exe",
						.arguments = worker,
						.threads = (unsigned)from->threads,
						.time_limit_seconds = from->time_limit,
						.stop = &stop,
						.progress = cli_progress_show,
						.warn = cli_progress_warn,
						.context = &progress};
	if (bench_folder_create(folder, cli_value(args, "runs-dir", "runs"), run, error) != 0)
		return -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	cli_progress_start(&progress);
	session.tick_seconds = progress.terminal ? 0.5 : 0;
	bench_folder_log(folder, "started: %s", run->command);
	fprintf(stderr, "bench: %zu cases, %u invocations, into %s\n", plan->case_count, run->invocations,
		folder->path);
	int result = bench_session_run(run, plan, folder, &session, error);
	cli_progress_end(&progress);
	if (result != 0) {
		bench_folder_log(folder, "error: %s", error->text);
		return -1;
	}
	if (bench_folder_finish(folder, run, error) != 0)
		return -1;
	bench_folder_log(folder, "%s", run->interrupted ? "interrupted" : "finished");
	return 0;
}

static int status_of(const struct bench_run *run)
{
	size_t ok = 0, wrong = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		enum bench_status status = run->results[i].status;
		ok += status == BENCH_STATUS_OK;
		wrong += status == BENCH_STATUS_FAILED || status == BENCH_STATUS_INCORRECT;
	}
	if (run->interrupted)
		return CLI_INTERRUPTED;
	if (wrong) {
		fprintf(stderr, "bench: %zu of %zu cases failed or gave a wrong result\n", wrong,
			run->result_count);
		return CLI_WRONG;
	}
	if (!ok) {
		fprintf(stderr, "bench: nothing was measured: %s\n", run->results[0].reason);
		return CLI_NOTHING;
	}
	return CLI_OK;
}

static int keep(struct bench_store *store, const struct bench_run *run, int status)
{
	struct bench_error error;
	bool added;
	if (!store || bench_store_ingest(store, run, &added, &error) == 0)
		return status;
	fprintf(stderr,
		"bench: the run is whole in %s, but not in the history ('bench ingest' can finish it)\n",
		run->folder);
	return cli_fail(&error);
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
	bench_report_run(run, comparison, report, &out);
	if (comparison && report->format == BENCH_FORMAT_TABLE) {
		bench_text_add(&out, "\n");
		bench_report_comparison(comparison, report, &out);
	}
	if (comparison && status == CLI_OK)
		status = bench_comparison_exit(comparison, false);
	bench_comparison_free(comparison);
	status = cli_print(&out, status);
	if (!compared && status == CLI_OK && report->format == BENCH_FORMAT_TABLE)
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
	struct run_options from;
	const struct bench_suite *const *suites;
	size_t suite_count;
	struct bench_plan *plan = NULL;
	struct bench_store *store = NULL;
	struct bench_run *record = bench_run_new();
	struct bench_folder folder = {.events = -1, .log = -1};
	struct cli_baseline baseline = {0};
	int status = CLI_OK;
	if (cli_report_options(args, &report, &error) != 0 ||
	    cli_suites(args, &suites, &suite_count, &error) != 0 ||
	    read_options(args, suite_count, &from, &error) != 0 ||
	    fill_run(args, &from, record, &error) != 0 ||
	    cli_plan(args, &suites, &suite_count, &plan, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	report.repeat = cli_given(args, "repeat");
	if (cli_given(args, "dry-run")) {
		status = print_plan(plan);
		goto out;
	}
	describe_selection(args, suites, plan, record);
	/* A baseline that is not there is said now, and "last" is the last before this one. */
	int stored = check_storage(args, &store, &error);
	if (stored == 0)
		recall_ceilings(store, record);
	if (stored != 0 ||
	    (cli_given(args, "baseline") &&
	     cli_prepare_comparison(args, store, record, &baseline, &error) != 0) ||
	    measure(args, plan, &from, record, &folder, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	status = show(&baseline, record, &report, keep(store, record, status_of(record)));
out:
	bench_folder_close(&folder);
	cli_baseline_free(&baseline);
	bench_store_close(store);
	bench_plan_free(plan);
	bench_run_free(record);
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
		"at small sizes, on OpenCL, once, and the run is not added to the history.",
	.examples = "bench run --suite gemm\n"
		    "bench run --suite gemm --set n=512,1024 --backend opencl:gpu,openblas --budget 30s\n"
		    "bench run --suite all --preset quick --label host=quiet\n"
		    "bench run --suite gemm --baseline main --threshold 3%\n"
		    "bench run --validate\n"
		    "bench run --suite transfer --filter 'bytes>=1048576' --format csv >transfer.csv",
	.options = options,
	.run = run,
};

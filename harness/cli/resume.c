#include "cli/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/backends.h"
#include "cli/tuning.h"
#include "core/file.h"
#include "machine/environment.h"
#include "machine/settings.h"
#include "record/event.h"
#include "suites/suites.h"

#define SAMPLES_BYTES ((size_t)1 << 30)

/* What a run that is taken up does not have in its record. */
static const char *const allowed[] = {"resume", "db",     "no-store",  "runs-dir",
				      "format", "budget", "time-limit"};

/* Facts about host and program that must be those of the run's beginning. */
static const char *const facts[] = {"fingerprint", "version", "build_commit", "build_type",
				    "compiler",    "flags",   "executable"};

static int check_options(const struct cli_args *args, struct bench_error *error)
{
	for (size_t i = 0; i < args->given_count; i++) {
		bool known = false;
		for (size_t j = 0; j < sizeof(allowed) / sizeof(allowed[0]); j++)
			known |= strcmp(args->given[i]->name, allowed[j]) == 0;
		if (!known)
			return bench_fail(error, BENCH_USAGE,
					  "--%s beside --resume: the run's record says how to go on with it",
					  args->given[i]->name);
	}
	return 0;
}

/* The folder that --resume names: itself, or that of an id. */
static int find_folder(const struct cli_args *args, char *path, size_t size, struct bench_error *error)
{
	const char *text = cli_value(args, "resume", ""), *runs_dir = cli_value(args, "runs-dir", "runs");
	if (*text && bench_file_is_folder(text) && snprintf(path, size, "%s", text) < (int)size)
		return 0;
	if (*text && !strchr(text, '/') && bench_file_join(path, size, runs_dir, text) &&
	    bench_file_is_folder(path))
		return 0;
	return bench_fail(error, BENCH_NOTHING,
			  "--resume '%s': there is no such run: neither a folder, nor the id of one in '%s'",
			  text, runs_dir);
}

static int differs(const char *what, const char *then, const char *now, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "--resume: %s was '%s' when the run began, and is '%s' now: start a new run", what,
			  *then ? then : "not set", *now ? now : "not set");
}

static int check_variable(const char *name, const struct bench_run *run, const struct bench_run *here,
			  struct bench_error *error)
{
	static const char prefix[] = "env.";
	const char *then = bench_pair_get(run->host, run->host_count, name),
		   *now = bench_pair_get(here->host, here->host_count, name);
	if (strncmp(name, prefix, strlen(prefix)) != 0 || strcmp(then, now) == 0)
		return 0;
	return differs(name + strlen(prefix), then, now, error);
}

/* Sets up pinning and the like as the run had it, and looks whether host and program are the same. */
static int check_host(const struct bench_run *run, unsigned threads, struct bench_error *error)
{
	struct bench_run *here = bench_run_new();
	struct bench_settings settings = bench_settings_of(run);
	int result = 0;
	cli_tuning_recall(run);
	bench_environment_host(here, threads);
	bench_environment_executable(here);
	bench_settings_apply(&settings, here);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && result == 0; i++) {
		const char *then = bench_pair_get(run->host, run->host_count, facts[i]),
			   *now = bench_pair_get(here->host, here->host_count, facts[i]);
		if (strcmp(then, now) != 0)
			result = differs(facts[i], then, now, error);
	}
	for (size_t i = 0; i < run->host_count && result == 0; i++)
		result = check_variable(run->host[i].name, run, here, error);
	for (size_t i = 0; i < here->host_count && result == 0; i++)
		result = check_variable(here->host[i].name, run, here, error);
	bench_run_free(here);
	return result;
}

static int find_suites(const struct bench_run *run, struct bench_arena *arena,
		       const struct bench_suite *const **suites, struct bench_error *error)
{
	const struct bench_selection *selection = &run->selection;
	const struct bench_suite **found =
		bench_arena_alloc(arena, selection->suite_count + 1, sizeof(const struct bench_suite *));
	for (size_t i = 0; i < selection->suite_count; i++) {
		for (size_t s = 0; bench_suites[s]; s++)
			if (strcmp(bench_suites[s]->name, selection->suites[i]) == 0)
				found[i] = bench_suites[s];
		if (!found[i])
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "--resume: this program has no suite '%s', which the run measures",
					  selection->suites[i]);
	}
	*suites = found;
	return 0;
}

static int check_devices(const struct bench_run *run, const struct bench_plan *plan,
			 struct bench_error *error)
{
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_device_record *then = &run->devices[i];
		const struct bench_device_info *now = NULL;
		for (size_t t = 0; t < plan->target_count; t++)
			if (strcmp(plan->targets[t].backend->name, then->backend) == 0 &&
			    strcmp(plan->targets[t].info.slug, then->info.slug) == 0)
				now = &plan->targets[t].info;
		if (!now)
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "--resume: device %s:%s, which the run measures, is not there now",
					  then->backend, then->info.slug);
		if (strcmp(then->info.name, now->name) != 0)
			return differs("a device's name", then->info.name, now->name, error);
		if (strcmp(then->info.platform, now->platform) != 0)
			return differs("a device's platform", then->info.platform, now->platform, error);
		if (strcmp(then->info.driver, now->driver) != 0)
			return differs("a device's driver", then->info.driver, now->driver, error);
	}
	return 0;
}

static int cut_too_early(const struct bench_run *run, struct bench_error *error)
{
	return bench_fail(error, BENCH_NOTHING,
			  "nothing to resume: run %s was cut short before its cases were known", run->id);
}

/* The record's cases again, in its order. */
static int make_plan(struct cli_measuring *measuring, struct bench_error *error)
{
	struct bench_run *run = measuring->run;
	const struct bench_selection *selection = &run->selection;
	struct bench_plan_options options = {.backends = bench_backends,
					     .backend_text =
						     *selection->backends ? selection->backends : NULL,
					     .filter = *selection->filter ? selection->filter : NULL,
					     .sets = (const char *const *)selection->sets,
					     .set_count = selection->set_count};
	if (cli_preset_named(run->preset, &measuring->preset, error) != 0 ||
	    find_suites(run, &run->arena, &options.suites, error) != 0)
		return -1;
	options.preset = measuring->preset->sweeps;
	if (bench_plan_make(&options, &measuring->plan, error) != 0 ||
	    check_devices(run, measuring->plan, error) != 0)
		return -1;
	const struct bench_plan *plan = measuring->plan;
	size_t same = 0;
	while (same < plan->case_count && same < run->result_count &&
	       strcmp(plan->cases[same].key, run->results[same].key) == 0)
		same++;
	if (same < run->result_count)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "--resume: the cases are not those of the run any more, from '%s' on: "
				  "start a new run",
				  run->results[same].key);
	if (same < plan->case_count)
		return cut_too_early(run, error);
	return 0;
}

/* The threads that --threads gave; 0: all of the machine's. */
static unsigned threads_of(const struct bench_run *run)
{
	const char *threads = bench_pair_get(run->host, run->host_count, "threads");
	const char *all = bench_pair_get(run->host, run->host_count, "hardware_threads");
	return strcmp(threads, all) == 0 ? 0 : (unsigned)strtoul(threads, NULL, 10);
}

int cli_resume_plan(const struct cli_args *args, struct cli_measuring *measuring, struct bench_error *error)
{
	char path[PATH_MAX];
	*measuring = (struct cli_measuring){.args = args, .folder = {.events = -1, .log = -1}};
	if (check_options(args, error) != 0 || find_folder(args, path, sizeof(path), error) != 0 ||
	    cli_read_seconds(args, "time-limit", CLI_TIME_LIMIT, &measuring->time_limit, error) != 0 ||
	    bench_record_load_folder(path, &measuring->run, error) != 0)
		return -1;
	struct bench_run *run = measuring->run;
	if (run->finished && !run->interrupted)
		return bench_fail(error, BENCH_NOTHING, "nothing to resume: run %s came to its end", run->id);
	if (!run->result_count)
		return cut_too_early(run, error);
	measuring->threads = threads_of(run);
	if (check_host(run, measuring->threads, error) != 0)
		return -1;
	return make_plan(measuring, error);
}

/* What the run has used of its budget: the time until its last event, less that in which it lay idle. */
static int find_used(struct cli_measuring *measuring, struct bench_error *error)
{
	const struct bench_run *run = measuring->run;
	char path[PATH_MAX], *samples;
	size_t length;
	struct stat status;
	double budget;
	struct bench_event_resume last = {.at = (double)run->started};
	if (!bench_file_join(path, sizeof(path), run->folder, "samples.jsonl") || stat(path, &status) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s' has no samples.jsonl to go on with",
				  run->folder);
	if (bench_file_read(path, SAMPLES_BYTES, &samples, &length, error) != 0)
		return -1;
	bench_event_last_resume(samples, &last);
	free(samples);
	measuring->used_seconds = last.used_seconds + ((double)status.st_mtime - last.at);
	if (!cli_given(measuring->args, "budget"))
		return 0;
	if (cli_read_seconds(measuring->args, "budget", 0, &budget, error) != 0)
		return -1;
	if (run->budget_seconds <= 0)
		return bench_fail(
			error, BENCH_USAGE,
			"--budget beside --resume: run %s has no budget, and goes on to its precision",
			run->id);
	measuring->used_seconds = run->budget_seconds - budget;
	return 0;
}

int cli_resume_open(struct cli_measuring *measuring, struct bench_error *error)
{
	const struct cli_args *args = measuring->args;
	struct bench_run *known = NULL, *run = measuring->run;
	struct bench_error none;
	if (find_used(measuring, error) != 0 ||
	    (!cli_given(args, "no-store") &&
	     bench_store_open(cli_value(args, "db", "results.db"), BENCH_STORE_WRITE, &measuring->store,
			      error) != 0))
		return -1;
	if (measuring->store && bench_store_load(measuring->store, run->id, &known, &none) == 0) {
		bench_run_free(known);
		return bench_fail(error, BENCH_NOTHING,
				  "nothing to resume: run %s is in the history already, as far as it came",
				  run->id);
	}
	return bench_folder_reopen(&measuring->folder, run->folder, error);
}

/* SPDX-License-Identifier: MIT */
#include "app/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/tuning.h"
#include "backends/backends.h"
#include "core/file.h"
#include "extend/extend.h"
#include "machine/environment.h"
#include "machine/settings.h"
#include "record/event.h"
#include "suites/suites.h"

#define SAMPLES_BYTES ((size_t)1 << 30)

/* Facts about host and program that must be those of the run's beginning. */
static const char *const facts[] = {"fingerprint", "version", "build_commit", "build_type",
				    "compiler",    "flags",   "executable"};

/* The folder that --resume names: itself, or that of an id. */
static int find_folder(const char *text, const char *runs_dir, char *path, size_t size,
		       struct bench_error *error)
{
	if (*text && bench_file_is_folder(text) && snprintf(path, size, "%s", text) < (int)size)
		return 0;
	if (*text && !strchr(text, '/') && bench_file_join(path, size, runs_dir, text) &&
	    bench_file_is_folder(path))
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "--resume '%s': there is no such run, neither as a folder nor as an id in '%s'",
			  text, runs_dir);
}

static int differs(const char *what, const char *then, const char *now, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "--resume: %s was '%s' when the run began, and is '%s' now: start a new run", what,
			  *then ? then : "not set", *now ? now : "not set");
}

static int check_variable(const char *name, const struct bench_run *run, const struct bench_environment *here,
			  struct bench_error *error)
{
	static const char prefix[] = "env.";
	const char *then = bench_record_fact(run, name), *now = bench_machine_environment_fact(here, name);
	if (strncmp(name, prefix, strlen(prefix)) != 0 || strcmp(then, now) == 0)
		return 0;
	return differs(name + strlen(prefix), then, now, error);
}

/* Pinning and tuned values are those that the run had; are host and program the same? */
static int check_host(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_run *run = measure->run;
	struct bench_environment here = {0};
	struct bench_settings settings = bench_machine_settings_of(run);
	const char *tuning = bench_record_fact(run, BENCH_APP_TUNING_FACT);
	int result = 0;
	size_t extension_count;
	const char *const *extensions = bench_extend_identities(&extension_count);
	if (!measure->overrides.tuning && *tuning)
		measure->overrides.tuning = tuning;
	bench_machine_environment_host(&here, measure->threads);
	bench_machine_environment_extend(&here, extensions, extension_count);
	bench_machine_settings_apply(&settings);
	bench_machine_settings_describe(&settings, &here);
	bench_app_tuning_describe(measure->overrides.tuning, &here);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && result == 0; i++) {
		const char *then = bench_record_fact(run, facts[i]),
			   *now = bench_machine_environment_fact(&here, facts[i]);
		if (strcmp(then, now) != 0)
			result = differs(facts[i], then, now, error);
	}
	for (size_t i = 0; i < run->host_count && result == 0; i++)
		result = check_variable(run->host[i].name, run, &here, error);
	for (size_t i = 0; i < here.fact_count && result == 0; i++)
		result = check_variable(here.facts[i].name, run, &here, error);
	bench_machine_environment_free(&here);
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
static int make_plan(struct bench_app_measure *measure, struct bench_error *error)
{
	struct bench_run *run = measure->run;
	const struct bench_selection *selection = &run->selection;
	struct bench_plan_options options = {.backends = bench_backends,
					     .backend_text =
						     *selection->backends ? selection->backends : NULL,
					     .filter = *selection->filter ? selection->filter : NULL,
					     .sets = (const char *const *)selection->sets,
					     .set_count = selection->set_count};
	if (bench_app_preset(run->preset, &measure->preset, error) != 0 ||
	    find_suites(run, &run->arena, &options.suites, error) != 0)
		return -1;
	options.preset = measure->preset->sweeps;
	if (bench_plan_make(&options, &measure->plan, error) != 0 ||
	    check_devices(run, measure->plan, error) != 0)
		return -1;
	const struct bench_plan *plan = measure->plan;
	size_t same = 0;
	while (same < plan->case_count && same < run->result_count &&
	       strcmp(plan->cases[same].key, run->results[same].key) == 0)
		same++;
	if (same < run->result_count)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"--resume: the cases have changed since then, from '%s' on: start a new run",
			run->results[same].key);
	if (same < plan->case_count)
		return cut_too_early(run, error);
	return 0;
}

/* The threads that --threads gave; 0: all of the machine's. */
static unsigned threads_of(const struct bench_run *run)
{
	const char *threads = bench_record_fact(run, "threads");
	const char *all = bench_record_fact(run, "hardware_threads");
	return strcmp(threads, all) == 0 ? 0 : (unsigned)strtoul(threads, NULL, 10);
}

/*
 * What users brought is measured again where they give it again, and not because a run folder names it, which
 * may come from elsewhere: it is code.
 */
static int check_extensions(const struct bench_run *run, struct bench_error *error)
{
	size_t count;
	const char *const *given = bench_extend_texts(&count);
	for (size_t i = 0; i < run->selection.extension_count; i++) {
		const char *text = run->selection.extensions[i];
		bool known = BENCH_FIND(given, count, text) != NULL;
		if (!known)
			return bench_fail(error, BENCH_USAGE,
					  "--resume: the run measures extensions: repeat them with --resume, "
					  "unchanged (--exec, --kernel, --plugin, --extension): %s",
					  text);
	}
	return 0;
}

/* What --exec brings has its types from --set: given again, it is as it was. */
static int check_sets(const struct bench_run *run, const struct bench_app_cases *cases,
		      struct bench_error *error)
{
	const struct bench_selection *selection = &run->selection;
	bool same = cases->set_count == 0 || cases->set_count == selection->set_count;
	for (size_t i = 0; same && i < cases->set_count; i++)
		same = strcmp(cases->sets[i], selection->sets[i]) == 0;
	return same ? 0
		    : bench_fail(error, BENCH_USAGE,
				 "--set does not go with --resume, nor do --data and a list of --threads: "
				 "the record of the run has the settings");
}

int bench_app_resume_plan(struct bench_app_measure *measure, const struct bench_app_request *request,
			  const struct bench_app_host *host, const char *text, struct bench_error *error)
{
	char path[PATH_MAX];
	struct bench_slowdown unused;
	*measure = (struct bench_app_measure){.request = request,
					      .host = host,
					      .overrides = request->overrides,
					      .folder = {.events = -1, .log = -1, .lock = -1}};
	if (find_folder(text, request->places.runs_dir, path, sizeof(path), error) != 0 ||
	    bench_record_load_folder(path, &measure->run, error) != 0)
		return -1;
	struct bench_run *run = measure->run;
	if (run->finished && !run->interrupted)
		return bench_fail(error, BENCH_NOTHING, "nothing to resume: run %s is complete", run->id);
	if (!run->result_count)
		return cut_too_early(run, error);
	measure->threads = threads_of(run);
	if (check_sets(run, &request->cases, error) != 0 || check_extensions(run, error) != 0)
		return -1;
	if (check_host(measure, error) != 0 ||
	    bench_app_overrides_check(&measure->overrides, &unused, error) != 0)
		return -1;
	return make_plan(measure, error);
}

/* What the run has used of its budget: the time until its last event, less that in which it lay idle. */
static int find_used(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_run *run = measure->run;
	char path[PATH_MAX], *samples;
	size_t length;
	struct stat status;
	double budget = measure->request->budget_seconds;
	struct bench_event_resume last = {.at = (double)run->started};
	if (!bench_file_join(path, sizeof(path), run->folder, "samples.jsonl") || stat(path, &status) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s' has no samples.jsonl to continue from",
				  run->folder);
	if (bench_file_read(path, SAMPLES_BYTES, &samples, &length, error) != 0)
		return -1;
	bench_record_event_last_resume(samples, &last);
	free(samples);
	measure->used_seconds = last.used_seconds + ((double)status.st_mtime - last.at);
	if (!(budget > 0))
		return 0;
	if (run->budget_seconds <= 0)
		return bench_fail(
			error, BENCH_USAGE,
			"--budget does not go with --resume: run %s has no budget, and ends at its precision",
			run->id);
	measure->used_seconds = run->budget_seconds - budget;
	return 0;
}

/* What the history has of a run that was cut short is replaced at the end; a whole run it would keep. */
static int check_known(const struct bench_app_measure *measure, struct bench_error *error)
{
	BENCH_SCOPED_RUN *known = NULL;
	if (!measure->store)
		return 0;
	if (bench_store_load_head(measure->store, measure->run->id, &known, error) != 0)
		return error->code == BENCH_NOTHING ? 0 : -1;
	bool whole = known->finished && !known->interrupted;
	return whole ? bench_fail(error, BENCH_NOTHING,
				  "nothing to resume: the history has all of run %s, and the folder is an "
				  "older part of it",
				  measure->run->id)
		     : 0;
}

int bench_app_resume_open(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_app_request *request = measure->request;
	struct bench_run *run = measure->run;
	if (find_used(measure, error) != 0 ||
	    (!request->no_store &&
	     bench_store_open(request->places.db, BENCH_STORE_WRITE, &measure->store, error) != 0))
		return -1;
	if (check_known(measure, error) != 0)
		return -1;
	return bench_record_folder_reopen(&measure->folder, run->folder, error);
}

/* SPDX-License-Identifier: MIT */
#include "app/measure.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/plugin.h"
#include "app/tuning.h"
#include "app/turn.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "extend/extend.h"
#include "machine/environment.h"
#include "measure/session/session.h"
#include "measure/worker/slowdown.h"
#include "record/removal.h"
#include "report/render/words.h"

#define RESERVE               1.25 /* times what was seen to be needed: a hint should work at the first try */
#define SUITES_NAMED          3    /* more are counted */
#define UNBOUNDED_INVOCATIONS 3    /* fewer tell next to nothing */
#define VARIANTS_WEIGHT       3    /* a difference of 1% takes more samples than a time within 1% */

int bench_app_add_labels(const char *const *labels, size_t count, struct bench_run *run,
			 struct bench_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const char *label = labels[i], *equals = strchr(label, '=');
		if (!equals || equals == label)
			return bench_fail(error, BENCH_USAGE, "--label '%s': expected key=value", label);
		char *key = bench_arena_format(&run->arena, "%.*s", (int)(equals - label), label);
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, key, equals + 1);
	}
	return 0;
}

/* What the preset gives to these suites. */
static double default_budget(const struct bench_app_preset *preset, const struct bench_suite *const *suites)
{
	double weight = 0;
	for (size_t s = 0; suites[s]; s++)
		weight += suites[s]->variants ? VARIANTS_WEIGHT : 1;
	return fmin(preset->budget_seconds * weight, preset->most_seconds);
}

static void choose(struct bench_app_measure *measure, const struct bench_suite *const *suites)
{
	const struct bench_app_request *request = measure->request;
	const struct bench_app_preset *preset = measure->preset;
	struct bench_run *run = measure->run;
	measure->preset_budget = default_budget(preset, suites);
	measure->bounded = request->budget_seconds >= BENCH_APP_BOUNDED_SECONDS;
	measure->threads = request->threads;
	run->seed = request->seed;
	run->precision = request->precision > 0 ? request->precision : preset->precision;
	run->invocations = request->invocations ? request->invocations : preset->invocations;
	run->budget_seconds = request->budget_seconds > 0 ? request->budget_seconds : measure->preset_budget;
}

static void add_string(struct bench_arena *arena, char ***array, size_t *count, const char *text)
{
	BENCH_PUSH(arena, *array, *count) = bench_arena_string(arena, text);
}

static void describe_selection(const struct bench_app_cases *cases, const struct bench_suite *const *suites,
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
	selection->filter = bench_arena_string(&run->arena, cases->filter ? cases->filter : "");
	selection->backends = bench_arena_string(&run->arena, cases->backends ? cases->backends : "");
	for (size_t i = 0; i < cases->set_count; i++)
		add_string(&run->arena, &selection->sets, &selection->set_count, cases->sets[i]);
	size_t extension_count;
	const char *const *extensions = bench_extend_texts(&extension_count);
	for (size_t i = 0; i < extension_count; i++)
		add_string(&run->arena, &selection->extensions, &selection->extension_count, extensions[i]);
}

/*
 * Git keeps silent about a tree that belongs to another user, as it does in many CI containers. The year
 * after, nobody knows which commit was measured: better said now.
 */
static void warn_without_commit(const struct bench_app_measure *measure)
{
	static const char *const places[] = {".git", "../.git", "../../.git"};
	struct bench_run *run = measure->run;
	const char *folder = measure->request->source;
	for (size_t i = 0; folder && !run->git.present && i < sizeof(places) / sizeof(places[0]); i++) {
		if (access(bench_arena_format(&run->arena, "%s/%s", folder, places[i]), F_OK) != 0)
			continue;
		bench_app_warn(measure->host, "git does not tell the commit of this work tree ('git status' "
					      "says why); the run is kept without it");
		return;
	}
}

/* Of what was measured, which is not what the working directory happens to be in. */
static int describe_source(const struct bench_app_measure *measure, struct bench_environment *environment,
			   struct bench_error *error)
{
	const struct bench_app_request *request = measure->request;
	const struct bench_outputs outputs = {.runs_dir = request->places.runs_dir, .db = request->places.db};
	if (request->source && !bench_file_is_folder(request->source))
		return bench_fail(error, BENCH_USAGE, "--source '%s': there is no such folder",
				  request->source);
	bench_machine_environment_git(request->source, &outputs, &environment->git, &environment->arena);
	return 0;
}

static int describe(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_app_request *request = measure->request;
	struct bench_environment environment = {0};
	struct bench_run *run = measure->run;
	size_t extension_count;
	const char *const *extensions = bench_extend_identities(&extension_count);
	run->started = (int64_t)time(NULL);
	run->command = bench_arena_string(&run->arena, request->command);
	run->preset = bench_arena_string(&run->arena, measure->preset->name);
	run->project_preset = bench_arena_format(&run->arena, "%.63s",
						 request->project_preset ? request->project_preset : "");
	if (bench_app_add_labels(request->labels, request->label_count, run, error) != 0)
		return -1;
	bench_machine_environment_host(&environment, measure->threads);
	bench_machine_environment_extend(&environment, extensions, extension_count);
	bench_app_plugin_describe(&environment);
	bench_machine_settings_apply(&request->settings);
	bench_machine_settings_describe(&request->settings, &environment);
	bench_app_tuning_describe(measure->overrides.tuning, &environment);
	int result = describe_source(measure, &environment, error);
	if (result == 0) {
		bench_machine_environment_record(&environment, run);
		warn_without_commit(measure);
	}
	bench_machine_environment_free(&environment);
	return result;
}

/*
 * What is slowed on purpose is marked before anything is measured, so that it can pass for a result nowhere.
 */
static int mark_slowdown(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_slowdown *slowdown = &measure->slowdown;
	const struct bench_plan *plan = measure->plan;
	struct bench_run *run = measure->run;
	bool some = false;
	if (!(slowdown->fraction > 0))
		return 0;
	for (size_t i = 0; i < plan->case_count; i++)
		some |= bench_worker_slowdown_of(slowdown, plan->cases[i].key) > 0;
	if (!some)
		return bench_fail(
			error, BENCH_USAGE,
			"%s: the key of no case of this run matches '%s'; 'bench list cases' shows them",
			BENCH_SLOWDOWN_VARIABLE, slowdown->pattern);
	bench_record_attribute_set(
		&run->arena, &run->labels, &run->label_count, "aside",
		bench_arena_format(&run->arena, "slowdown %s", measure->overrides.slowdown));
	return 0;
}

static void warn_slowdown(struct bench_app_measure *measure)
{
	static const char text[] = "BENCH_SLOWDOWN is set: the run is slowed on purpose, and is marked so";
	if (!(measure->slowdown.fraction > 0))
		return;
	bench_record_folder_log(&measure->folder, "warning: %s (%s)", text, measure->overrides.slowdown);
	if (!measure->quiet)
		bench_app_warn(measure->host, "%s", text);
}

/* What backends have to say of the devices that are measured. */
static void tell_of_devices(struct bench_app_measure *measure)
{
	for (size_t t = 0; t < measure->plan->target_count; t++) {
		const struct bench_target *target = &measure->plan->targets[t];
		if (!target->info.note[0])
			continue;
		bench_record_folder_log(&measure->folder, "%s:%s: %s", target->backend->name,
					target->info.slug, target->info.note);
		if (!measure->quiet)
			bench_app_note(measure->host, "%s:%s: %s", target->backend->name, target->info.slug,
				       target->info.note);
	}
}

/* Before anything is noted of the machine; what it takes is no part of the budget. */
static int take_turn(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_app_request *request = measure->request;
	double waited;
	if (bench_app_turn_take(request->wait_seconds, request->command, measure->host, &waited, error) != 0)
		return -1;
	if (measure->started > 0) /* of a resumed run, it is not counted */
		measure->started += waited;
	return 0;
}

int bench_app_measure_plan(struct bench_app_measure *measure, const struct bench_app_request *request,
			   const struct bench_app_host *host, const char *const *only,
			   struct bench_error *error)
{
	const struct bench_suite *const *suites;
	struct bench_run *run = bench_record_new();
	*measure = (struct bench_app_measure){.request = request,
					      .host = host,
					      .run = run,
					      .started = bench_clock_seconds(),
					      .overrides = request->overrides,
					      .folder = {.events = -1, .log = -1, .lock = -1}};
	if (bench_app_overrides_check(&measure->overrides, &measure->slowdown, error) != 0 ||
	    bench_app_suites(&request->cases, &run->arena, &suites, error) != 0 ||
	    bench_app_preset(request->cases.preset, &measure->preset, error) != 0)
		return -1;
	choose(measure, suites);
	if (take_turn(measure, error) != 0 || describe(measure, error) != 0 ||
	    bench_app_plan(&request->cases, only, &measure->plan, error) != 0)
		return -1;
	if (measure->plan->left_out)
		bench_app_warn(host, "%s", measure->plan->left_out);
	describe_selection(&request->cases, suites, measure->plan, run);
	return mark_slowdown(measure, error);
}

/* What must work at the end is tried before the time is spent. */
static int check_storage(const struct bench_app_request *request, struct bench_store **store,
			 struct bench_error *error)
{
	const char *runs_dir = request->places.runs_dir;
	bool there = bench_file_is_folder(runs_dir);
	if (bench_file_make_folder(runs_dir, error) != 0 || bench_file_check_writable(runs_dir, error) != 0)
		return -1;
	if (request->no_store || bench_store_open(request->places.db, BENCH_STORE_WRITE, store, error) == 0)
		return 0;
	if (!there)
		rmdir(runs_dir);
	return -1;
}

/*
 * The devices' ceilings as the history has them: of the newest run of suite peak on this host. Without them
 * shares are not shown, so that a history that cannot tell is no error here, and is said.
 */
static void recall_ceilings(struct bench_app_measure *measure)
{
	struct bench_store *store = measure->store;
	struct bench_run *run = measure->run;
	const char *fingerprint = bench_record_fact(run, "fingerprint");
	for (size_t i = 0; store && i < run->device_count; i++) {
		struct bench_device_record *device = &run->devices[i];
		BENCH_SCOPED_RUN *measured = NULL;
		struct bench_error error;
		char id[64];
		int found = bench_store_last_of(store, "peak", device->backend, device->info.slug,
						fingerprint, id, sizeof(id), &error);
		if (found == 0 && !*id)
			continue;
		if (found != 0 || bench_store_load(store, id, &measured, &error) != 0) {
			bench_app_warn(measure->host, "measured without the ceilings of %s:%s: %s",
				       device->backend, device->info.slug, error.text);
			continue;
		}
		for (size_t j = 0; j < measured->device_count; j++)
			if (strcmp(measured->devices[j].backend, device->backend) == 0 &&
			    strcmp(measured->devices[j].info.slug, device->info.slug) == 0)
				device->ceilings = measured->devices[j].ceilings;
	}
}

int bench_app_measure_open(struct bench_app_measure *measure, struct bench_error *error)
{
	if (check_storage(measure->request, &measure->store, error) != 0)
		return -1;
	recall_ceilings(measure);
	bench_app_tuning_apply(measure);
	return 0;
}

/* A quiet verb prints its own lines, and keeps the bar. */
static void show_progress(void *context, const struct bench_session_progress *now)
{
	const struct bench_app_measure *measure = context;
	struct bench_session_progress shown = *now;
	if (measure->quiet)
		shown.finished = NULL;
	measure->host->progress(measure->host->context, &shown);
}

static void show_warning(void *context, const char *text)
{
	const struct bench_app_measure *measure = context;
	measure->host->warn(measure->host->context, text);
}

/* Runs of other folders, or removed runs, may have started in the same second. */
static bool is_stored(void *context, const char *id)
{
	struct bench_error ignored;
	bool there = false;
	return context && bench_store_has(context, id, &there, &ignored) == 0 && there;
}

static int create_folder(struct bench_app_measure *measure, struct bench_error *error)
{
	const struct bench_app_request *request = measure->request;
	const struct bench_folder_ids others = {is_stored, measure->store};
	return bench_record_folder_create(&measure->folder, request->places.runs_dir, measure->run,
					  request->id, &others, error);
}

/* What a result needs is no reason to go past a budget that was not given. */
static unsigned least_invocations(const struct bench_app_measure *measure)
{
	return measure->bounded || measure->insists ? measure->least_invocations
	       : measure->least_samples             ? 1
						    : 0;
}

/* Of the budget, by this command so far. */
static double spent(const struct bench_app_measure *measure)
{
	return measure->started > 0 ? bench_clock_seconds() - measure->started : 0;
}

/* The budget is too short: says what would do. Nothing of the run is left, unless all of the budget went into
 * cases that nobody is to judge: then the run can be resumed. */
static void refuse_budget(struct bench_app_measure *measure, const struct bench_session_shortage *shortage,
			  struct bench_error *error)
{
	const struct bench_run *run = measure->run;
	double share = measure->share > 0 ? measure->share : 1, budget = run->budget_seconds / share;
	double needed = bench_render_words_budget(RESERVE * shortage->needed_seconds);
	size_t count = measure->plan->case_count;
	struct bench_error ignored;
	bench_record_folder_close(&measure->folder);
	if (!measure->purpose && shortage->measured > 0) {
		size_t extensions;
		bench_extend_texts(&extensions);
		bench_fail(
			error, BENCH_USAGE,
			"--budget %gs is too short: it held %zu of %zu cases; use --budget %.0fs, or 'bench "
			"run --resume %s'%s for the rest",
			budget, shortage->measured, count, needed, run->id,
			extensions ? " with the same --exec, --kernel or --plugin" : "");
		return;
	}
	bench_record_removal_do(measure->request->places.runs_dir, run->id, &ignored);
	if (measure->purpose && shortage->fits > 0)
		bench_fail(
			error, BENCH_USAGE,
			"--budget %gs is too short: it holds about %u of the %u %sinvocations that it takes "
			"to %s; use --budget %.0fs, or fewer cases (--filter). Nothing was stored",
			budget, shortage->fits, measure->least_invocations, measure->duel ? "paired " : "",
			measure->purpose, needed);
	else
		bench_fail(error, BENCH_USAGE,
			   "--budget %gs is too short: %zu case%s need%s about %.0f s here%s%s; use "
			   "--budget %.0fs, or fewer cases (--filter). Nothing was stored",
			   budget, count, bench_text_plural(count), count == 1 ? "s" : "", needed,
			   measure->purpose ? " to " : "", measure->purpose ? measure->purpose : "", needed);
}

/* "measuring gemm: 26 cases, preset quick (about 10 s; ...), 6 invocations, into runs/..." */
static void note_start(const struct bench_app_measure *measure)
{
	const struct bench_run *run = measure->run;
	const struct bench_selection *selection = &run->selection;
	const size_t count = measure->plan->case_count;
	const bool usual = run->budget_seconds > 0 && run->budget_seconds == measure->preset_budget;
	BENCH_SCOPED_ARENA arena = {0};
	const char *preset = "";
	const char *suites =
		selection->suite_count > SUITES_NAMED
			? bench_arena_format(&arena, "%zu suites", selection->suite_count)
			: bench_render_words_list(&arena, selection->suites, selection->suite_count);
	if (usual)
		preset = bench_arena_format(&arena, "preset %s (about %.0f s%s), ", measure->preset->name,
					    run->budget_seconds,
					    strcmp(measure->preset->name, "quick") == 0
						    ? "; --preset nightly: more cases, tighter"
						    : "");
	bench_app_note(measure->host, "measuring %s: %zu case%s, %s%u invocation%s, into %s", suites, count,
		       bench_text_plural(count), preset, run->invocations,
		       bench_text_plural(run->invocations), measure->folder.path);
}

int bench_app_measure_run(struct bench_app_measure *measure, struct bench_error *error)
{
	struct bench_session_shortage shortage = {0};
	bool resumed = measure->folder.events >= 0;
	static const char *const worker[] = {"bench", "worker", NULL};
	const struct bench_app_host *host = measure->host;
	struct bench_run *run = measure->run;
	struct bench_folder *folder = &measure->folder;
	size_t extension_count;
	const char *const *extensions = bench_extend_texts(&extension_count);
	const struct bench_session_options session = {.executable = "/proc/self/exe",
						      .arguments = worker,
						      .duel = measure->duel,
						      .threads = measure->threads,
						      .overrides = measure->overrides,
						      .extensions = extensions,
						      .extension_count = extension_count,
						      .dated = measure->dated,
						      .used_seconds = measure->used_seconds + spent(measure),
						      .shortage =
							      measure->bounded && !resumed ? &shortage : NULL,
						      .least_invocations = least_invocations(measure),
						      .least_samples = measure->least_samples,
						      .brief = measure->brief,
						      .kept = measure->kept,
						      .share = measure->share,
						      .budget_option = measure->budget_option,
						      .shows_noise = measure->shows_noise,
						      .time_limit_seconds = measure->request->time_limit,
						      .stop = host->stop,
						      .tick_seconds = host->tick_seconds,
						      .progress = show_progress,
						      .warn = show_warning,
						      .context = measure};
	if (take_turn(measure, error) != 0 || (!resumed && create_folder(measure, error) != 0))
		return -1;
	host->begin(host->context);
	bench_record_folder_log(folder, "%s: %s", resumed ? "resumed" : "started", run->command);
	warn_slowdown(measure);
	tell_of_devices(measure);
	if (!measure->quiet)
		note_start(measure);
	int result = bench_session_run(run, measure->plan, folder, &session, error);
	host->end(host->context);
	if (shortage.needed_seconds > 0) {
		refuse_budget(measure, &shortage, error);
		return -1;
	}
	if (result != 0) {
		bench_record_folder_log(folder, "error: %s", error->text);
		return -1;
	}
	if (bench_record_folder_finish(folder, run, error) != 0)
		return -1;
	bench_record_folder_log(folder, "%s", run->interrupted ? "interrupted" : "finished");
	return 0;
}

static enum bench_outcome outcome_of(const struct bench_app_measure *measure)
{
	const struct bench_run *run = measure->run;
	size_t ok = 0, wrong = 0, usage = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		enum bench_status status = run->results[i].status;
		ok += status == BENCH_STATUS_OK;
		wrong += status == BENCH_STATUS_FAILED || status == BENCH_STATUS_INCORRECT;
		usage += run->results[i].is_usage;
	}
	if (run->interrupted)
		return BENCH_OUTCOME_INTERRUPTED;
	if (wrong) {
		bench_app_note(measure->host, "%zu of %zu case%s failed or gave a wrong result", wrong,
			       run->result_count, bench_text_plural(run->result_count));
		return wrong == usage ? BENCH_OUTCOME_USAGE : BENCH_OUTCOME_WRONG;
	}
	if (!ok) {
		bench_app_note(measure->host, "nothing was measured: %s", run->results[0].reason);
		return BENCH_OUTCOME_NOTHING;
	}
	return BENCH_OUTCOME_GOOD;
}

enum bench_outcome bench_app_measure_keep(struct bench_app_measure *measure)
{
	struct bench_error error;
	bool added;
	enum bench_outcome outcome = outcome_of(measure);
	if (!measure->store || bench_store_ingest(measure->store, measure->run, &added, &error) == 0)
		return outcome;
	bench_app_note(measure->host,
		       "the run is whole in %s, but not in the history ('bench ingest' can finish it)",
		       measure->run->folder);
	bench_app_note(measure->host, "%s", error.text);
	return BENCH_OUTCOME_NOT_KEPT;
}

void bench_app_measure_free(struct bench_app_measure *measure)
{
	if (measure->run) /* else it was never planned, and the folder's files are none */
		bench_record_folder_close(&measure->folder);
	bench_store_close(measure->store);
	bench_plan_free(measure->plan);
	bench_record_free(measure->run);
}

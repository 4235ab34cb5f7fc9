#include "cli/measuring.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/tuning.h"
#include "core/file.h"
#include "core/text.h"
#include "machine/environment.h"
#include "measure/session/session.h"
#include "measure/worker/tuning.h"

#define VARIANTS_WEIGHT 3 /* a difference of 1% takes more samples than a time within 1% */

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

bool cli_measuring_stopped(void)
{
	return stop;
}

int cli_read_whole(const struct cli_args *args, const char *name, uint64_t fallback, uint64_t least,
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

int cli_read_seconds(const struct cli_args *args, const char *name, double fallback, double *value,
		     struct bench_error *error)
{
	const char *text = cli_value(args, name, NULL);
	*value = fallback;
	if (text && !bench_text_duration(text, value))
		return bench_fail(error, BENCH_USAGE, "--%s '%s': expected a time such as 90s, 5m or 250ms",
				  name, text);
	return 0;
}

int cli_read_choice(const struct cli_args *args, const char *name, const char *first, const char *other,
		    bool *second, struct bench_error *error)
{
	const char *text = cli_value(args, name, first);
	*second = strcmp(text, other) == 0;
	if (*second || strcmp(text, first) == 0)
		return 0;
	return bench_fail(error, BENCH_USAGE, "--%s '%s': expected %s or %s", name, text, first, other);
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

/* What the preset gives to these suites. */
static double default_budget(const struct cli_preset *preset, const struct bench_suite *const *suites)
{
	double weight = 0;
	for (size_t s = 0; suites[s]; s++)
		weight += suites[s]->variants ? VARIANTS_WEIGHT : 1;
	return fmin(preset->budget_seconds * weight, preset->most_seconds);
}

static int read_options(struct cli_measuring *measuring, const struct bench_suite *const *suites,
			struct bench_error *error)
{
	const struct cli_args *args = measuring->args;
	const struct cli_preset *preset = measuring->preset;
	struct bench_run *run = measuring->run;
	uint64_t invocations, threads;
	struct bench_settings *settings = &measuring->settings;
	bool unpinned;
	measuring->preset_budget = default_budget(preset, suites);
	if (cli_read_fraction(args, "precision", preset->precision, 1e-9, 10, &run->precision, error) != 0 ||
	    cli_read_whole(args, "invocations", preset->invocations, 1, 1000, &invocations, error) != 0 ||
	    cli_read_whole(args, "threads", 0, 1, 4096, &threads, error) != 0 ||
	    cli_read_whole(args, "seed", 1, 0, UINT64_MAX, &run->seed, error) != 0 ||
	    cli_read_seconds(args, "budget", measuring->preset_budget, &run->budget_seconds, error) != 0 ||
	    cli_read_seconds(args, "time-limit", CLI_TIME_LIMIT, &measuring->time_limit, error) != 0 ||
	    cli_read_choice(args, "pin", "yes", "no", &unpinned, error) != 0 ||
	    cli_read_choice(args, "cache", "hot", "cold", &settings->cold, error) != 0 ||
	    cli_read_choice(args, "shuffle", "yes", "no", &settings->in_order, error) != 0 ||
	    cli_read_choice(args, "watch", "yes", "no", &settings->unwatched, error) != 0)
		return -1;
	settings->pin = !unpinned;
	run->invocations = (unsigned)invocations;
	measuring->threads = (unsigned)threads;
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

static int describe(struct cli_measuring *measuring, struct bench_error *error)
{
	const struct cli_args *args = measuring->args;
	struct bench_run *run = measuring->run;
	run->started = (int64_t)time(NULL);
	run->command = command_line(args, &run->arena);
	run->preset = bench_arena_string(&run->arena, measuring->preset->name);
	if (read_labels(args, run, error) != 0)
		return -1;
	bench_environment_host(run, measuring->threads);
	bench_environment_executable(run);
	bench_settings_apply(&measuring->settings, run);
	bench_environment_git(run);
	warn_without_commit(run);
	return 0;
}

/*
 * What is slowed on purpose is marked before anything is measured, so that it can pass for a result nowhere.
 */
static int mark_slowdown(struct cli_measuring *measuring, struct bench_error *error)
{
	const struct bench_slowdown *slowdown = &measuring->slowdown;
	const struct bench_plan *plan = measuring->plan;
	struct bench_run *run = measuring->run;
	bool some = false;
	if (!(slowdown->fraction > 0))
		return 0;
	for (size_t i = 0; i < plan->case_count; i++)
		some |= bench_slowdown_of(slowdown, plan->cases[i].key) > 0;
	if (!some)
		return bench_fail(error, BENCH_USAGE,
				  "%s: the key of no case of this run matches '%s'; 'bench list cases' shows "
				  "them",
				  BENCH_SLOWDOWN_VARIABLE, slowdown->pattern);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, "aside",
		       bench_arena_format(&run->arena, "slowdown %s", getenv(BENCH_SLOWDOWN_VARIABLE)));
	return 0;
}

static void warn_slowdown(struct cli_measuring *measuring)
{
	static const char text[] = "BENCH_SLOWDOWN is set: the run is slowed on purpose, and is marked so";
	if (!(measuring->slowdown.fraction > 0))
		return;
	bench_folder_log(&measuring->folder, "warning: %s (%s)", text, getenv(BENCH_SLOWDOWN_VARIABLE));
	if (!measuring->quiet)
		fprintf(stderr, "bench: warning: %s\n", text);
}

int cli_measuring_plan(const struct cli_args *args, const char *const *only, struct cli_measuring *measuring,
		       struct bench_error *error)
{
	const struct bench_suite *const *suites;
	size_t suite_count;
	*measuring = (struct cli_measuring){.args = args, .folder = {.events = -1, .log = -1}};
	measuring->run = bench_run_new();
	struct bench_tuned *tuned;
	size_t tuned_count;
	/* The workers will read it; what is wrong with it is said here. */
	if (bench_tuning_read(&measuring->run->arena, &tuned, &tuned_count, error) != 0 ||
	    bench_slowdown_read(&measuring->slowdown, error) != 0 ||
	    cli_suites(args, &suites, &suite_count, error) != 0 ||
	    cli_preset(args, &measuring->preset, error) != 0 || read_options(measuring, suites, error) != 0 ||
	    describe(measuring, error) != 0 || cli_plan(args, suites, only, &measuring->plan, error) != 0)
		return -1;
	describe_selection(args, suites, measuring->plan, measuring->run);
	return mark_slowdown(measuring, error);
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

int cli_measuring_open(struct cli_measuring *measuring, struct bench_error *error)
{
	if (check_storage(measuring->args, &measuring->store, error) != 0)
		return -1;
	recall_ceilings(measuring->store, measuring->run);
	cli_tuning_apply(measuring);
	return 0;
}

int cli_measuring_run(struct cli_measuring *measuring, struct bench_error *error)
{
	static const char *const worker[] = {"bench", "worker", NULL};
	const struct bench_plan *plan = measuring->plan;
	struct bench_run *run = measuring->run;
	struct bench_folder *folder = &measuring->folder;
	struct cli_progress progress;
	struct sigaction action = {.sa_handler = on_signal};
	struct bench_session_options session = {.executable = "/proc/self/exe",
						.arguments = worker,
						.duel = measuring->duel,
						.threads = measuring->threads,
						.used_seconds = measuring->used_seconds,
						.time_limit_seconds = measuring->time_limit,
						.stop = &stop,
						.progress = cli_progress_show,
						.warn = cli_progress_warn,
						.context = &progress};
	bool resumed = folder->events >= 0;
	if (!resumed &&
	    bench_folder_create(folder, cli_value(measuring->args, "runs-dir", "runs"), run, error) != 0)
		return -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	cli_progress_start(&progress);
	session.tick_seconds = progress.terminal ? 0.5 : 0;
	bench_folder_log(folder, "%s: %s", resumed ? "resumed" : "started", run->command);
	warn_slowdown(measuring);
	if (measuring->quiet && !progress.terminal)
		session.progress = NULL;
	if (!measuring->quiet)
		fprintf(stderr, "bench: %zu cases, %u invocations, into %s\n", plan->case_count,
			run->invocations, folder->path);
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

int cli_measuring_keep(struct cli_measuring *measuring)
{
	struct bench_error error;
	bool added;
	int status = status_of(measuring->run);
	if (!measuring->store || bench_store_ingest(measuring->store, measuring->run, &added, &error) == 0)
		return status;
	fprintf(stderr,
		"bench: the run is whole in %s, but not in the history ('bench ingest' can finish it)\n",
		measuring->run->folder);
	return cli_fail(&error);
}

void cli_measuring_free(struct cli_measuring *measuring)
{
	if (measuring->run) /* else it was never planned, and the folder's files are none */
		bench_folder_close(&measuring->folder);
	bench_store_close(measuring->store);
	bench_plan_free(measuring->plan);
	bench_run_free(measuring->run);
}

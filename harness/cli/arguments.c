/* SPDX-License-Identifier: MIT */
#include "cli/arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/anchor.h"
#include "app/library.h"
#include "app/project.h"
#include "app/worktree.h"
#include "cli/extensions.h"
#include "cli/say.h"
#include "core/file.h"
#include "core/text.h"
#include "extend/extend.h"
#include "machine/program.h"
#include "measure/worker/tuning.h"
#include "store/store.h"
#include "suites/suites.h"

int cli_read_whole(const struct cli_args *args, const char *name, uint64_t least, uint64_t most,
		   uint64_t *value, struct bench_error *error)
{
	const char *text = cli_value(args, name);
	*value = 0;
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

int cli_read_seconds(const struct cli_args *args, const char *name, double *value, struct bench_error *error)
{
	const char *text = cli_value(args, name);
	*value = 0;
	if (text && !bench_text_duration(text, value))
		return bench_fail(error, BENCH_USAGE,
				  "--%s '%s': expected a time above 0, such as 90s, 5m or 250ms", name, text);
	return 0;
}

int cli_read_wait(const struct cli_args *args, double *seconds, struct bench_error *error)
{
	const char *text = cli_value(args, "wait");
	*seconds = text && strcmp(text, "yes") == 0 ? INFINITY : 0;
	if (text && *seconds == 0 && !bench_text_duration(text, seconds))
		return bench_fail(error, BENCH_USAGE,
				  "--wait '%s': expected yes, or a time above 0 such as 30m", text);
	return 0;
}

/* Is it not the default, but the other one of two? */
static int read_choice(const struct cli_args *args, const char *name, const char *other, bool *second,
		       struct bench_error *error)
{
	const char *text = cli_value(args, name), *first = cli_default(args, name, NULL);
	*second = strcmp(text, other) == 0;
	if (*second || strcmp(text, first) == 0)
		return 0;
	return bench_fail(error, BENCH_USAGE, "--%s '%s': expected %s or %s", name, text, first, other);
}

static int read_fraction(const struct cli_args *args, const char *name, const char *where, double least,
			 double most, double *value, struct bench_error *error)
{
	const char *usual = cli_default(args, name, where);
	const char *text = cli_given(args, name) ? cli_value(args, name) : usual;
	*value = 0;
	if (!text || (bench_text_fraction(text, value) && *value >= least && *value <= most))
		return 0;
	char what[64], expected[128];
	snprintf(what, sizeof(what), "--%s", name);
	snprintf(expected, sizeof(expected), "a fraction such as %.10s, from %g%% to %g%%",
		 usual ? usual : "1%", 100 * least, 100 * most);
	return bench_text_no_fraction(what, text, text, expected, error);
}

int cli_read_fraction(const struct cli_args *args, const char *name, double least, double most, double *value,
		      struct bench_error *error)
{
	return read_fraction(args, name, NULL, least, most, value, error);
}

int cli_read_build(const struct cli_args *args, bool code, const char **build, struct bench_error *error)
{
	struct bench_error ignored;
	const char *file;
	char *top;
	*build = cli_value(args, "build");
	if (*build)
		return 0;
	/* The caller finds out whether it is a repository. */
	if (bench_app_repository_top(cli_value(args, "repo"), args->arena, &top, &ignored) == 0)
		*build = bench_app_build_command(top, &file);
	if (*build)
		cli_say("building with '%s', as there is a %s", *build, file);
	else if (code)
		*build = "true"; /* there is nothing to build */
	else
		return bench_fail(error, BENCH_USAGE,
				  "--build is missing: the command that builds a commit, such as 'make'; the "
				  "project file may have it as \"build\"");
	return 0;
}

int cli_read_period(const struct cli_args *args, struct bench_store *store, struct bench_app_period *period,
		    struct bench_error *error)
{
	return bench_app_period_read(cli_value(args, "since"), cli_value(args, "until"), (int64_t)time(NULL),
				     store, period, error);
}

/* The given options from the `first` on, each with a blank before it. */
static void add_given(const struct cli_args *args, size_t first, const char *without, struct bench_text *text)
{
	for (size_t i = first; i < args->given_count; i++) {
		const struct cli_option *option = args->given[i];
		if (strcmp(option->name, without) == 0)
			continue;
		if (option->argument)
			bench_text_add_option(text, option->name,
					      bench_store_shown(args->values[i], args->arena));
		else
			bench_text_add(text, " --%s", option->name);
	}
}

char *cli_said_options(const struct cli_args *args, const char *without)
{
	struct bench_text text = {0};
	add_given(args, args->project_count, without, &text);
	return bench_text_keep(&text, args->arena);
}

char *cli_command(const struct cli_args *args)
{
	struct bench_text text = {0};
	bench_text_add(&text, "bench %s", args->verb->name);
	/* A run keeps this, and the address of a chat is a secret. */
	add_given(args, 0, "on-alarm", &text);
	bool dash = false;
	for (size_t i = 0; i < args->operand_count; i++)
		dash |= *args->operands[i] == '-';
	bench_text_add(&text, "%s", dash ? " --" : "");
	for (size_t i = 0; i < args->operand_count; i++)
		bench_text_add_command(&text, " %s", args->operands[i]);
	return bench_text_keep(&text, args->arena);
}

char *cli_same_places(const struct cli_args *args)
{
	static const char *const names[] = {CLI_PROJECT, "db", "runs-dir"};
	struct bench_text text = {0};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cli_said(args, names[i]))
			bench_text_add_option(&text, names[i],
					      bench_store_shown(cli_value(args, names[i]), args->arena));
	return bench_text_keep(&text, args->arena);
}

struct bench_app_places cli_places(const struct cli_args *args)
{
	return (struct bench_app_places){.runs_dir = cli_value(args, "runs-dir"),
					 .db = cli_value(args, "db"),
					 .line = {.branch = cli_value(args, "branch")}};
}

struct bench_overrides cli_overrides(void)
{
	return (struct bench_overrides){.tuning = getenv(BENCH_TUNING_VARIABLE),
					.slowdown = getenv(BENCH_SLOWDOWN_VARIABLE)};
}

/* The suites from the `first` of the table on. */
static const char *const *suites_from(size_t first, const struct cli_args *args, size_t *count)
{
	const char **names = NULL;
	*count = 0;
	for (size_t i = first; bench_suites[i]; i++)
		BENCH_PUSH(args->arena, names, *count) = bench_suites[i]->name;
	return names;
}

static bool has_param(const struct bench_suite *const *suites, const char *set)
{
	size_t length = strcspn(set, "=");
	for (size_t s = 0; suites[s]; s++)
		for (const struct bench_param *param = suites[s]->params; param->name; param++)
			if (strlen(param->name) == length && strncmp(param->name, set, length) == 0)
				return true;
	return false;
}

/* What the project file sets for its suites is no mistake where others are chosen. */
static int leave_sets_out(const struct cli_args *args, struct bench_app_cases *cases,
			  struct bench_error *error)
{
	const struct bench_suite *const *suites;
	const char **kept = NULL;
	size_t count = 0;
	if (args->lenient_sets == 0)
		return 0;
	if (bench_app_suites(cases, args->arena, &suites, error) != 0)
		return -1;
	for (size_t i = 0; i < cases->set_count; i++)
		if (i >= args->lenient_sets || has_param(suites, cases->sets[i]))
			BENCH_PUSH(args->arena, kept, count) = cases->sets[i];
	cases->sets = kept;
	cases->set_count = count;
	return 0;
}

/* An option whose values are those of a parameter: one more of the cases' sets. */
static void add_set(const struct cli_args *args, const char *name, struct bench_app_cases *cases)
{
	const char *value = cli_value(args, name);
	if (!value)
		return;
	const char **sets = bench_arena_alloc(args->arena, cases->set_count + 1, sizeof(*sets));
	for (size_t i = 0; i < cases->set_count; i++)
		sets[i] = cases->sets[i];
	sets[cases->set_count++] = bench_arena_format(args->arena, "%s=%s", name, value);
	cases->sets = sets;
}

int cli_read_cases(const struct cli_args *args, struct bench_app_cases *cases, struct bench_error *error)
{
	size_t shipped = 0;
	while (bench_suites[shipped])
		shipped++;
	if (cli_extend(args, error) != 0)
		return -1;
	cases->suites = cli_values(args, "suite", &cases->suite_count);
	/* Who brings a suite means it. */
	if (cases->suite_count == 0)
		cases->suites = suites_from(shipped, args, &cases->suite_count);
	cases->backends = cli_value(args, "backend");
	if (cases->backends) {
		cases->backends = bench_app_libraries(cases->backends, args->arena, error);
		if (!cases->backends)
			return -1;
	}
	cases->filter = cli_value(args, "filter");
	cases->sets = cli_values(args, "set", &cases->set_count);
	add_set(args, BENCH_PLAN_DATA, cases);
	cases->preset = cli_value(args, "preset");
	return leave_sets_out(args, cases, error);
}

/* The folder of what was brought, or of kernels that are read live; NULL: this program's own. */
static const char *read_source(const struct cli_args *args)
{
	static const char *const bringing[] = {"kernel", "plugin", "exec"};
	const char *source = cli_value(args, "source"), *file = NULL;
	const char *kernels = bench_machine_program_kernels();
	size_t brought, count;
	bench_extend_texts(&brought);
	if (source)
		return source;
	/* That a folder of kernels is not there is said by the cases that need it. */
	if (brought == 0)
		return kernels && bench_file_is_folder(kernels) ? kernels : NULL;
	for (size_t i = 0; i < sizeof(bringing) / sizeof(bringing[0]) && !file; i++) {
		const char *const *values = cli_values(args, bringing[i], &count);
		file = count && access(values[0], F_OK) == 0 ? values[0] : NULL;
	}
	const char *slash = file ? strrchr(file, '/') : NULL;
	return slash ? bench_arena_format(args->arena, "%.*s/", (int)(slash - file), file) : ".";
}

/* A number is how the run measures; a list makes cases that name theirs. */
static int read_threads(const struct cli_args *args, struct bench_app_cases *cases, uint64_t *threads,
			struct bench_error *error)
{
	const char *text = cli_value(args, BENCH_PLAN_THREADS);
	if (!text || !strpbrk(text, ",:"))
		return cli_read_whole(args, BENCH_PLAN_THREADS, 1, 4096, threads, error);
	add_set(args, BENCH_PLAN_THREADS, cases);
	return 0;
}

int cli_read_request(const struct cli_args *args, struct bench_app_request *request,
		     struct bench_error *error)
{
	struct bench_settings *settings = &request->settings;
	uint64_t invocations, threads = 0;
	bool unpinned;
	*request = (struct bench_app_request){.command = cli_command(args),
					      .project_preset = args->project_preset,
					      .places = cli_places(args),
					      .no_store = cli_given(args, "no-store"),
					      .overrides = cli_overrides()};
	request->labels = cli_values(args, "label", &request->label_count);
	if (cli_read_cases(args, &request->cases, error) != 0 ||
	    cli_read_fraction(args, "precision", 1e-6, 1, &request->precision, error) != 0 ||
	    cli_read_whole(args, "invocations", 1, 1000, &invocations, error) != 0 ||
	    read_threads(args, &request->cases, &threads, error) != 0 ||
	    cli_read_whole(args, "seed", 0, UINT64_MAX, &request->seed, error) != 0 ||
	    cli_read_seconds(args, "budget", &request->budget_seconds, error) != 0 ||
	    cli_read_seconds(args, "time-limit", &request->time_limit, error) != 0 ||
	    cli_read_wait(args, &request->wait_seconds, error) != 0 ||
	    read_choice(args, "pin", "no", &unpinned, error) != 0 ||
	    read_choice(args, "cache", "cold", &settings->cold, error) != 0 ||
	    read_choice(args, "shuffle", "no", &settings->in_order, error) != 0 ||
	    read_choice(args, "watch", "no", &settings->unwatched, error) != 0)
		return -1;
	settings->pin = !unpinned;
	settings->counters = cli_given(args, "counters");
	settings->energy = cli_given(args, "energy");
	request->source = read_source(args);
	request->places.line.source = request->source;
	request->invocations = (unsigned)invocations;
	request->threads = (unsigned)threads;
	return 0;
}

const struct bench_metric_rule *cli_rules(const struct cli_args *args, size_t *count)
{
	const bool said = cli_said(args, "threshold");
	*count = args->project ? args->project->rule_count : 0;
	if (*count == 0)
		return NULL;
	struct bench_metric_rule *rules = bench_arena_alloc(args->arena, *count, sizeof(*rules));
	for (size_t i = 0; i < *count; i++) {
		rules[i] = args->project->rules[i];
		rules[i].threshold = said ? 0 : rules[i].threshold;
	}
	return rules;
}

int cli_read_judging(const struct cli_args *args, const char *where, double *threshold, double *alpha,
		     struct bench_error *error)
{
	if (read_fraction(args, "threshold", where, 0.001, 10, threshold, error) != 0)
		return -1;
	return cli_read_fraction(args, "alpha", 1e-6, 0.5, alpha, error);
}

int cli_read_comparing(const struct cli_args *args, const char *where, struct bench_compare_options *options,
		       struct bench_error *error)
{
	const char *floor = cli_value(args, "floor");
	/* The default is for runs that bench measured: it has no reason to doubt the loops of other tools. */
	*options = (struct bench_compare_options){.floor_of_imports = cli_given(args, "floor"),
						  .allow_env_change = cli_given(args, "allow-env-change"),
						  .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD};
	options->rules = cli_rules(args, &options->rule_count);
	if (!bench_text_time(floor, &options->floor))
		return bench_fail(error, BENCH_USAGE, "--floor '%s': expected a time such as 1ns, 0.5us or 0",
				  floor);
	return cli_read_judging(args, where, &options->threshold, &options->alpha, error);
}

int cli_compare_run(const struct cli_args *args, struct bench_store *store, const struct bench_run *candidate,
		    struct bench_comparison **comparison, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(args);
	struct bench_compare_options options;
	const char *baseline = cli_value(args, "baseline");
	const bool anchored =
		baseline ? strcmp(baseline, BENCH_APP_ANCHOR) == 0 : bench_app_anchor_has(candidate);
	if (cli_read_comparing(args, anchored ? CLI_ANCHORED : NULL, &options, error) != 0)
		return -1;
	return bench_app_compare(&places, store, candidate, baseline, &options, comparison, error);
}

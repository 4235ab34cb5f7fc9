/* SPDX-License-Identifier: MIT */
#include "cli/project.h"

#include <string.h>

#include "app/project.h"
#include "core/text.h"

/* An option and who says it: the file, a preset of it (the nearer to what was asked for the higher), the
 * user. */
struct said {
	const struct cli_option *option;
	const char *value;
	size_t rank;
};

struct merging {
	struct cli_args *args;
	const struct bench_project *project;
	struct said *said;
	size_t count;
};

/* Does an option of a higher rank take the place of one of a lower? */
static bool replaces(const char *higher, const char *lower)
{
	static const char *const adding[] = {"set", "label", NULL}, *const choosing[] = {"set", "filter",
											 NULL};
	static const char *const bringing[] = {"kernel",     "spec",        "plugin",    "exec",
					       "exec-shell", "exec-output", "extension", NULL};
	if (strcmp(higher, lower) == 0)
		return !cli_is_among(higher, adding);
	/* Who brings code does not mean the project's, nor parameters and filters of it. */
	if (cli_is_among(higher, bringing))
		return cli_is_among(lower, bringing) || strcmp(lower, "suite") == 0 ||
		       cli_is_among(lower, choosing);
	return strcmp(higher, "suite") == 0 && strcmp(lower, "filter") == 0;
}

static void say(struct merging *in, const struct cli_option *option, const char *value, size_t rank)
{
	BENCH_PUSH(in->args->arena, in->said, in->count) = (struct said){option, value, rank};
}

/*
 * A resumed run has the rest in its record; code that it measures is given again. Budgets apply to runs and
 * gates alone. Thresholds apply to verbs that judge, and to a run only if it names a baseline: `bench run`
 * refuses them otherwise. `bench tune` tunes a kernel that the command line names.
 */
static bool is_wanted(const struct cli_args *args, const char *option)
{
	static const char *const again[] = {"db",         "runs-dir",    "kernel", "spec", "exec",
					    "exec-shell", "exec-output", "plugin", NULL},
				 *const measuring[] = {"budget", "invocations", "precision", NULL},
				 *const judging[] = {"threshold", "alpha", NULL},
				 *const tuned[] = {"kernel", "spec", "seed", NULL},
				 *const runs[] = {"run", "gate", NULL}, *const judges[] = {"run",     "gate",
											   "compare", "duel",
											   "fleet",   "why",
											   NULL};
	const char *verb = args->verb->name;
	if (strcmp(verb, "tune") == 0 && cli_is_among(option, tuned))
		return false;
	if (cli_given(args, "resume"))
		return cli_is_among(option, again);
	if (cli_is_among(option, measuring))
		return cli_is_among(verb, runs);
	if (!cli_is_among(option, judging))
		return true;
	return cli_is_among(verb, judges) && (strcmp(verb, "run") != 0 || cli_given(args, "baseline"));
}

static void say_all(struct merging *in, const struct bench_project_settings *settings, size_t rank)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct bench_project_setting *setting = &settings->items[i];
		const struct cli_option *option = cli_option_of(in->args->verb, setting->option);
		if (option && is_wanted(in->args, setting->option))
			say(in, option, setting->value, rank);
	}
}

/* The presets from the one that was asked for to one of the program's, which takes its place. */
static int say_presets(struct merging *in, struct bench_error *error)
{
	const struct bench_project *project = in->project;
	const struct bench_project_preset *chain[BENCH_PROJECT_PRESETS];
	const struct cli_option *option = cli_option_of(in->args->verb, "preset");
	const char *name = cli_given(in->args, "preset") ? cli_value(in->args, "preset") : NULL;
	size_t length = 0;
	for (size_t i = 0; !name && i < project->settings.count; i++)
		if (strcmp(project->settings.items[i].option, "preset") == 0)
			name = project->settings.items[i].value;
	if (!option || !name || !is_wanted(in->args, "preset"))
		return 0;
	for (const struct bench_project_preset *preset = bench_app_project_preset(project, name);
	     preset && length < BENCH_PROJECT_PRESETS; preset = bench_app_project_preset(project, name)) {
		chain[length++] = preset;
		bool same = preset->like && strcmp(preset->like, name) == 0;
		name = preset->like;
		if (!name || same)
			break;
	}
	if (name && bench_app_project_check_preset(project, name, error) != 0)
		return -1;
	in->args->project_preset = length ? chain[0]->name : NULL;
	for (size_t i = length; i > 0; i--)
		say_all(in, &chain[i - 1]->settings, 1 + length - i);
	/* In the place of what was asked for, which no other part of the program knows. */
	struct cli_args *args = in->args;
	if (!name)
		name = cli_default(args, "preset", NULL);
	for (size_t i = 0; length && i < args->given_count; i++)
		if (args->given[i] == option)
			args->values[i] = name;
	if (length && !cli_given(args, "preset"))
		say(in, option, name, length);
	return 0;
}

/* What nothing of a higher rank replaces, in order. */
static void put(struct merging *in)
{
	struct cli_args *args = in->args;
	const struct cli_option **given = bench_arena_alloc(args->arena, in->count + 1, sizeof(*given));
	const char **values = bench_arena_alloc(args->arena, in->count + 1, sizeof(*values));
	size_t count = 0, suite = 0;
	for (size_t i = 0; i < in->count; i++)
		suite = strcmp(in->said[i].option->name, "suite") == 0 ? in->said[i].rank : suite;
	for (size_t i = 0; i < in->count; i++) {
		bool stays = true;
		for (size_t j = i + 1; j < in->count; j++)
			stays &= in->said[j].rank <= in->said[i].rank ||
				 !replaces(in->said[j].option->name, in->said[i].option->name);
		if (!stays)
			continue;
		args->project_count += in->said[i].rank < SIZE_MAX;
		if (in->said[i].rank < SIZE_MAX && strcmp(in->said[i].option->name, "exec") == 0)
			args->exec_folder = in->project->folder;
		if (in->said[i].rank < SIZE_MAX && strcmp(in->said[i].option->name, "on-alarm") == 0)
			args->hook_folder = in->project->folder;
		args->lenient_sets +=
			strcmp(in->said[i].option->name, "set") == 0 && in->said[i].rank < suite;
		given[count] = in->said[i].option;
		values[count++] = in->said[i].value;
	}
	args->given = given;
	args->values = values;
	args->given_count = count;
}

static bool has_use(const struct cli_verb *verb)
{
	return cli_option_of(verb, "db") || cli_option_of(verb, "suite");
}

int cli_project(struct cli_args *args, struct bench_error *error)
{
	const char *path = cli_value(args, CLI_PROJECT);
	if (!has_use(args->verb) || (path && strcmp(path, "no") == 0))
		return 0;
	struct bench_project *project = bench_arena_alloc(args->arena, 1, sizeof(*project));
	args->project = project;
	if ((path ? bench_app_project_read(path, project, error) : bench_app_project_find(project, error)) !=
	    0)
		return -1;
	if (!project->path)
		return 0;
	struct merging in = {.args = args, .project = project};
	say_all(&in, &project->settings, 0);
	if (say_presets(&in, error) != 0)
		return -1;
	for (size_t i = 0; i < args->given_count; i++)
		say(&in, args->given[i], args->values[i], SIZE_MAX);
	put(&in);
	return 0;
}

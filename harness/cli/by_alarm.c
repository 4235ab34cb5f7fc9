/* SPDX-License-Identifier: MIT */
#include "cli/by_alarm.h"

#include <string.h>

#include "app/bisect_alarm.h"
#include "cli/arguments.h"
#include "core/text.h"

/* What chooses cases, beside the options that bring code. */
static const char *const choosing[] = {"suite", "backend", "filter", "set", "extension", NULL};

static bool chooses(const char *name)
{
	return cli_is_among(name, choosing) || cli_is_among(name, bench_app_bisect_code_options);
}

bool cli_is_chosen(const struct cli_args *args)
{
	for (size_t i = args->project_count; i < args->given_count; i++)
		if (chooses(args->given[i]->name))
			return true;
	return false;
}

static void give(struct cli_args *args, const char *name, const char *value)
{
	size_t count = args->given_count;
	BENCH_PUSH(args->arena, args->given, count) = cli_option_of(args->verb, name);
	BENCH_PUSH(args->arena, args->values, args->given_count) = value;
}

void cli_part(struct cli_args *args, bool (*leaves)(const char *name), struct bench_app_bisect_code *left)
{
	const struct cli_option **given = args->given;
	const char **values = args->values;
	size_t count = args->given_count;
	struct bench_project_setting *parted = NULL;
	args->given = NULL;
	args->values = NULL;
	args->given_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!leaves(given[i]->name)) {
			give(args, given[i]->name, values[i]);
			continue;
		}
		args->project_count -= i < args->project_count;
		BENCH_PUSH(args->arena, parted, left->count) =
			(struct bench_project_setting){given[i]->name, values[i]};
	}
	left->options = parted;
}

int cli_choose_by_alarm(struct cli_args *args, uint64_t alarm, struct bench_error *error)
{
	static const char *const names[] = {"suite",      "backend",     "filter",  "set",     "extension",
					    "preset",     "kernel",      "spec",    "plugin",  "exec",
					    "exec-shell", "exec-output", "prepare", "cleanup", "warmup",
					    "runs",       NULL};
	struct bench_app_bisect_code dropped = {0};
	const char *option, *value;
	char *rest;
	if (bench_app_bisect_alarm_command(cli_places(args).db, (int64_t)alarm, args->arena, &rest, error) !=
	    0)
		return -1;
	if (!*rest)
		return 0;
	cli_part(args, chooses, &dropped);
	while ((option = bench_text_next_option(&rest, names, &value)))
		if (strcmp(option, "preset") != 0 || !cli_said(args, "preset"))
			give(args, option, value);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/set_help.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "core/text.h"
#include "suites/shapes.h"

bool cli_wants_set_help(const struct cli_args *args)
{
	size_t count;
	const char *const *sets = cli_values(args, "set", &count);
	return BENCH_FIND(sets, count, "help") != NULL;
}

static void add_choices(struct bench_text *out, const char *choices)
{
	for (const char *at = choices; *at;) {
		size_t length = strcspn(at, "|");
		bench_text_add(out, "%s%.*s", at == choices ? "" : ", ", (int)length, at);
		at += length + (at[length] == '|');
	}
}

static void add_param(struct bench_text *out, const struct bench_param *param)
{
	bench_text_add(out, "  %-14s %s\n%17s", param->name, param->help, "");
	switch (param->type) {
	case BENCH_PARAM_INT:
		bench_text_add(out, "%lld to %lld", (long long)param->min, (long long)param->max);
		break;
	case BENCH_PARAM_REAL:
		bench_text_add(out, "a number");
		break;
	case BENCH_PARAM_TEXT:
		bench_text_add(out, "any text");
		break;
	case BENCH_PARAM_CHOICE:
	case BENCH_PARAM_PATH:
		add_choices(out, param->choices);
		bench_text_add(out, "%s", param->type == BENCH_PARAM_PATH ? ", or a path" : "");
		break;
	}
	if (param->fallback[0] == '=')
		bench_text_add(out, " (default: that of %s)\n", param->fallback + 1);
	else
		bench_text_add(out, " (default: %s)\n", param->fallback);
}

/* The named lists that --set shapes=NAME takes, in place of parameters. */
static void add_shapes(struct bench_text *out, const char *suite)
{
	const struct bench_shapes *list = NULL;
	if (bench_shapes_next(suite, NULL))
		bench_text_add(out,
			       "  %-14s layers of a network, or @FILE of 'bench capture', in place of the "
			       "preset's sizes\n",
			       "shapes");
	while ((list = bench_shapes_next(suite, list)))
		bench_text_add(out, "%17s%-11s %s\n", "", list->name, list->source);
}

int cli_set_help(const struct cli_args *args)
{
	const struct bench_suite *const *suites;
	struct bench_app_cases cases = {0};
	struct bench_error error;
	struct bench_text out = {0};
	int status;
	if (cli_read_cases(args, &cases, &error) == 0 &&
	    bench_app_suites(&cases, args->arena, &suites, &error) == 0) {
		for (size_t s = 0; suites[s]; s++) {
			bench_text_add(&out, "%s%s: %s\n", s ? "\n" : "", suites[s]->name,
				       suites[s]->summary);
			for (const struct bench_param *param = suites[s]->params; param->name; param++)
				add_param(&out, param);
			add_shapes(&out, suites[s]->name);
		}
		bench_text_add(&out, "\nNumbers may be ranges: --set n=64:4096:*2 or n=64:1024:+64\n");
		status = cli_print(&out, CLI_OK);
	} else {
		status = cli_fail(&error);
	}
	return status;
}

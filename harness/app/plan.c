/* SPDX-License-Identifier: MIT */
#include "app/plan.h"

#include <string.h>

#include "backends/backends.h"
#include "core/text.h"
#include "extend/extend.h"
#include "suites/suites.h"

/*
 * Ten invocations let the rank test speak at a family-wise 1% over hundreds of metrics
 * (docs/comparing.md); six are the fewest that give an interval of 95%.
 */
const struct bench_app_preset bench_app_presets[BENCH_APP_PRESETS + 1] = {
	{"quick", BENCH_PRESET_QUICK, 6, 10, 220, 0.02},
	{"nightly", BENCH_PRESET_NIGHTLY, 10, 150, 840, 0.01},
	{"full", BENCH_PRESET_FULL, 10, 0, 0, 0.01},
	{0},
};

int bench_app_preset(const char *name, const struct bench_app_preset **preset, struct bench_error *error)
{
	name = name ? name : "nightly";
	const char *names[BENCH_APP_PRESETS];
	for (size_t i = 0; i < BENCH_APP_PRESETS; i++) {
		names[i] = bench_app_presets[i].name;
		if (strcmp(bench_app_presets[i].name, name) == 0) {
			*preset = &bench_app_presets[i];
			return 0;
		}
	}
	const char *nearest = bench_text_nearest(name, names, sizeof(names) / sizeof(names[0]));
	return bench_fail(error, BENCH_USAGE,
			  "there is no preset '%s': there are quick, nightly and full%s%s%s", name,
			  BENCH_DID_YOU_MEAN(nearest));
}

static int no_such_suite(const char *name, struct bench_error *error)
{
	const char *names[128];
	size_t count = 0;
	for (; bench_suites[count] && count < 128; count++)
		names[count] = bench_suites[count]->name;
	return bench_text_no_such("suite", name, names, count, " and all", error);
}

/* Does `name`, a word of --suite, mean the suite? */
static bool means(const struct bench_app_cases *cases, const char *name, const struct bench_suite *suite)
{
	if (strcmp(name, "all") == 0)
		return !(cases->without_harness && suite->of_harness);
	return strcmp(name, suite->name) == 0;
}

/* Adds the suites of one --suite value; each suite once, in the order first named. */
static int add_suites(const struct bench_app_cases *cases, char *list, const struct bench_suite **chosen,
		      size_t *count, struct bench_error *error)
{
	char *name;
	while ((name = bench_text_next(&list, ','))) {
		bool found = false;
		for (size_t s = 0; bench_suites[s]; s++) {
			if (!means(cases, name, bench_suites[s]))
				continue;
			found = true;
			bool twice = false;
			for (size_t i = 0; i < *count; i++)
				twice |= chosen[i] == bench_suites[s];
			if (!twice)
				chosen[(*count)++] = bench_suites[s];
		}
		if (!found)
			return no_such_suite(name, error);
	}
	return 0;
}

int bench_app_suites(const struct bench_app_cases *cases, struct bench_arena *arena,
		     const struct bench_suite *const **suites, struct bench_error *error)
{
	size_t there = 0, count = 0;
	while (bench_suites[there])
		there++;
	const struct bench_suite **chosen = bench_arena_alloc(arena, there + 1, sizeof(*chosen));
	if (cases->suite_count == 0 &&
	    add_suites(cases, bench_arena_string(arena, "all"), chosen, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < cases->suite_count; i++)
		if (add_suites(cases, bench_arena_string(arena, cases->suites[i]), chosen, &count, error) !=
		    0)
			return -1;
	*suites = chosen;
	return 0;
}

#define TRIAL_SECONDS 60

/* What is wrong with the plan is said by the one that counts. */
static int try_work(void *context, struct bench_error *error)
{
	struct bench_plan *plan = NULL;
	(void)bench_plan_make(context, &plan, error);
	bench_plan_free(plan);
	return 0;
}

/* Asks the suites for the work of their cases, on no device, where some of them come from plug-ins. */
static int try_plan(const struct bench_plan_options *options, struct bench_error *error)
{
	static const struct bench_backend *const none[] = {NULL};
	struct bench_plan_options trial = *options;
	trial.backends = none;
	trial.backend_text = NULL;
	trial.target_count = 0;
	if (!bench_extend_has_code())
		return 0;
	return bench_extend_try("a plug-in, asked for the work of its cases,", TRIAL_SECONDS, try_work,
				&trial, error);
}

int bench_app_plan(const struct bench_app_cases *cases, const char *const *only, struct bench_plan **plan,
		   struct bench_error *error)
{
	const struct bench_app_preset *preset = NULL;
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_plan_options options = {.backends = bench_backends,
					     .backend_text = cases->backends,
					     .targets = cases->targets,
					     .target_count = cases->target_count,
					     .filter = cases->filter,
					     .sets = cases->sets,
					     .set_count = cases->set_count,
					     .only = only};
	int result = bench_app_suites(cases, &arena, &options.suites, error);
	if (result == 0)
		result = bench_app_preset(cases->preset, &preset, error);
	if (result == 0) {
		options.preset = preset->sweeps;
		result = try_plan(&options, error);
	}
	if (result == 0)
		result = bench_plan_make(&options, plan, error);
	return result;
}

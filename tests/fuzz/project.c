/* SPDX-License-Identifier: MIT */
/* The project file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/project.h"
#include "compare/bounds.h"
#include "fuzz.h"

static void check_settings(const struct bench_project_settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		FUZZ_CHECK(*settings->items[i].option && *settings->items[i].value);
		bool file = strcmp(settings->items[i].option, "kernel") == 0 ||
			    strcmp(settings->items[i].option, "plugin") == 0;
		FUZZ_CHECK(!file || (strncmp(settings->items[i].value, "here/", 5) == 0 &&
				     strncmp(settings->items[i].value, "here/../", 8) != 0));
	}
}

static void check_rule(const struct bench_metric_rule *rule)
{
	FUZZ_CHECK(rule->pattern && rule->threshold >= 0);
	FUZZ_CHECK(!rule->most ||
		   (rule->most->limit > 0 && isfinite(rule->most->limit) && !rule->most->versus));
	FUZZ_CHECK(!rule->least || (rule->least->limit > 0 && isfinite(rule->least->limit)));
	FUZZ_CHECK(!rule->least || !rule->least->versus || *rule->least->versus);
	FUZZ_CHECK(!rule->expected || (rule->expected->end > 0 && *rule->expected->why));
}

void fuzz_project(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct bench_project project = {0}, again = {0};
	struct bench_error error = {0};
	int result = bench_app_project_parse("here/.bench.json", text, &project, &error);
	FUZZ_CHECK(result == 0 || (error.code == BENCH_USAGE && strstr(error.text, "here/.bench.json:")));
	if (result == 0) {
		check_settings(&project.settings);
		for (size_t i = 0; i < project.preset_count; i++)
			check_settings(&project.presets[i].settings);
		for (size_t i = 0; i < project.rule_count; i++)
			check_rule(&project.rules[i]);
		for (size_t i = 0; i < project.fleet.task_count; i++)
			FUZZ_CHECK(*project.fleet.tasks[i].partition && project.fleet.tasks[i].repeat > 0 &&
				   !strpbrk(project.fleet.tasks[i].sbatch, "\"'\\\n"));
		FUZZ_CHECK(bench_app_project_parse("here/.bench.json", text, &again, &error) == 0);
		FUZZ_CHECK(again.settings.count == project.settings.count &&
			   again.rule_count == project.rule_count);
	}
	bench_app_project_free(&project);
	bench_app_project_free(&again);
	free(text);
}

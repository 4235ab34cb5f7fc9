/* SPDX-License-Identifier: MIT */
/* The presets of a project file. */
#include <string.h>

#include "app/plan.h"
#include "app/project_internal.h"
#include "core/text.h"

const struct bench_project_preset *bench_app_project_preset(const struct bench_project *project,
							    const char *name)
{
	return BENCH_FIND(project->presets, project->preset_count, name);
}

int bench_app_project_check_preset(const struct bench_project *project, const char *name,
				   struct bench_error *error)
{
	const char *names[BENCH_PROJECT_PRESETS];
	struct bench_app_preset const *shipped;
	for (size_t i = 0; i < project->preset_count; i++)
		names[i] = project->presets[i].name;
	if (bench_app_project_preset(project, name) || bench_app_preset(name, &shipped, error) == 0)
		return 0;
	return project->preset_count == 0 ? -1
					  : bench_text_no_such("preset", name, names, project->preset_count,
							       ", and quick, nightly and full", error);
}

static bool is_shipped(const char *name)
{
	const struct bench_app_preset *preset;
	struct bench_error none;
	return bench_app_preset(name, &preset, &none) == 0;
}

static int read_preset(struct project_reading *in, const cJSON *object)
{
	struct bench_project *project = in->project;
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(object, "like");
	if (!cJSON_IsObject(object))
		return app_project_refuse(in, object, false, "preset '%s': expected {..}", object->string);
	if (like && !cJSON_IsString(like))
		return app_project_refuse(in, like, false, "'like': expected the name of a preset");
	struct bench_project_preset *preset =
		bench_arena_push(&project->arena, &project->presets, &project->preset_count, sizeof(*preset));
	size_t at = project->preset_count - 1;
	preset->name = bench_arena_string(&project->arena, object->string);
	preset->like = like ? bench_arena_string(&project->arena, like->valuestring) : NULL;
	if (!like && is_shipped(preset->name))
		preset->like = preset->name;
	struct bench_project_settings settings = {0}, *outer = in->into;
	in->into = &settings;
	int result = app_project_read_members(
		in, object, false, bench_arena_format(&project->arena, "preset '%s'", object->string));
	in->into = outer;
	project->presets[at].settings = settings;
	return result;
}

/* Each preset that one is like is there, and none is like itself by way of others. */
static int check_likes(struct project_reading *in, const cJSON *presets)
{
	const struct bench_project *project = in->project;
	const cJSON *object;
	cJSON_ArrayForEach(object, presets)
	{
		const struct bench_project_preset *preset = bench_app_project_preset(project, object->string);
		const cJSON *like = cJSON_GetObjectItemCaseSensitive(object, "like");
		BENCH_SCOPED_TEXT chain = {0};
		size_t steps = 0;
		bench_text_add(&chain, "'%s'", preset->name);
		while (preset && preset->like && steps++ <= project->preset_count) {
			const char *next = preset->like;
			bool own = strcmp(next, preset->name) == 0;
			if (own && is_shipped(next))
				break;
			bench_text_add(&chain, " is like '%s'", next);
			preset = bench_app_project_preset(project, next);
			if (preset || is_shipped(next))
				continue;
			app_project_refuse(in, like, false,
					   "there is no preset '%s': this file has none of that name, and "
					   "bench has quick, nightly and full",
					   next);
			return -1;
		}
		bool circle = steps > project->preset_count;
		if (circle)
			app_project_refuse(in, like, false, "presets in a circle: %s", chain.data);
		if (circle)
			return -1;
	}
	return 0;
}

int app_project_presets(struct project_reading *in, const char *option, const cJSON *presets)
{
	const cJSON *preset;
	(void)option;
	if (!cJSON_IsObject(presets))
		return app_project_refuse(in, presets, false, "'presets': expected {\"NAME\": {..}, ..}");
	cJSON_ArrayForEach(preset, presets)
	{
		if (app_project_once(in, presets, preset) != 0)
			return -1;
		if (in->project->preset_count == BENCH_PROJECT_PRESETS)
			return app_project_refuse(in, preset, true, "more than %d presets",
						  BENCH_PROJECT_PRESETS);
		if (read_preset(in, preset) != 0)
			return -1;
	}
	return check_likes(in, presets);
}

/* SPDX-License-Identifier: MIT */
/* The member "fleet" of a project file: which places scripts/slurm submits tasks to. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "app/project_internal.h"
#include "core/text.h"

static int read_sbatch(struct project_reading *in, const cJSON *list, const char **into)
{
	struct bench_text options = {0};
	const cJSON *item;
	int result = 0;
	if (!cJSON_IsArray(list))
		return app_project_refuse(in, list, false, "'%s': expected a list of sbatch's options",
					  list->string);
	cJSON_ArrayForEach(item, list)
	{
		const char *text = cJSON_IsString(item) ? item->valuestring : "";
		if (strncmp(text, "--", 2) != 0 || strpbrk(text, " \t\n\r\"'\\")) {
			result = app_project_refuse(
				in, item, false,
				"'%s': expected options such as \"--time=60\", without blanks and quotes",
				list->string);
			break;
		}
		bench_text_add(&options, "%s%s", options.length ? " " : "", text);
	}
	*into = bench_text_keep(&options, &in->project->arena);
	return result;
}

static int read_partition(struct project_reading *in, const cJSON *item, struct bench_project_task *task)
{
	const char *text = cJSON_IsString(item) ? item->valuestring : "";
	if (!*text || *text == '-' || strlen(text) > 64)
		return app_project_refuse(in, item, false, "'partition': expected the name of a partition");
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
			return app_project_refuse(in, item, false,
						  "'partition': expected the name of a partition");
	task->partition = bench_arena_string(&in->project->arena, text);
	return 0;
}

static int read_each_of(struct project_reading *in, const cJSON *item, struct bench_project_task *task)
{
	static const char *const kinds[] = {"node", "gpu", "partition"};
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (cJSON_IsString(item) && strcmp(item->valuestring, kinds[i]) == 0) {
			task->each = kinds[i];
			return 0;
		}
	return app_project_refuse(in, item, false, "'each': expected \"node\", \"gpu\" or \"partition\"");
}

static const char *const task_members[] = {"partition", "each", "repeat", "preset", "sbatch"};

static int read_task_member(struct project_reading *in, const cJSON *item, struct bench_project_task *task)
{
	double number = cJSON_IsNumber(item) ? item->valuedouble : 0;
	if (strcmp(item->string, task_members[0]) == 0)
		return read_partition(in, item, task);
	if (strcmp(item->string, task_members[1]) == 0)
		return read_each_of(in, item, task);
	if (strcmp(item->string, task_members[4]) == 0)
		return read_sbatch(in, item, &task->sbatch);
	if (strcmp(item->string, task_members[2]) == 0) {
		if (!(number >= 1 && number <= 10000) || number != floor(number))
			return app_project_refuse(in, item, false,
						  "'repeat': expected a whole number from 1 to 10000");
		task->repeat = (unsigned)number;
		return 0;
	}
	if (!cJSON_IsString(item) || !*item->valuestring)
		return app_project_refuse(in, item, false, "'preset': expected the name of a preset");
	task->preset = bench_arena_string(&in->project->arena, item->valuestring);
	return 0;
}

static int read_task(struct project_reading *in, const cJSON *object)
{
	struct bench_project_fleet *fleet = &in->project->fleet;
	struct bench_project_task task = {.each = "node", .repeat = 1, .preset = "", .sbatch = ""};
	const cJSON *item;
	if (!cJSON_IsObject(object) || !cJSON_GetObjectItemCaseSensitive(object, "partition"))
		return app_project_refuse(in, object, false,
					  "'tasks': expected {\"partition\": \"NAME\", ..}");
	if (app_project_members(in, object, "an entry of 'tasks'", task_members, COUNT(task_members)) != 0)
		return -1;
	cJSON_ArrayForEach(item, object) if (read_task_member(in, item, &task) != 0) return -1;
	BENCH_PUSH(&in->project->arena, fleet->tasks, fleet->task_count) = task;
	return 0;
}

int app_project_fleet(struct project_reading *in, const char *option, const cJSON *object)
{
	static const char *const names[] = {"folder", "tasks", "collect"};
	struct bench_project_fleet *fleet = &in->project->fleet;
	struct bench_project_settings folder = {0}, *outer = in->into;
	const cJSON *item, *task;
	(void)option;
	if (!cJSON_IsObject(object))
		return app_project_refuse(in, object, false,
					  "'fleet': expected {\"folder\": \"PATH\", \"tasks\": [..]}");
	if (app_project_members(in, object, "'fleet'", names, COUNT(names)) != 0)
		return -1;
	fleet->collect = "";
	cJSON_ArrayForEach(item, object)
	{
		int result = 0;
		if (strcmp(item->string, names[0]) == 0) {
			in->into = &folder;
			result = app_project_place(in, "folder", item);
			in->into = outer;
			fleet->folder = folder.count ? folder.items[folder.count - 1].value : NULL;
		} else if (strcmp(item->string, names[1]) == 0 && cJSON_IsArray(item)) {
			cJSON_ArrayForEach(task, item) if (result == 0) result = read_task(in, task);
		} else if (strcmp(item->string, names[1]) == 0) {
			result = app_project_refuse(in, item, false, "'tasks': expected a list");
		} else {
			result = read_sbatch(in, item, &fleet->collect);
		}
		if (result != 0)
			return -1;
	}
	return 0;
}

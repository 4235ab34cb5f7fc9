/* SPDX-License-Identifier: MIT */
/* What the readers of a project file share. */
#ifndef BENCH_APP_PROJECT_INTERNAL_H
#define BENCH_APP_PROJECT_INTERNAL_H

#include "app/project.h"
#include "core/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct project_reading {
	struct bench_project *project;
	const char *text;
	const cJSON *root;
	const char *folder; /* of the file: "", or with a '/' at its end */
	struct bench_project_settings *into;
	struct bench_error *error;
};

/* BENCH_USAGE at the item, or at its name, with file, line and column; returns -1. */
int app_project_refuse(const struct project_reading *in, const cJSON *item, bool name, const char *format,
		       ...) __attribute__((format(printf, 4, 5)));
/* BENCH_USAGE where an earlier member of the object has the item's name. */
int app_project_once(const struct project_reading *in, const cJSON *object, const cJSON *item);
/* BENCH_USAGE where `whose` object has a member that is none of `names`, or has one twice. */
int app_project_members(const struct project_reading *in, const cJSON *object, const char *whose,
			const char *const *names, size_t count);
/* Reads the members of the project (`whole`), or of a preset. */
int app_project_read_members(struct project_reading *in, const cJSON *object, bool whole, const char *whose);
/* Adds a setting to those that are being read. */
void app_project_add(struct project_reading *in, const char *option, const char *value);
/* Adds a rule for the metrics that match. */
struct bench_metric_rule *app_project_add_rule(struct project_reading *in, const char *pattern);
/* A bound of a rule, the members "max" and "min" of an entry of "metrics": 0 or -1. */
int app_project_bound(struct project_reading *in, const cJSON *item, bool least,
		      struct bench_metric_rule *rule);
/* Does the path lead out of the folder that it begins in, by its text or by a link on its way? */
bool app_project_leaves(const struct project_reading *in, const char *path);

enum project_kind { PROJECT_KERNEL, PROJECT_PLUGIN, PROJECT_PROGRAM, PROJECT_GOOGLE, PROJECT_LEFT };

/* A file that can be measured, or (PROJECT_LEFT) looks as if it could. */
struct project_item {
	enum project_kind kind;
	const char *path;   /* below the folder that was searched */
	const char *note;   /* PROJECT_LEFT: why it is not measured */
	const char **names; /* suites of a plug-in, benchmarks of PROJECT_GOOGLE */
	size_t name_count;
};

/*
 * Finds such files below the folder. Plug-ins are loaded into this process, and stay; binaries of Google
 * Benchmark are asked for their list, other programs are not started. Memory is the arena's.
 */
void app_project_scan(const char *folder, struct bench_arena *arena, struct project_item **items,
		      size_t *count);

/* Reads the value of a member into the settings of `option`: 0 or -1. */
typedef int app_project_read(struct project_reading *in, const char *option, const cJSON *item);
app_project_read app_project_place;   /* where bench writes: below the file, or at the user's home */
app_project_read app_project_fleet;   /* into project->fleet */
app_project_read app_project_expect;  /* into project->rules: failures that are known */
app_project_read app_project_presets; /* into project->presets */

#endif

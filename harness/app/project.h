/* SPDX-License-Identifier: MIT */
/*
 * The project file: what a repository measures, and how, so that nobody has to say it. JSON, with //
 * comments. docs/projects.md says what its members mean.
 */
#ifndef BENCH_APP_PROJECT_H
#define BENCH_APP_PROJECT_H

#include "compare/compare.h"
#include "core/text.h"

#define BENCH_APP_PROJECT ".bench.json"

/* An option as it would stand on the command line, without the dashes. */
struct bench_project_setting {
	const char *option, *value;
};

struct bench_project_settings {
	struct bench_project_setting *items;
	size_t count;
};

struct bench_project_preset {
	const char *name,
		*like; /* like: a preset of the project or the program; NULL: the verb's usual one */
	struct bench_project_settings settings;
};

/* What a fleet measures in one place: scripts/slurm submits it. */
struct bench_project_task {
	const char *partition;
	const char *each;   /* "node", "gpu" or "partition": a task for each of them */
	unsigned repeat;    /* so many, each by itself */
	const char *preset; /* "": the project's */
	const char *sbatch; /* options, with a blank between two */
};

struct bench_project_fleet {
	const char *folder;  /* of jobs, which all nodes see; NULL: none is said */
	const char *collect; /* options of the task that collects, as in sbatch */
	struct bench_project_task *tasks;
	size_t task_count;
};

struct bench_project {
	struct bench_arena arena;
	const char *path, *folder; /* folder: of the file, "." or with a '/' at its end */
	struct bench_project_settings settings;
	struct bench_project_preset *presets;
	size_t preset_count;
	struct bench_metric_rule *rules;
	size_t rule_count;
	struct bench_project_fleet fleet;
};

/*
 * Looks for the file in the working directory and above, and reads it; path NULL: there is none. The caller
 * frees `project` in any case. What it names is run: BENCH_USAGE where it belongs to another user, or others
 * may write it.
 */
int bench_app_project_find(struct bench_project *project, struct bench_error *error);
/* Reads the file of that path, whoever's it is. BENCH_USAGE with file, line and column. */
int bench_app_project_read(const char *path, struct bench_project *project, struct bench_error *error);
/* The same of a text whose file would have that path. */
int bench_app_project_parse(const char *path, const char *text, struct bench_project *project,
			    struct bench_error *error);

#define BENCH_PROJECT_PRESETS 64 /* at most */

/* BENCH_USAGE, with the nearest, where neither project nor program has the preset. */
int bench_app_project_check_preset(const struct bench_project *project, const char *name,
				   struct bench_error *error);
/* The preset of that name; NULL: the project has none. */
const struct bench_project_preset *bench_app_project_preset(const struct bench_project *project,
							    const char *name);

void bench_app_project_free(struct bench_project *project);

/*
 * Writes a project file into `folder`, which measures what is in it, and what bench writes into .gitignore.
 * *found gets what was found, as lines for people. BENCH_USAGE where there is a project file.
 */
int bench_app_project_init(const char *folder, struct bench_text *found, struct bench_error *error);

#endif

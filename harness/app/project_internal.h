/* What the readers of a project file share. */
#ifndef BENCH_APP_PROJECT_INTERNAL_H
#define BENCH_APP_PROJECT_INTERNAL_H

#include "app/project.h"
#include "core/json.h"

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
/* That `whose` has no such member, and which it may have; returns -1. */
int app_project_no_member(struct project_reading *in, const cJSON *member, const char *whose,
			  const char *const *names, size_t count);

/* Reads the value of a member into the settings of `option`: 0 or -1. */
typedef int app_project_read(struct project_reading *in, const char *option, const cJSON *item);
app_project_read app_project_place; /* where bench writes: below the file, or at the user's home */
app_project_read app_project_fleet; /* into project->fleet */

#endif

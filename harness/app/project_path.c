/* SPDX-License-Identifier: MIT */
/* Paths in a project file: what it names must lie in its folder, and what bench writes is not another user's.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/project_internal.h"
#include "store/store.h"

/* Does the path lead out of the folder that it begins in, by its text or by a link on its way? */
bool app_project_leaves(const struct project_reading *in, const char *path)
{
	char inside[PATH_MAX], whole[PATH_MAX];
	const char *folder = *in->folder ? in->folder : ".";
	long depth = 0;
	if (*path == '/')
		return true;
	for (const char *at = path; *at; at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");
		bool up = length == 2 && strncmp(at, "..", 2) == 0;
		depth += up ? -1 : !(length == 1 && *at == '.');
		if (depth < 0)
			return true;
		at += length;
	}
	if (!realpath(bench_arena_format(&in->project->arena, "%s%s", in->folder, path), whole) ||
	    !realpath(folder, inside))
		return false; /* it does not exist: opening it will fail */
	size_t length = strlen(inside);
	return length > 1 && (strncmp(whole, inside, length) != 0 || whole[length] != '/');
}

/* Where bench writes: below the file, or wherever this user is at home. */
int app_project_place(struct project_reading *in, const char *option, const cJSON *item)
{
	static const char others[] = "/home/";
	struct bench_arena *arena = &in->project->arena;
	const char *path = cJSON_IsString(item) ? item->valuestring : "", *home = getenv("HOME");
	if (!*path)
		return app_project_refuse(in, item, false, "'%s': expected a path", item->string);
	if (strcmp(option, "db") == 0 && bench_store_is_server(path)) {
		if (strcmp(bench_store_shown(path, arena), path) != 0)
			return app_project_refuse(in, item, false,
						  "'%s': do not put a password in a file that others read: "
						  "use PGPASSWORD or ~/.pgpass",
						  item->string);
		app_project_add(in, option, bench_arena_string(arena, path));
		return 0;
	}
	if (strncmp(path, "~/", 2) == 0) {
		if (!home || *home != '/')
			return app_project_refuse(in, item, false,
						  "'%s': HOME is not set, which '~/' stands for",
						  item->string);
		app_project_add(in, option, bench_arena_format(arena, "%s/%s", home, path + 2));
		return 0;
	}
	size_t length = home ? strlen(home) : 0;
	bool own = length && strncmp(path, home, length) == 0 && (path[length] == '/' || !path[length]);
	if (strncmp(path, others, sizeof(others) - 1) == 0 && !own)
		return app_project_refuse(in, item, false,
					  "'%s': '%s' belongs to another user; \"~/...\" is each user's home",
					  item->string, path);
	app_project_add(in, option,
			*path == '/' ? bench_arena_string(arena, path)
				     : bench_arena_format(arena, "%s%s", in->folder, path));
	return 0;
}

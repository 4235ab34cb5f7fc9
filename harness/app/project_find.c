/* SPDX-License-Identifier: MIT */
/* Where the project file is, and whether it can be trusted. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/project.h"
#include "core/text.h"

#define MOST_FOLDERS 256

/* Git asks the same of a repository (safe.directory); with sudo, the user's own files are one's own. */
static bool is_own(const struct stat *file)
{
	const char *sudo = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
	return file->st_uid == geteuid() || file->st_uid == 0 ||
	       (sudo && *sudo && strtoul(sudo, NULL, 10) == file->st_uid);
}

int bench_app_project_find(struct bench_project *project, struct bench_error *error)
{
	BENCH_SCOPED_TEXT folder = {0};
	struct stat file, here, above;
	int result = 0;
	for (size_t i = 0; i < MOST_FOLDERS; i++) {
		const char *prefix = folder.data ? folder.data : "";
		const char *path = bench_arena_format(&project->arena, "%s" BENCH_APP_PROJECT, prefix);
		if (stat(path, &file) == 0) {
			if (!is_own(&file))
				result = bench_fail(error, BENCH_USAGE,
						    "%s belongs to another user (%lu), and can run commands: "
						    "--project %s trusts it, --project no ignores it",
						    path, (unsigned long)file.st_uid, path);
			else if (file.st_mode & S_IWOTH)
				result = bench_fail(
					error, BENCH_USAGE,
					"%s is writable by everybody, and can run commands: 'chmod o-w %s'",
					path, path);
			else
				result = bench_app_project_read(path, project, error);
			break;
		}
		bool known = stat(*prefix ? prefix : ".", &here) == 0;
		bench_text_add(&folder, "../");
		if (!known || stat(folder.data, &above) != 0 ||
		    (here.st_ino == above.st_ino && here.st_dev == above.st_dev))
			break;
	}
	return result;
}

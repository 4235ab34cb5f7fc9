/* Checks of where results go, and of what they are tied to: disk space, the work tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "machine/environment.h"
#include "machine/fitness/parts.h"

/* A path as it is written in a command. */
static char *quoted(struct look *look, const char *path)
{
	struct bench_text text = {0};
	bench_text_add_shell(&text, path);
	char *word = bench_arena_string(look->arena, text.data ? text.data : "");
	bench_text_free(&text);
	return word;
}

/* The folder, or the nearest one above it that is there: a run makes the rest. */
static char *nearest_folder(struct look *look, const char *path)
{
	char *folder = bench_arena_string(look->arena, path);
	while (!bench_file_is_folder(folder)) {
		char *slash = strrchr(folder, '/');
		if (!slash)
			return bench_arena_string(look->arena, ".");
		if (slash == folder)
			return bench_arena_string(look->arena, "/");
		*slash = '\0';
	}
	return folder;
}

static void check_disk(struct look *look)
{
	const char *runs = look->options->runs_dir ? look->options->runs_dir : "runs";
	struct bench_error error;
	struct stat status;
	struct statvfs disk;
	char room[32];
	const char *word = quoted(look, runs);
	if (!*runs || (stat(runs, &status) == 0 && !S_ISDIR(status.st_mode))) {
		look_found(look, BENCH_GRADE_BAD, "'%s' is no folder", runs);
		look_cost(look, "no run can be written");
		look_change(look, "name another one (--runs-dir)%s", *runs ? ", or move it away:" : "");
		if (*runs)
			look_command(look, "mv %s %s.old", word, word);
		return;
	}
	const char *folder = nearest_folder(look, runs);
	if (bench_file_check_writable(folder, &error) != 0) {
		look_found(look, BENCH_GRADE_BAD, "%s", error.text);
		look_cost(look, "no run can be written");
		look_change(look, "name another folder:");
		look_command(look, "bench run --runs-dir /tmp/runs --db /tmp/results.db");
		return;
	}
	if (statvfs(folder, &disk) != 0) {
		look_found(look, BENCH_GRADE_UNKNOWN, "'%s': %s", folder, strerror(errno));
		return;
	}
	double bytes = (double)disk.f_bavail * (double)disk.f_frsize;
	enum bench_grade grade = bytes < 100e6 ? BENCH_GRADE_BAD
				 : bytes < 1e9 ? BENCH_GRADE_ADVICE
					       : BENCH_GRADE_GOOD;
	bench_text_quantity(room, sizeof(room), bytes, "B");
	look_found(look, grade, "%s are free for '%s'", room, runs);
	if (grade == BENCH_GRADE_GOOD)
		return;
	look_cost(look, "a run that finds the disk full ends, with what it has written");
	look_change(look, "remove run folders that the history has already:");
	look_command(look, "bench ingest %s/* && du -sh %s/* | sort -h", word, word);
}

/* The folder with a .git in it, the working directory or above; NULL where there is none. */
static char *find_work_tree(struct look *look)
{
	char *folder = getcwd(NULL, 0), *found = NULL;
	struct stat status;
	while (folder && *folder && !found) {
		if (lstat(bench_arena_format(look->arena, "%s/.git", folder), &status) == 0)
			found = bench_arena_string(look->arena, folder);
		*strrchr(folder, '/') = '\0';
	}
	free(folder);
	return found;
}

static void check_git(struct look *look)
{
	struct stat owner;
	const char *tree = find_work_tree(look);
	struct bench_git state;
	const struct bench_git *git = &state;
	bench_environment_git(&state, look->arena);
	if (git->present && git->dirty) {
		look_found(look, BENCH_GRADE_ADVICE, "%.12s with %zu changed file%s (%s%s)", git->commit,
			   git->dirty_count, git->dirty_count == 1 ? "" : "s", git->dirty_files[0],
			   git->dirty_count > 1 ? ", .." : "");
		look_cost(look, "a number of today cannot be tied to a commit, and so not be measured again");
		look_change(look, "commit first:");
		look_command(look, "git status --short");
	} else if (git->present) {
		look_found(look, BENCH_GRADE_GOOD, "%.12s, clean", git->commit);
	} else if (tree && stat(tree, &owner) == 0 && owner.st_uid != geteuid()) {
		look_found(look, BENCH_GRADE_ADVICE,
			   "git refuses %s: it belongs to another user (safe.directory)", tree);
		look_cost(look, "runs carry no commit, and history cannot say what they measured");
		look_change(look, "tell git that it may:");
		look_command(look, "git config --global --add safe.directory %s", quoted(look, tree));
	} else {
		look_found(look, BENCH_GRADE_ADVICE, "%s",
			   tree ? "git is not installed, or there is no commit yet"
				: "not in a work tree of git");
		look_cost(look, "runs carry no commit, and history cannot say what they measured");
		look_change(look, tree ? "see what git says:" : "run it where the code is that is measured");
		if (tree)
			look_command(look, "git log -1");
	}
}

const struct look_check look_storage_checks[] = {
	{"disk", check_disk},
	{"git", check_git},
	{0},
};

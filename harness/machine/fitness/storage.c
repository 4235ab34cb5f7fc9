/* SPDX-License-Identifier: MIT */
/* Checks of where results go (disk space) and of what they are tied to (the work tree). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "machine/environment.h"
#include "machine/fitness/internal.h"

/* A path, quoted for a command line. */
static char *quoted(struct probe *probe, const char *path)
{
	struct bench_text text = {0};
	bench_text_add_shell(&text, path);
	return bench_text_keep(&text, probe->arena);
}

/* The folder, or the nearest one above it that exists: a run makes the rest. */
static char *nearest_folder(struct probe *probe, const char *path)
{
	char *folder = bench_arena_string(probe->arena, path);
	while (!bench_file_is_folder(folder)) {
		char *slash = strrchr(folder, '/');
		if (!slash)
			return bench_arena_string(probe->arena, ".");
		if (slash == folder)
			return bench_arena_string(probe->arena, "/");
		*slash = '\0';
	}
	return folder;
}

static void check_disk(struct probe *probe)
{
	const char *runs = probe->options->outputs.runs_dir ? probe->options->outputs.runs_dir : "runs";
	struct bench_error error;
	struct stat status;
	struct statvfs disk;
	char room[32];
	const char *word = quoted(probe, runs);
	if (!*runs || (stat(runs, &status) == 0 && !S_ISDIR(status.st_mode))) {
		fitness_found(probe, BENCH_GRADE_BAD, "'%s' is not a folder", runs);
		fitness_cost(probe, "no run can be written");
		fitness_change(probe, "name another one (--runs-dir)%s", *runs ? ", or move it away:" : "");
		if (*runs)
			fitness_command(probe, "mv %s %s.old", word, word);
		return;
	}
	const char *folder = nearest_folder(probe, runs);
	if (bench_file_check_writable(folder, &error) != 0) {
		fitness_found(probe, BENCH_GRADE_BAD, "%s", error.text);
		fitness_cost(probe, "no run can be written");
		fitness_change(probe, "name another folder:");
		fitness_command(probe, "bench run --runs-dir /tmp/runs --db /tmp/results.db");
		return;
	}
	if (statvfs(folder, &disk) != 0) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "'%s': %s", folder, strerror(errno));
		return;
	}
	double bytes = (double)disk.f_bavail * (double)disk.f_frsize;
	enum bench_grade grade = bytes < 100e6 ? BENCH_GRADE_BAD
				 : bytes < 1e9 ? BENCH_GRADE_ADVICE
					       : BENCH_GRADE_GOOD;
	bench_text_quantity(room, sizeof(room), bytes, "B");
	fitness_found(probe, grade, "%s are free for '%s'", room, runs);
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe, "a run that finds the disk full ends, with what it has written");
	fitness_change(probe, "remove run folders that the history has already:");
	fitness_command(probe, "bench ingest %s/* && du -sh %s/* | sort -h", word, word);
}

/* The working directory or the nearest parent with a .git; NULL without one. */
static char *find_work_tree(struct probe *probe)
{
	char *folder = getcwd(NULL, 0), *found = NULL;
	struct stat status;
	while (folder && *folder && !found) {
		if (lstat(bench_arena_format(probe->arena, "%s/.git", folder), &status) == 0)
			found = bench_arena_string(probe->arena, folder);
		*strrchr(folder, '/') = '\0';
	}
	free(folder);
	return found;
}

static void check_git(struct probe *probe)
{
	struct stat owner;
	const char *tree = find_work_tree(probe);
	struct bench_git state;
	const struct bench_git *git = &state;
	bench_machine_environment_git(".", &probe->options->outputs, &state, probe->arena);
	if (git->present && git->dirty && !git->dirty_count) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%.12s, and git does not report what has changed",
			      git->commit);
		fitness_cost(probe, "runs are marked as dirty");
		fitness_change(probe, "see what git says:");
		fitness_command(probe, "git status");
	} else if (git->present && git->dirty) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%.12s with %zu changed file%s (%s%s)", git->commit,
			      git->dirty_count, bench_text_plural(git->dirty_count), git->dirty_files[0],
			      git->dirty_count > 1 ? ", .." : "");
		fitness_cost(probe, "today's results belong to no commit, so nobody can repeat them");
		fitness_change(probe, "commit first:");
		fitness_command(probe, "git status --short");
	} else if (git->present) {
		fitness_found(probe, BENCH_GRADE_GOOD, "%.12s, clean", git->commit);
	} else if (tree && stat(tree, &owner) == 0 && owner.st_uid != geteuid()) {
		fitness_found(probe, BENCH_GRADE_ADVICE,
			      "git refuses %s: it belongs to another user (safe.directory)", tree);
		fitness_cost(probe, "runs carry no commit, and history cannot say what they measured");
		fitness_change(probe, "tell git that it may:");
		fitness_command(probe, "git config --global --add safe.directory %s", quoted(probe, tree));
	} else {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%s",
			      tree ? "git is not installed, or there is no commit yet"
				   : "not in a work tree of git");
		fitness_cost(probe, "runs carry no commit, and history cannot say what they measured");
		fitness_change(probe,
			       tree ? "see what git says:" : "run it where the code is that is measured");
		if (tree)
			fitness_command(probe, "git log -1");
	}
}

const struct fitness_check fitness_storage_checks[] = {
	{"disk", check_disk},
	{"git", check_git},
	{0},
};

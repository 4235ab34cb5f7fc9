/* SPDX-License-Identifier: MIT */
/*
 * A git repository as 'bench bisect' uses it: the commits between two, and one work tree, in which they are
 * built one after the other. Git runs nothing of the repository (machine/git.h); the build command is the
 * user's own, and is run by sh.
 */
#ifndef BENCH_APP_WORKTREE_H
#define BENCH_APP_WORKTREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/json.h"

struct bench_app_commit {
	char *hash;
	char *date; /* of the author, ISO 8601 */
	char *subject;
};

/* A repository is named by a folder of it. Memory is the arena's. */

/* The top of its work tree, an absolute path. BENCH_ENVIRONMENT. */
int bench_app_repository_top(const char *repository, struct bench_arena *arena, char **top,
			     struct bench_error *error);
/* The full name of the commit that a revision is. BENCH_USAGE. */
int bench_app_commit_resolve(const char *repository, const char *revision, struct bench_arena *arena,
			     char **hash, struct bench_error *error);
/*
 * `good` and what follows it up to `bad`, both full names, oldest first, along first parents. BENCH_NOTHING
 * where good is no ancestor of bad, or the same.
 */
int bench_app_commits(const char *repository, const char *good, const char *bad, struct bench_arena *arena,
		      struct bench_app_commit **commits, size_t *count, struct bench_error *error);
/* The branch that a revision is, or that HEAD is on; "": none. */
char *bench_app_commit_branch(const char *repository, const char *revision, struct bench_arena *arena);
/* When it was committed, in Unix seconds. BENCH_ENVIRONMENT. */
int bench_app_commit_time(const char *repository, const char *commit, int64_t *seconds,
			  struct bench_error *error);
/* Is the commit one of those that follow `good`, up to `bad`? false also where git does not know them. */
bool bench_app_commit_is_between(const char *repository, const char *good, const char *bad,
				 const char *commit);

struct bench_app_worktree {
	const char *repository;
	const char *path; /* of the work tree: an absolute path */
	bool there;
};

struct bench_app_build {
	const char *command;     /* for sh, in the work tree */
	const char *executable;  /* that it makes, below the work tree; NULL: none */
	const char *const *made; /* other files that it must leave there */
	size_t made_count;
	const char *const *keep; /* files and folders that are kept beside these */
	size_t keep_count;
	bool whole; /* the whole work tree is kept */
	double limit_seconds;
	const volatile sig_atomic_t *stop;
};

/*
 * Makes and opens the state folder of a verb that builds commits: *state is its absolute path, in `arena`,
 * and *log is `file` in it, for appending, locked until it is closed. BENCH_USAGE for a folder that has other
 * files but not that one: it is not the verb's, which removes what it finds at the work tree's path.
 * BENCH_ENVIRONMENT where another process has the lock, or storage fails.
 */
int bench_app_worktree_state(const char *folder, const char *file, const char *verb,
			     struct bench_arena *arena, char **state, int *log, struct bench_error *error);
/* Appends a line to the log of a state folder, and frees the event. BENCH_ENVIRONMENT. */
int bench_app_worktree_note(const char *state, const char *file, int log, cJSON *event,
			    struct bench_error *error);
/* Are the executable (NULL: none) and the files to keep paths below the work tree? BENCH_USAGE. */
int bench_app_build_check(const char *program, const char *const *keep, size_t keep_count,
			  struct bench_error *error);
/*
 * Builds a commit in the work tree, which is made for the first one. Untracked files of earlier commits stay,
 * so that builds can be incremental. Its output goes to the file `log`; the kept files go to the folder
 * `into`, under the same names, all or none. BENCH_FAILED where the command fails, takes too long, is
 * stopped, or does not make all files; BENCH_ENVIRONMENT where git or storage fails.
 */
int bench_app_worktree_build(struct bench_app_worktree *tree, const char *commit,
			     const struct bench_app_build *build, const char *into, const char *log,
			     struct bench_error *error);
/*
 * The usual command that builds what is in `folder`, by the build file in it (CMakeLists.txt, Makefile, ...);
 * NULL: there is none.
 */
const char *bench_app_build_command(const char *folder, const char **file);
/* Removes the work tree, and one of that path that an earlier process left. */
void bench_app_worktree_remove(struct bench_app_worktree *tree);

#endif

/* SPDX-License-Identifier: MIT */
#include "app/worktree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/date.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "machine/child.h"
#include "machine/git.h"

#define GIT_SECONDS 600

static int git(const char *folder, const char *const *words, struct bench_text *out,
	       struct bench_error *error)
{
	return bench_machine_git(folder, words, GIT_SECONDS, out, error);
}

int bench_app_repository_top(const char *repository, struct bench_arena *arena, char **top,
			     struct bench_error *error)
{
	static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
	struct bench_text out = {0};
	int result = git(repository, words, &out, error);
	*top = bench_text_keep(&out, arena);
	(*top)[strcspn(*top, "\n")] = '\0';
	return result;
}

int bench_app_commit_resolve(const char *repository, const char *revision, struct bench_arena *arena,
			     char **hash, struct bench_error *error)
{
	const char *inside[] = {"rev-parse", "--git-dir", NULL};
	const char *commit = bench_arena_format(arena, "%s^{commit}", revision);
	const char *words[] = {"rev-parse", "--verify", "--end-of-options", commit, NULL};
	struct bench_text out = {0};
	if (git(repository, inside, NULL, error) != 0)
		return -1;
	int result = git(repository, words, &out, error);
	/* Since git 2.30 the marker is not echoed; before, the name is the last line. */
	char *text = bench_text_keep(&out, arena), *line;
	while ((line = bench_text_next(&text, '\n')))
		if (*line && *line != '-')
			*hash = line;
	if (result != 0)
		return bench_fail(error, BENCH_USAGE, "'%s' is no commit of the repository '%s'", revision,
				  repository);
	return 0;
}

char *bench_app_commit_branch(const char *repository, const char *revision, struct bench_arena *arena)
{
	static const char heads[] = "refs/heads/";
	const char *words[] = {"rev-parse", "--symbolic-full-name", revision, "--", NULL};
	const char *current[] = {"symbolic-ref", "--quiet", "HEAD", NULL};
	struct bench_text out = {0};
	git(repository, strcmp(revision, "HEAD") == 0 ? current : words, &out, NULL);
	char *text = bench_text_keep(&out, arena), *name = bench_text_next(&text, '\n');
	return name && strncmp(name, heads, strlen(heads)) == 0 ? name + strlen(heads)
								: bench_arena_string(arena, "");
}

int bench_app_commit_time(const char *repository, const char *commit, int64_t *seconds,
			  struct bench_error *error)
{
	const char *words[] = {"log", "-1", "--format=%cI", commit, "--", NULL};
	BENCH_SCOPED_TEXT out = {0};
	int result = git(repository, words, &out, error);
	if (result == 0) {
		out.data[strcspn(out.data, "\n")] = '\0';
		if (!bench_date_parse(out.data, seconds))
			result = bench_fail(error, BENCH_ENVIRONMENT, "commit %.12s has no date", commit);
	}
	return result;
}

bool bench_app_commit_is_between(const char *repository, const char *good, const char *bad,
				 const char *commit)
{
	const char *from[] = {"merge-base", "--is-ancestor", commit, good, NULL};
	const char *to[] = {"merge-base", "--is-ancestor", commit, bad, NULL};
	const char *known[] = {"rev-parse", "--verify", "--quiet", good, NULL};
	return git(repository, known, NULL, NULL) == 0 && git(repository, from, NULL, NULL) != 0 &&
	       git(repository, to, NULL, NULL) == 0;
}

/* Whoever wrote a subject writes to no terminal. */
static char *without_controls(char *text)
{
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return text;
}

/* "hash NUL date NUL subject", a line each. */
static int add_commits(const char *repository, const char *const *words, struct bench_arena *arena,
		       struct bench_app_commit **commits, size_t *count, struct bench_error *error)
{
	BENCH_SCOPED_TEXT out = {0};
	if (git(repository, words, &out, error) != 0)
		return -1;
	size_t length = out.length;
	char *at = bench_arena_alloc(arena, length + 1, 1), *end = at + length;
	if (length)
		memcpy(at, out.data, length);
	while (at < end) {
		char *fields[3];
		for (size_t i = 0; i < 3; i++) {
			fields[i] = at;
			at += strcspn(at, i < 2 ? "" : "\n");
			*at = '\0';
			at += at < end;
		}
		BENCH_PUSH(arena, *commits, *count) =
			(struct bench_app_commit){fields[0], fields[1], without_controls(fields[2])};
	}
	return 0;
}

#define FORMAT "--format=%H%x00%aI%x00%s"

int bench_app_commits(const char *repository, const char *good, const char *bad, struct bench_arena *arena,
		      struct bench_app_commit **commits, size_t *count, struct bench_error *error)
{
	const char *range = bench_arena_format(arena, "%s..%s", good, bad);
	const char *ancestor[] = {"merge-base", "--is-ancestor", good, bad, NULL};
	const char *reverse[] = {"merge-base", "--is-ancestor", bad, good, NULL};
	const char *first[] = {"log", "-1", FORMAT, good, "--", NULL};
	const char *rest[] = {"log", "--first-parent", "--reverse", FORMAT, range, "--", NULL};
	*commits = NULL;
	*count = 0;
	if (strcmp(good, bad) == 0)
		return bench_fail(error, BENCH_NOTHING, "GOOD and BAD are the same commit, %.12s", good);
	if (git(repository, ancestor, NULL, error) != 0)
		return bench_fail(error, BENCH_NOTHING, "GOOD, %.12s, is not an ancestor of BAD, %.12s: %s",
				  good, bad,
				  git(repository, reverse, NULL, NULL) == 0
					  ? "it comes after it. Exchange the two; for what became faster, "
					    "'bench bisect --faster'"
					  : "take as GOOD a commit that both branches have, which 'git "
					    "merge-base GOOD BAD' prints");
	if (add_commits(repository, first, arena, commits, count, error) != 0 ||
	    add_commits(repository, rest, arena, commits, count, error) != 0)
		return -1;
	return 0;
}

static void remove_made(const struct bench_app_worktree *tree, const char *name)
{
	char path[PATH_MAX];
	if (bench_file_join(path, sizeof(path), tree->path, name))
		unlink(path);
}

/* To the next commit. Untracked files stay, except what the build is to make: it is to be of this commit. */
static int check_out(struct bench_app_worktree *tree, const char *commit, const struct bench_app_build *build,
		     struct bench_error *error)
{
	const char *add[] = {"worktree", "add", "--force", "--detach", tree->path, commit, NULL};
	const char *move[] = {"checkout", "--force", "--detach", "--quiet", commit, "--", NULL};
	if (!tree->there) {
		bench_app_worktree_remove(tree);
		tree->there = git(tree->repository, add, NULL, error) == 0;
		return tree->there ? 0 : -1;
	}
	if (build->executable)
		remove_made(tree, build->executable);
	for (size_t i = 0; i < build->made_count; i++)
		remove_made(tree, build->made[i]);
	return git(tree->path, move, NULL, error);
}

/* Removes a folder with all in it: by rm, as what a build leaves may be deep and read-only. */
static void remove_folder(const char *path)
{
	const char *arguments[] = {"rm", "-rf", "--", path, NULL};
	int status, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere < 0)
		return;
	bench_machine_child_run(
		&(struct bench_child){
			.arguments = arguments, .out = nowhere, .err = nowhere, .limit_seconds = GIT_SECONDS},
		&status);
	close(nowhere);
}

void bench_app_worktree_remove(struct bench_app_worktree *tree)
{
	const char *words[] = {"worktree", "remove", "--force", tree->path, NULL};
	tree->there = false;
	if (access(tree->path, F_OK) == 0 && git(tree->repository, words, NULL, NULL) != 0)
		remove_folder(tree->path);
}

/* In a folder, by a shell that gets both as arguments: nothing is quoted, and nothing needs to be. */
static int run_in(const char *folder, const char *command, const struct bench_app_build *build, int log,
		  struct bench_error *error)
{
	const char *arguments[] = {"sh", "-c", "cd -- \"$0\" && exec sh -c \"$1\"", folder, command, NULL};
	const struct bench_child child = {.arguments = arguments,
					  .out = log,
					  .err = log,
					  .limit_seconds = build->limit_seconds,
					  .stop = build->stop};
	int status;
	switch (bench_machine_child_run(&child, &status)) {
	case BENCH_CHILD_NOT_STARTED:
		return bench_fail(error, BENCH_ENVIRONMENT, "sh cannot be started: %s", strerror(status));
	case BENCH_CHILD_TIMED_OUT:
		return bench_fail(error, BENCH_FAILED, "the build took more than %.0f s (--build-limit)",
				  build->limit_seconds);
	case BENCH_CHILD_STOPPED:
		return bench_fail(error, BENCH_FAILED, "interrupted");
	case BENCH_CHILD_ENDED:
		break;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return bench_fail(error, BENCH_FAILED, "the build ended with exit status %d",
				  WEXITSTATUS(status));
	return bench_fail(error, BENCH_FAILED, "the build was ended by signal %d", WTERMSIG(status));
}

/* Copies the kept files through a temporary folder, so that they arrive completely or not at all. */
static int keep(const struct bench_app_worktree *tree, const struct bench_app_build *build, const char *into,
		int log, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT command = {0};
	const char *half = bench_arena_format(&arena, "%s.half", into);
	if (build->whole) {
		bench_text_add(&command, "cp -Rp -- .");
	} else {
		bench_text_add(&command, "cp -RpL --parents --");
		if (build->executable)
			bench_text_add_command(&command, " %s", build->executable);
		for (size_t i = 0; i < build->made_count; i++)
			bench_text_add_command(&command, " %s", build->made[i]);
		for (size_t i = 0; i < build->keep_count; i++)
			bench_text_add_command(&command, " %s", build->keep[i]);
	}
	bench_text_add_command(&command, " %s", half);
	remove_folder(half);
	remove_folder(into);
	if (bench_file_make_folder(half, error) != 0)
		return -1;
	if (run_in(tree->path, command.data, build, log, error) != 0)
		return bench_fail(error, BENCH_FAILED,
				  "the build did not make all of what is to be kept (%s)",
				  build->whole        ? "the work tree"
				  : build->keep_count ? "--keep"
				  : build->executable ? build->executable
						      : build->made[0]);
	/* The copy is no work tree of the repository. */
	if (build->whole)
		unlink(bench_arena_format(&arena, "%s/.git", half));
	if (rename(half, into) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", into, strerror(errno));
	return 0;
}

static bool is_empty(const char *path)
{
	const struct dirent *entry;
	BENCH_SCOPED_FOLDER *folder = bench_file_open_folder(path);
	bool empty = folder != NULL;
	while (empty && (entry = readdir(folder)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	return empty;
}

int bench_app_worktree_state(const char *folder, const char *file, const char *verb,
			     struct bench_arena *arena, char **state, int *log, struct bench_error *error)
{
	char path[PATH_MAX];
	if (bench_file_make_folder(folder, error) != 0)
		return -1;
	if (!realpath(folder, path))
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", folder, strerror(errno));
	*state = bench_arena_string(arena, path);
	const char *name = bench_arena_format(arena, "%s/%s", path, file);
	if (access(name, F_OK) != 0 && !is_empty(path))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' has other files, but no %s of an earlier bench %s: --state needs a "
				  "new folder, or an empty one",
				  path, file, verb);
	*log = open(name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (*log < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", name, strerror(errno));
	if (flock(*log, LOCK_EX | LOCK_NB) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  errno == EWOULDBLOCK
					  ? "'%s' is in use by another bench %s: wait for it, or "
					    "choose another --state"
					  : "'%s' cannot be locked by bench %s: choose another --state",
				  path, verb);
	return 0;
}

int bench_app_worktree_note(const char *state, const char *file, int log, cJSON *event,
			    struct bench_error *error)
{
	BENCH_SCOPED_TEXT line = {0};
	BENCH_SCOPED_MEMORY char *text = bench_json_print(event, false);
	bench_text_add(&line, "%s\n", text);
	bool whole = bench_file_append(log, line.data, line.length) == 0 && fsync(log) == 0;
	int cause = errno;
	return whole ? 0
		     : bench_fail(error, BENCH_ENVIRONMENT, "'%s/%s' cannot be written: %s", state, file,
				  strerror(cause));
}

/* Does a path lead out of the folder that it is below? */
static bool leads_out(const char *path)
{
	for (const char *at = path; (at = strstr(at, "..")); at += 2)
		if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
	return *path == '/';
}

int bench_app_build_check(const char *program, const char *const *keep_paths, size_t keep_count,
			  struct bench_error *error)
{
	for (size_t i = 0; i <= keep_count; i++) {
		const char *path = i ? keep_paths[i - 1] : program;
		if (path && (!*path || leads_out(path)))
			return bench_fail(error, BENCH_USAGE,
					  "--%s '%s': expected a path below the work tree, such as "
					  "build/bench",
					  i ? "keep" : "program", path);
	}
	return 0;
}

static bool is_file(const struct bench_app_worktree *tree, const char *name, int mode)
{
	char path[PATH_MAX];
	struct stat status;
	return bench_file_join(path, sizeof(path), tree->path, name) && stat(path, &status) == 0 &&
	       S_ISREG(status.st_mode) && access(path, mode) == 0;
}

static int check_made(const struct bench_app_worktree *tree, const struct bench_app_build *build,
		      struct bench_error *error)
{
	if (build->executable && !is_file(tree, build->executable, X_OK))
		return bench_fail(error, BENCH_FAILED,
				  "the build made no executable '%s' (--program); code that is no bench is "
				  "named by --plugin, --kernel or --exec",
				  build->executable);
	for (size_t i = 0; i < build->made_count; i++)
		if (!is_file(tree, build->made[i], R_OK))
			return bench_fail(error, BENCH_FAILED, "there is no '%s' after the build",
					  build->made[i]);
	return 0;
}

int bench_app_worktree_build(struct bench_app_worktree *tree, const char *commit,
			     const struct bench_app_build *build, const char *into, const char *log,
			     struct bench_error *error)
{
	int file = -1, result = -1;
	if (check_out(tree, commit, build, error) != 0)
		return -1;
	file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", log, strerror(errno));
	if (run_in(tree->path, build->command, build, file, error) == 0 &&
	    check_made(tree, build, error) == 0)
		result = keep(tree, build, into, file, error);
	close(file);
	return result;
}

const char *bench_app_build_command(const char *folder, const char **file)
{
	static const struct {
		const char *file, *command;
	} known[] = {
		{"CMakeLists.txt", "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"},
		{"meson.build",
		 "{ test -d build || meson setup build --buildtype=release; } && meson compile -C build"},
		{"Cargo.toml", "cargo build --release"},
		{"Makefile", "make"},
		{"makefile", "make"},
		{"GNUmakefile", "make"},
		{"build.ninja", "ninja"},
	};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*file = known[i].file;
		if (bench_file_join(path, sizeof(path), folder, known[i].file) && access(path, F_OK) == 0)
			return known[i].command;
	}
	return NULL;
}

#include "app/worktree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"

#define GIT_SECONDS   600
#define GRACE_SECONDS 5 /* to clean up, before it is killed */
#define POLL_MS       100
#define MOST_ANSWER   ((size_t)64 << 20)
#define MOST_WORDS    32

enum end { ENDED, TIMED_OUT, STOPPED, NOT_STARTED };

/* Ends a process with all that it has started: politely first, so that make removes what is half done. */
static void end_group(pid_t leader, int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	kill(-leader, SIGTERM);
	poll(&ended, 1, 1000 * GRACE_SECONDS);
	kill(-leader, SIGKILL);
}

static enum end await(pid_t child, double limit_seconds, const volatile sig_atomic_t *stop)
{
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	double start = bench_clock_seconds();
	enum end end = ENDED;
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	while (pidfd >= 0 && end == ENDED && poll(&ended, 1, POLL_MS) <= 0) {
		if (stop && *stop)
			end = STOPPED;
		else if (bench_clock_seconds() - start > limit_seconds)
			end = TIMED_OUT;
	}
	if (end != ENDED)
		end_group(child, pidfd);
	if (pidfd >= 0)
		close(pidfd);
	return end;
}

/* Runs a program in a process group of its own. *status: as waitpid has it, or errno where it was not
 * started. */
static enum end run(const char *const *arguments, int out, int err, double limit_seconds,
		    const volatile sig_atomic_t *stop, int *status)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t child;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	*status = posix_spawnp(&child, arguments[0], &actions, &attributes,
			       (char *const *)(uintptr_t)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (*status)
		return NOT_STARTED;
	enum end end = await(child, limit_seconds, stop);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return end;
}

static void read_back(int file, struct bench_text *text)
{
	char buffer[4096];
	ssize_t got;
	for (off_t at = 0; text->length < MOST_ANSWER && (got = pread(file, buffer, sizeof(buffer), at)) > 0;
	     at += got)
		bench_text_add_bytes(text, buffer, (size_t)got);
}

/* The repository's hooks and monitor are programs of whoever wrote it: they have no say here. */
static size_t add_safe_git(const char *folder, const char **words)
{
	const char *const first[] = {
		"git", "-c",  "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
		"-C",  folder};
	memcpy(words, first, sizeof(first));
	return sizeof(first) / sizeof(first[0]);
}

/* `out` NULL: what it prints is of no interest. The words end with NULL. BENCH_ENVIRONMENT, with git's own.
 */
static int git(const char *folder, const char *const *words, struct bench_text *out,
	       struct bench_error *error)
{
	const char *arguments[MOST_WORDS];
	size_t count = add_safe_git(folder, arguments), given = 0;
	struct bench_text said = {0};
	int answer = memfd_create("bench-git", MFD_CLOEXEC),
	    complaint = memfd_create("bench-git-error", MFD_CLOEXEC), status, result = -1;
	while (words[given] && count < MOST_WORDS - 1)
		arguments[count++] = words[given++];
	arguments[count] = NULL;
	if (answer < 0 || complaint < 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "git %s: no memory for its answer", words[0]);
		goto out;
	}
	enum end end = run(arguments, answer, complaint, GIT_SECONDS, NULL, &status);
	if (end == ENDED && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		result = 0;
		if (out)
			read_back(answer, out);
		goto out;
	}
	read_back(complaint, &said);
	if (end == NOT_STARTED)
		bench_fail(error, BENCH_ENVIRONMENT, "git cannot be started: %s", strerror(status));
	else if (end == TIMED_OUT)
		bench_fail(error, BENCH_ENVIRONMENT, "git %s in '%s' did not end within %d s", words[0],
			   folder, GIT_SECONDS);
	else
		bench_fail(error, BENCH_ENVIRONMENT, "git %s in '%s': %.*s", words[0], folder,
			   said.data ? (int)strcspn(said.data, "\n") : 0, said.data ? said.data : "");
out:
	bench_text_free(&said);
	if (answer >= 0)
		close(answer);
	if (complaint >= 0)
		close(complaint);
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
	struct bench_text out = {0};
	if (git(repository, words, &out, error) != 0) {
		bench_text_free(&out);
		return -1;
	}
	size_t length = out.length;
	char *at = bench_arena_alloc(arena, length + 1, 1), *end = at + length;
	if (length)
		memcpy(at, out.data, length);
	bench_text_free(&out);
	while (at < end) {
		char *fields[3];
		for (size_t i = 0; i < 3; i++) {
			fields[i] = at;
			at += strcspn(at, i < 2 ? "" : "\n");
			*at = '\0';
			at += at < end;
		}
		struct bench_app_commit *commit = bench_arena_push(arena, commits, count, sizeof(*commit));
		*commit = (struct bench_app_commit){fields[0], fields[1], without_controls(fields[2])};
	}
	return 0;
}

#define FORMAT "--format=%H%x00%aI%x00%s"

int bench_app_commits(const char *repository, const char *good, const char *bad, struct bench_arena *arena,
		      struct bench_app_commit **commits, size_t *count, struct bench_error *error)
{
	const char *range = bench_arena_format(arena, "%s..%s", good, bad);
	const char *ancestor[] = {"merge-base", "--is-ancestor", good, bad, NULL};
	const char *first[] = {"log", "--no-show-signature", "-1", FORMAT, good, "--", NULL};
	const char *rest[] = {
		"log", "--no-show-signature", "--first-parent", "--reverse", FORMAT, range, "--", NULL};
	*commits = NULL;
	*count = 0;
	if (strcmp(good, bad) == 0)
		return bench_fail(error, BENCH_NOTHING, "GOOD and BAD are the same commit, %.12s", good);
	if (git(repository, ancestor, NULL, error) != 0)
		return bench_fail(
			error, BENCH_NOTHING,
			"GOOD, %.12s, is no ancestor of BAD, %.12s: the change is looked for in the "
			"commits that lead from one to the other",
			good, bad);
	if (add_commits(repository, first, arena, commits, count, error) != 0 ||
	    add_commits(repository, rest, arena, commits, count, error) != 0)
		return -1;
	return 0;
}

/* To the next commit. What git does not track stays, but for the executable: it is to be of this commit. */
static int check_out(struct bench_app_worktree *tree, const char *commit, const char *executable,
		     struct bench_error *error)
{
	const char *add[] = {"worktree", "add", "--force", "--detach", tree->path, commit, NULL};
	const char *move[] = {"checkout", "--force", "--detach", "--quiet", commit, "--", NULL};
	char path[PATH_MAX];
	if (!tree->there) {
		bench_app_worktree_remove(tree);
		tree->there = git(tree->repository, add, NULL, error) == 0;
		return tree->there ? 0 : -1;
	}
	if (bench_file_join(path, sizeof(path), tree->path, executable))
		unlink(path);
	return git(tree->path, move, NULL, error);
}

/* Removes a folder with all in it: by rm, as what a build leaves may be deep and read-only. */
static void remove_folder(const char *path)
{
	const char *arguments[] = {"rm", "-rf", "--", path, NULL};
	int status, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere < 0)
		return;
	run(arguments, nowhere, nowhere, GIT_SECONDS, NULL, &status);
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
	int status;
	switch (run(arguments, log, log, build->limit_seconds, build->stop, &status)) {
	case NOT_STARTED:
		return bench_fail(error, BENCH_ENVIRONMENT, "sh cannot be started: %s", strerror(status));
	case TIMED_OUT:
		return bench_fail(error, BENCH_FAILED, "the build took more than %.0f s (--build-limit)",
				  build->limit_seconds);
	case STOPPED:
		return bench_fail(error, BENCH_FAILED, "interrupted");
	case ENDED:
		break;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return bench_fail(error, BENCH_FAILED, "the build ended with exit status %d",
				  WEXITSTATUS(status));
	return bench_fail(error, BENCH_FAILED, "the build was ended by signal %d", WTERMSIG(status));
}

/* Copies what is kept to its place by way of a folder beside it, so that it is there whole or not at all. */
static int keep(const struct bench_app_worktree *tree, const struct bench_app_build *build, const char *into,
		int log, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_text command = {0};
	const char *half = bench_arena_format(&arena, "%s.half", into);
	int result = -1;
	bench_text_add(&command, "cp -RpL --parents --");
	for (size_t i = 0; i < build->keep_count; i++) {
		bench_text_add(&command, " ");
		bench_text_add_shell(&command, build->keep[i]);
	}
	bench_text_add(&command, " ");
	bench_text_add_shell(&command, half);
	remove_folder(half);
	remove_folder(into);
	if (bench_file_make_folder(half, error) != 0)
		goto out;
	if (run_in(tree->path, command.data, build, log, error) != 0) {
		bench_fail(error, BENCH_FAILED, "the build did not make all of what is to be kept (%s%s)",
			   build->keep[0], build->keep_count > 1 ? ", --keep" : "");
		goto out;
	}
	result = rename(half, into);
	if (result != 0)
		bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", into, strerror(errno));
out:
	bench_text_free(&command);
	bench_arena_free(&arena);
	return result;
}

int bench_app_worktree_build(struct bench_app_worktree *tree, const char *commit,
			     const struct bench_app_build *build, const char *into, const char *log,
			     struct bench_error *error)
{
	char path[PATH_MAX];
	struct stat status;
	int file = -1, result = -1;
	if (check_out(tree, commit, build->keep[0], error) != 0)
		return -1;
	file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", log, strerror(errno));
	if (run_in(tree->path, build->command, build, file, error) != 0)
		goto out;
	if (!bench_file_join(path, sizeof(path), tree->path, build->keep[0]) || stat(path, &status) != 0 ||
	    !S_ISREG(status.st_mode) || access(path, X_OK) != 0)
		bench_fail(error, BENCH_FAILED, "the build made no executable '%s' (--program)",
			   build->keep[0]);
	else
		result = keep(tree, build, into, file, error);
out:
	close(file);
	return result;
}

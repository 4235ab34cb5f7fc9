/* The state of the source tree, as git tells it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "machine/environment.h"

#define MAX_OUTPUT ((size_t)1 << 20)
#define MAX_FILES  100

/* What a git command prints; false if git is not installed or fails. */
static bool ask_git(char *const arguments[], struct bench_text *out)
{
	int ends[2];
	pid_t child;
	posix_spawn_file_actions_t actions;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int failed = posix_spawnp(&child, "git", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	char buffer[4096];
	ssize_t got;
	/* Read to the end, also past the limit: git must not block on a full pipe. */
	while (!failed && ((got = read(ends[0], buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR)))
		if (got > 0 && out->length < MAX_OUTPUT)
			bench_text_add_bytes(out, buffer, (size_t)got);
	close(ends[0]);
	if (failed)
		return false;
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static char *answer(struct bench_arena *arena, char *const arguments[])
{
	struct bench_text out = {0};
	char *text = NULL;
	if (ask_git(arguments, &out) && out.data) {
		out.data[strcspn(out.data, "\n")] = '\0';
		text = bench_arena_string(arena, out.data);
	}
	bench_text_free(&out);
	return text;
}

/* "XY path" entries, each ended by NUL; a rename is followed by the old path. */
static void read_status(struct bench_git *git, struct bench_arena *arena, const struct bench_text *out)
{
	const char *entry = out->data, *end = out->data + out->length;
	while (entry && entry < end) {
		size_t length = strlen(entry);
		if (length < 4)
			break;
		git->dirty = true;
		if (git->dirty_count < MAX_FILES)
			*(char **)bench_arena_push(arena, &git->dirty_files, &git->dirty_count,
						   sizeof(char *)) = bench_arena_string(arena, entry + 3);
		bool renamed = entry[0] == 'R' || entry[0] == 'C';
		entry += length + 1;
		if (renamed && entry < end)
			entry += strlen(entry) + 1;
	}
}

void bench_machine_environment_git(struct bench_git *git, struct bench_arena *arena)
{
	char *head[] = {"git", "rev-parse", "--verify", "HEAD", NULL};
	char *branch[] = {"git", "symbolic-ref", "--short", "-q", "HEAD", NULL};
	char *status[] = {"git", "--no-optional-locks", "status", "--porcelain=v1", "-z", NULL};
	*git = (struct bench_git){.commit = answer(arena, head), .branch = answer(arena, branch)};
	git->present = git->commit != NULL;
	if (!git->commit)
		git->commit = bench_arena_string(arena, "");
	if (!git->branch)
		git->branch = bench_arena_string(arena, "");
	struct bench_text out = {0};
	if (git->present && ask_git(status, &out))
		read_status(git, arena, &out);
	bench_text_free(&out);
}

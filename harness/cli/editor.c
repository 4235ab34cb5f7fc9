#include "cli/editor.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/arena.h"

/* Its words are a shell's, as those of git's editor are. */
int cli_edit(const char *path, struct bench_error *error)
{
	const char *visual = getenv("VISUAL"), *editor = visual && *visual ? visual : getenv("EDITOR");
	struct bench_arena arena = {0};
	pid_t child;
	int status = -1, result = -1;
	if (!editor || !*editor)
		return bench_fail(error, BENCH_USAGE,
				  "there is no editor: set VISUAL or EDITOR, or say what to change (--title, "
				  "--hypothesis, --result, --cause, --next, --note)");
	char *words[] = {bench_arena_string(&arena, "sh"),
			 bench_arena_string(&arena, "-c"),
			 bench_arena_format(&arena, "%s \"$@\"", editor),
			 bench_arena_string(&arena, "editor"),
			 bench_arena_string(&arena, path),
			 NULL};
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		result = 0;
	else
		bench_fail(error, BENCH_FAILED, "the editor '%s' has failed; nothing is changed", editor);
	bench_arena_free(&arena);
	return result;
}

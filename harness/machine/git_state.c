/* The state of the source tree, as git tells it. */
#include <string.h>

#include "machine/environment.h"
#include "machine/git.h"

#define GIT_SECONDS 60
#define MAX_FILES   100

/* The first line of what git answers; NULL where it has no answer. */
static char *answer(struct bench_arena *arena, const char *const *words)
{
	struct bench_text out = {0};
	char *text = NULL;
	if (bench_machine_git(".", words, GIT_SECONDS, &out, NULL) == 0 && out.data) {
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
	static const char *const head[] = {"rev-parse", "--verify", "HEAD", NULL};
	static const char *const branch[] = {"symbolic-ref", "--short", "-q", "HEAD", NULL};
	/* A submodule's work tree has settings of its own, which git would obey. */
	static const char *const status[] = {"status", "--porcelain=v1", "-z", "--ignore-submodules=dirty",
					     NULL};
	struct bench_text out = {0};
	*git = (struct bench_git){.commit = answer(arena, head)};
	git->present = git->commit != NULL;
	git->branch = git->present ? answer(arena, branch) : NULL;
	if (!git->commit)
		git->commit = bench_arena_string(arena, "");
	if (!git->branch)
		git->branch = bench_arena_string(arena, "");
	/* What git does not tell is not known to be clean. */
	if (git->present && bench_machine_git(".", status, GIT_SECONDS, &out, NULL) != 0)
		git->dirty = true;
	else if (git->present)
		read_status(git, arena, &out);
	bench_text_free(&out);
}

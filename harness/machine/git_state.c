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

/* An entry's path stands behind so many blanks, by the entry's first character. */
static const struct {
	char kind;
	int blanks;
	bool renamed; /* the old path follows */
} kinds[] = {{'1', 8, false}, {'2', 9, true}, {'u', 10, false}, {'?', 1, false}};

static const char *skip_blanks(const char *entry, int count)
{
	while (count-- && entry)
		entry = (entry = strchr(entry, ' ')) ? entry + 1 : NULL;
	return entry;
}

static void read_entry(struct bench_git *git, struct bench_arena *arena, const char **at)
{
	static const char commit[] = "# branch.oid ", branch[] = "# branch.head ";
	const char *entry = *at;
	*at += strlen(entry) + 1;
	if (strncmp(entry, commit, sizeof(commit) - 1) == 0 && entry[sizeof(commit) - 1] != '(')
		git->commit = bench_arena_string(arena, entry + sizeof(commit) - 1);
	if (strncmp(entry, branch, sizeof(branch) - 1) == 0 &&
	    strcmp(entry + sizeof(branch) - 1, "(detached)") != 0)
		git->branch = bench_arena_string(arena, entry + sizeof(branch) - 1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *path = *entry == kinds[i].kind ? skip_blanks(entry, kinds[i].blanks) : NULL;
		if (!path)
			continue;
		git->dirty = true;
		if (git->dirty_count < MAX_FILES)
			*(char **)bench_arena_push(arena, &git->dirty_files, &git->dirty_count,
						   sizeof(char *)) = bench_arena_string(arena, path);
		if (kinds[i].renamed)
			*at += strlen(*at) + 1;
	}
}

void bench_machine_environment_git(struct bench_git *git, struct bench_arena *arena)
{
	/* A submodule's work tree has settings of its own, which git would obey. */
	static const char *const status[] = {
		"status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=dirty", NULL};
	static const char *const head[] = {"rev-parse", "--verify", "HEAD", NULL};
	static const char *const branch[] = {"symbolic-ref", "--short", "-q", "HEAD", NULL};
	struct bench_text out = {0};
	*git = (struct bench_git){0};
	if (bench_machine_git(".", status, GIT_SECONDS, &out, NULL) == 0) {
		for (const char *at = out.data; at && at < out.data + out.length;)
			read_entry(git, arena, &at);
	} else {
		/* What git does not tell is not known to be clean. */
		git->commit = answer(arena, head);
		git->branch = git->commit ? answer(arena, branch) : NULL;
		git->dirty = git->commit != NULL;
	}
	git->present = git->commit != NULL;
	if (!git->commit)
		*git = (struct bench_git){.commit = bench_arena_string(arena, "")};
	if (!git->branch)
		git->branch = bench_arena_string(arena, "");
	bench_text_free(&out);
}

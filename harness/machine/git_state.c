/* SPDX-License-Identifier: MIT */
/* The state of the source tree, as git tells it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "machine/build_info.h"
#include "machine/environment.h"
#include "machine/git.h"

#define GIT_SECONDS 60
#define MAX_FILES   100

/* What this program writes itself, and where git's paths begin. */
struct outputs {
	const char *folder; /* that git is asked in */
	const struct bench_outputs *said;
	bool known;
	char *top, *runs, *db; /* top: of the work tree; the others below it; NULL: elsewhere */
};

/* The first line of what git answers; NULL where it has no answer. */
static char *answer(struct bench_arena *arena, const char *folder, const char *const *words)
{
	BENCH_SCOPED_TEXT out = {0};
	char *text = NULL;
	if (bench_machine_git(folder, words, GIT_SECONDS, &out, NULL) == 0 && out.data) {
		out.data[strcspn(out.data, "\n")] = '\0';
		text = bench_arena_string(arena, out.data);
	}
	return text;
}

/* The path below `top`, as git tells it: a link in its last part is itself. NULL: it lies elsewhere. */
static char *below(struct bench_arena *arena, const char *top, const char *path)
{
	char folder[PATH_MAX], *copy = bench_arena_string(arena, path ? path : "");
	size_t length = strlen(copy), head = strlen(top);
	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	char *slash = strrchr(copy, '/'), *name = slash ? slash + 1 : copy;
	if (slash)
		*slash = '\0';
	if (!realpath(!slash          ? "."
		      : slash == copy ? "/"
				      : copy,
		      folder) ||
	    !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return NULL;
	char *whole = bench_arena_format(arena, "%s/%s", folder, name);
	return strncmp(whole, top, head) == 0 && whole[head] == '/' ? whole + head + 1 : NULL;
}

static void find_outputs(struct outputs *outputs, struct bench_arena *arena)
{
	static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
	outputs->known = true;
	outputs->top = answer(arena, outputs->folder, top);
	if (!outputs->top)
		return;
	outputs->runs = below(arena, outputs->top, outputs->said->runs_dir);
	outputs->db = below(arena, outputs->top, outputs->said->db);
}

/* What stands behind `head` in the path; NULL where the path begins otherwise. */
static const char *behind(const char *path, const char *head)
{
	return head && strncmp(path, head, strlen(head)) == 0 ? path + strlen(head) : NULL;
}

static bool is_output(const struct outputs *outputs, const char *path)
{
	/* What stands beside a history: SQLite's files, anchors, copies. */
	static const char *const besides[] = {"-", ".anchors/", ".before-schema-", ".damaged-"};
	const char *rest = behind(path, outputs->runs);
	if (rest && (*rest == '\0' || *rest == '/'))
		return true;
	rest = behind(path, outputs->db);
	bool found = rest && *rest == '\0';
	for (size_t i = 0; rest && i < sizeof(besides) / sizeof(besides[0]); i++)
		found |= behind(rest, besides[i]) != NULL;
	return found;
}

/* Git names an untracked folder and not what is in it: are these all outputs? */
static bool holds_outputs_alone(const struct outputs *outputs, const char *folder)
{
	const char *const words[] = {"--literal-pathspecs",
				     "ls-files",
				     "--others",
				     "--exclude-standard",
				     "-z",
				     "--",
				     folder,
				     NULL};
	const char *rest = behind(outputs->runs ? outputs->runs : "", folder);
	struct bench_text out = {0};
	rest = rest ? rest : behind(outputs->db ? outputs->db : "", folder);
	bool alone = rest && bench_machine_git(outputs->top, words, GIT_SECONDS, &out, NULL) == 0;
	for (const char *at = out.data; alone && at && at < out.data + out.length; at += strlen(at) + 1)
		alone = is_output(outputs, at);
	bench_text_free(&out);
	return alone;
}

/* The number of blanks before an entry's path, by the entry's first character. */
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

static void read_entry(struct bench_git *git, struct bench_arena *arena, struct outputs *outputs,
		       const char **at)
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
		if (kinds[i].renamed)
			*at += strlen(*at) + 1;
		if (!outputs->known)
			find_outputs(outputs, arena);
		if (is_output(outputs, path) || (*entry == '?' && holds_outputs_alone(outputs, path)))
			continue;
		git->dirty = true;
		if (git->dirty_count < MAX_FILES)
			BENCH_PUSH(arena, git->dirty_files, git->dirty_count) =
				bench_arena_string(arena, path);
	}
}

/* "10 TAB 3 TAB path NUL", with "-" for the lines of binary files: the change of that path; NULL: it has
 * none. */
static const char *find_change(const struct bench_text *numbers, const char *path, struct bench_arena *arena)
{
	const char *end = numbers->data + numbers->length;
	for (const char *at = numbers->data; at && at < end; at += strlen(at) + 1) {
		const size_t added = strcspn(at, "\t");
		const char *removed = at + added + (at[added] != '\0');
		const size_t length = strcspn(removed, "\t");
		if (!removed[length] || strcmp(removed + length + 1, path) != 0)
			continue;
		return *at == '-' ? "binary"
				  : bench_arena_format(arena, "+%.*s -%.*s", (int)added, at, (int)length,
						       removed);
	}
	return NULL;
}

/* What changed in each of the dirty files. Untracked ones are new. */
static void read_changes(const char *folder, struct bench_git *git, struct bench_arena *arena)
{
	/* Nothing that the repository's attributes name is run for it. */
	const char *const words[] = {"diff",
				     "HEAD",
				     "--no-ext-diff",
				     "--no-textconv",
				     "--no-renames",
				     "--no-relative",
				     "--ignore-submodules=dirty",
				     "--numstat",
				     "-z",
				     "--",
				     NULL};
	BENCH_SCOPED_TEXT numbers = {0};
	const bool known = bench_machine_git(folder, words, GIT_SECONDS, &numbers, NULL) == 0;
	for (size_t i = 0; i < git->dirty_count; i++) {
		const char *change = known ? find_change(&numbers, git->dirty_files[i], arena) : "";
		BENCH_PUSH(arena, git->dirty_changes, git->dirty_change_count) =
			bench_arena_string(arena, change ? change : "new");
	}
}

static void ask(const char *folder, const struct bench_outputs *outputs, struct bench_git *git,
		struct bench_arena *arena)
{
	/* A submodule's work tree has separate settings, which git would obey. */
	static const char *const status[] = {
		"status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=dirty", NULL};
	static const char *const head[] = {"rev-parse", "--verify", "HEAD", NULL};
	static const char *const branch[] = {"symbolic-ref", "--short", "-q", "HEAD", NULL};
	struct outputs own = {.folder = folder, .said = outputs};
	struct bench_text out = {0};
	*git = (struct bench_git){0};
	if (bench_machine_git(folder, status, GIT_SECONDS, &out, NULL) == 0) {
		for (const char *at = out.data; at && at < out.data + out.length;)
			read_entry(git, arena, &own, &at);
	} else {
		/* What git does not tell is not known to be clean. */
		git->commit = answer(arena, folder, head);
		git->branch = git->commit ? answer(arena, folder, branch) : NULL;
		git->dirty = git->commit != NULL;
	}
	git->present = git->commit != NULL;
	if (git->present && git->dirty_count > 0)
		read_changes(folder, git, arena);
	if (!git->commit)
		*git = (struct bench_git){.commit = bench_arena_string(arena, "")};
	if (!git->branch)
		git->branch = bench_arena_string(arena, "");
	bench_text_free(&out);
}

void bench_machine_environment_git(const char *folder, const struct bench_outputs *outputs,
				   struct bench_git *git, struct bench_arena *arena)
{
	static const char built[] = BENCH_BUILD_COMMIT;
	const size_t length = strcspn(built, "-");
	ask(folder ? folder : ".", outputs, git, arena);
	if (folder || (length > 0 && strncmp(git->commit, built, length) == 0))
		return;
	*git = (struct bench_git){.present = length > 0,
				  .commit = bench_arena_format(arena, "%.*s", (int)length, built),
				  .branch = bench_arena_string(arena, ""),
				  .dirty = built[length] != '\0'};
}

/* SPDX-License-Identifier: MIT */
#include "app/changes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/git.h"

#define GIT_SECONDS  60
#define SHORT_COMMIT 12

/* Records come from elsewhere: a commit in one may be an option, or a range. */
static bool is_hash(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");
	return length >= 7 && length <= 64 && !text[length];
}

/* Git's answer in the arena, with its length; NULL with *why. */
static char *ask(const char *folder, const char *const *words, struct bench_arena *arena, size_t *length,
		 const char **why)
{
	BENCH_SCOPED_TEXT out = {0};
	struct bench_error error;
	char *answer = NULL;
	if (bench_machine_git(folder, words, GIT_SECONDS, &out, &error) == 0) {
		*length = out.length;
		answer = bench_arena_alloc(arena, out.length + 1, 1);
		if (out.length)
			memcpy(answer, out.data, out.length);
	} else {
		*why = bench_arena_string(arena, error.text);
	}
	return answer;
}

static bool is_known(const char *folder, const char *commit, struct bench_arena *arena)
{
	const char *name = bench_arena_format(arena, "%s^{commit}", commit), *why;
	const char *words[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL};
	size_t length;
	return ask(folder, words, arena, &length, &why);
}

/* How many commits each has that the other lacks. */
static bool count_commits(const char *folder, const char *base, const char *head, struct bench_arena *arena,
			  struct bench_commits *changes)
{
	const char *range = bench_arena_format(arena, "%s...%s", base, head);
	const char *words[] = {"rev-list", "--left-right", "--count", range, "--", NULL};
	size_t length;
	char *answer = ask(folder, words, arena, &length, &changes->unknown);
	if (answer && sscanf(answer, "%zu %zu", &changes->left_behind, &changes->commits_in_all) != 2)
		changes->unknown = "git did not say how many commits there are";
	return !changes->unknown;
}

static bool read_commits(const char *folder, const char *base, const char *head, struct bench_arena *arena,
			 struct bench_commits *changes)
{
	const char *range = bench_arena_format(arena, "%s..%s", base, head);
	const char *most = bench_arena_format(arena, "--max-count=%d", BENCH_APP_CHANGES_NAMED);
	const char *words[] = {"log", "--no-color", most, "--format=%H %s", range, "--", NULL};
	size_t length;
	char *rest = ask(folder, words, arena, &length, &changes->unknown), *line;
	while (rest && (line = bench_text_next(&rest, '\n'))) {
		char *subject = strchr(line, ' ');
		if (*line)
			BENCH_PUSH(arena, changes->commits, changes->commit_count) = bench_arena_format(
				arena, "%.*s%s", SHORT_COMMIT, line, subject ? subject : "");
	}
	return !changes->unknown;
}

struct file {
	const char *path;
	size_t added, removed;
};

static int by_size(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	size_t left = x->added + x->removed, right = y->added + y->removed;
	if (left != right)
		return left < right ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* "10 TAB 3 TAB path NUL", with "-" for the lines of binary files. */
static size_t read_numbers(char *at, size_t length, struct bench_arena *arena, struct file **files)
{
	size_t count = 0;
	for (const char *end = at + length; at < end; at += strlen(at) + 1) {
		char *added = at, *removed = strchr(added, '\t'),
		     *path = removed ? strchr(removed + 1, '\t') : NULL;
		if (!path)
			continue;
		BENCH_PUSH(arena, *files, count) =
			(struct file){path + 1, strtoul(added, NULL, 10), strtoul(removed + 1, NULL, 10)};
	}
	return count;
}

static void read_files(const char *folder, const char *base, const char *head, struct bench_arena *arena,
		       struct bench_commits *changes)
{
	/* What the repository's attributes name is not run: neither for differences nor to make text of
	 * files. */
	const char *words[] = {"diff-tree",
			       "-r",
			       "--no-ext-diff",
			       "--no-textconv",
			       "--no-renames",
			       "--numstat",
			       "-z",
			       base,
			       head,
			       "--",
			       NULL};
	size_t length;
	struct file *files = NULL;
	char *answer = ask(folder, words, arena, &length, &changes->unknown);
	if (!answer)
		return;
	changes->files_in_all = read_numbers(answer, length, arena, &files);
	if (changes->files_in_all > 1)
		qsort(files, changes->files_in_all, sizeof(*files), by_size);
	for (size_t i = 0; i < changes->files_in_all && i < BENCH_APP_CHANGES_NAMED; i++)
		BENCH_PUSH(arena, changes->files, changes->file_count) = bench_arena_format(
			arena, "%s +%zu -%zu", files[i].path, files[i].added, files[i].removed);
}

void bench_app_changes(const char *folder, const char *base, const char *head, struct bench_arena *arena,
		       struct bench_commits *changes)
{
	const char *const commits[] = {base, head};
	*changes = (struct bench_commits){.base = base, .head = head};
	if (strcmp(base, head) == 0)
		return;
	for (size_t i = 0; i < 2; i++) {
		if (is_hash(commits[i]) && is_known(folder, commits[i], arena))
			continue;
		changes->unknown = bench_arena_format(arena, "the repository here has no commit %.*s",
						      SHORT_COMMIT, commits[i]);
		return;
	}
	if (count_commits(folder, base, head, arena, changes) &&
	    read_commits(folder, base, head, arena, changes))
		read_files(folder, base, head, arena, changes);
}

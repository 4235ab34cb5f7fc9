/* SPDX-License-Identifier: MIT */
#include "app/line.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/git.h"

#define GIT_SECONDS  60
#define MOST_COMMITS "--max-count=1000000" /* on a line: git's answer has room for these */
#define MOST_ASKED   16384                 /* commits in one command; of further ones, git cannot tell */
#define SHORT_COMMIT 12
#define NOWHERE      SIZE_MAX
#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))

/* A commit and branch that runs of the history have. */
struct bench_app_line_commit {
	const char *commit, *branch;
	size_t place;   /* on the line, 0: the judged commit; NOWHERE: off it, or git cannot tell */
	bool elsewhere; /* git knows it, and it is off the line */
};

/* Full names of commits, sorted. */
struct hashes {
	struct hash {
		const char *text;
		size_t place; /* in git's answer */
	} * items;
	size_t count;
};

/* Records come from elsewhere: a commit in one may be an option, or a range. Imports have short ones. */
static bool is_hash(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");
	return length >= 7 && length <= 64 && !text[length];
}

/* The place of a commit by its name or the beginning of it; NOWHERE if it is not there, or not the only one.
 */
static size_t find_hash(const struct hashes *hashes, const char *commit)
{
	const size_t length = strlen(commit);
	size_t low = 0, high = hashes->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(hashes->items[middle].text, commit) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < hashes->count && strncmp(hashes->items[low].text, commit, length) == 0;
	bool again = low + 1 < hashes->count && strncmp(hashes->items[low + 1].text, commit, length) == 0;
	return found && !again ? hashes->items[low].place : NOWHERE;
}

/* What git prints, a hash a line. */
static bool ask(const char *folder, const char *const *words, struct bench_arena *arena,
		struct hashes *hashes)
{
	BENCH_SCOPED_TEXT out = {0};
	*hashes = (struct hashes){0};
	bool answered = bench_machine_git(folder, words, GIT_SECONDS, &out, NULL) == 0;
	char *rest = answered && out.data ? bench_arena_string(arena, out.data) : NULL, *line;
	while (rest && (line = bench_text_next(&rest, '\n')))
		if (*line) {
			struct hash hash = {line, hashes->count};
			BENCH_PUSH(arena, hashes->items, hashes->count) = hash;
		}
	if (hashes->count > 1)
		qsort(hashes->items, hashes->count, sizeof(*hashes->items), bench_text_order);
	return answered;
}

static bool ask_line(const char *folder, const char *commit, struct bench_arena *arena, struct hashes *hashes)
{
	const char *words[] = {"rev-list", "--first-parent", MOST_COMMITS, commit, "--", NULL};
	return ask(folder, words, arena, hashes) && hashes->count > 0;
}

static bool is_shallow(const char *folder, struct bench_arena *arena)
{
	static const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
	struct hashes answer;
	return !ask(folder, words, arena, &answer) || answer.count != 1 ||
	       strcmp(answer.items[0].text, "false") != 0;
}

/* The commits of the history that are off the line, as words of a command. */
static size_t add_others(const struct bench_app_line *line, const char **words)
{
	size_t count = 0;
	for (size_t i = 0; i < line->count && count < MOST_ASKED; i++)
		if (line->commits[i].place == NOWHERE && is_hash(line->commits[i].commit) &&
		    (i == 0 || strcmp(line->commits[i - 1].commit, line->commits[i].commit) != 0))
			words[count++] = line->commits[i].commit;
	return count;
}

/*
 * Which commits off the line the repository has, and a reference or the judged commit leads to: they are
 * elsewhere. Of others, which a rebase has left behind, git cannot tell whose they were.
 */
static void find_elsewhere(struct bench_app_line *line, const char *folder)
{
	static const char *const known_head[] = {"rev-list", "--ignore-missing", "--no-walk=unsorted"};
	const char *const known_tail[] = {"--", NULL};
	const char *const lost_tail[] = {"--not", "--all", line->commit, "--", NULL};
	const char **words = bench_arena_alloc(
		line->arena, line->count + COUNT(known_head) + COUNT(lost_tail), sizeof(*words));
	struct hashes known, lost;
	memcpy(words, known_head, sizeof(known_head));
	size_t count = add_others(line, words + COUNT(known_head));
	const char **tail = words + COUNT(known_head) + count;
	memcpy(tail, known_tail, sizeof(known_tail));
	if (count == 0 || !ask(folder, words, line->arena, &known) || known.count == 0)
		return;
	words[2] = "--do-walk";
	memcpy(tail, lost_tail, sizeof(lost_tail));
	if (!ask(folder, words, line->arena, &lost))
		return;
	for (size_t i = 0; i < line->count; i++) {
		struct bench_app_line_commit *commit = &line->commits[i];
		commit->elsewhere = commit->place == NOWHERE && is_hash(commit->commit) &&
				    find_hash(&known, commit->commit) != NOWHERE &&
				    find_hash(&lost, commit->commit) == NOWHERE;
	}
}

static void ask_git(struct bench_app_line *line, const char *source)
{
	const char *const folders[] = {source, "."};
	struct hashes hashes;
	size_t f = 0;
	line->why = "it has no commit";
	if (!is_hash(line->commit))
		return;
	line->why = "no repository here has its commit";
	while (f < 2 && (!folders[f] || !ask_line(folders[f], line->commit, line->arena, &hashes)))
		f++;
	if (f == 2)
		return;
	line->why = "";
	line->told = true;
	bool all = true;
	for (size_t i = 0; i < line->count; i++) {
		line->commits[i].place = is_hash(line->commits[i].commit)
						 ? find_hash(&hashes, line->commits[i].commit)
						 : NOWHERE;
		all &= line->commits[i].place != NOWHERE;
	}
	if (all)
		return;
	if (is_shallow(folders[f], line->arena)) {
		line->why = "the repository is a shallow clone";
		return;
	}
	find_elsewhere(line, folders[f]);
	for (size_t i = 0; i < line->count; i++)
		if (line->commits[i].place == NOWHERE && !line->commits[i].elsewhere)
			line->why = "the repository does not have all commits";
}

static int compare_commits(const void *left, const void *right)
{
	const struct bench_app_line_commit *a = left, *b = right;
	int order = strcmp(a->commit, b->commit);
	return order ? order : strcmp(a->branch, b->branch);
}

static int read_commits(struct bench_store *store, struct bench_app_line *line, struct bench_error *error)
{
	struct bench_run_commit *rows;
	if (bench_store_commits(store, line->arena, &rows, &line->count, error) != 0)
		return -1;
	line->commits = bench_arena_alloc(line->arena, line->count + 1, sizeof(*line->commits));
	for (size_t i = 0; i < line->count; i++)
		line->commits[i] =
			(struct bench_app_line_commit){rows[i].commit, rows[i].branch, NOWHERE, false};
	if (line->count > 1)
		qsort(line->commits, line->count, sizeof(*line->commits), compare_commits);
	return 0;
}

int bench_app_line_of(struct bench_store *store, const struct bench_app_line_request *request,
		      const struct bench_git *judged, struct bench_arena *arena, struct bench_app_line *line,
		      struct bench_error *error)
{
	*line = (struct bench_app_line){.arena = arena, .commit = "", .branch = "", .why = ""};
	line->all = !store || (request->branch && strcmp(request->branch, BENCH_APP_LINE_ANY) == 0);
	if (request->branch)
		line->asked = bench_arena_string(line->arena, request->branch);
	if (line->all)
		return 0;
	if (judged && judged->present && judged->commit)
		line->commit = bench_arena_string(line->arena, judged->commit);
	if (line->asked || (judged && judged->present && judged->branch))
		line->branch = bench_arena_string(line->arena, line->asked ? line->asked : judged->branch);
	if (read_commits(store, line, error) != 0)
		return -1;
	if (!line->asked)
		ask_git(line, request->source);
	return 0;
}

/* What is checked out, without looking at its files. */
static bool find_head(const char *folder, struct bench_arena *arena, struct bench_git *git)
{
	static const char *const words[] = {"rev-parse", "HEAD", "--abbrev-ref", "HEAD", NULL};
	BENCH_SCOPED_TEXT out = {0};
	*git = (struct bench_git){0};
	if (bench_machine_git(folder, words, GIT_SECONDS, &out, NULL) == 0) {
		char *rest = bench_text_keep(&out, arena);
		git->commit = bench_text_next(&rest, '\n');
		git->branch = rest ? bench_text_next(&rest, '\n') : NULL;
	}
	git->present = git->commit && git->branch && is_hash(git->commit);
	if (git->present && strcmp(git->branch, "HEAD") == 0)
		*git->branch = '\0';
	return git->present;
}

/* A branch that is asked for, and that no run has, is a mistake. */
static int check_asked(const struct bench_app_line *line, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	const char **names = bench_arena_alloc(&arena, line->count + 1, sizeof(*names));
	bool known = !line->asked || line->all;
	for (size_t i = 0; i < line->count; i++) {
		names[i] = line->commits[i].branch;
		known |= strcmp(names[i], line->branch) == 0;
	}
	const char *nearest = known ? NULL : bench_text_nearest(line->branch, names, line->count);
	if (!known)
		bench_fail(error, BENCH_NOTHING, "the history has no run of branch '%s'%s%s%s", line->branch,
			   BENCH_DID_YOU_MEAN(nearest));
	return known ? 0 : -1;
}

static bool has_any(const struct bench_app_line *line)
{
	bool has = line->all || line->asked;
	for (size_t i = 0; i < line->count && !has; i++)
		has = bench_app_line_has(line, line->commits[i].commit, line->commits[i].branch);
	return has;
}

int bench_app_line_here(struct bench_store *store, const struct bench_app_line_request *request,
			struct bench_arena *arena, struct bench_app_line *line, struct bench_error *error)
{
	struct bench_run_row *rows;
	struct bench_git git = {0};
	size_t count, newest = 0;
	int result = 0;
	bool found = request->branch || find_head(request->source ? request->source : ".", arena, &git);
	if (found) {
		result = bench_app_line_of(store, request, &git, arena, line, error);
		if (result == 0)
			result = check_asked(line, error);
		found = result != 0 || has_any(line);
	}
	if (!found) {
		result = bench_store_runs(store, 0, arena, &rows, &count, error);
		while (result == 0 && newest < count && *rows[newest].aside)
			newest++;
		if (result == 0 && newest < count)
			git = (struct bench_git){.present = true,
						 .commit = rows[newest].commit,
						 .branch = rows[newest].branch};
		if (result == 0)
			result = bench_app_line_of(store, request, &git, arena, line, error);
	}
	return result;
}

/* What is known of a commit and branch; NULL: nothing. */
static const struct bench_app_line_commit *find(const struct bench_app_line *line, const char *commit,
						const char *branch)
{
	const struct bench_app_line_commit wanted = {.commit = commit, .branch = branch};
	return line->count == 0 ? NULL
				: bsearch(&wanted, line->commits, line->count, sizeof(*line->commits),
					  compare_commits);
}

static size_t place_of(const struct bench_app_line *line, const char *commit, const char *branch)
{
	const struct bench_app_line_commit *known = find(line, commit, branch);
	return known ? known->place : NOWHERE;
}

bool bench_app_line_has(const struct bench_app_line *line, const char *commit, const char *branch)
{
	if (!line || line->all)
		return true;
	const struct bench_app_line_commit *known = find(line, commit, branch);
	if (known && (known->place != NOWHERE || known->elsewhere))
		return !known->elsewhere;
	return strcmp(branch, line->branch) == 0;
}

bool bench_app_line_has_commit(const struct bench_app_line *line, const char *commit)
{
	bool known = false, has = false;
	for (size_t i = 0; line && i < line->count; i++)
		if (strcmp(line->commits[i].commit, commit) == 0) {
			known = true;
			has |= bench_app_line_has(line, commit, line->commits[i].branch);
		}
	return has || !known;
}

bool bench_app_line_takes(const struct bench_app_line *line, const char *commit, const char *branch,
			  struct bench_app_line_tally *tally)
{
	const bool has = bench_app_line_has(line, commit, branch);
	if (!has)
		tally->left_out++;
	else if (line && line->told && place_of(line, commit, branch) == NOWHERE)
		tally->guessed++;
	return has;
}

static int compare_places(const void *left, const void *right)
{
	const struct bench_app_line_item *a = left, *b = right;
	if (a->place != b->place)
		return a->place < b->place ? 1 : -1;
	return (a->order > b->order) - (a->order < b->order);
}

void bench_app_line_arrange(const struct bench_app_line *line, struct bench_app_line_item *items,
			    size_t count)
{
	size_t newest = NOWHERE;
	if (!line || !line->told)
		return;
	for (size_t i = 0; i < count; i++) {
		const size_t place = place_of(line, items[i].commit, items[i].branch);
		newest = place < newest ? place : newest;
		items[i].place = place == NOWHERE ? newest : place;
		items[i].order = i;
	}
	if (count > 1)
		qsort(items, count, sizeof(*items), compare_places);
}

static const char *runs(size_t count)
{
	return count == 1 ? "run" : "runs";
}

char *bench_app_line_note(const struct bench_app_line *line, const struct bench_app_line_tally *tally,
			  struct bench_arena *arena)
{
	const size_t left_out = tally->left_out;
	if (!line || line->all || (left_out == 0 && tally->guessed == 0))
		return NULL;
	if (line->asked)
		return bench_arena_format(arena, "%zu %s of other branches than '%s' left out", left_out,
					  runs(left_out), line->branch);
	if (!*line->why)
		return bench_arena_format(arena,
					  "%zu %s off the first-parent line of %.*s left out (--branch any "
					  "takes them)",
					  left_out, runs(left_out), SHORT_COMMIT, line->commit);
	return bench_arena_format(
		arena,
		"%zu %s left out: %s; where git cannot tell, runs of %s%s%s count (--branch any takes all)",
		left_out, runs(left_out), line->why, *line->branch ? "branch '" : "no branch", line->branch,
		*line->branch ? "'" : "");
}

/* SPDX-License-Identifier: MIT */
#include "app/before.h"

#include <string.h>

#include "compare/compare.h"

/* The suites that a run was asked for, "gemm,transfer". */
static char *suites_of(const struct bench_run *run, struct bench_arena *arena)
{
	char *list = bench_arena_string(arena, "");
	for (size_t i = 0; i < run->selection.suite_count; i++)
		list = bench_arena_format(arena, "%s%s%s", list, i ? "," : "", run->selection.suites[i]);
	return list;
}

/* Was run `id` asked to cover what the candidate is, and measured like it? */
static int is_alike(struct bench_store *store, const char *id, const struct bench_run *candidate, bool *alike,
		    struct bench_error *error)
{
	BENCH_SCOPED_RUN *head = NULL;
	if (bench_store_load_head(store, id, &head, error) != 0)
		return -1;
	*alike = bench_compare_same_selection(head, candidate) &&
		 bench_compare_in_turns(head) == bench_compare_in_turns(candidate);
	return 0;
}

/* Does a run that started then fill a gap? Counts it where it does. */
static bool take(struct app_window *window, int64_t started)
{
	bool needed = window->plain < window->wanted;
	window->plain += needed;
	for (size_t first = 0, next; first < window->excluded_count; first = next) {
		const struct bench_excluded *entries = window->excluded;
		bool teaches = true;
		for (next = first;
		     next < window->excluded_count && strcmp(entries[next].key, entries[first].key) == 0;
		     next++)
			teaches &= started < entries[next].since || started >= entries[next].until;
		if (teaches && window->taken[first] < window->wanted) {
			window->taken[first]++;
			needed = true;
		}
	}
	return needed;
}

static bool is_full(const struct app_window *window)
{
	bool full = window->plain >= window->wanted;
	for (size_t i = 0; i < window->excluded_count && full; i++)
		full = (i > 0 && strcmp(window->excluded[i].key, window->excluded[i - 1].key) == 0) ||
		       window->taken[i] >= window->wanted;
	return full;
}

/* Those of the runs (newest first) that are on the line, in its order, oldest first. */
static struct bench_app_line_item *find_on_line(const struct bench_app_line *line,
						const struct bench_older_run *older, size_t count,
						struct bench_arena *arena, size_t *kept)
{
	struct bench_app_line_item *items = bench_arena_alloc(arena, count + 1, sizeof(*items));
	*kept = 0;
	for (size_t i = count; i-- > 0;)
		if (bench_app_line_has(line, older[i].commit, older[i].branch))
			items[(*kept)++] =
				(struct bench_app_line_item){older[i].commit, older[i].branch, i, 0, 0};
	bench_app_line_arrange(line, items, *kept);
	return items;
}

/* Of the runs back to the oldest one that was taken. */
static void count_left_out(const struct bench_app_line *line, const struct bench_older_run *older,
			   size_t count, struct bench_app_line_tally *tally)
{
	*tally = (struct bench_app_line_tally){0};
	for (size_t i = 0; i < count; i++)
		bench_app_line_takes(line, older[i].commit, older[i].branch, tally);
}

static int has_nothing(const struct bench_run *candidate, const struct bench_app_line *line,
		       const struct bench_app_line_tally *tally, struct bench_arena *arena,
		       struct bench_error *error)
{
	const char *note = bench_app_line_note(line, tally, arena);
	return bench_fail(
		error, BENCH_NOTHING,
		"nothing to compare with: no finished run before %s on this host%s with preset '%s', suites "
		"'%s' and the same --set, --filter and --backend%s%s; name another with --baseline",
		*candidate->id ? candidate->id : "this one", note ? " and its line of history" : "",
		candidate->preset, suites_of(candidate, arena), note ? "; line of history: " : "",
		note ? note : "");
}

/* The ids of the finished runs before the candidate, newest first, that fill the window. */
int app_before_fill(struct bench_store *store, struct app_window *window, const struct bench_run *candidate,
		    const struct bench_app_line *line, struct bench_arena *arena, char ***ids, size_t *count,
		    struct bench_app_line_tally *tally, struct bench_error *error)
{
	struct bench_older_run *older = NULL;
	size_t older_count = 0, left, reached = 0;
	*ids = NULL;
	*count = 0;
	window->taken = bench_arena_alloc(arena, window->excluded_count + 1, sizeof(*window->taken));
	const char *host = bench_record_fact(candidate, "fingerprint");
	if (store && bench_store_runs_before(store, host, candidate->preset, candidate->id,
					     candidate->started, arena, &older, &older_count, error) != 0)
		return -1;
	const struct bench_app_line_item *items = find_on_line(line, older, older_count, arena, &left);
	while (left-- > 0 && !is_full(window)) {
		const size_t at = items[left].index;
		bool fits;
		if (is_alike(store, older[at].id, candidate, &fits, error) != 0)
			return -1;
		if (!fits || !take(window, older[at].started))
			continue;
		BENCH_PUSH(arena, *ids, *count) = older[at].id;
		reached = at + 1 > reached ? at + 1 : reached;
	}
	count_left_out(line, older, *count ? reached : older_count, tally);
	return *count ? 0 : has_nothing(candidate, line, tally, arena, error);
}

int bench_app_runs_before(struct bench_store *store, size_t wanted, const struct bench_run *candidate,
			  const struct bench_app_line *line, struct bench_arena *arena, char ***ids,
			  size_t *count, struct bench_error *error)
{
	struct bench_app_line_tally tally;
	return app_before_fill(store, &(struct app_window){.wanted = wanted}, candidate, line, arena, ids,
			       count, &tally, error);
}
